# Statistics → tables (CSV, Markdown, LaTeX) and figures (PDF, PNG, the CSV that is drawn).


def exhibit_inputs(wildcards):
    """What an exhibit is drawn from: its analysis where it has one, and the study's tables."""
    folder = f"{RESULTS}/studies/{wildcards.study}"
    analysis = exhibit_job(wildcards)["analysis"]
    files = [f"{folder}/metrics.parquet", f"{folder}/about.json"]
    return files + ([f"{folder}/statistics/{analysis}.parquet"] if analysis else [])


def exhibit_key(wildcards):
    """Hash of the code that draws an exhibit."""
    return digest(code_hash("render.py", f"reseed.exhibits.{exhibit_job(wildcards)['kind']}"))


RENDER = (
    "{PYTHON} {SCRIPTS}/render.py --study {RESULTS}/studies/{wildcards.study}"
    " --job {params.job:q} --stem {params.stem} > {log} 2>&1"
)


rule table:
    input:
        exhibit_inputs,
    output:
        multiext(f"{RESULTS}/studies/{{study}}/tables/{{exhibit}}", ".csv", ".md", ".tex", ".json"),
    log:
        f"{RESULTS}/logs/studies/{{study}}/table-{{exhibit}}.log",
    params:
        key=exhibit_key,
        job=lambda w: compact(exhibit_job(w)),
        stem=lambda w: f"{RESULTS}/studies/{w.study}/tables/{w.exhibit}",
    conda:
        "../envs/exhibits.yaml"
    shell:
        RENDER


rule figure:
    input:
        exhibit_inputs,
    output:
        multiext(f"{RESULTS}/studies/{{study}}/figures/{{exhibit}}", ".csv", ".pdf", ".png", ".json"),
    log:
        f"{RESULTS}/logs/studies/{{study}}/figure-{{exhibit}}.log",
    params:
        key=exhibit_key,
        job=lambda w: compact(exhibit_job(w)),
        stem=lambda w: f"{RESULTS}/studies/{w.study}/figures/{w.exhibit}",
    conda:
        "../envs/exhibits.yaml"
    shell:
        RENDER
