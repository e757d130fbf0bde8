# Trial files → one table a study, and the raw outputs of each item.

for job in RESEED.jobs["collect trials"]:

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
            "../envs/statistics.yaml"
        params:
            key=job.key,
            spec=RESEED.spec_file(job),
        shell:
            "job {log:q} python -P -m reseed.jobs.collect_trials {params.spec:q}"


for job in RESEED.jobs["collect items"]:

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
            "job {log:q} python -P -m reseed.jobs.collect_items {params.spec:q}"
