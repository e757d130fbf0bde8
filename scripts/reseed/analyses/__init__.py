"""Statistical analyses: one module a kind, each `analyse(data, options) -> DataFrame`.

In: trials of a study, or the scores of a comparison.
Out: a frame, whose columns the analysis describes.
Decides: what is computed; `pairs` compares models.
Imports: core, stats, verdicts, plugins, metrics.
Start: `spread.py`. `reseed.plugins.kinds` says how a module is found, and what it may declare.
"""
