"""Groups of models: two share one exactly where no difference between them is shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import pandas as pd

#: Outcomes of a comparison that say something.
_DECIDED = ("difference", "no difference shown", "equivalent")
#: As many groups can be read, of more models as many as there are models: a row of means in which
#: neighbours are alike forms no more. Without a limit there are up to 3^(models / 3).
_READABLE = 26


def groups_of(pairs: pd.DataFrame, models: list[str]) -> dict[str, tuple[int, ...]] | None:
    """`groups` of `models` (best first) by the rows of the analysis `pairs` on one setting.

    None where a pair of them was not compared or has no verdict, as with a baseline or few runs,
    and where there are more groups than can be read.
    """
    rows = pairs[pairs["outcome"].isin(_DECIDED)]
    rows = rows[rows["model_a"].isin(models) & rows["model_b"].isin(models)]
    if len(models) < 2 or len(rows) < len(models) * (len(models) - 1) / 2:
        return None
    apart = rows.loc[rows["outcome"] == "difference", ["model_a", "model_b"]]
    return groups(
        models, apart.itertuples(index=False, name=None), most=max(_READABLE, len(models))
    )


def groups(
    models: list[str], differ: Iterable[tuple[str, str]], most: int | None = None
) -> dict[str, tuple[int, ...]] | None:
    """Compact letter display of `models` (best first) with the pairs that are shown to differ.

    One number a maximal set of models of which no two are shown to differ, in the order of each
    set's best model; so two models share a number if and only if their difference is not shown.
    The display is Piepho's (2004); sets are found as maximal cliques (Bron and Kerbosch 1973).
    None where there are more than `most` sets.
    """
    apart = {frozenset(pair) for pair in differ}
    same = {
        a: {b for b in models if b != a and frozenset((a, b)) not in apart} for a in models
    }  # fmt: skip
    place = {model: i for i, model in enumerate(models)}
    cliques = _cliques(same, set(), set(models), set())
    sets = sorted(
        sorted(place[m] for m in clique)
        for clique in islice(cliques, None if most is None else most + 1)
    )
    if most is not None and len(sets) > most:
        return None
    return {
        model: tuple(number for number, members in enumerate(sets) if place[model] in members)
        for model in models
    }


def letters(numbers: Iterable[int]) -> str:
    """Groups as letters: `ab`; the 27th and further `a2`, `b2`, so that none reads as two."""
    return "".join(
        chr(ord("a") + number % 26) + (str(number // 26 + 1) if number >= 26 else "")
        for number in numbers
    )


def _cliques(same: dict, chosen: set, candidates: set, done: set) -> Iterator[set]:
    if not candidates and not done:
        yield chosen
        return
    pivot = max(sorted(candidates | done), key=lambda m: len(same[m] & candidates))
    for model in sorted(candidates - same[pivot]):
        near = same[model]
        yield from _cliques(same, chosen | {model}, candidates & near, done & near)
        candidates = candidates - {model}
        done = done | {model}
