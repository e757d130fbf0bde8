"""Claims on the scores of an arm over seeds: SD, largest difference, range against a Gaussian's."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

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


def range_claims(data: ExhibitData, rows: pd.DataFrame, titles: Sequence[str]) -> Iterator[Claim]:
    """Claims `range_ratio` and `largest_difference`, one set for each metric.

    rows: one row an arm, with the columns `n`, `range` and `extremes.RANGE_COLUMNS`. titles: of
    the rows. Rows that could not be judged are left out of the first claim, rows without
    variation of the other.
    """
    for part, end in _each_metric(rows.assign(title=list(titles))):
        yield from _range_ratio(part[part["range_ratio"].notna()], f"range_ratio{end}")
        yield from _largest(data, part[~phrases.is_degenerate(part)], f"largest_difference{end}")


def spread_claims(data: ExhibitData, rows: pd.DataFrame, titles: Sequence[str]) -> Iterator[Claim]:
    """Claims `sd` and `tails`. rows: those of `extremes`, as in `range_claims`."""
    for part, end in _each_metric(rows.assign(title=list(titles))):
        yield from _sd(data, part[~phrases.is_degenerate(part)], f"sd{end}")
        yield from _tails(part[part["tail_p"].notna()], f"tails{end}")


def _each_metric(rows: pd.DataFrame) -> Iterator[tuple[pd.DataFrame, str]]:
    """Rows of each metric, and the end of a claim's name: empty for one metric."""
    several = rows["metric"].nunique() > 1
    for metric, part in rows.groupby("metric", sort=False):
        yield part, f"_{metric}" if several else ""


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


def _range_ratio(rows: pd.DataFrame, name: str) -> Iterator[Claim]:
    if rows.empty:
        return
    tests = [
        Test("Gaussian tails", row.range_p, _ALPHA, row.range_power, _AGAINST)
        for row in ExtremesRow.read(rows)
    ]
    titles, is_beyond = rows["title"], rows["range_p"] < _ALPHA
    named = numbers.several(titles[is_beyond])
    many = len(rows) > _NAMED or not is_beyond.any() or len(rows) == 1
    yield Claim(
        name,
        "from worst to best seed it is {range}; Gaussian samples of that size have {gaussian}"
        " SD on average. A range beyond theirs (p below {alpha}, each for itself) is shown in"
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
        subject=_only_title(rows),
        basis="{items}",
        statistic="range in SD over that of Gaussian samples",
        estimates=Estimate.of_rows(rows, titles, "range_ratio", (0, math.inf)),
        tests=tests,
        null="ratio 1",
    )


def _only_title(rows: pd.DataFrame) -> str:
    """The title of a single row, which a list of values does not name."""
    return rows["title"].item() if len(rows) == 1 else ""


def _largest(data: ExhibitData, rows: pd.DataFrame, name: str) -> Iterator[Claim]:
    """The observed range is a lower bound of the largest difference between any two seeds."""
    # A fact about the seeds run: no chance is involved, so the level is 1.
    estimates = [
        Estimate(title, row.range, row.range, most, 1.0, (0, most))
        for title, row in zip(rows["title"], ExtremesRow.read(rows), strict=True)
        for most in [1.0 if _is_share(data, row) else math.inf]
    ]
    yield from _on_metric(
        rows,
        estimates,
        name=name,
        finding="the best and the worst seed differ in {metric} by {values}, so the largest"
        " difference between two seeds is at least that",
        statistic="difference of best and worst seed",
        null="difference 0",
        precision="a lower bound, without error for the seeds run",
    )


def _sd(data: ExhibitData, rows: pd.DataFrame, name: str) -> Iterator[Claim]:
    # No score between 0 and 1 has an SD above that of as many zeros as ones.
    estimates = [
        Estimate.truncated(title, row.sd, (row.sd_low, row.sd_high), row.level, (0, most))
        for title, row in zip(rows["title"], ExtremesRow.read(rows), strict=True)
        for most in [math.sqrt(row.n / (row.n - 1)) / 2 if _is_share(data, row) else math.inf]
    ]
    finding = "the SD of {metric} over seeds is {estimates}"
    yield from _on_metric(
        rows, estimates, name=name, finding=finding, statistic="SD over seeds", null=NO_NULL
    )


def _on_metric(rows: pd.DataFrame, estimates: list[Estimate], **more) -> Iterator[Claim]:
    """The claim on estimates in the unit of the rows' metric: those of a share in points."""
    if len(rows):
        metric = phrases.name(metric_title(rows["metric"].iloc[0]))
        yield Claim(
            rows=rows,
            phrases={"metric": metric, "items": test_sets(rows)},
            sample=sample(rows),
            subject=_only_title(rows),
            basis="{items}",
            show=numbers.two_digits,
            estimates=[
                one.in_points() if math.isfinite(one.bounds[1]) else one for one in estimates
            ],
            **more,
        )


def _tails(rows: pd.DataFrame, name: str) -> Iterator[Claim]:
    if len(rows):
        yield Claim(
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
