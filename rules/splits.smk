# Prepared rows → persisted train, validation and test indices, one file a data seed.

for (dataset, scheme), seeds in PLAN.data_seeds().items():

    rule:
        name:
            job_name("split", dataset, scheme)
        input:
            rows=f"{RESULTS}/data/{dataset}/rows.parquet",
            meta=f"{RESULTS}/data/{dataset}/meta.json",
        output:
            [update(split_file(dataset, scheme, seed)) for seed in seeds],
        log:
            f"{RESULTS}/logs/splits/{dataset}/{scheme}.log",
        conda:
            "../envs/data.yaml"
        params:
            key=digest(code_hash("make_splits.py"), PLAN.schemes()[scheme]),
            scheme=compact(PLAN.schemes()[scheme]),
        shell:
            'python "$RESEED_SCRIPTS/make_splits.py" --meta {input.meta} --scheme {params.scheme:q}'
            " {output} > {log} 2>&1"
