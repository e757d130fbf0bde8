# A study's exhibits → its page; all studies → the index of cards.


def study_page(study):
    """The page of one study."""
    return f"{RESULTS}/report/{study}.html"


def report_inputs(studies):
    """What pages are made from: every file of every exhibit, and the studies' facts."""
    return [
        file
        for study in studies
        for file in [
            f"{RESULTS}/studies/{study}/about.json",
            *(
                file
                for exhibit in PROJECT.studies[study].exhibits
                for file in exhibit_files(study, exhibit)
            ),
        ]
    ]


def report_told(studies, index):
    """What the report is told: each study's exhibits in the order of its page."""
    return {
        "results": os.path.abspath(RESULTS),
        "index": index,
        "exhibits": {study: list(PROJECT.studies[study].exhibits) for study in studies},
    }


def report_key(studies):
    """Hash of the code of the report, of its templates, which are no Python, and of what it holds."""
    folder = SCRIPTS / "reseed" / "exhibits" / "templates"
    templates = sorted([*folder.glob("*.html"), *folder.glob("*.css")])
    return digest(
        code_hash("report.py"),
        [file.read_text(encoding="utf-8") for file in templates],
        placeless(report_told(studies, False)),
    )


rule study_report:
    input:
        lambda w: report_inputs([w.study]),
    output:
        report(
            f"{RESULTS}/report/{{study}}.html",
            caption=CAPTION,
            category=study_title,
            subcategory="Page",
        ),
    log:
        f"{RESULTS}/logs/report/{{study}}.log",
    wildcard_constraints:
        study=one_of(PROJECT.studies),
    conda:
        "../envs/exhibits.yaml"
    params:
        key=lambda w: report_key([w.study]),
        title=lambda w: PROJECT.studies[w.study].title,
        run=script("report.py"),
        job=told(lambda w: report_told([w.study], False)),
    shell:
        "job {log:q} python {params.run:q} --job {params.job:q} --output {output:q}"


rule report:
    input:
        report_inputs(PROJECT.studies),
    output:
        REPORT,
    log:
        f"{RESULTS}/logs/report/index.log",
    conda:
        "../envs/exhibits.yaml"
    params:
        key=report_key(PROJECT.studies),
        run=script("report.py"),
        job=told(lambda w: report_told(PROJECT.studies, True)),
    shell:
        "job {log:q} python {params.run:q} --job {params.job:q} --output {output:q}"
