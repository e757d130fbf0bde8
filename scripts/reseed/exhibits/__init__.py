"""Tables and figures of a study: one module a kind.

`KINDS` says of each kind whether it is a table (the module has `table(data, options) -> Table`) or
a figure (`figure(data, options) -> (Figure, Drawn)`). Light on purpose: the Snakefile imports it.
"""

KINDS = {
    "algorithms_table": "table",
    "datasets_table": "table",
    "spread_table": "table",
    "interval_table": "table",
    "ratio_table": "table",
    "tuning_table": "table",
    "repeated_fits": "table",
    "variance_table": "table",
    "published_table": "table",
    "same_splits": "figure",
    "score_strips": "figure",
    "range_bars": "figure",
    "heat_maps": "figure",
    "seed_noise": "figure",
    "leaderboard": "table",
    "verdicts_table": "table",
    "pairs_table": "table",
    "pairs_figure": "figure",
    "ranking_figure": "figure",
    "seeds_figure": "figure",
    "seed_choice_figure": "figure",
    "seed_choice_table": "table",
}
