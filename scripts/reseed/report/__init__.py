"""Results as people read them, in four layers: analyses, rendering, exhibits, pages.

In: tables of a study.
Out: statistics, tables, figures, HTML, LaTeX.
Decides: what an exhibit shows and how.
Imports: core, stats, comparison.claims, config, plugins, metrics, planning, trials.
Start: `exhibits/spread_table.py`.
"""
