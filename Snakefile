"""Reseed: how much of a result is the random seed?

`snakemake --cores N` makes every study of `config/studies/` at the scale of `config/config.yaml`
and ends with `results/report/index.html`. One rule file a stage, in the order of the data.
"""

from contextlib import suppress

from snakemake.utils import min_version

min_version("9.0")


include: "rules/common.smk"
include: "rules/jobs.smk"
include: "rules/data.smk"
include: "rules/splits.smk"
include: "rules/tuning.smk"
include: "rules/training.smk"
include: "rules/collect.smk"
include: "rules/statistics.smk"
include: "rules/exhibits.smk"
include: "rules/report.smk"
include: "rules/checks.smk"


# Exhibits and lost trials stand here as direct inputs because Snakemake notices a missing file
# only there.
rule all:
    default_target: True
    input:
        REPORT,
        [file for study in PROJECT.studies for file in study_files(study)],
        [file for study in TRAINED for file in lost_trials(study)],


for study in PROJECT.studies:

    rule:
        name:
            study
        input:
            study_files(study),
            lost_trials(study),


# Jobs that run here, in this environment, are forks of one process. And they start at any rate: to
# limit it Snakemake wakes a second after each job's end, and again a second after each waking (after
# 100 jobs a hundred times a second).
onstart:
    method = workflow.deployment_settings.deployment_method
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None
    if sys.platform == "linux" and workflow.local_exec and not method:
        with suppress(OSError):  # without one, jobs are processes of their own
            forkserver.start()


onsuccess:
    studies, pages = asked()
    for line in failed_trials(RESULTS, studies):
        print(line)
    for page in pages:
        print(f"Report: {os.path.abspath(page)}")


onerror:
    print(
        f"Some jobs failed; their logs are in {RESULTS}/logs. What is done is kept: run again."
    )
