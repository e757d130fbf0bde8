"""Training: one block, one search, one verification.

In: specs, prepared data.
Out: outcomes in the cache.
Decides: how a trial is trained and when it has failed.
Imports: core, data, metrics, models, planning, trials.
Start: `run.py`.
"""
