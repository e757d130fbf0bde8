"""Every pair of models over all datasets: mean difference, and that on a new dataset."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd

from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.estimates import Estimate, Sample
from reseed.comparison.claims.formatting import format_level
from reseed.comparison.claims.pair_row import PairRow, is_shown
from reseed.plugins.options import Experiments as Options
from reseed.report.analyses.over_datasets import EffectRow
from reseed.report.rendering import coverage
from reseed.report.rendering.data import ExhibitData, marks, require_rows
from reseed.report.rendering.numbers import (
    fixed,
    from_to,
    interval_decimals,
    percent,
    several,
    two_digits,
    with_interval,
)  # fmt: skip
from reseed.report.rendering.settings import group_by_comparison, join_titles, p_cell, pair_title
from reseed.report.rendering.tables import Rows, Table, TableRow
from reseed.stats.hierarchical import detectable_mean

# Most pairs with a sentence.
_LISTED = 6
_SCALES = {
    "points": "Differences in points of the score.",
    "relative": "Differences of the logarithm of the loss (1 − score for a share): 0.1 is about a"
    " tenth less of it.",
}
NOTHING = "No two models have four comparable runs on three datasets at this scale."


def _footnote(data: ExhibitData, rows: list[EffectRow], *sentences: str) -> str:
    """The footnote: definition of the difference, model, datasets left out with their marks."""
    first, left_out = rows[0], _left_out(rows)
    named = dict.fromkeys(name for names in left_out.values() for name in names)
    reasons = [f"{several(map(data.dataset, names))} ({why})" for why, names in left_out.items()]
    unit = " ".join(dict.fromkeys(_SCALES[row.scale] for row in rows))
    has_few = min(row.datasets for row in rows) < 10
    return " ".join(
        part
        for part in (
            f"{data.scale} Positive: the model named first is better. {unit}"
            f" Hierarchical normal model of the datasets, {format_level(first.level)} intervals"
            + (f"; equivalent: within ±{first.rope * first.factor:g}." if first.rope > 0 else "."),
            coverage.at(first.level, coverage.OVER_DATASETS) if has_few else "",
            *sentences,
            f"Left out: {'; '.join(reasons)}." if reasons else "",
            *marks(data, named, [m for row in rows for m in (row.model_a, row.model_b)]),
        )
        if part
    )


def _left_out(rows: list[EffectRow]) -> dict[str, dict[str, None]]:
    """Datasets left out by reason, over all pairs."""
    reasons: dict[str, dict[str, None]] = {}
    for text in dict.fromkeys(row.left_out_why for row in rows if row.left_out_why):
        for why, names in json.loads(text).items():
            reasons.setdefault(why, {}).update(dict.fromkeys(names))
    return reasons


DRAWS = ("over_datasets",)


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each pair."""
    rows = require_rows(data.measured(options.experiments), NOTHING)
    pairs = EffectRow.select(rows, lambda row: row.statistic == "pair")
    lines = Rows()
    for title, part in group_by_comparison(data, pairs):
        for row in EffectRow.read(part):
            lines.add(_line(data, row), title)
    named = "better, equivalent, worse" if EffectRow.read_first(pairs).rope > 0 else "better, worse"
    text = (
        f"Posterior shares that the first is {named}: on the mean of datasets like these, and on a"
        " new one. Rank p: signed-rank test over datasets, Holm over pairs. Outcome: a difference"
        " where the interval leaves 0 out; not adjusted for the number of pairs."
    )
    return lines.table(
        data,
        rows,
        _footnote(data, EffectRow.read(pairs), text),
        claims=_claims(data, pairs),
    )


def _claims(data: ExhibitData, pairs: pd.DataFrame) -> list[Claim]:
    """The count of shown differences, then the expectation for a new dataset, for some pairs."""
    claims = []
    parts = group_by_comparison(data, pairs)
    for title, part in parts:
        claims.append(
            Claim(
                _name_claim("shown_over_datasets", title),
                "over {n} a mean difference is shown for {shown} of models",
                part,
                {"shown": phrases.share(part, is_shown(part), "pair")},
                Sample.of(part, "datasets", "dataset"),
                headline=len(parts) == 1,
                subject=title,
                statistic="mean difference over datasets",
                null="no difference",
                estimates=[_estimate(data, row) for row in EffectRow.read(part)],
                precision=_detectable(EffectRow.read(part[~is_shown(part)])),
            )
        )
        first = part.head(_LISTED)
        claims += [_new_dataset(data, title, first.loc[[index]]) for index in first.index]
    return claims


def _name_claim(name: str, title: str) -> str:
    return f"{name}: {title}" if title else name


def _title(data: ExhibitData, row: EffectRow) -> str:
    pair = PairRow(row.model_a, row.model_b, experiment=row.experiment)
    return pair_title(data, pair)


def _estimate(data: ExhibitData, row: EffectRow) -> Estimate:
    ends = (row.low, row.high)
    # In points a difference of shares is below the whole scale; a relative one has no bound.
    is_bounded = row.scale == "points" and row.unit == "points"
    most = 100 / row.factor if is_bounded else math.inf
    bounds = (-most, most)
    return Estimate.truncated(_title(data, row), row.effect, ends, row.level, bounds)


def _detectable(pairs: list[EffectRow]) -> str:
    """Smallest mean difference that is found with a power of 80 %; empty without pairs."""
    if not pairs:
        return ""
    lows, highs = (np.array([getattr(row, end) * row.factor for row in pairs])
                   for end in ("low", "high"))  # fmt: skip
    text = from_to(detectable_mean(lows, highs, pairs[0].level), two_digits)
    return f"detectable with a power of 80 %, about: {text} {pairs[0].unit}".rstrip()


def _new_dataset(data: ExhibitData, title: str, pair: pd.DataFrame) -> Claim:
    """Probabilities that the first model of a pair is better, or worse, on a new dataset."""
    row = EffectRow.read_first(pair)
    by, more = (" by more than {rope}", " by more") if row.rope > 0 else ("", "")
    name = join_titles(title, _title(data, row))
    return Claim(
        f"new_dataset: {name}",
        f"on a new dataset drawn as these {{n}} were, the first would be better{by} with"
        f" probability {{better}}, worse{more} with {{worse}}",
        pair,
        {
            "better": phrases.single(pair, "new_a_better", percent),
            "worse": phrases.single(pair, "new_b_better", percent),
            "rope": phrases.setting(row.rope * row.factor),
        },
        Sample.of(pair, "datasets", "dataset"),
        subject=name,
    )


def _line(data: ExhibitData, row: EffectRow) -> TableRow:
    effect, low, high = (x * row.factor for x in (row.effect, row.low, row.high))
    digits = interval_decimals([(low, high)])
    has_region = row.rope > 0
    mean = [row.p_a_better, *([row.p_equivalent] if has_region else []), row.p_b_better]
    new = [row.new_a_better, *([row.new_equivalent] if has_region else []), row.new_b_better]
    return {
        "Pair": _title(data, row),
        "Datasets": f"{row.datasets:.0f}",
        "Better on": f"{row.wins:.0f}",
        "Mean difference": with_interval(effect, low, high, digits),
        "SD between datasets": fixed(row.tau * row.factor, digits),
        "Better / equivalent / worse" if has_region else "Better / worse": _join_shares(mean),
        "New dataset": _join_shares(new),
        "Rank p": p_cell(row.rank_p_holm),
        "Outcome": row.outcome,
    }


def _join_shares(shares: list[float]) -> str:
    return " / ".join(map(percent, shares))
