# Statistics → tables (CSV, Markdown, LaTeX) and figures (PDF, PNG, the CSV that is drawn).


CAPTION = "../scripts/reseed/exhibits/templates/caption.rst"


rule table:
    input:
        exhibit_inputs,
    output:
        report(
            f"{RESULTS}/studies/{{study}}/tables/{{exhibit}}.csv",
            caption=CAPTION,
            category=study_title,
            subcategory="Tables",
            labels=exhibit_title,
        ),
        multiext(
            f"{RESULTS}/studies/{{study}}/tables/{{exhibit}}", ".md", ".tex", ".json"
        ),
    log:
        f"{RESULTS}/logs/studies/{{study}}/table-{{exhibit}}.log",
    conda:
        "../envs/exhibits.yaml"
    params:
        key=exhibit_key,
        title=lambda w: exhibit_entry(w).title,
        run=script("render.py"),
        job=told(exhibit_told("tables")),
    shell:
        "job {log:q} python {params.run:q} --job {params.job:q}"


rule figure:
    input:
        exhibit_inputs,
    output:
        report(
            f"{RESULTS}/studies/{{study}}/figures/{{exhibit}}.png",
            caption=CAPTION,
            category=study_title,
            subcategory="Figures",
            labels=exhibit_title,
        ),
        multiext(
            f"{RESULTS}/studies/{{study}}/figures/{{exhibit}}", ".csv", ".pdf", ".json"
        ),
    log:
        f"{RESULTS}/logs/studies/{{study}}/figure-{{exhibit}}.log",
    conda:
        "../envs/exhibits.yaml"
    params:
        key=exhibit_key,
        title=lambda w: exhibit_entry(w).title,
        run=script("render.py"),
        job=told(exhibit_told("figures")),
    shell:
        "job {log:q} python {params.run:q} --job {params.job:q}"
