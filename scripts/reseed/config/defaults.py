"""Default analyses and exhibits of a study.

They are used by a study file without `analyses` and `exhibits`, by `reseed.compare` and by
`reseed compare`. The module imports nothing large, because the configuration imports it.
"""

from collections.abc import Iterable
from typing import Any

_ANALYSES = {
    "leaderboard": {"kind": "leaderboard"},
    "pairs": {"kind": "pairs"},
    "spread": {"kind": "spread"},
    "seeds_needed": {"kind": "seeds_needed"},
}
#: Analyses with the options `baseline` and `pairs`.
_PAIR_ANALYSES = ("pairs", "seeds_needed")
_ITEM_ANALYSES = {"noise": {"kind": "noise_split"}}
_EXHIBITS = {
    "leaderboard": ("leaderboard_table", "Leaderboard", "pairs"),
    "differences": ("pairs_figure", "Difference of every pair of models", "pairs"),
    "verdicts": ("verdicts_table", "Which model is better", "pairs"),
    "spread": ("interval_table", "Spread of the scores", "spread"),
}
_ITEM_EXHIBITS = {
    "noise": ("seed_noise", "Noise of the seed and of the test set", "noise"),
}
#: What says nothing of scores of items, or of means without runs.
_OF_RUNS = ("spread", "seeds_needed")
#: Figures that no page has: `comparison.plot("ranks")`.
EXHIBITS_ON_DEMAND = {
    "ranks": {
        "kind": "critical_difference_figure",
        "title": "Models by mean rank or mean score, and which are not shown to differ",
        "analysis": "pairs",
    },
}
#: Of studies that train their models and keep the outputs of test items. `reseed.compare` decides
#: over seeds and items in `pairs` itself.
_TRAINED_ITEM_ANALYSES = {"items": {"kind": "item_pairs"}}
_TRAINED_ITEM_EXHIBITS = {
    "items": ("item_pairs_table", "Which model is better, over seeds and items", "items"),
}
#: Further analyses of studies that train their models.
_TRAINED_ANALYSES = {
    "variance": {"kind": "variance_components"},
    "folds": {"kind": "fold_scores"},
}
_TRAINED_EXHIBITS = {
    "variance": ("table", "Share of the variance due to seeds and to splits", "variance"),
    "folds": ("table", "Score of each model over its splits", "folds"),
    "checklist": ("checklist", "Reproducibility checklist", None),
}

#: Options of the exhibits of kind `table`.
_TABLES: dict[str, dict[str, Any]] = {
    "variance": {
        "columns": {
            "Algorithm": "arm",
            "Grid": "{levels}{failed:failed}",
            "Total SD": "{total ** 0.5}",
            "{component}": "{share:points} % [{share_low:points}, {share_high:points}]",
        },
        "line": ["scheme", "arm", "hyperparameters_source", "levels"],
        "least": {"least_levels": 3},
        "section": ["dataset", "metric", "experiment"],
        "digits": ["total ** 0.5"],
        "least_digits": 4,
        "names": {
            "component": {
                "model_seed": "Model seed",
                "init": "Initial weights",
                "order": "Batch order",
                "dropout": "Dropout",
                "augment": "Augmentation",
                "data_seed": "Data seed",
                "residual": "Interaction and rest",
            }
        },
        "empty": "No two seeds were crossed at this scale, with 3 seeds a side.",
        "definitions": [
            "Shares of the total variance, with {level:level} intervals (generalised pivotal"
            " quantities, Gaussian effects; approximate for a grid of two seeds with holes, none"
            " for one of more). At 95 % they cover 93 to 97 %. Grids of fewer than 3 seeds a side"
            " are left out."
        ],
    },
    "folds": {
        "columns": {
            "Model": "arm",
            "Seed {single_seed:count}, one fold": "single",
            "Mean": "mean",
            "BCa": "[{bca_low}, {bca_high}]",
            "Corrected": "[{low}, {high}]",
            "SD over folds": "sd_folds",
            "SD over seeds": "sd_seeds",
            "Folds": "{folds:count}",
            "Runs": "{runs:count}{failed:failed}",
        },
        "section": ["dataset", "metric", "experiment"],
        "order": ["mean - 2 * mean * greater_is_better"],
        "digits": ["sd_folds"],
        "least_digits": 3,
        "empty": "No model was run on two splits or more at this scale.",
        "note": [
            "Mean over folds and repeats, seeds averaged first. Intervals at {level:level}. BCa:"
            " over {n_boot:count} resamples of the folds; it takes folds that share training rows"
            " for independent and is too narrow (over 5×2 folds it covers 73 to 75 %). Corrected:"
            " Nadeau and Bengio's, with 1.5 times n_test/n_train: at 95 % it covers 95 to 99 % for"
            " every learner tried, 1-nearest neighbour included. SD over seeds: within a fold,"
            " root mean square. One fold: the result of a single run on the first fold."
        ],
    },
}


def default_analyses_and_exhibits(
    items: bool = False,
    trained: bool = False,
    experiments: Iterable[str] = ("results",),
    further: Iterable[str] = (),
) -> dict[str, dict[str, dict[str, Any]]]:
    """Return default `analyses` and `exhibits` in the form of a study file.

    items: whether predictions of items are stored. trained: whether the study trains its models.
    experiments: names of the experiments. further: what results that are not trained here allow,
    too: `variance` (seeds crossed with splits), `folds`.
    """
    analyses = _ANALYSES | (_ITEM_ANALYSES if items else {})
    exhibits: dict[str, tuple[str, str, str | None]] = {
        **_EXHIBITS,
        **(_ITEM_EXHIBITS if items else {}),
    }
    known = _TRAINED_EXHIBITS if trained else further
    analyses |= {name: one for name, one in _TRAINED_ANALYSES.items() if name in known}
    exhibits |= {name: one for name, one in _TRAINED_EXHIBITS.items() if name in known}
    if trained and items:
        analyses |= _TRAINED_ITEM_ANALYSES
        exhibits |= _TRAINED_ITEM_EXHIBITS
    options = _TABLES | {"spread": {"experiments": list(experiments)}}
    return {
        "analyses": {name: dict(entry) for name, entry in analyses.items()},
        "exhibits": {
            name: {"kind": kind, "title": title}
            | ({"analysis": analysis} if analysis else {})
            | ({"options": options[name]} if name in options else {})
            for name, (kind, title, analysis) in exhibits.items()
        },
    }


def entries_without_runs() -> dict[str, dict[str, dict[str, Any]]]:
    """Return the default analyses and exhibits that need no spread over runs."""
    return {
        part: {name: entry for name, entry in entries.items() if name not in _OF_RUNS}
        for part, entries in default_analyses_and_exhibits().items()
    }


def expand_path(results: Any) -> Any:
    """`results: runs.csv` of a study is `results: {path: runs.csv}`."""
    return {"path": results} if isinstance(results, str) else results


def add_default_analyses(study: dict[str, Any]) -> dict[str, Any]:
    """Return a study with the default analyses and exhibits if it has none.

    A study that trains gets them if it has neither `analyses` nor `exhibits`. A study of imported
    results without `analyses` gets all default ones. Without `exhibits` it gets those whose
    analysis it has. Every analysis of pairs without `baseline` and `pairs` gets those of `results`.
    """
    results = expand_path(study.get("results"))
    experiments = study.get("experiments")
    if not isinstance(results, dict):
        needs_defaults = "analyses" not in study and "exhibits" not in study
        if not (needs_defaults and isinstance(experiments, dict)):
            return study
        items = "test" in (study.get("keep") or [])
        return study | default_analyses_and_exhibits(items, trained=True, experiments=experiments)
    defaults = default_analyses_and_exhibits()
    analyses = study.get("analyses") or defaults["analyses"]
    exhibits = study.get("exhibits") or {
        name: entry
        for name, entry in defaults["exhibits"].items()
        if isinstance(analyses, dict) and entry.get("analysis") in analyses
    }
    return study | {"analyses": apply_pair_options(analyses, results), "exhibits": exhibits}


def apply_pair_options(analyses: dict[str, Any], results: dict[str, Any]) -> dict[str, Any]:
    """Add `baseline` and `pairs` of imported results to the options of analyses of pairs."""
    options = {name: results[name] for name in ("baseline", "pairs") if results.get(name)}
    if not options or not isinstance(analyses, dict):
        return analyses
    return {
        name: entry | {"options": options | (entry.get("options") or {})}
        if isinstance(entry, dict) and entry.get("kind") in _PAIR_ANALYSES
        else entry
        for name, entry in analyses.items()
    }
