"""Tables and figures of a study: one module a kind.

`KINDS` says of each kind whether it is a table or a figure. Light on purpose: the Snakefile
imports it.
"""

KINDS = {
    "algorithms_table": "table",
    "datasets_table": "table",
    "spread_table": "table",
    "ratio_table": "table",
    "tuning_table": "table",
    "variance_table": "table",
    "published_table": "table",
    "range_bars": "figure",
    "heat_maps": "figure",
    "seed_noise": "figure",
}
