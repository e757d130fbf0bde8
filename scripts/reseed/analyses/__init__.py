"""Statistical analyses of a study: one module a kind, each `analyse(data, options)`.

`KINDS` names each kind and what it reads: `metrics` (one row a trial) or `predictions` (per-item
scores as well). Light on purpose: the Snakefile imports it.
"""

KINDS = {
    "spread": "metrics",
    "variance_components": "metrics",
    "published": "metrics",
    "noise_split": "predictions",
    "leaderboard": "metrics",
    "pairs": "metrics",
    "ranking": "metrics",
    "seeds_needed": "metrics",
    "seed_choice": "predictions",
}
