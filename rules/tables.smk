# Trials, or the user's own results → the tables of a study → one table an analysis.


# results/studies/training_variability/metrics.parquet
rule collect_trials:
    """Collect the trials of a study into one table."""
    input:
        plan.collect_trials.inputs,
    output:
        "<results>/studies/{study}/metrics.parquet",
        "<results>/studies/{study}/about.json",
    log:
        "<results>/logs/studies/{study}/metrics.log",
    wildcard_constraints:
        study=plan.names.trained_study,
    conda:
        "../envs/statistics.yaml"
    params:
        key=plan.collect_trials.key,
        spec=plan.collect_trials.spec,
    message:
        "collect the trials of {wildcards.study}"
    shell:
        "python -P -m reseed.jobs.collect_trials {params.spec:q} > {log:q} 2>&1"


# results/studies/training_variability/predictions/model_seeds/scores.parquet
rule collect_items:
    """Collect the raw outputs, targets and learning curves of an experiment."""
    input:
        plan.collect_items.inputs,
    output:
        "<results>/studies/{study}/predictions/{experiment}/scores.parquet",
        "<results>/studies/{study}/predictions/{experiment}/targets.parquet",
        "<results>/studies/{study}/predictions/{experiment}/curves.parquet",
    log:
        "<results>/logs/studies/{study}/predictions-{experiment}.log",
    wildcard_constraints:
        study=plan.names.trained_study,
        experiment=plan.names.experiment,
    conda:
        "../envs/statistics.yaml"
    params:
        key=plan.collect_items.key,
        spec=plan.collect_items.spec,
    message:
        "collect the outputs of {wildcards.study}, {wildcards.experiment}"
    shell:
        "python -P -m reseed.jobs.collect_items {params.spec:q} > {log:q} 2>&1"


# results/studies/my_runs/metrics.parquet
rule import_runs:
    """Import the user's own results."""
    input:
        plan.import_runs.inputs,
    output:
        "<results>/studies/{study}/metrics.parquet",
        "<results>/studies/{study}/about.json",
    log:
        "<results>/logs/studies/{study}/metrics.log",
    wildcard_constraints:
        study=plan.names.imported_study,
    conda:
        "../envs/statistics.yaml"
    params:
        key=plan.import_runs.key,
        spec=plan.import_runs.spec,
    message:
        "import the runs of {wildcards.study}"
    shell:
        "python -P -m reseed.jobs.import_results {params.spec:q} > {log:q} 2>&1"


# results/studies/my_runs/predictions/results/scores.parquet
rule import_items:
    """Import the user's own scores of each item."""
    input:
        plan.import_items.inputs,
    output:
        "<results>/studies/{study}/predictions/results/scores.parquet",
        "<results>/studies/{study}/predictions/results/targets.parquet",
    log:
        "<results>/logs/studies/{study}/predictions.log",
    wildcard_constraints:
        study=plan.names.imported_study,
    conda:
        "../envs/statistics.yaml"
    params:
        key=plan.import_items.key,
        spec=plan.import_items.spec,
    message:
        "import the items of {wildcards.study}"
    shell:
        "python -P -m reseed.jobs.import_results {params.spec:q} > {log:q} 2>&1"


# A study's scores as a table of runs: the example of imported results.
# results/examples/my_runs.csv
rule export:
    """Export the scores of a study as a user would bring them."""
    input:
        plan.export.inputs,
    output:
        "<results>/examples/{study}.csv",
    log:
        "<results>/logs/examples/{study}.log",
    wildcard_constraints:
        study=plan.names.exported_study,
    conda:
        "../envs/statistics.yaml"
    params:
        key=plan.export.key,
        spec=plan.export.spec,
    message:
        "export runs as {output}"
    shell:
        "python -P -m reseed.jobs.export_runs {params.spec:q} > {log:q} 2>&1"


# results/studies/training_variability/statistics/spread.parquet
rule analyse:
    """Run one analysis of a study."""
    input:
        plan.analyse.inputs,
    output:
        "<results>/studies/{study}/statistics/{analysis}.parquet",
        "<results>/studies/{study}/statistics/{analysis}.csv",
    log:
        "<results>/logs/studies/{study}/statistics-{analysis}.log",
    wildcard_constraints:
        analysis=plan.names.analysis,
    conda:
        "../envs/statistics.yaml"
    params:
        key=plan.analyse.key,
        spec=plan.analyse.spec,
    message:
        "analyse {wildcards.study}: {wildcards.analysis}"
    shell:
        "python -P -m reseed.jobs.analyse {params.spec:q} > {log:q} 2>&1"
