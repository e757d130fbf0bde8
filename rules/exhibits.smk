# Statistics → tables (CSV, Markdown, LaTeX) and figures (PDF, PNG, the CSV that is drawn).
# A job draws several exhibits. It links those that the cache holds.

for job in RESEED.jobs["draw"]:

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
            "job {log:q} python -P -m reseed.jobs.draw {params.spec:q}"
