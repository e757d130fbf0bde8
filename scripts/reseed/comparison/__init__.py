"""Models compared by existing scores: `reseed.compare` and its views.

In: a table of scores.
Out: a comparison: pairs, ranking, notes.
Decides: which test answers, and what it covers.
Imports: core, stats, config, plugins, metrics, readers, report.
Start: `compare.py`.
"""
