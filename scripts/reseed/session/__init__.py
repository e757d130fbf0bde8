"""`reseed.study`: trains and compares models in the current process, without files.

In: models and data in memory.
Out: a comparison.
Decides: what is trained next.
Imports: core, config, data, metrics, models, planning, trials, training, analyses,
  comparison, pipeline.
Start: `study.py`.
"""
