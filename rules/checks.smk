# Checks: trials agree with the outputs they keep, retraining gives the same bits, and everything
# after training follows from the trials.
# They run in a new process: a fork shares the state of its parent, which could hide a difference.


rule verify:
    """Check all results against what they are made from."""
    input:
        plan.verify.inputs,
    log:
        "<results>/logs/verify.log",
    conda:
        plan.verify.environment
    resources:
        gpu=plan.verify.gpus,
    params:
        spec=plan.verify.spec,
    message:
        "verify results"
    shell:
        "command python -P -m reseed.jobs.verify {params.spec:q} --gpus {resources.gpu}"
        " 2>&1 | tee {log:q}"


# The repeated fits of Raste et al., Section 4.1, for studies with an analysis of them.
# results/studies/inherent_randomness/repeated_fits.parquet
rule repeat:
    """Train a sample of a study's trials again and compare."""
    input:
        plan.repeat.inputs,
    output:
        "<results>/studies/{study}/repeated_fits.parquet",
    log:
        "<results>/logs/studies/{study}/repeated_fits.log",
    wildcard_constraints:
        study=plan.names.trained_study,
    conda:
        plan.repeat.environment
    resources:
        gpu=plan.repeat.gpus,
    params:
        key=plan.repeat.key,
        spec=plan.repeat.spec,
    message:
        "train one trial of each model of {wildcards.study} again"
    shell:
        "RESEED_FORKSERVER= python -P -m reseed.jobs.repeat_fits {params.spec:q}"
        " --gpus {resources.gpu} > {log:q} 2>&1"
