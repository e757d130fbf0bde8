# The user's own results → the tables of a study without training.

for job in RESEED.jobs["import"]:

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
            "job {log:q} python -P -m reseed.jobs.import_results {params.spec:q}"


# A study's scores as a table of runs: the example of imported results.
for job in RESEED.jobs["export"]:

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
            "job {log:q} python -P -m reseed.jobs.export_runs {params.spec:q}"
