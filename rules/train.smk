# Splits → the best hyper-parameters of searches → trials.
# Two jobs may train at once; they share nothing but the cache of trials and fits, whose entries are
# written once, under keys (<results>/store). A job takes what the cache holds and trains the rest.
# `threads` are the processes of a search, or the threads of a trial.


# results/tuning/magic/holdout-0.2/rf/tuned-500/data-seed-0/model-seed-0/rung-0/shard-0-of-3.json
rule shard:
    """Fit some candidates of a long search."""
    input:
        plan.shard.inputs,
    output:
        "<results>/tuning/{dataset}/{scheme}/{model}/{hyperparameters}/{at}/rung-{rung}/shard-{shard}.json",
    log:
        "<results>/logs/tuning/{dataset}/{scheme}/{model}/{hyperparameters}/{at}/rung-{rung}/shard-{shard}.log",
    wildcard_constraints:
        at="data-seed-.+",
        rung=r"\d+",
        shard=r"\d+-of-\d+",
    conda:
        plan.shard.environment
    threads: plan.project.main.tuning_threads
    resources:
        gpu=plan.shard.gpus,
        runtime=plan.shard.minutes,
        mem_mb=plan.shard.memory_mb,
    params:
        model=plan.shard.model,
        dataset=plan.shard.dataset,
        seeds=plan.shard.seeds,
        key=plan.shard.key,
        spec=plan.shard.spec,
    message:
        "search {params.model} on {params.dataset}, {params.seeds}:"
        " rung {wildcards.rung}, shard {wildcards.shard}"
    shell:
        "python -P -m reseed.jobs.search {params.spec:q}"
        " --gpus {resources.gpu} --threads {threads} > {log:q} 2>&1"


# results/tuning/magic/holdout-0.2/rf/tuned-500/data-seed-0/model-seed-0.json
rule search:
    """Choose hyper-parameters by the scores of all candidates."""
    input:
        plan.search.inputs,
    output:
        "<results>/tuning/{dataset}/{scheme}/{model}/{hyperparameters}/{at}.json",
        "<results>/tuning/{dataset}/{scheme}/{model}/{hyperparameters}/{at}.parquet",
    log:
        "<results>/logs/tuning/{dataset}/{scheme}/{model}/{hyperparameters}/{at}.log",
    wildcard_constraints:
        at=r"data-seed-\d+(/fold-\d+)?/[^/]+",
    conda:
        plan.search.environment
    threads: plan.project.main.tuning_threads
    resources:
        gpu=plan.search.gpus,
        runtime=plan.search.minutes,
        mem_mb=plan.search.memory_mb,
    params:
        model=plan.search.model,
        dataset=plan.search.dataset,
        seeds=plan.search.seeds,
        key=plan.search.key,
        spec=plan.search.spec,
    message:
        "search {params.model} on {params.dataset}, {params.seeds}"
    shell:
        "python -P -m reseed.jobs.search {params.spec:q}"
        " --gpus {resources.gpu} --threads {threads} > {log:q} 2>&1"


# A user's own model trains on a few rows before the jobs that train it on all.
# results/trials/churn/tried/my_model.json
rule try_model:
    """Try a model on a few rows."""
    input:
        plan.try_model.inputs,
    output:
        "<results>/trials/{dataset}/tried/{model}.json",
    log:
        "<results>/logs/try/{dataset}/{model}.log",
    conda:
        plan.try_model.environment
    resources:
        gpu=plan.try_model.gpus,
        runtime=plan.try_model.minutes,
        mem_mb=plan.try_model.memory_mb,
    params:
        key=plan.try_model.key,
        spec=plan.try_model.spec,
    message:
        "try {wildcards.model} on a few rows of {wildcards.dataset}"
    shell:
        "python -P -m reseed.jobs.try_model {params.spec:q}"
        " --gpus {resources.gpu} --threads {threads} > {log:q} 2>&1"


# A block: any set of seeds of one model on one dataset and split. The file has one row a trial.
# results/trials/magic/holdout-0.2/rf/default/data-seed-0/model-seeds-0-9.parquet
# results/trials/magic/kfold-5/rf/default/data-seeds-0-1/folds-0-4/model-seeds-7+42+101-105.parquet
rule train:
    """Train a block of seeds; any block can be requested by its path."""
    input:
        plan.train.inputs,
    output:
        "<results>/trials/{dataset}/{scheme}/{model}/{hyperparameters}/{block}.parquet",
    log:
        "<results>/logs/train/{dataset}/{scheme}/{model}/{hyperparameters}/{block}.log",
    wildcard_constraints:
        block="data-seeds?-.+",
    priority: plan.train.priority
    conda:
        plan.train.environment
    resources:
        gpu=plan.train.gpus,
        runtime=plan.train.minutes,
        mem_mb=plan.train.memory_mb,
        disk_mb=plan.train.disk_mb,
    params:
        model=plan.train.model,
        dataset=plan.train.dataset,
        seeds=plan.train.seeds,
        key=plan.train.key,
        spec=plan.train.spec,
    message:
        "train {params.model} on {params.dataset}, {params.seeds}"
    shell:
        "python -P -m reseed.jobs.train {params.spec:q}"
        " --gpus {resources.gpu} --threads {threads} > {log:q} 2>&1"
