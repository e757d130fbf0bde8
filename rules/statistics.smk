# One table a study → one statistics table an analysis.


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
        key=lambda w: digest(
            code_hash("analyse.py", f"reseed.analyses.{analysis_job(w)['kind']}")
        ),
        job=lambda w: compact(analysis_job(w)),
        published=f"{CONFIG}/published",
    shell:
        f'python "$RESEED_SCRIPTS/analyse.py" --study {RESULTS}/studies/{{wildcards.study}}'
        " --job {params.job:q} --published {params.published:q} --table {output.table} > {log} 2>&1"
