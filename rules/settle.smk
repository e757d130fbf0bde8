# Trials of the rounds so far → which arms need more seeds, for experiments with `until`.
# Training jobs of the next round read it. They write no trial that no decision needs.

for job in RESEED.jobs["settle"]:

    rule:
        name:
            job.name
        input:
            [TRIALS.get(file, file) for file in job.inputs],
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
            "job {log:q} python -P -m reseed.jobs.settle {params.spec:q}"

    TRIALS.update((str(file), file) for file in getattr(rules, job.name).output)
