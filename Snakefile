"""Reseed: how much of a result is the random seed?

`snakemake --cores N` makes every study of `config/studies/` at the scale of `config/config.yaml`
and ends with `results/report/index.html`. One rule file a stage, in the order of the data.
"""


include: "rules/common.smk"
include: "rules/data.smk"
include: "rules/splits.smk"
include: "rules/tuning.smk"
include: "rules/training.smk"
include: "rules/metrics.smk"
include: "rules/statistics.smk"
include: "rules/exhibits.smk"
include: "rules/report.smk"
include: "rules/checks.smk"


# Trials and exhibits stand here as direct inputs because Snakemake notices a missing file only
# there.
rule all:
    default_target: True
    input:
        REPORT,
        [file for study in PROJECT.studies for file in study_files(study)],
        [file for study in PLAN.studies for file in PLAN.trial_files(study)],


for study in PROJECT.studies:

    rule:
        name:
            study
        input:
            study_files(study),
            PLAN.trial_files(study),


onsuccess:
    if os.path.exists(REPORT):
        print(f"Report: {os.path.abspath(REPORT)}")


onerror:
    print(
        f"Some jobs failed; their logs are in {RESULTS}/logs. What is done is kept: run again."
    )
