# One table a study → one statistics table an analysis.


def analysis_entry(w):
    """An analysis as configured."""
    return PROJECT.studies[w.study].analyses[w.analysis]


def analysis_inputs(w):
    """An analysis's tables; with per-item outputs where its kind reads them."""
    folder, entry = f"{RESULTS}/studies/{w.study}", analysis_entry(w)
    files = [f"{folder}/metrics.parquet", f"{folder}/about.json"]
    if kinds.find("analyses", entry.kind).reads != "metrics":
        trained = PROJECT.studies[w.study].experiments
        parts = ("scores", "targets", "curves") if trained else ("scores", "targets")
        for name in entry.experiments or trained or ["results"]:
            files += [f"{folder}/predictions/{name}/{part}.parquet" for part in parts]
    return files + [
        f"{CONFIG}/published/{name}.csv" for name in entry.options.get("files", [])
    ]


def analysis_told(w):
    """What an analysis is told."""
    return {
        "study": os.path.abspath(f"{RESULTS}/studies/{w.study}"),
        "published": os.path.abspath(CONFIG / "published"),
        "trained": list(PROJECT.studies[w.study].experiments) or ["results"],
        **analysis_entry(w).model_dump(),
    }


def analysis_key(w):
    """Hash of an analysis's code and settings."""
    entry = analysis_entry(w)
    return digest(
        code_hash(
            "analyse.py", kinds.find("analyses", entry.kind).module, project=Path.cwd()
        ),
        entry.model_dump(),
    )


rule analyse:
    input:
        analysis_inputs,
    output:
        table=f"{RESULTS}/studies/{{study}}/statistics/{{analysis}}.parquet",
        csv=f"{RESULTS}/studies/{{study}}/statistics/{{analysis}}.csv",
    log:
        f"{RESULTS}/logs/studies/{{study}}/statistics-{{analysis}}.log",
    conda:
        "../envs/statistics.yaml"
    params:
        key=analysis_key,
        run=script("analyse.py"),
        job=told(analysis_told),
    shell:
        "job {log:q} python {params.run:q} --job {params.job:q} --table {output.table:q}"
