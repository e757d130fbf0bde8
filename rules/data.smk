# Raw sources → prepared rows and what they are.


rule prepare_data:
    output:
        rows=f"{RESULTS}/data/{{dataset}}/rows.parquet",
        meta=f"{RESULTS}/data/{{dataset}}/meta.json",
    log:
        f"{RESULTS}/logs/data/{{dataset}}.log",
    conda:
        "../envs/data.yaml"
    params:
        key=lambda w: digest(code_hash("prepare_data.py"), PLAN.datasets[w.dataset]),
        dataset=lambda w: compact(PLAN.datasets[w.dataset]),
    shell:
        'python "$RESEED_SCRIPTS/prepare_data.py" --dataset {params.dataset:q}'
        f" --downloads {RESULTS}/downloads"
        " --rows {output.rows} > {log} 2>&1"
