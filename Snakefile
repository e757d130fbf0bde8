"""Reseed: how much of a machine-learning result depends on the random seed and the data split?

`snakemake --cores N` makes every study of `config/studies/` at the scale of `config/config.yaml`
and ends with `results/report/index.html`. There is one rule file a stage, in the order of the data.
"""

from contextlib import suppress

from snakemake.utils import min_version

min_version("9.0")
VERSION = "0.3.0"


include: "rules/common.smk"
include: "rules/data.smk"
include: "rules/splits.smk"
include: "rules/search.smk"
include: "rules/train.smk"
include: "rules/collect.smk"
include: "rules/imports.smk"
include: "rules/statistics.smk"
include: "rules/exhibits.smk"
include: "rules/report.smk"
include: "rules/checks.smk"


# Exhibits and missing trials are direct inputs here, because Snakemake notices a missing file only
# where a target names it.
rule all:
    default_target: True
    input:
        RESEED.layout.index_page,
        [file for study in RESEED.project.studies for file in RESEED.study_files(study)],


for study in RESEED.project.studies:

    rule:
        name:
            study
        input:
            RESEED.study_files(study),


# Jobs that run here, in this environment, are forks of one process. Snakemake's limit of starts a
# second is switched off here: it wakes the scheduler again for every job that has ended.
onstart:
    method = workflow.deployment_settings.deployment_method
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None
    if sys.platform == "linux" and workflow.local_exec and not method:
        with suppress(OSError):  # without a server, every job is a process of its own
            fork_server.start()


onsuccess:
    studies, pages = RESEED.requested_targets(workflow.dag_settings.targets)
    for line in failed_trials(RESEED.layout, studies):
        print(line)
    for page in pages:
        print(f"Report: {os.path.abspath(page)}")


onerror:
    print(
        f"Some jobs failed. Their logs are in {RESEED.layout.root}/logs. "
        "Finished results are kept: run again."
    )
