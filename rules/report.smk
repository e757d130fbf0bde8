# Statistics → tables and figures → a page for each study → the index of pages.


# results/studies/training_variability/tables/scores.csv
rule table:
    """Write a table as CSV, Markdown, LaTeX, JSON."""
    input:
        plan.table.inputs,
    output:
        report(
            "<results>/studies/{study}/tables/{table}.csv",
            caption=CAPTION,
            category=plan.table.category,
            subcategory=plan.table.subcategory,
            labels=plan.table.labels,
        ),
        "<results>/studies/{study}/tables/{table}.md",
        "<results>/studies/{study}/tables/{table}.tex",
        "<results>/studies/{study}/tables/{table}.json",
        "<results>/studies/{study}/tables/{table}.rst",
    log:
        "<results>/logs/studies/{study}/tables/{table}.log",
    wildcard_constraints:
        table=plan.names.table,
    conda:
        "../envs/exhibits.yaml"
    params:
        key=plan.table.key,
        caption=plan.table.caption,
        spec=plan.table.spec,
    message:
        "draw {wildcards.study}: {wildcards.table}"
    shell:
        "python -P -m reseed.jobs.draw {params.spec:q} > {log:q} 2>&1"


# results/studies/training_variability/figures/bars.png
rule figure:
    """Draw a figure as PNG and PDF, with the numbers that it shows."""
    input:
        plan.figure.inputs,
    output:
        report(
            "<results>/studies/{study}/figures/{figure}.png",
            caption=CAPTION,
            category=plan.figure.category,
            subcategory=plan.figure.subcategory,
            labels=plan.figure.labels,
        ),
        "<results>/studies/{study}/figures/{figure}.pdf",
        "<results>/studies/{study}/figures/{figure}.csv",
        "<results>/studies/{study}/figures/{figure}.json",
        "<results>/studies/{study}/figures/{figure}.rst",
    log:
        "<results>/logs/studies/{study}/figures/{figure}.log",
    wildcard_constraints:
        figure=plan.names.figure,
    conda:
        "../envs/exhibits.yaml"
    params:
        key=plan.figure.key,
        caption=plan.figure.caption,
        spec=plan.figure.spec,
    message:
        "draw {wildcards.study}: {wildcards.figure}"
    shell:
        "python -P -m reseed.jobs.draw {params.spec:q} > {log:q} 2>&1"


# results/studies/training_variability/evidence.json
rule judge:
    """Judge the statements of a study."""
    input:
        plan.judge.inputs,
    output:
        "<results>/studies/{study}/evidence.json",
    log:
        "<results>/logs/studies/{study}/evidence.log",
    wildcard_constraints:
        study=plan.names.stated_study,
    conda:
        "../envs/exhibits.yaml"
    params:
        key=plan.judge.key,
        spec=plan.judge.spec,
    message:
        "judge {wildcards.study}"
    shell:
        "python -P -m reseed.jobs.judge {params.spec:q} > {log:q} 2>&1"


# results/report/training_variability.html
rule page:
    """Write the page of a study and an archive of its exhibits."""
    input:
        plan.page.inputs,
    output:
        report(
            "<results>/report/{study}.html",
            caption=CAPTION,
            category=plan.page.category,
            subcategory=plan.page.subcategory,
        ),
        "<results>/report/{study}.zip",
    log:
        "<results>/logs/report/{study}.log",
    conda:
        "../envs/exhibits.yaml"
    params:
        key=plan.page.key,
        caption=plan.page.caption,
        spec=plan.page.spec,
    message:
        "write the page of {wildcards.study}"
    shell:
        "python -P -m reseed.jobs.report {params.spec:q} > {log:q} 2>&1"


rule index:
    """Write the index of all pages."""
    input:
        plan.index.inputs,
    output:
        "<results>/report/index.html",
    log:
        "<results>/logs/report/index.log",
    conda:
        "../envs/exhibits.yaml"
    params:
        key=plan.index.key,
        spec=plan.index.spec,
    message:
        "write the index page"
    shell:
        "python -P -m reseed.jobs.report {params.spec:q} > {log:q} 2>&1"


# results/studies/training_variability/reference/evidence.json
rule reference:
    """Gather what the runs say about each statement, for `reseed reference`."""
    input:
        plan.reference.inputs,
    output:
        "<results>/studies/{study}/reference/about.json",
        "<results>/studies/{study}/reference/evidence.json",
        "<results>/studies/{study}/reference/study.json",
        "<results>/studies/{study}/reference/SHA256SUMS",
        "<results>/studies/{study}/reference/trials.parquet",
        "<results>/studies/{study}/reference/predictions.parquet",
        "<results>/studies/{study}/reference/targets.parquet",
    log:
        "<results>/logs/studies/{study}/reference.log",
    wildcard_constraints:
        study=plan.names.stated_study,
    conda:
        "../envs/exhibits.yaml"
    params:
        key=plan.reference.key,
        spec=plan.reference.spec,
    message:
        "gather the reference results of {wildcards.study}"
    shell:
        "python -P -m reseed.jobs.reference {params.spec:q} > {log:q} 2>&1"


rule references:
    """Gather the reference results of all studies that test statements."""
    input:
        plan.references,
