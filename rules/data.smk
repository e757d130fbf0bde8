# Raw sources → prepared inputs and targets, and what they are; pretrained weights likewise.


for dataset, entry in PLAN.datasets.items():

    rule:
        name:
            job_name("prepare", dataset)
        input:
            [file for file in list_local_files(entry) if os.path.exists(file)],
            unproven(data_files(dataset)),
        output:
            data_files(dataset),
        log:
            f"{RESULTS}/logs/data/{dataset}.log",
        priority: SOON
        conda:
            "../envs/data.yaml"
        params:
            key=digest(
                data_code(entry), data_job(PLAN, dataset), file_stats(list_local_files(entry))
            ),
            run="reseed.jobs.prepare_data",
            job=told(
                lambda w, dataset=dataset: {
                    "dataset": data_job(PLAN, dataset),
                    "results": os.path.abspath(RESULTS),
                    "folder": dataset,
                }
            ),
        shell:
            "job {log:q} python -P -m {params.run} --job {params.job:q}"


for name, entry in PLAN.weights.items():

    rule:
        name:
            job_name("weights", name)
        input:
            list_local_files(entry),
            unproven([f"{RESULTS}/weights/{name}/meta.json"]),
        output:
            f"{RESULTS}/weights/{name}/meta.json",
        log:
            f"{RESULTS}/logs/weights/{name}.log",
        priority: SOON
        conda:
            "../envs/data.yaml"
        params:
            key=digest(
                code_hash("reseed.jobs.prepare_weights"),
                entry["sources"],
                file_stats(list_local_files(entry)),
            ),
            run="reseed.jobs.prepare_weights",
            job=told(
                lambda w, entry=entry: {
                    "weights": entry,
                    "results": os.path.abspath(RESULTS),
                }
            ),
        shell:
            "job {log:q} python -P -m {params.run} --job {params.job:q}"
