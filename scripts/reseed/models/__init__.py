# A docstring would change the key of every trial.
#
# One readable file for each family of models.
#
# In: hyper-parameters, a seed, training rows.
# Out: an object with `fit` and `predict`.
# Decides: what a model computes.
# Imports: core, plugins, metrics.
# Start: `registry.py`.
