# One table a study → one statistics table an analysis.


rule analyse:
    input:
        analysis_inputs,
    output:
        table=f"{RESULTS}/studies/{{study}}/statistics/{{analysis}}.parquet",
        csv=f"{RESULTS}/studies/{{study}}/statistics/{{analysis}}.csv",
    log:
        f"{RESULTS}/logs/studies/{{study}}/statistics-{{analysis}}.log",
    priority: SOON
    conda:
        "../envs/statistics.yaml"
    params:
        key=analysis_key,
        run="reseed.jobs.analyse",
        job=told(analysis_told),
    shell:
        "job {log:q} python -P -m {params.run} --job {params.job:q} --table {output.table:q}"
