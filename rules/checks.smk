# Checks of what was made: every trial's metrics follow from its outputs; a sample is retrained.


rule verify:
    input:
        lambda w: every_trial(),
    log:
        f"{RESULTS}/logs/verify.log",
    conda:
        "../envs/training.yaml"
    params:
        run=lambda w: str(SCRIPTS / "verify.py"),
        job=lambda w: JOBS.write(training_job(PROJECT, everything())),
        sample=PROJECT.main.verify_sample,
        all="--all" if PROJECT.main.verify_all else "",
    shell:
        "python {params.run:q} --job {params.job:q} --sample {params.sample} {params.all}"
        " 2>&1 | tee {log:q}"
