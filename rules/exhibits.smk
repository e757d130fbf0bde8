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


rule table:
    input:
        exhibit_inputs,
    output:
        multiext(f"{RESULTS}/studies/{{study}}/tables/{{exhibit}}", *TABLE_SUFFIXES),
    log:
        f"{RESULTS}/logs/studies/{{study}}/table-{{exhibit}}.log",
    conda:
        "../envs/exhibits.yaml"
    params:
        key=exhibit_key,
        run=script("render.py"),
        job=told(exhibit_told("tables")),
    shell:
        "job {log:q} python {params.run:q} --job {params.job:q}"


rule figure:
    input:
        exhibit_inputs,
    output:
        multiext(f"{RESULTS}/studies/{{study}}/figures/{{exhibit}}", *FIGURE_SUFFIXES),
    log:
        f"{RESULTS}/logs/studies/{{study}}/figure-{{exhibit}}.log",
    conda:
        "../envs/exhibits.yaml"
    params:
        key=exhibit_key,
        run=script("render.py"),
        job=told(exhibit_told("figures")),
    shell:
        "job {log:q} python {params.run:q} --job {params.job:q}"
