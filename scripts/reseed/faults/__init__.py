"""Faults on purpose: kill a run, damage its files, feed it hostile input, and see what comes of it.

`workspace` copies the pipeline into a folder of its own and runs Snakemake there; `compare` says
whether two results folders hold the same numbers; `kills` ends runs at random moments; `cases`
tries one fault each; `page` writes docs/reliability.md from what happened.
"""
