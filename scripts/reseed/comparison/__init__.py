"""Models compared by existing scores: `reseed.compare` and its views.

In: a table of scores.
Out: a comparison: pairs, ranking, notes.
Decides: which test answers, and what it covers.
Imports: core, stats, verdicts, config, plugins, metrics, readers, analyses, report.
Start: `compare.py`.
"""
