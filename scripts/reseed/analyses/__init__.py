"""Statistical analyses of a study: one module a kind, each `analyse(data, options)`.

`KINDS` names each kind and what it reads: `metrics` (one row a trial) or `predictions` (per-item
scores as well) or `curves` (training curves as well). Light on purpose: the Snakefile imports it.
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
    "item_pairs": "predictions",
    "trimming": "predictions",
    "trimming_pairs": "predictions",
    "trimming_summary": "predictions",
    "trimming_ensembles": "predictions",
    "trimming_information": "predictions",
    "gap_distribution": "predictions",
    "extremes": "metrics",
    "range_growth": "metrics",
    "standing": "metrics",
    "aggregates": "metrics",
    "seed_scores": "predictions",
    "fold_scores": "metrics",
    "protocol": "metrics",
    "curves": "curves",
    "convergence": "curves",
}
