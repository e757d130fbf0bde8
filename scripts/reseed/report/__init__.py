"""Results as people read them, in three layers: rendering, exhibits, pages.

In: frames of analyses.
Out: tables, figures, HTML, LaTeX.
Decides: what an exhibit shows and how.
Imports: core, stats, verdicts, config, plugins, metrics, planning, trials, analyses.
Start: `exhibits/spread_table.py`.
"""
