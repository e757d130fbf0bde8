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
    conda:
        "../envs/statistics.yaml"
    params:
        key=lambda w: digest(code_hash("collect_trials.py"), study_job(w.study)),
        job=lambda w: compact(study_job(w.study)),
    shell:
        f"python scripts/collect_trials.py --results {RESULTS}"
        " --job {params.job:q}"
        " --metrics {output.metrics} --about {output.about} > {log} 2>&1"


rule collect_predictions:
    input:
        lambda w: PLAN.trial_files(w.study, [w.experiment]),
    output:
        scores=f"{RESULTS}/studies/{{study}}/predictions/{{experiment}}/scores.parquet",
        targets=f"{RESULTS}/studies/{{study}}/predictions/{{experiment}}/targets.parquet",
    log:
        f"{RESULTS}/logs/studies/{{study}}/predictions-{{experiment}}.log",
    conda:
        "../envs/statistics.yaml"
    params:
        key=lambda w: digest(
            code_hash("collect_predictions.py"),
            PLAN.experiment_job(w.study, [w.experiment]),
        ),
        job=lambda w: compact(PLAN.experiment_job(w.study, [w.experiment])),
    shell:
        f"python scripts/collect_predictions.py --results {RESULTS}"
        " --job {params.job:q}"
        " --scores {output.scores} --targets {output.targets} > {log} 2>&1"
