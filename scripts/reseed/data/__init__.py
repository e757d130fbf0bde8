"""Datasets: sources, readers, prepared inputs, splits.

In: what the user described.
Out: arrays or tables on disk, row numbers of each split.
Decides: what a row is and which rows train.
Imports: core, config, plugins.
Start: `inputs.py`.
"""
