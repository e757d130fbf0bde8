"""What a study is analysed and shown by, unless it says so itself.

The one definition behind a study file without `analyses` and `exhibits`, `reseed.compare` and
`reseed compare`. Light on purpose: the configuration imports it.
"""

from collections.abc import Iterable

_ANALYSES = {
    "leaderboard": {"kind": "leaderboard"},
    "pairs": {"kind": "pairs"},
    "spread": {"kind": "spread"},
    "ranking": {"kind": "ranking"},
    "seeds_needed": {"kind": "seeds_needed"},
}
_OF_PAIRS = ("pairs", "seeds_needed")
_ITEM_ANALYSES = {"noise": {"kind": "noise_split"}, "choice": {"kind": "seed_choice"}}
#: Of the items of two classes alone.
_OF_TWO_CLASSES = "choice"
_EXHIBITS = {
    "leaderboard": ("leaderboard_table", "Leaderboard", "pairs"),
    "differences": ("pairs_figure", "Difference of every pair of models", "pairs"),
    "groups": ("critical_difference_figure", "Who is told from whom", "pairs"),
    "verdicts": ("verdicts_table", "Which model is better", "pairs"),
    "wins": ("win_tie_loss_table", "Wins, ties and losses", "pairs"),
    "comparisons": ("pairs_table", "The numbers behind each comparison", "pairs"),
    "spread": ("interval_table", "Spread of the scores", "spread"),
    "order": ("ranking_figure", "How often the order of models changes", "ranking"),
    "runs_needed": ("seeds_figure", "Runs needed to tell two models apart", "seeds_needed"),
}
_ITEM_EXHIBITS = {
    "noise": ("seed_noise", "Noise of the seed and of the test set", "noise"),
    "choice": ("seed_choice_table", "What choosing a seed costs", "choice"),
}
#: Of studies that train: how each model does, what the way of deciding is worth, what was run.
_TRAINED_ANALYSES = {
    "variance": {"kind": "variance_components"},
    "folds": {"kind": "fold_scores"},
    "ways": {"kind": "protocol"},
}
_TRAINED_EXHIBITS = {
    "variance": ("variance_table", "Share of the variance due to seeds and to splits", "variance"),
    "folds": ("fold_scores_table", "Score of each model over its splits", "folds"),
    "ways": ("protocol_table", "What each way of deciding is worth", "ways"),
    "checklist": ("checklist", "Reproducibility checklist", None),
}


def default_analyses_and_exhibits(
    items: bool = False,
    binary: bool = True,
    trained: bool = False,
    experiments: Iterable[str] = ("results",),
) -> dict[str, dict]:
    """`analyses` and `exhibits` as a study file holds them.

    items: with per-item predictions. binary: some of them of two classes. trained: of a study that
    trains its models itself. experiments: their names.
    """
    of_items = [name for name in _ITEM_ANALYSES if items and (binary or name != _OF_TWO_CLASSES)]
    analyses = _ANALYSES | {name: _ITEM_ANALYSES[name] for name in of_items}
    exhibits = _EXHIBITS | {name: _ITEM_EXHIBITS[name] for name in of_items}
    if trained:
        analyses, exhibits = analyses | _TRAINED_ANALYSES, exhibits | _TRAINED_EXHIBITS
    options = {"spread": {"experiments": list(experiments)}}
    return {
        "analyses": {name: dict(entry) for name, entry in analyses.items()},
        "exhibits": {
            name: {"kind": kind, "title": title}
            | ({"analysis": analysis} if analysis else {})
            | ({"options": options[name]} if name in options else {})
            for name, (kind, title, analysis) in exhibits.items()
        },
    }


def add_default_analyses(study: dict) -> dict:
    """A study with the standard set where it leaves that out.

    One that trains takes it if it has neither `analyses` nor `exhibits`. One of given results:
    without `analyses` all of the standard ones; without `exhibits` those of the standard ones
    whose analysis the study has. `baseline` and `pairs` of `results` go to every analysis of
    pairs that does not state its own.
    """
    results = study.get("results")
    experiments = study.get("experiments")
    if not isinstance(results, dict):
        silent = "analyses" not in study and "exhibits" not in study
        if not (silent and isinstance(experiments, dict)):
            return study
        items = "test" in (study.get("keep") or [])
        return study | default_analyses_and_exhibits(items, trained=True, experiments=experiments)
    standard = default_analyses_and_exhibits()
    analyses = study.get("analyses") or standard["analyses"]
    exhibits = study.get("exhibits") or {
        name: entry
        for name, entry in standard["exhibits"].items()
        if isinstance(analyses, dict) and entry.get("analysis") in analyses
    }
    return study | {"analyses": apply_pair_options(analyses, results), "exhibits": exhibits}


def apply_pair_options(analyses: dict, results: dict) -> dict:
    """Analyses, those of pairs with the `baseline` and `pairs` of given results."""
    named = {name: results[name] for name in ("baseline", "pairs") if results.get(name)}
    if not named or not isinstance(analyses, dict):
        return analyses
    return {
        name: entry | {"options": named | (entry.get("options") or {})}
        if isinstance(entry, dict) and entry.get("kind") in _OF_PAIRS
        else entry
        for name, entry in analyses.items()
    }
