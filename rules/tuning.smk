# Training rows → the best hyper-parameters of a search, and its full log.

for planned in PLAN.settings.values():
    for stem, trial in planned.searches().items():

        rule:
            name:
                job_name("tune", stem)
            input:
                data_files(planned.setting.dataset),
                split_path(RESULTS, *planned.setting[:2], trial.data_seed),
                PLAN.weight_files(planned),
            output:
                best=f"{RESULTS}/{stem}.json",
                search=f"{RESULTS}/{stem}.parquet",
            log:
                f"{RESULTS}/logs/{stem}.log",
            priority: SOON
            conda:
                f"../envs/{planned.model['environment']}.yaml"
            threads: PROJECT.main.tuning_threads
            resources:
                gpu=gpus(planned),
                runtime=lambda w, threads, attempt, planned=planned: SIZES.search_minutes(
                    planned, threads, attempt
                ),
                mem_mb=lambda w, threads, attempt, planned=planned: SIZES.search_memory(
                    planned, threads, attempt
                ),
            params:
                key=planned.search_key,
                versions=TRIGGER_VERSIONS,
                run="reseed.jobs.search",
                job=told(
                    lambda w, planned=planned, stem=stem: tuning_job(
                        PROJECT, planned, stem
                    )
                ),
            shell:
                "job {log:q} python -P -m {params.run} --job {params.job:q}"
                " --gpus {resources.gpu} --threads {threads}"
