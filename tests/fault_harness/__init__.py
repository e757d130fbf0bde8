"""Fault injection: edit, kill, damage and rerun a project, and check the outcome.

`workspace` copies the pipeline into a new folder and runs Snakemake there, with `warm` in a second.
`world` holds what must be true after every run. `moves` lists what is done to a project.
"""
