# Statistics → tables (CSV, Markdown, LaTeX) and figures (PDF, PNG, the CSV that is drawn).


def exhibit_entry(w):
    """An exhibit as configured."""
    return PROJECT.studies[w.study].exhibits[w.exhibit]


def exhibit_inputs(w):
    """What an exhibit is drawn from: its analysis where it has one, and the study's tables."""
    folder, entry = f"{RESULTS}/studies/{w.study}", exhibit_entry(w)
    files = [f"{folder}/metrics.parquet", f"{folder}/about.json"]
    return files + (
        [f"{folder}/statistics/{entry.analysis}.parquet"] if entry.analysis else []
    )


def exhibit_told(folder):
    """What drawing an exhibit is told."""
    return lambda w: {
        "study": os.path.abspath(f"{RESULTS}/studies/{w.study}"),
        "stem": os.path.abspath(f"{RESULTS}/studies/{w.study}/{folder}/{w.exhibit}"),
        **exhibit_entry(w).model_dump(),
    }


def exhibit_key(w):
    """Hash of the code and the settings that draw an exhibit."""
    entry = exhibit_entry(w)
    return digest(
        code_hash(
            "render.py", kinds.find("exhibits", entry.kind).module, project=Path.cwd()
        ),
        entry.model_dump(),
    )


def exhibit_title(w):
    """What Snakemake's own report calls an exhibit."""
    return {"exhibit": exhibit_entry(w).title}


def study_title(w):
    """Under which heading Snakemake's own report files what a study makes."""
    return PROJECT.studies[w.study].title


CAPTION = "../scripts/reseed/exhibits/templates/caption.rst"


rule table:
    input:
        exhibit_inputs,
    output:
        report(
            f"{RESULTS}/studies/{{study}}/tables/{{exhibit}}.csv",
            caption=CAPTION,
            category=study_title,
            subcategory="Tables",
            labels=exhibit_title,
        ),
        multiext(
            f"{RESULTS}/studies/{{study}}/tables/{{exhibit}}", ".md", ".tex", ".json"
        ),
    log:
        f"{RESULTS}/logs/studies/{{study}}/table-{{exhibit}}.log",
    conda:
        "../envs/exhibits.yaml"
    params:
        key=exhibit_key,
        title=lambda w: exhibit_entry(w).title,
        run=script("render.py"),
        job=told(exhibit_told("tables")),
    shell:
        "job {log:q} python {params.run:q} --job {params.job:q}"


rule figure:
    input:
        exhibit_inputs,
    output:
        report(
            f"{RESULTS}/studies/{{study}}/figures/{{exhibit}}.png",
            caption=CAPTION,
            category=study_title,
            subcategory="Figures",
            labels=exhibit_title,
        ),
        multiext(
            f"{RESULTS}/studies/{{study}}/figures/{{exhibit}}", ".csv", ".pdf", ".json"
        ),
    log:
        f"{RESULTS}/logs/studies/{{study}}/figure-{{exhibit}}.log",
    conda:
        "../envs/exhibits.yaml"
    params:
        key=exhibit_key,
        title=lambda w: exhibit_entry(w).title,
        run=script("render.py"),
        job=told(exhibit_told("figures")),
    shell:
        "job {log:q} python {params.run:q} --job {params.job:q}"
