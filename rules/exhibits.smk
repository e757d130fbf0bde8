# Statistics → tables (CSV, Markdown, LaTeX) and figures (PDF, PNG, the CSV that is drawn).


rule table:
    input:
        exhibit_inputs,
    output:
        multiext(
            f"{RESULTS}/studies/{{study}}/tables/{{exhibit}}",
            ".csv",
            ".md",
            ".tex",
            ".json",
        ),
    log:
        f"{RESULTS}/logs/studies/{{study}}/table-{{exhibit}}.log",
    conda:
        "../envs/exhibits.yaml"
    params:
        key=exhibit_key,
        job=lambda w: compact(exhibit_job(w)),
        stem=lambda w: f"{RESULTS}/studies/{w.study}/tables/{w.exhibit}",
    shell:
        f'python "$RESEED_SCRIPTS/render.py" --study {RESULTS}/studies/{{wildcards.study}}'
        " --job {params.job:q} --stem {params.stem} > {log} 2>&1"


rule figure:
    input:
        exhibit_inputs,
    output:
        multiext(
            f"{RESULTS}/studies/{{study}}/figures/{{exhibit}}",
            ".csv",
            ".pdf",
            ".png",
            ".json",
        ),
    log:
        f"{RESULTS}/logs/studies/{{study}}/figure-{{exhibit}}.log",
    conda:
        "../envs/exhibits.yaml"
    params:
        key=exhibit_key,
        job=lambda w: compact(exhibit_job(w)),
        stem=lambda w: f"{RESULTS}/studies/{w.study}/figures/{w.exhibit}",
    shell:
        f'python "$RESEED_SCRIPTS/render.py" --study {RESULTS}/studies/{{wildcards.study}}'
        " --job {params.job:q} --stem {params.stem} > {log} 2>&1"
