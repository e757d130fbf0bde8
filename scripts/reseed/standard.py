"""What a study of given results is analysed and shown by, unless it says so itself.

The one definition behind a study file without `analyses` and `exhibits`, `reseed.compare` and
`reseed compare`. Light on purpose: the configuration imports it.
"""

_ANALYSES = {
    "leaderboard": {"kind": "leaderboard"},
    "pairs": {"kind": "pairs"},
    "spread": {"kind": "spread"},
    "ranking": {"kind": "ranking"},
    "seeds_needed": {"kind": "seeds_needed"},
}
_ITEM_ANALYSES = {"noise": {"kind": "noise_split"}, "choice": {"kind": "seed_choice"}}
_EXHIBITS = {
    "leaderboard": ("leaderboard_table", "Leaderboard", "leaderboard"),
    "differences": ("pairs_figure", "Difference of every pair of models", "pairs"),
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
_OPTIONS = {"spread": {"experiments": ["results"]}}


def standard_set(items: bool = False) -> dict[str, dict]:
    """`analyses` and `exhibits` as a study file holds them; `items`: with per-item predictions."""
    analyses = _ANALYSES | (_ITEM_ANALYSES if items else {})
    exhibits = _EXHIBITS | (_ITEM_EXHIBITS if items else {})
    return {
        "analyses": {name: dict(entry) for name, entry in analyses.items()},
        "exhibits": {
            name: {"kind": kind, "title": title, "analysis": analysis}
            | ({"options": _OPTIONS[name]} if name in _OPTIONS else {})
            for name, (kind, title, analysis) in exhibits.items()
        },
    }


def with_standard(study: dict) -> dict:
    """A study of given results with what it leaves out; any other study as it is.

    Without `analyses` all of the standard ones; without `exhibits` those of the standard ones
    whose analysis the study has. `baseline` and `pairs` of `results` go to every analysis of
    pairs that does not state its own.
    """
    results = study.get("results")
    if not isinstance(results, dict):
        return study
    standard = standard_set()
    analyses = study.get("analyses") or standard["analyses"]
    exhibits = study.get("exhibits") or {
        name: entry
        for name, entry in standard["exhibits"].items()
        if isinstance(analyses, dict) and entry["analysis"] in analyses
    }
    return study | {"analyses": narrowed(analyses, results), "exhibits": exhibits}


def narrowed(analyses: dict, results: dict) -> dict:
    """Analyses, those of pairs with the `baseline` and `pairs` of given results."""
    named = {name: results[name] for name in ("baseline", "pairs") if results.get(name)}
    if not named or not isinstance(analyses, dict):
        return analyses
    return {
        name: entry | {"options": named | (entry.get("options") or {})}
        if isinstance(entry, dict) and entry.get("kind") == "pairs"
        else entry
        for name, entry in analyses.items()
    }
