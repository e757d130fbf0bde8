# One table a study → one statistics table an analysis.


def analysis_inputs(wildcards):
    """An analysis's tables; with the per-item scores of its experiments where its kind asks."""
    folder = f"{RESULTS}/studies/{wildcards.study}"
    analysis = PROJECT.studies[wildcards.study].analyses[wildcards.analysis]
    files = [f"{folder}/metrics.parquet", f"{folder}/about.json"]
    if ANALYSES[analysis.kind] == "predictions":
        experiments = analysis.experiments or PROJECT.studies[wildcards.study].experiments
        for name in experiments:
            files += [f"{folder}/predictions/{name}/{part}.parquet" for part in ("scores", "targets")]
    return files + [f"config/published/{name}.csv" for name in analysis.options.get("files", [])]


rule analyse:
    input:
        analysis_inputs,
    output:
        table=f"{RESULTS}/studies/{{study}}/statistics/{{analysis}}.parquet",
        csv=f"{RESULTS}/studies/{{study}}/statistics/{{analysis}}.csv",
    log:
        f"{RESULTS}/logs/studies/{{study}}/statistics-{{analysis}}.log",
    params:
        key=lambda w: digest(code_hash("analyse.py", f"reseed.analyses.{analysis_job(w)['kind']}")),
        job=lambda w: compact(analysis_job(w)),
    conda:
        "../envs/statistics.yaml"
    shell:
        "{PYTHON} {SCRIPTS}/analyse.py --study {RESULTS}/studies/{wildcards.study}"
        " --job {params.job:q} --published config/published --table {output.table} > {log} 2>&1"
