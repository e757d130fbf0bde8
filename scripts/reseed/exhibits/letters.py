"""Letters for models: two share one exactly where no difference between them is shown."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

#: Outcomes of a comparison that say something.
_DECIDED = ("difference", "no difference shown", "equivalent")


def letters_of(pairs: pd.DataFrame, models: list[str]) -> dict[str, str] | None:
    """`letters` of `models` (best first) by the rows of the analysis `pairs` on one setting.

    None where a pair of them was not compared or has no verdict, as with a baseline or few runs.
    """
    rows = pairs[pairs["outcome"].isin(_DECIDED)]
    rows = rows[rows["model_a"].isin(models) & rows["model_b"].isin(models)]
    if len(models) < 2 or len(rows) < len(models) * (len(models) - 1) / 2:
        return None
    apart = rows.loc[rows["outcome"] == "difference", ["model_a", "model_b"]]
    return letters(models, apart.itertuples(index=False, name=None))


def letters(models: list[str], differ: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Compact letter display of `models` (best first) with the pairs that are shown to differ.

    One letter a maximal set of models of which no two are shown to differ, in the order of each
    set's best model; so two models share a letter if and only if their difference is not shown.
    The display is Piepho's (2004); sets are found as maximal cliques (Bron and Kerbosch 1973).
    """
    apart = {frozenset(pair) for pair in differ}
    alike = {
        a: {b for b in models if b != a and frozenset((a, b)) not in apart} for a in models
    }  # fmt: skip
    place = {model: i for i, model in enumerate(models)}
    groups = sorted(
        (sorted(place[m] for m in group) for group in _cliques(alike, set(), set(models), set())),
    )
    found = dict.fromkeys(models, "")
    for number, group in enumerate(groups):
        for i in group:
            found[models[i]] += _letter(number)
    return found


def _cliques(alike: dict, chosen: set, candidates: set, done: set) -> Iterable[set]:
    if not candidates and not done:
        yield chosen
        return
    pivot = max(sorted(candidates | done), key=lambda m: len(alike[m] & candidates))
    for model in sorted(candidates - alike[pivot]):
        near = alike[model]
        yield from _cliques(alike, chosen | {model}, candidates & near, done & near)
        candidates = candidates - {model}
        done = done | {model}


def _letter(number: int) -> str:
    first, last = divmod(number, 26)
    return (_letter(first - 1) if first else "") + chr(ord("a") + last)
