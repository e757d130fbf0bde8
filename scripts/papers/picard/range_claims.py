"""Claims on the scores of an arm over seeds: SD, largest difference, range against a Gaussian's."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd
from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.estimates import NO_NULL, Estimate, Sample, Test
from reseed.report.rendering import numbers
from reseed.report.rendering.data import ExhibitData, metric_title

from papers.picard.extremes import POWER_DF, ExtremesRow

#: Fewest seeds for a density, and for the growth of a range: with fewer, the test of the range
#: finds the tails of t with three degrees of freedom in less than a third of the samples.
LEAST = 20
_ALPHA = 0.05
_AGAINST = f"tails of t with {POWER_DF} degrees of freedom"
#: Most titles that a sentence lists.
_NAMED = 4


def range_claims(data: ExhibitData, rows: pd.DataFrame, titles: Sequence[str]) -> list[Claim]:
    """Claims `range_ratio` and `largest_difference`, one set for each metric.

    rows: one row an arm, with the columns `n`, `range` and `extremes.RANGE_COLUMNS`. titles: of
    the rows. Rows that could not be judged are left out of the first claim, rows without
    variation of the other.
    """
    titled = pd.Series(list(titles), rows.index)
    found = []
    several = rows["metric"].nunique() > 1
    for metric, part in rows.groupby("metric", sort=False):
        end = f"_{metric}" if several else ""
        judged = part[part["range_ratio"].notna()]
        if len(judged):
            found.append(_range_ratio(judged, titled[judged.index], f"range_ratio{end}"))
        varied = part[~phrases.is_degenerate(part)]
        if len(varied):
            found.append(_largest(data, varied, titled[varied.index], f"largest_difference{end}"))
    return found


def sample(rows: pd.DataFrame) -> Sample:
    """Seeds of each arm."""
    return Sample.of(rows, "n", "seed")


def test_sets(rows: pd.DataFrame) -> phrases.Phrase:
    """`test sets of 201 to 601 images`; `test sets of unknown size`."""
    known = rows[rows["items"].notna()]
    if len(known) < len(rows):
        return phrases.name("test sets of unknown size")
    size = phrases.extent(rows, "items", numbers.whole, is_comparable=True)
    return phrases.Phrase(f"test sets of {size} items", "range", size.rows)


test_sets.__test__ = False  # type: ignore[attr-defined]  # not a test case


def _range_ratio(rows: pd.DataFrame, titles: pd.Series, name: str) -> Claim:
    tests = [
        Test("Gaussian tails", row.range_p, _ALPHA, row.range_power, _AGAINST)
        for row in ExtremesRow.read(rows)
    ]
    is_beyond = rows["range_p"] < _ALPHA
    named = numbers.several(titles[is_beyond])
    many = len(rows) > _NAMED or not is_beyond.any() or len(rows) == 1
    return Claim(
        name,
        "from worst to best seed it is {range}; Gaussian samples of that size have {gaussian} SD"
        " on average. A range beyond theirs (p below {alpha}, each for itself) is shown in"
        " {beyond}{named}",
        rows,
        {
            "range": phrases.listed(
                rows, "range_in_sd", "{:.1f} SD".format, titles, is_comparable=True
            ),
            "gaussian": phrases.extent(
                rows, "range_in_sd_expected", "{:.1f}".format, is_comparable=True
            ),
            "alpha": phrases.setting(_ALPHA),
            "beyond": phrases.share(rows, is_beyond, "arm"),
            "named": phrases.name("" if many else f", {named}"),
            "items": test_sets(rows),
        },
        sample(rows),
        "A range beyond a Gaussian’s is shown in {beyond} ({n})",
        subject=_only_title(titles),
        basis="{items}",
        statistic="range in SD over that of Gaussian samples",
        estimates=Estimate.of_rows(rows, titles, "range_ratio", (0, math.inf)),
        tests=tests,
        null="ratio 1",
    )


def _only_title(titles: pd.Series) -> str:
    """The title of a single row, which a list of values does not name."""
    return titles.iloc[0] if len(titles) == 1 else ""


def _largest(data: ExhibitData, rows: pd.DataFrame, titles: pd.Series, name: str) -> Claim:
    """The observed range is a lower bound of the largest difference between any two seeds."""
    estimates = []
    for title, row in zip(titles, ExtremesRow.read(rows), strict=True):
        is_share = _is_share(data, row)
        most = 1.0 if is_share else math.inf
        # A fact about the seeds run: no chance is involved, so the level is 1.
        estimate = Estimate(title, row.range, row.range, most, 1.0, (0, most))
        estimates.append(estimate.in_points() if is_share else estimate)
    return Claim(
        name,
        "the best and the worst seed differ in {metric} by {values}, so the largest difference"
        " between two seeds is at least that",
        rows,
        {"metric": phrases.name(metric_title(rows["metric"].iloc[0])), "items": test_sets(rows)},
        sample(rows),
        subject=_only_title(titles),
        basis="{items}",
        show=numbers.two_digits,
        statistic="difference of best and worst seed",
        estimates=estimates,
        null="difference 0",
        precision="a lower bound, without error for the seeds run",
    )


def spread_claims(data: ExhibitData, rows: pd.DataFrame, titles: Sequence[str]) -> list[Claim]:
    """Claims `sd` and `tails`. rows: those of `extremes`, as in `range_claims`."""
    titled = pd.Series(list(titles), rows.index)
    found = []
    several = rows["metric"].nunique() > 1
    for metric, part in rows.groupby("metric", sort=False):
        end = f"_{metric}" if several else ""
        varied = part[~phrases.is_degenerate(part)]
        if len(varied):
            found.append(_sd(data, varied, titled[varied.index], f"sd{end}"))
        judged = part[part["tail_p"].notna()]
        if len(judged):
            found.append(_tails(judged, f"tails{end}"))
    return found


def _sd(data: ExhibitData, rows: pd.DataFrame, titles: pd.Series, name: str) -> Claim:
    estimates = []
    for title, row in zip(titles, ExtremesRow.read(rows), strict=True):
        # No score between 0 and 1 has an SD above that of as many zeros as ones.
        is_share = _is_share(data, row)
        most = math.sqrt(row.n / (row.n - 1)) / 2 if is_share else math.inf
        interval = (row.sd_low, row.sd_high)
        estimate = Estimate.truncated(title, row.sd, interval, row.level, (0, most))
        estimates.append(estimate.in_points() if is_share else estimate)
    return Claim(
        name,
        "the SD of {metric} over seeds is {estimates}",
        rows,
        {"metric": phrases.name(metric_title(rows["metric"].iloc[0])), "items": test_sets(rows)},
        sample(rows),
        subject=_only_title(titles),
        basis="{items}",
        show=numbers.two_digits,
        statistic="SD over seeds",
        null=NO_NULL,
        estimates=estimates,
    )


def _tails(rows: pd.DataFrame, name: str) -> Claim:
    return Claim(
        name,
        "tails heavier than a Gaussian’s are shown in {heavier}, lighter ones in {lighter}",
        rows,
        {
            "heavier": phrases.share(rows, rows["tail"] == "heavier", "arm"),
            "lighter": phrases.share(rows, rows["tail"] == "lighter", "arm"),
        },
        sample(rows),
        statistic="excess kurtosis",
        tests=[
            Test("excess kurtosis 0", row.tail_p, _ALPHA, row.tail_power, _AGAINST)
            for row in ExtremesRow.read(rows)
        ],
        null="excess kurtosis 0",
    )


def _is_share(data: ExhibitData, row: ExtremesRow) -> bool:
    """Whether the metric of a row lies between 0 and 1."""
    dataset = data.info.datasets[row.dataset]
    return dataset.metric == row.metric and bool(dataset.metric_is_share)
