# Statistics → tables (CSV, Markdown, LaTeX) and figures (PDF, PNG, the CSV that is drawn).
# Several a process; the worker links what the store holds, so an edited one is drawn alone.


CAPTION = "../scripts/reseed/reporting/templates/caption.rst"


def shown(study, exhibit):
    """An exhibit's files; the first is the one that Snakemake's own report shows."""
    first, *rest = exhibit_files(study, exhibit)
    entry = PROJECT.studies[study]
    flagged = report(
        first,
        caption=CAPTION,
        category=entry.title,
        subcategory="Tables" if is_table(study, exhibit) else "Figures",
        labels={"exhibit": entry.exhibits[exhibit].title},
    )
    return [flagged, *rest]


for study, number, exhibits in exhibit_jobs():

    rule:
        name:
            f"draw_{study}_{number}"
        input:
            sorted(
                {
                    file
                    for exhibit in exhibits
                    for file in exhibit_inputs(study, exhibit)
                }
            ),
        output:
            [file for exhibit in exhibits for file in shown(study, exhibit)],
        log:
            f"{RESULTS}/logs/studies/{study}/exhibits-{number}.log",
        priority: SOON
        conda:
            "../envs/exhibits.yaml"
        params:
            key=[exhibit_key(study, exhibit) for exhibit in exhibits],
            title=PROJECT.studies[study].title,
            run="reseed.jobs.draw",
            job=told(
                lambda w, study=study, exhibits=exhibits: exhibits_told(
                    study, exhibits
                )
            ),
        shell:
            "job {log:q} python -P -m {params.run} --job {params.job:q}"
