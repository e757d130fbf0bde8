# Trial files → one table a study, and the per-item scores where an analysis needs them.


rule collect_trials:
    input:
        lambda w: PLAN.trial_files(w.study),
        lambda w: data_metas(w.study),
    output:
        metrics=f"{RESULTS}/studies/{{study}}/metrics.parquet",
        about=f"{RESULTS}/studies/{{study}}/about.json",
    log:
        f"{RESULTS}/logs/studies/{{study}}/metrics.log",
    wildcard_constraints:
        study=one_of(TRAINED),
    conda:
        "../envs/statistics.yaml"
    params:
        key=lambda w: digest(code_hash("collect_trials.py"), study_job(w.study)),
        job=lambda w: compact(study_job(w.study)),
    shell:
        f'python "$RESEED_SCRIPTS/collect_trials.py" --results {RESULTS}'
        " --job {params.job:q}"
        " --metrics {output.metrics} --about {output.about} > {log} 2>&1"


rule import_results:
    input:
        lambda w: given_results(w.study)["path"],
    output:
        metrics=f"{RESULTS}/studies/{{study}}/metrics.parquet",
        about=f"{RESULTS}/studies/{{study}}/about.json",
    log:
        f"{RESULTS}/logs/studies/{{study}}/metrics.log",
    wildcard_constraints:
        study=one_of(GIVEN),
    conda:
        "../envs/statistics.yaml"
    params:
        key=code_hash("import_results.py"),
        given=lambda w: compact(given_results(w.study)),
        job=lambda w: compact(study_job(w.study)),
    shell:
        'python "$RESEED_SCRIPTS/import_results.py" --results {params.given:q} --job {params.job:q}'
        " --metrics {output.metrics} --about {output.about} > {log} 2>&1"


rule import_predictions:
    input:
        lambda w: given_results(w.study)["path"],
    output:
        scores=f"{RESULTS}/studies/{{study}}/predictions/results/scores.parquet",
        targets=f"{RESULTS}/studies/{{study}}/predictions/results/targets.parquet",
    log:
        f"{RESULTS}/logs/studies/{{study}}/predictions.log",
    wildcard_constraints:
        study=one_of(GIVEN),
    conda:
        "../envs/statistics.yaml"
    params:
        key=code_hash("import_results.py"),
        given=lambda w: compact(given_results(w.study)),
        job=lambda w: compact(study_job(w.study)),
    shell:
        'python "$RESEED_SCRIPTS/import_results.py" --results {params.given:q} --job {params.job:q}'
        " --scores {output.scores} --targets {output.targets} > {log} 2>&1"


# The example of a study without training: the first study's scores as a table of one's own.
if "inherent_randomness" in PROJECT.studies:

    rule export_runs:
        input:
            f"{RESULTS}/studies/inherent_randomness/metrics.parquet",
        output:
            f"{RESULTS}/examples/my_runs.csv",
        log:
            f"{RESULTS}/logs/examples/my_runs.log",
        conda:
            "../envs/statistics.yaml"
        params:
            key=code_hash("export_runs.py"),
        shell:
            'python "$RESEED_SCRIPTS/export_runs.py" --metrics {input} --experiment data_seeds'
            " --metric mse --metric auc --output {output} > {log} 2>&1"


rule collect_predictions:
    input:
        lambda w: PLAN.trial_files(w.study, [w.experiment]),
    output:
        scores=f"{RESULTS}/studies/{{study}}/predictions/{{experiment}}/scores.parquet",
        targets=f"{RESULTS}/studies/{{study}}/predictions/{{experiment}}/targets.parquet",
    log:
        f"{RESULTS}/logs/studies/{{study}}/predictions-{{experiment}}.log",
    wildcard_constraints:
        study=one_of(TRAINED),
    conda:
        "../envs/statistics.yaml"
    params:
        key=lambda w: digest(
            code_hash("collect_predictions.py"),
            PLAN.experiment_job(w.study, [w.experiment]),
        ),
        job=lambda w: compact(PLAN.experiment_job(w.study, [w.experiment])),
    shell:
        f'python "$RESEED_SCRIPTS/collect_predictions.py" --results {RESULTS}'
        " --job {params.job:q}"
        " --scores {output.scores} --targets {output.targets} > {log} 2>&1"
