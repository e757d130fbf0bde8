# Raw sources → prepared inputs and targets; pretrained weights likewise.


# results/data/magic/inputs.parquet
rule prepare_table:
    """Prepare a dataset of numbers or texts from its source."""
    input:
        plan.prepare_table.inputs,
    output:
        "<results>/data/{dataset}/inputs.parquet",
        "<results>/data/{dataset}/targets.parquet",
        "<results>/data/{dataset}/meta.json",
    log:
        "<results>/logs/data/{dataset}.log",
    wildcard_constraints:
        dataset=plan.names.table_dataset,
    conda:
        "../envs/data.yaml"
    params:
        key=plan.prepare_table.key,
        spec=plan.prepare_table.spec,
    message:
        "prepare {wildcards.dataset}"
    shell:
        "python -P -m reseed.jobs.prepare_data {params.spec:q} > {log:q} 2>&1"


# results/data/cifar10/inputs.npy
rule prepare_images:
    """Prepare a dataset of images from its source."""
    input:
        plan.prepare_images.inputs,
    output:
        "<results>/data/{dataset}/inputs.npy",
        "<results>/data/{dataset}/targets.parquet",
        "<results>/data/{dataset}/meta.json",
    log:
        "<results>/logs/data/{dataset}.log",
    wildcard_constraints:
        dataset=plan.names.image_dataset,
    conda:
        "../envs/data.yaml"
    params:
        key=plan.prepare_images.key,
        spec=plan.prepare_images.spec,
    message:
        "prepare {wildcards.dataset}"
    shell:
        "python -P -m reseed.jobs.prepare_data {params.spec:q} > {log:q} 2>&1"


# A rule for each entry of weights, with files of its own: results/weights/minilm/model.safetensors
for entry, files in plan.training.weights_files.items():

    rule:
        """Fetch pretrained weights."""
        name:
            f"weights.{entry}"
        input:
            plan.weights.inputs,
        output:
            expand("<results>/weights/{{weights}}/{file}", file=files),
        log:
            "<results>/logs/weights/{weights}.log",
        wildcard_constraints:
            weights=entry,
        localrule: True
        conda:
            "../envs/data.yaml"
        params:
            key=plan.weights.key,
            spec=plan.weights.spec,
        message:
            "fetch the weights {wildcards.weights}"
        shell:
            "python -P -m reseed.jobs.prepare_weights {params.spec:q} > {log:q} 2>&1"


# Targets → train, validation and test rows of twenty neighbouring data seeds.
# results/splits/magic/holdout-0.2/data-seeds-0-19.parquet
rule split:
    """Draw the splits of twenty data seeds."""
    input:
        plan.split.inputs,
    output:
        "<results>/splits/{dataset}/{scheme}/data-seeds-{data_seeds}.parquet",
    log:
        "<results>/logs/splits/{dataset}/{scheme}/data-seeds-{data_seeds}.log",
    wildcard_constraints:
        data_seeds=r"\d+-\d+",
    conda:
        "../envs/data.yaml"
    params:
        key=plan.split.key,
        spec=plan.split.spec,
    message:
        "split {wildcards.dataset} by {wildcards.scheme}, data seeds {wildcards.data_seeds}"
    shell:
        "python -P -m reseed.jobs.make_splits {params.spec:q} > {log:q} 2>&1"
