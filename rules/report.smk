# A study's exhibits → its page; all studies → the index of cards.


def study_page(study):
    """The page of one study."""
    return f"{RESULTS}/report/{study}.html"


def exhibits_of(studies):
    """The exhibits of each study in the order of its page, as JSON."""
    return compact({study: list(PROJECT.studies[study].exhibits) for study in studies})


def report_key():
    """Hash of the code of the report and of its templates, which are no Python."""
    folder = Path(workflow.basedir) / "scripts" / "reseed" / "exhibits" / "templates"
    files = sorted(folder.glob("*.html")) + sorted(folder.glob("*.css"))
    return digest(code_hash("report.py"), [file.read_text() for file in files])


rule study_report:
    input:
        lambda w: exhibit_files(w.study),
        f"{RESULTS}/studies/{{study}}/about.json",
    output:
        report(
            f"{RESULTS}/report/{{study}}.html",
            caption="../scripts/reseed/exhibits/templates/caption.rst",
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
        key=report_key(),
        exhibits=lambda w: exhibits_of([w.study]),
        title=lambda w: PROJECT.studies[w.study].title,
    shell:
        f"python scripts/report.py --studies {RESULTS}/studies"
        " --exhibits {params.exhibits:q}"
        " --output {output} > {log} 2>&1"


rule report:
    input:
        [file for study in PROJECT.studies for file in exhibit_files(study)],
        [f"{RESULTS}/studies/{study}/about.json" for study in PROJECT.studies],
    output:
        REPORT,
    log:
        f"{RESULTS}/logs/report/index.log",
    conda:
        "../envs/exhibits.yaml"
    params:
        key=report_key(),
        exhibits=exhibits_of(PROJECT.studies),
    shell:
        f"python scripts/report.py --studies {RESULTS}/studies --index"
        " --exhibits {params.exhibits:q}"
        " --output {output} > {log} 2>&1"
