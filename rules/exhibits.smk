# Statistics → tables (CSV, Markdown, LaTeX) and figures (PDF, PNG, the CSV that is drawn).

TABLE_FILES = ["csv", "md", "tex", "json"]
FIGURE_FILES = ["csv", "pdf", "png", "json"]
CAPTION = "../scripts/reseed/exhibits/templates/caption.rst"


def exhibit_files(study):
    """Every file of every exhibit of a study."""
    return [
        f"{RESULTS}/studies/{study}/{form}s/{name}.{suffix}"
        for name, entry in PROJECT.studies[study].exhibits.items()
        for form in [EXHIBITS[entry.kind]]
        for suffix in (TABLE_FILES if form == "table" else FIGURE_FILES)
    ]


def exhibit_title(wildcards):
    """What Snakemake's own report calls an exhibit."""
    return {"exhibit": exhibit_job(wildcards)["title"]}


def study_title(wildcards):
    """Under which heading Snakemake's own report files an exhibit."""
    return PROJECT.studies[wildcards.study].title


rule table:
    input:
        exhibit_inputs,
    output:
        csv=report(
            f"{RESULTS}/studies/{{study}}/tables/{{exhibit}}.csv",
            caption=CAPTION,
            category=study_title,
            subcategory="Tables",
            labels=exhibit_title,
        ),
        md=f"{RESULTS}/studies/{{study}}/tables/{{exhibit}}.md",
        tex=f"{RESULTS}/studies/{{study}}/tables/{{exhibit}}.tex",
        json=f"{RESULTS}/studies/{{study}}/tables/{{exhibit}}.json",
    log:
        f"{RESULTS}/logs/studies/{{study}}/table-{{exhibit}}.log",
    conda:
        "../envs/exhibits.yaml"
    params:
        key=exhibit_key,
        job=lambda w: compact(exhibit_job(w)),
        title=lambda w: exhibit_job(w)["title"],
        stem=lambda w: f"{RESULTS}/studies/{w.study}/tables/{w.exhibit}",
    shell:
        f"python scripts/render.py --study {RESULTS}/studies/{{wildcards.study}}"
        " --job {params.job:q} --stem {params.stem} > {log} 2>&1"


rule figure:
    input:
        exhibit_inputs,
    output:
        csv=f"{RESULTS}/studies/{{study}}/figures/{{exhibit}}.csv",
        pdf=f"{RESULTS}/studies/{{study}}/figures/{{exhibit}}.pdf",
        png=report(
            f"{RESULTS}/studies/{{study}}/figures/{{exhibit}}.png",
            caption=CAPTION,
            category=study_title,
            subcategory="Figures",
            labels=exhibit_title,
        ),
        json=f"{RESULTS}/studies/{{study}}/figures/{{exhibit}}.json",
    log:
        f"{RESULTS}/logs/studies/{{study}}/figure-{{exhibit}}.log",
    conda:
        "../envs/exhibits.yaml"
    params:
        key=exhibit_key,
        job=lambda w: compact(exhibit_job(w)),
        title=lambda w: exhibit_job(w)["title"],
        stem=lambda w: f"{RESULTS}/studies/{w.study}/figures/{w.exhibit}",
    shell:
        f"python scripts/render.py --study {RESULTS}/studies/{{wildcards.study}}"
        " --job {params.job:q} --stem {params.stem} > {log} 2>&1"
