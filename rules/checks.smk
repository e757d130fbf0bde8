# Checks: trials agree with the outputs they keep, retraining gives the same bits, and everything
# after training follows from the trials.
# They run as `command python`, in a new process: a fork shares the state of its parent, which could
# hide a difference.


rule verify:
    input:
        lambda wildcards: RESEED.verify.inputs,
    log:
        RESEED.layout.log("verify"),
    conda:
        "../envs/verification.yaml"
    resources:
        gpu=lambda wildcards: RESEED.verify.gpus,
    params:
        spec=lambda wildcards, output: RESEED.specs.write(RESEED.verify.spec()),
    shell:
        "command python -P -m reseed.jobs.verify {params.spec:q} --gpus {resources.gpu}"
        " 2>&1 | tee {log:q}"


# The repeated fits of Raste et al., Section 4.1, for studies with an exhibit of them.
for job in RESEED.jobs["repeat"]:

    rule:
        name:
            job.name
        input:
            [TRIALS[file] for file in job.inputs],
        output:
            job.outputs,
        log:
            job.log,
        priority: job.priority
        conda:
            "../envs/training.yaml"
        resources:
            gpu=job.gpus,
        params:
            key=job.key,
            spec=RESEED.spec_file(job),
        shell:
            "job {log:q} command python -P -m reseed.jobs.repeat_fits {params.spec:q}"
            " --gpus {resources.gpu}"
