"""Reseed: how much of a machine-learning result depends on the random seed and the data split?

`snakemake --cores N` makes every study of `config/studies/` at the scale of `config/config.yaml`
and ends with `results/report/index.html`. `rules/` has one file a stage.
"""

from snakemake.utils import min_version

min_version("9.17.0")


include: "rules/workflow.smk"


rule all:
    default_target: True
    input:
        plan.all_files(),
