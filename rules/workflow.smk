# All rules, in the order of the data: `Snakefile` and `workflow/Snakefile` include this file.


report: "../scripts/reseed/report/pages/templates/report.rst"


include: "common.smk"
include: "data.smk"
include: "train.smk"
include: "tables.smk"
include: "report.smk"
include: "checks.smk"


# `snakemake NAME` makes all files of a study.
for study in plan.project.studies:

    rule:
        name:
            study
        input:
            plan.study_files(study),


# A study with errors in its file fails, and the others are made.
for study in plan.broken:

    rule:
        name:
            study
        output:
            plan.broken_file(study),
        localrule: True
        message:
            f"{study}, whose file has errors"
        shell:
            "exit 1"


# Jobs of seconds: on a cluster they run where snakemake runs, which also has a network.
localrules:
    prepare_table,
    prepare_images,
    split,
    collect_trials,
    collect_items,
    import_runs,
    import_items,
    export,
    analyse,
    table,
    figure,
    judge,
    page,
    index,
    reference,


# `plan.start` writes a new run token, so that jobs of an earlier run cannot replace files.
# Local jobs in the current environment are forks of one process. Snakemake's limit on job starts per
# second is disabled for local runs, because it wakes the scheduler for every finished job.
onstart:
    if workflow.touch:
        raise WorkflowError(
            "--touch would mark files as current that other code or settings made. Run snakemake "
            "without it: finished trials come from the cache."
        )
    plan.start()
    method = workflow.deployment_settings.deployment_method
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None
    if sys.platform == "linux" and not method:
        with suppress(
            OSError
        ):  # without a server, every job is a process of its own
            fork_server.start()


onsuccess:
    plan.list_pages()
    studies, pages = plan.requested_targets(workflow.dag_settings.targets)
    for line in failed_trials(plan.layout, studies):
        print(line)
    for page in pages:
        print(f"Report: {os.path.abspath(page)}")
    for line in plan.describe_broken():
        print(line)


onerror:
    print(
        f"Some jobs failed. Their logs are in {plan.layout.root}/logs. "
        "Finished results are kept: run again."
    )
    for line in plan.describe_broken():
        print(line)
