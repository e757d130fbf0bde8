# Every exhibit of every study → one self-contained page.


def report_told(w):
    """What the report is told: each study's exhibits."""
    return {
        "results": os.path.abspath(RESULTS),
        "exhibits": {
            study: list(entry.exhibits) for study, entry in PROJECT.studies.items()
        },
    }


rule report:
    input:
        [file for study in PROJECT.studies for file in study_files(study)],
    output:
        REPORT,
    log:
        f"{RESULTS}/logs/report.log",
    conda:
        "../envs/exhibits.yaml"
    params:
        key=digest(code_hash("report.py"), placeless(report_told(None))),
        run=script("report.py"),
        job=told(report_told),
    shell:
        "job {log:q} python {params.run:q} --job {params.job:q} --output {output:q}"
