# Training rows → the best hyper-parameters of a search, and its full log.


rule tune:
    input:
        rows=f"{RESULTS}/data/{{dataset}}/rows.parquet",
        meta=f"{RESULTS}/data/{{dataset}}/meta.json",
        split=lambda w: split_file(w.dataset, w.scheme, w.data_seed),
    output:
        best=f"{RESULTS}/tuning/{SETTING}/{PARTITION}.json",
        search=f"{RESULTS}/tuning/{SETTING}/{PARTITION}.parquet",
    log:
        f"{RESULTS}/logs/tuning/{SETTING}/{PARTITION}.log",
    conda:
        lambda w: f"../envs/{work_of(w).model['environment']}.yaml"
    threads: PROJECT.main.tuning_threads
    resources:
        gpu=lambda w: gpus(work_of(w)),
    params:
        key=lambda w: digest(
            code_hash("tune.py", factory_module(work_of(w))), work_of(w).job()
        ),
        job=lambda w: compact(work_of(w).job()),
        device=lambda w: work_of(w).model["device"],
    shell:
        f'python "$RESEED_SCRIPTS/tune.py" --results {RESULTS}'
        " --job {params.job:q} --key {params.key}"
        " --device {params.device} --gpus {resources.gpu} --threads {threads}"
        " --best {output.best:q} > {log} 2>&1"
