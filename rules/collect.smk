# Trial files → one table a study, and the raw outputs per item where an analysis needs them.


for study in TRAINED:

    rule:
        name:
            f"collect_{study}"
        input:
            trial_files(study),
        output:
            metrics=f"{RESULTS}/studies/{study}/metrics.parquet",
            about=f"{RESULTS}/studies/{study}/about.json",
        log:
            f"{RESULTS}/logs/studies/{study}/metrics.log",
        priority: SOON
        conda:
            "../envs/statistics.yaml"
        params:
            key=digest(code_hash("reseed.jobs.collect_trials"), placeless(study_told(study))),
            run="reseed.jobs.collect_trials",
            job=told(lambda w, study=study: study_told(study)),
        shell:
            "job {log:q} python -P -m {params.run} --job {params.job:q}"
            " --metrics {output.metrics:q} --about {output.about:q}"

    for experiment in PLAN.studies[study]:
        stem = f"{RESULTS}/studies/{study}/predictions/{experiment}"

        rule:
            name:
                f"collect_{study}_{experiment}_items"
            input:
                f"{RESULTS}/studies/{study}/metrics.parquet",
                lost_trials(study),
            output:
                scores=f"{stem}/scores.parquet",
                targets=f"{stem}/targets.parquet",
                curves=f"{stem}/curves.parquet",
            log:
                f"{RESULTS}/logs/studies/{study}/predictions-{experiment}.log",
            priority: SOON
            conda:
                "../envs/statistics.yaml"
            params:
                key=digest(
                    code_hash("reseed.jobs.collect_items"),
                    placeless(study_told(study, experiment)),
                ),
                run="reseed.jobs.collect_items",
                job=told(
                    lambda w, study=study, experiment=experiment: study_told(
                        study, experiment
                    )
                ),
            shell:
                "job {log:q} python -P -m {params.run} --job {params.job:q}"
                " --scores {output.scores:q} --targets {output.targets:q}"
                " --curves {output.curves:q}"


rule import_results:
    input:
        lambda w: given_results(w.study)["path"],
        lambda w: unproven([f"{RESULTS}/studies/{w.study}/metrics.parquet"]),
    output:
        metrics=f"{RESULTS}/studies/{{study}}/metrics.parquet",
        about=f"{RESULTS}/studies/{{study}}/about.json",
    log:
        f"{RESULTS}/logs/studies/{{study}}/metrics.log",
    wildcard_constraints:
        study=one_of(GIVEN),
    priority: SOON
    conda:
        "../envs/statistics.yaml"
    params:
        key=given_key,
        run="reseed.jobs.import_results",
        job=told(given_told),
    shell:
        "job {log:q} python -P -m {params.run} --job {params.job:q}"
        " --metrics {output.metrics:q} --about {output.about:q}"


rule import_predictions:
    input:
        lambda w: given_results(w.study)["path"],
        lambda w: unproven(
            [f"{RESULTS}/studies/{w.study}/predictions/results/scores.parquet"]
        ),
    output:
        scores=f"{RESULTS}/studies/{{study}}/predictions/results/scores.parquet",
        targets=f"{RESULTS}/studies/{{study}}/predictions/results/targets.parquet",
    log:
        f"{RESULTS}/logs/studies/{{study}}/predictions.log",
    wildcard_constraints:
        study=one_of(GIVEN),
    priority: SOON
    conda:
        "../envs/statistics.yaml"
    params:
        key=given_key,
        run="reseed.jobs.import_results",
        job=told(given_told),
    shell:
        "job {log:q} python -P -m {params.run} --job {params.job:q}"
        " --scores {output.scores:q} --targets {output.targets:q}"


# A study whose given results are another study's own scores: the example of bringing one's own.
for study in GIVEN:
    origin = PROJECT.studies[study].results.made_from
    if origin:

        rule:
            name:
                job_name("export", study)
            input:
                f"{RESULTS}/studies/{origin}/metrics.parquet",
            output:
                given_results(study)["path"],
            log:
                f"{RESULTS}/logs/examples/{study}.log",
            priority: SOON
            conda:
                "../envs/statistics.yaml"
            params:
                key=code_hash("reseed.jobs.export_runs"),
                run="reseed.jobs.export_runs",
            shell:
                "job {log:q} python -P -m {params.run} --metrics {input:q} --experiment data_seeds"
                " --metric mse --metric auc --output {output:q}"
