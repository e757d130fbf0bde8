# A study's exhibits → its page; all studies → the index of pages.

for job in RESEED.jobs["report"]:

    rule:
        name:
            job.name
        input:
            job.inputs,
        output:
            job.mark_for_report(report, CAPTION, CAPTIONS_OF_RESULTS),
        log:
            job.log,
        priority: job.priority
        conda:
            "../envs/exhibits.yaml"
        params:
            key=job.key,
            title=lambda wildcards, job=job: job.title,
            spec=RESEED.spec_file(job),
        shell:
            "job {log:q} python -P -m reseed.jobs.report {params.spec:q}"
