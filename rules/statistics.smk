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
        run=script("analyse.py"),
        job=told(analysis_told),
    shell:
        "job {log:q} python {params.run:q} --job {params.job:q} --table {output.table:q}"
