"""Spreads over seeds at the paper's number of test images and of seeds [Picard, Tables 1 and 2].

On few test images most of an SD over seeds is due to the images, and a range grows with the number
of seeds, so neither compares with the paper's as measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import nan

import pandas as pd
from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.estimates import NO_NULL, Estimate, Sample
from reseed.plugins.options import Count, Names, Strict
from reseed.report.analyses.noise_split import NoiseRow
from reseed.report.rendering import numbers
from reseed.report.rendering.arms import cell_titles
from reseed.report.rendering.data import ExhibitData, footnote, require_rows
from reseed.report.rendering.settings import metric_title
from reseed.report.rendering.tables import Rows, Table, TableRow
from reseed.stats.gaussian_range import expected_gaussian_range
from reseed.stats.spread import ratio_limits

DRAWS = ("noise_split",)

_KEY = ["experiment", "dataset", "scheme", "arm", "hyperparameters_source"]


@dataclass(frozen=True)
class SizedRow(NoiseRow):
    """A row of the analysis, with the paper's number of seeds and the range of so many."""

    paper_seeds: float = nan
    range_at: float = nan
    range_at_low: float = nan
    range_at_high: float = nan


class Options(Strict):
    """seeds: the paper's number of seeds, by arm.
    baselines: arms whose SD the others are divided by.
    """

    seeds: dict[str, Count]
    baselines: Names = []


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each arm: SD here, on the paper's number of test images, and the range there."""
    rows = require_rows(data.rows(), "No arm has outputs of single test items at this scale.")
    known = rows["sd_at"].gt(0) & rows["sd_at_low"].notna()
    rows = require_rows(rows[known], "No arm has the five seeds that an SD with an interval needs.")
    rows = _with_ranges(rows, options.seeds)
    titles = cell_titles(data, rows, _KEY)
    places, lines = numbers.decimals(rows["sd_at"], least=4), Rows()
    for title, row in zip(titles, SizedRow.read(rows), strict=True):
        section = f"{data.dataset(row.dataset)}, {metric_title(row.metric)}"
        lines.add(_line(title, row, places), section)
    at = rows["test_items"].max()
    return lines.table(
        data,
        rows,
        footnote(data, rows, per="arm"),
        definitions=[
            f"SD on {at:,.0f} images: covariance of two images over seeds, and the images' own"
            f" variance divided by {at:,.0f} (Jordan 2023). Range: that SD times the range of a"
            " Gaussian sample of the paper's number of seeds, which is an assumption.",
        ],
        claims=[*_claims(rows, titles, options)],
    )


def _with_ranges(rows: pd.DataFrame, seeds: dict[str, int]) -> pd.DataFrame:
    """The rows with the paper's number of seeds, and the range of so many (NaN without one)."""
    counts = rows["arm"].map(seeds)
    factors = [
        float(expected_gaussian_range(int(n))) if n == n else math.nan for n in counts.astype(float)
    ]
    ranges = {
        f"range_at{end}": rows[f"sd_at{end}"] * factors for end in ("", "_low", "_high")
    }  # fmt: skip
    return rows.assign(paper_seeds=counts, **ranges)


def _line(title: str, row: SizedRow, places: int) -> TableRow:
    line = {
        "Arm": title,
        "n": numbers.seeds(int(row.n), int(row.failed)),
        "Test images": f"{row.items:,.0f}",
        "SD here": numbers.fixed(row.observed_sd, places),
        "SD on the paper's images": numbers.with_interval(
            row.sd_at, row.sd_at_low, row.sd_at_high, places
        ),
    }
    if math.isnan(row.paper_seeds):
        return line | {"Paper's seeds": numbers.NONE, "Range of them": numbers.NONE}
    return line | {
        "Paper's seeds": f"{row.paper_seeds:,.0f}",
        "Range of them": numbers.with_interval(
            row.range_at, row.range_at_low, row.range_at_high, places
        ),
    }


def _claims(rows: pd.DataFrame, titles: Sequence[str], options: Options) -> Iterator[Claim]:
    titled = pd.Series(list(titles), rows.index)
    yield _points("sd_at_paper_size", "SD over seeds", "sd_at", rows, titled)
    named = rows[rows["paper_seeds"].notna()]
    if len(named):
        statistic = "range from worst to best seed"
        yield _points("range_at_paper_size", statistic, "range_at", named, titled)
    is_base = rows["arm"].isin(options.baselines)
    yield from _ratios(rows[is_base], rows[~is_base], titled)


def _points(name: str, statistic: str, column: str, rows: pd.DataFrame, titles: pd.Series) -> Claim:
    estimates = Estimate.of_rows(rows, [titles[i] for i in rows.index], column, (0.0, math.inf))
    show: Callable[[float], str] = numbers.two_digits
    return Claim(
        name,
        f"the {statistic} would be {{estimates}} on {{items}} test images",
        rows,
        {
            "items": phrases.setting(int(rows["test_items"].max()), numbers.whole),
            "items_here": phrases.extent(rows, "items", numbers.whole, is_comparable=True),
            "extent": phrases.extent(rows, column, show, is_comparable=True),
        },
        Sample.of(rows, "n", "seed"),
        f"On {{items}} test images the {statistic} would be {{extent}}",
        basis="{items_here} here",
        show=show,
        statistic=f"{statistic} on the paper's number of test images",
        null=NO_NULL,
        estimates=[one.in_points() for one in estimates],
    )


def _ratios(bases: pd.DataFrame, others: pd.DataFrame, titles: pd.Series) -> Iterator[Claim]:
    """The claim on ratios of the SDs of other arms and baselines on one dataset."""
    named, named_bases = (
        list(zip(titles[part.index], NoiseRow.read(part), strict=True)) for part in (others, bases)
    )
    rows = pd.DataFrame(
        {
            "title": f"{title} to {base_title}",
            "n": min(row.n, base.n),
            "arm": row.arm,
            "level": row.level,
            "ratio": row.sd_at / base.sd_at,
            **dict(zip(("low", "high"), _limits(row, base), strict=True)),
        }
        for title, row in named
        for base_title, base in named_bases
        if row.dataset == base.dataset
    )
    if len(rows):
        yield Claim(
            "ratio_at_paper_size",
            "",
            rows,
            {},
            Sample.of(rows, "n", "seed"),
            show=numbers.ratio,
            noun="pair",
            statistic="ratio of SDs over seeds on the paper's number of test images",
            null="ratio 1",
            estimates=Estimate.of_rows(
                rows, rows["title"], "ratio", (0.0, math.inf), ("low", "high")
            ),
        )


def _limits(row: NoiseRow, base: NoiseRow) -> tuple[float, float]:
    above, below = ((one.sd_at, one.sd_at_low, one.sd_at_high) for one in (row, base))
    return ratio_limits(above, below)
