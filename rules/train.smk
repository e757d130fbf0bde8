# Splits and hyper-parameters → trials: many trials a job, one declared file a trial.
# The job links the trials that the cache holds and trains the rest. So it does not matter which
# outputs Snakemake deletes and makes again.

for job in RESEED.jobs["train"]:

    rule:
        name:
            job.name
        input:
            job.inputs,
        output:
            job.outputs,
        log:
            job.log,
        priority: job.priority
        conda:
            f"../envs/{job.environment}.yaml"
        resources:
            gpu=job.gpus,
            runtime=lambda wildcards, threads, attempt, job=job: job.minutes(
                threads, attempt
            ),
            mem_mb=lambda wildcards, threads, attempt, job=job: job.memory_mb(
                threads, attempt
            ),
        params:
            key=job.key,
            versions=RESEED.trigger_versions(job),
            spec=RESEED.spec_file(job),
        shell:
            "job {log:q} python -P -m reseed.jobs.train {params.spec:q}"
            " --gpus {resources.gpu} --threads {threads}"

    TRIALS.update((str(file), file) for file in getattr(rules, job.name).output)
