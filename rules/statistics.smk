# Tables of a study → one table an analysis.

for job in RESEED.jobs["analyse"]:

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
            "../envs/statistics.yaml"
        params:
            key=job.key,
            spec=RESEED.spec_file(job),
        shell:
            "job {log:q} python -P -m reseed.jobs.analyse {params.spec:q}"
