# One generated rule a block: many seeds a process, one declared file a seed. `update()` keeps
# the trials that are there; the worker trains those that are missing or made under another key.

for work in PLAN.works.values():
    cost = COSTS.get(work.setting.folder, work.seconds_per_trial)
    main = PROJECT.main
    for number, block in enumerate(
        blocks(work, cost, main.block_seconds, main.seeds_per_job)
    ):

        rule:
            name:
                job_name("train", work.setting.folder, str(number))
            input:
                rows=f"{RESULTS}/data/{work.setting.dataset}/rows.parquet",
                meta=f"{RESULTS}/data/{work.setting.dataset}/meta.json",
                splits=sorted(
                    {
                        split_file(
                            work.setting.dataset, work.setting.scheme, trial.data_seed
                        )
                        for trial in block
                    }
                ),
                tuning=work.tuning_files(RESULTS, block),
            output:
                [update(trial_path(RESULTS, work.setting, trial)) for trial in block],
            log:
                f"{RESULTS}/logs/trials/{work.setting.folder}/block-{number}.log",
            conda:
                f"../envs/{work.model['environment']}.yaml"
            resources:
                gpu=gpus(work),
            params:
                key=digest(code_hash("train.py", factory_module(work)), work.job()),
                keep=work.keep,
                job=compact(work.job()),
                device=work.model["device"],
            shell:
                f'python "$RESEED_SCRIPTS/train.py" --results {RESULTS}'
                " --job {params.job:q}"
                " --key {params.key} --keep {params.keep} --device {params.device}"
                " --gpus {resources.gpu} --threads {threads} {output:q} > {log} 2>&1"
