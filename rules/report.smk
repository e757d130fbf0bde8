# Every exhibit of every study → one self-contained page.


rule report:
    input:
        [file for study in PROJECT.studies for file in study_files(study)],
        [f"{RESULTS}/studies/{study}/about.json" for study in PROJECT.studies],
    output:
        REPORT,
    log:
        f"{RESULTS}/logs/report.log",
    conda:
        "../envs/exhibits.yaml"
    params:
        key=code_hash("report.py"),
        exhibits=compact(
            {study: list(entry.exhibits) for study, entry in PROJECT.studies.items()}
        ),
    shell:
        f'python "$RESEED_SCRIPTS/report.py" --results {RESULTS}'
        " --exhibits {params.exhibits:q}"
        " --output {output} > {log} 2>&1"
