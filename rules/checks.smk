# Checks of what was made: every trial's metrics follow from its outputs; a sample is retrained.
# By `command python`, a process of their own: what repeats in a fork of one process proves less.


rule verify:
    input:
        lambda w: every_trial(),
    log:
        f"{RESULTS}/logs/verify.log",
    conda:
        "../envs/training.yaml"
    resources:
        gpu=lambda w: max((gpus(planned) for planned, _ in everything()), default=0),
    params:
        run=lambda w: "reseed.jobs.verify",
        job=lambda w: JOBS.write(training_job(PROJECT, everything())),
        sample=PROJECT.main.verify_sample,
        all="--all" if PROJECT.main.verify_all else "",
    shell:
        "command python -P -m {params.run} --job {params.job:q} --sample {params.sample} {params.all}"
        " --gpus {resources.gpu} 2>&1 | tee {log:q}"


# The repeated fits of Raste et al., Section 4.1: what an exhibit says of them.
rule repeat_fits:
    input:
        lambda w: trial_files(w.study),
    output:
        f"{RESULTS}/studies/{{study}}/repeated_fits.parquet",
    log:
        f"{RESULTS}/logs/studies/{{study}}/repeated_fits.log",
    wildcard_constraints:
        study=one_of(TRAINED),
    priority: SOON
    conda:
        "../envs/training.yaml"
    resources:
        gpu=lambda w: max(gpus(planned) for planned, _ in PLAN.block(w.study)),
    params:
        key=lambda w: digest(
            code_hash("reseed.jobs.repeat_fits"),
            sorted(planned.key for planned, _ in PLAN.block(w.study)),
        ),
        run="reseed.jobs.repeat_fits",
        job=told(lambda w: training_job(PROJECT, PLAN.block(w.study))),
        sample=PROJECT.main.verify_sample,
    shell:
        "job {log:q} command python -P -m {params.run} --job {params.job:q} --sample {params.sample}"
        " --gpus {resources.gpu} --table {output:q}"
