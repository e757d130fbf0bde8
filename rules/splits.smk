# Targets → persisted train, validation and test rows, one file a data seed.

for job in RESEED.jobs["split"]:

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
            "../envs/data.yaml"
        params:
            key=job.key,
            spec=RESEED.spec_file(job),
        shell:
            "job {log:q} python -P -m reseed.jobs.make_splits {params.spec:q}"
