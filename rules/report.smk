# A study's exhibits → its page; all studies → the index of cards.


rule study_report:
    input:
        lambda w: report_inputs([w.study]),
    output:
        report(
            f"{RESULTS}/report/{{study}}.html",
            caption=CAPTION,
            category=lambda w: PROJECT.studies[w.study].title,
            subcategory="Page",
        ),
    log:
        f"{RESULTS}/logs/report/{{study}}.log",
    wildcard_constraints:
        study=one_of(PROJECT.studies),
    priority: SOON
    conda:
        "../envs/exhibits.yaml"
    params:
        key=lambda w: report_key([w.study]),
        title=lambda w: PROJECT.studies[w.study].title,
        run="reseed.jobs.report",
        job=told(lambda w: report_told([w.study], False)),
    shell:
        "job {log:q} python -P -m {params.run} --job {params.job:q} --output {output:q}"


rule report:
    input:
        report_inputs(PROJECT.studies),
    output:
        REPORT,
    log:
        f"{RESULTS}/logs/report/index.log",
    priority: SOON
    conda:
        "../envs/exhibits.yaml"
    params:
        key=report_key(PROJECT.studies),
        run="reseed.jobs.report",
        job=told(lambda w: report_told(PROJECT.studies, True)),
    shell:
        "job {log:q} python -P -m {params.run} --job {params.job:q} --output {output:q}"
