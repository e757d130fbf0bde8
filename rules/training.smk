# One generated rule a block: many trials a process, one declared file a trial. The worker links
# what the store holds under a trial's key and trains the rest, so it does not matter which of a
# block's files Snakemake deletes and asks for again.

for block in blocks(PLAN, PROJECT.main.block_seconds, PROJECT.main.seeds_per_job):
    first, trials = block[0]
    name = job_name("train", first.setting.folder, trials[0].file, str(len(block)))

    rule:
        name:
            name
        input:
            list(
                dict.fromkeys(
                    file
                    for planned, trials in block
                    for file in (
                        *data_files(planned.setting.dataset),
                        *PLAN.inputs(planned, trials),
                    )
                )
            ),
        output:
            [
                trial_path(RESULTS, planned.setting, trial)
                for planned, trials in block
                for trial in trials
            ],
        log:
            f"{RESULTS}/logs/train/{name}.log",
        priority: turn(block)
        conda:
            f"../envs/{first.model['environment']}.yaml"
        resources:
            gpu=gpus(first),
            runtime=lambda w, attempt, block=block: SIZES.block_minutes(block, attempt),
            mem_mb=lambda w, attempt, block=block: SIZES.block_memory(block, attempt),
        params:
            key=sorted(planned.key for planned, _ in block),
            versions=TRIGGER_VERSIONS,
            run="reseed.jobs.train",
            job=told(lambda w, block=block: training_job(PROJECT, block)),
        shell:
            "job {log:q} python -P -m {params.run} --job {params.job:q}"
            " --gpus {resources.gpu} --threads {threads}"

    TRIALS.update((str(file), file) for file in getattr(rules, name).output)
