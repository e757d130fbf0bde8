# Raw sources → prepared inputs and targets; pretrained weights likewise.

for job in RESEED.jobs["prepare"]:

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
            "job {log:q} python -P -m reseed.jobs.prepare_data {params.spec:q}"


for job in RESEED.jobs["weights"]:

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
            "job {log:q} python -P -m reseed.jobs.prepare_weights {params.spec:q}"
