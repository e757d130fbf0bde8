# Training rows → the best hyper-parameters of a search, and its log.

for job in RESEED.jobs["search"]:

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
        threads: job.threads
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
            "job {log:q} python -P -m reseed.jobs.search {params.spec:q}"
            " --gpus {resources.gpu} --threads {threads}"
