"""Groups of models: two models share a group if and only if no difference is shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

import pandas as pd
from reseed.comparison.claims.pair_row import is_shown
from reseed.comparison.claims.possible_ranks import DECIDED

#: Most groups that are shown; with more models, one a model. A row of means whose neighbours are
#: inconclusive has no more groups. Without a limit there are up to 3^(models / 3).
_READABLE = 26


def groups_of(pairs: pd.DataFrame, models: list[str]) -> dict[str, tuple[int, ...]] | None:
    """`groups` of `models` (best first) by the rows of the analysis `pairs` on one setting.

    None if a pair was not compared or has no verdict (a baseline, too few runs), or if there are
    more groups than are shown.
    """
    rows = pairs[pairs["outcome"].isin(DECIDED)]
    rows = rows[rows["model_a"].isin(models) & rows["model_b"].isin(models)]
    if len(models) < 2 or len(rows) < len(models) * (len(models) - 1) / 2:
        return None
    apart = rows.loc[is_shown(rows), ["model_a", "model_b"]]
    return groups(
        models, apart.itertuples(index=False, name=None), most=max(_READABLE, len(models))
    )


def groups(
    models: list[str], differ: Iterable[tuple[str, str]], most: int | None = None
) -> dict[str, tuple[int, ...]] | None:
    """Compact letter display of `models` (best first) with the pairs that are shown to differ.

    Each maximal set of models without a shown difference has a number, in the order of its best
    model. So two models share a number if and only if their difference is not shown. Piepho (2004);
    the sets are maximal cliques (Bron and Kerbosch 1973). None if there are more than `most` sets.
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
    """Groups as letters: `ab`; `a2`, `b2` from the 27th group on."""
    return "".join(
        chr(ord("a") + number % 26) + (str(number // 26 + 1) if number >= 26 else "")
        for number in numbers
    )


def _cliques(
    same: Mapping[str, set[str]], chosen: set[str], candidates: set[str], done: set[str]
) -> Iterator[set[str]]:
    if not candidates and not done:
        yield chosen
        return
    pivot = max(sorted(candidates | done), key=lambda m: len(same[m] & candidates))
    for model in sorted(candidates - same[pivot]):
        near = same[model]
        yield from _cliques(same, chosen | {model}, candidates & near, done & near)
        candidates = candidates - {model}
        done = done | {model}
