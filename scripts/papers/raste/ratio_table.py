"""Median and range by test ratio, a group of columns for each model (Raste, Table 4)."""

from __future__ import annotations

import numpy as np
import pandas as pd
from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.estimates import Estimate, Sample
from reseed.plugins.options import TheseExperiments as Options
from reseed.report.analyses.spread import SpreadRow
from reseed.report.exhibits.shared.spread_cells import mean_log_ratio
from reseed.report.exhibits.spread_table import (
    LEAST,
    UNCERTAIN,
    count_equal_decimals,
    note_missing_spreads,
    read_spreads,
)
from reseed.report.rendering import numbers
from reseed.report.rendering.arms import arm_titles
from reseed.report.rendering.data import VARIED, ExhibitData, NothingToShow, footnote, metric_title
from reseed.report.rendering.tables import Rows, Table
from reseed.stats.spread import ratio_limits
from scipy import stats

# Fewest seeds for an order of SDs.
_ENOUGH = 5
_SERIES = ["experiment", "dataset", "hyperparameters_source"]

DRAWS = ("spread",)


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each experiment, dataset and test ratio."""
    rows = data.require_rows(
        "No test ratio was varied at this scale.",
        options.experiments,
        keep=lambda rows: rows["held"].eq("") & rows["test_ratio"].notna(),
    )
    if (most := int(rows["n"].max())) < LEAST:
        seeds = numbers.counted(most, "seed")
        raise NothingToShow(f"{seeds} a test ratio at this scale: no spread to see.")
    rows = rows.assign(title=arm_titles(data, rows))
    arms = list(dict.fromkeys(rows["title"]))
    places = count_equal_decimals(rows)
    lines, same = Rows(), rows.groupby([*_SERIES, "test_ratio"])["scheme"].transform("nunique") > 1
    row = [*_SERIES, "test_ratio", "scheme"]
    for (experiment, dataset, source, ratio, scheme), part in rows.groupby(row, sort=False):
        cells = dict(zip(part["title"], read_spreads(part), strict=True))
        shown = f"{ratio:g} ({scheme})" if same[part.index].any() else f"{ratio:g}"
        line = {("", "Test ratio"): shown, ("", "n"): numbers.from_to(part["n"], to="–")}
        for arm in arms:
            cell = cells.get(arm, SpreadRow())
            line[arm, "Median"] = numbers.fixed(cell.median, places[dataset])
            line[arm, "Range"] = numbers.fixed(cell.range, places[dataset])
        heading = f"{data.dataset(dataset)}, {metric_title(data.metric(dataset))}"
        extra = f", {source}" if rows["hyperparameters_source"].nunique() > 1 else ""
        lines.add(line, f"{heading}: {data.experiment(experiment)}{extra}")
    return lines.table(
        data,
        rows.drop(columns="title"),
        footnote(data, rows, note_missing_spreads(rows)),
        definitions=[
            UNCERTAIN,
            "The SD falls where its rank correlation with the test ratio is negative; over few"
            " ratios this is a direction, not a test.",
        ],
        claims=_claims(data, _trends(rows)),
    )


def _trends(rows: pd.DataFrame) -> pd.DataFrame:
    """One row for each arm, dataset and varied seed with three test ratios or more.

    `trend`: rank correlation of SD and test ratio. `factor`, `factor_low`, `factor_high`: SD at the
    largest ratio divided by the SD at the smallest one, with its interval. `least`, `most`: numbers
    of seeds.
    """
    usable = rows[(rows["n"] >= _ENOUGH) & ~phrases.is_degenerate(rows)].dropna(subset="sd")
    trends = []
    for _, part in usable.groupby(["varied", *_SERIES, "title"], sort=False):
        cells = sorted(SpreadRow.read(part), key=lambda cell: cell.test_ratio)
        ratios, sds = [cell.test_ratio for cell in cells], [cell.sd for cell in cells]
        if len(set(ratios)) < 3 or len(set(sds)) < 2:
            continue
        first, last = cells[0], cells[-1]
        low, high = ratio_limits(last.sd_interval, first.sd_interval)
        trends.append(
            vars(first)
            | {
                "title": part["title"].iloc[0],
                "ends": (vars(last), vars(first)),
                "trend": stats.spearmanr(ratios, sds).statistic,
                "smallest": first.test_ratio,
                "largest": last.test_ratio,
                "factor": last.sd / first.sd,
                "factor_low": low,
                "factor_high": high,
                "least": part["n"].min(),
                "most": part["n"].max(),
            }
        )
    return pd.DataFrame(trends)


def _claims(data: ExhibitData, trends: pd.DataFrame) -> list[Claim]:
    """A claim for each varied seed, the data seed first."""
    if trends.empty:
        return []
    ordered = sorted(trends.groupby("varied"), key=lambda part: part[0])
    return [_claim(data, varied, part) for varied, part in ordered]


def _claim(data: ExhibitData, varied: str, trends: pd.DataFrame) -> Claim:
    titles = [
        f"{title} on {data.dataset(dataset)}"
        for title, dataset in trends[["title", "dataset"]].itertuples(index=False)
    ]
    noun = "algorithm" if trends["dataset"].nunique() == 1 else "setting"
    is_listed = len(trends) <= phrases.LISTED
    return Claim(
        name=f"sd_by_test_part_{varied}",
        finding="the SD over {varied} at test ratio {largest} is"
        f" {'{estimates}' if is_listed else '{extent} ({settings})'} times that at ratio"
        " {smallest}",
        headline="Test ratio {largest} against {smallest}: {extent} times the SD over {varied}",
        note="Over the ratios it falls for {falling}, without a test of that.",
        rows=trends,
        phrases={
            "varied": phrases.name(VARIED.get(varied, varied)),
            "falling": phrases.share(trends, trends["trend"] < 0, noun),
            "largest": phrases.extent(trends, "largest", "{:g}".format, is_comparable=True),
            "smallest": phrases.extent(trends, "smallest", "{:g}".format, is_comparable=True),
            "extent": phrases.extent(trends, "factor", numbers.ratio, title=metric_title),
            "settings": phrases.count(trends, "setting"),
        },
        sample=Sample.of(trends, ["least", "most"], "seed", each="a ratio"),
        show=numbers.ratio,
        statistic="SD at the largest test ratio / SD at the smallest",
        estimates=Estimate.of_rows(trends, titles, "factor", (0, np.inf)),
        null="ratio 1",
        average=mean_log_ratio(data, list(trends["ends"])),
    )
