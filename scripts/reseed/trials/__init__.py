"""Trials on disk: entries of the cache by key, block files, the tables of a study.

In: outcomes of trainings.
Out: `metrics.parquet` and predictions of items.
Decides: where a trial is kept, and which trials a study has.
Imports: core, data, metrics, planning.
Start: `trial_cache.py`.
"""
