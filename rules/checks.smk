# Checks of what was made: retrain a sample of trials from scratch and compare fingerprints.


rule verify:
    input:
        [file for study in PLAN.studies for file in PLAN.trial_files(study)],
    log:
        f"{RESULTS}/logs/verify.log",
    conda:
        "../envs/training.yaml"
    params:
        sample=PROJECT.main.verify_sample,
    shell:
        f'python "$RESEED_SCRIPTS/verify.py" --results {RESULTS}'
        " --sample {params.sample} 2>&1 | tee {log}"
