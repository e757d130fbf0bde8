"""One readable file for each family of models.

In: hyper-parameters, a seed, training rows.
Out: an object with `fit` and `predict`.
Decides: what a model computes.
Imports: core, plugins, metrics.
Start: `registry.py`.
"""
