# Targets → persisted train, validation and test rows, one file a data seed.

for dataset, scheme, seeds in PLAN.split_jobs():
    files = [split_path(RESULTS, dataset, scheme, seed) for seed in seeds]

    rule:
        name:
            job_name("split", dataset, scheme, str(seeds[0]))
        input:
            data_files(dataset)[1:],
        output:
            files,
        log:
            f"{RESULTS}/logs/splits/{dataset}/{scheme}-from-{seeds[0]}.log",
        priority: SOON
        conda:
            "../envs/data.yaml"
        params:
            key=digest(code_hash("reseed.jobs.make_splits"), PLAN.schemes()[scheme]),
            run="reseed.jobs.make_splits",
            job=told(
                lambda w, dataset=dataset, scheme=scheme, seeds=seeds, files=files: {
                    "data": os.path.abspath(f"{RESULTS}/data/{dataset}"),
                    "scheme": PLAN.schemes()[scheme],
                    "data_seeds": seeds,
                    "outputs": [os.path.abspath(file) for file in files],
                }
            ),
        shell:
            "job {log:q} python -P -m {params.run} --job {params.job:q}"
