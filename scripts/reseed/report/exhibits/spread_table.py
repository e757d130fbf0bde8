"""Median, IQR, range and relative variation, one seed varied at a time (Raste, Table 3)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.estimates import Estimate, Sample
from reseed.core.schemas import COMPARISON_COLUMNS, Row
from reseed.plugins.options import TheseExperiments as Options
from reseed.report.analyses.shared.arms import with_arms
from reseed.report.analyses.spread import SpreadRow
from reseed.report.exhibits.shared.ratio_intervals import describe_intervals
from reseed.report.exhibits.shared.spread_cells import mean_log_ratio
from reseed.report.rendering import numbers
from reseed.report.rendering.arms import arm_titles
from reseed.report.rendering.data import ExhibitData, footnote, metric_title, require_rows
from reseed.report.rendering.settings import cell_noun, counted_settings
from reseed.report.rendering.tables import GroupedRow, Rows, Table
from reseed.stats.spread import ratio_limits

#: Columns that identify a row of the table within a dataset.
ROW = ["dataset", "scheme", "hyperparameters_source", "arm"]
#: Fewest seeds for a spread.
LEAST = 3
# Scores from this size on have decimals of their own.
_LARGE = 10
# Fewest seeds for two digits of a spread.
_PRECISE = 20


DRAWS = ("spread",)


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each dataset and arm, a group of columns for each experiment."""
    experiments = options.experiments
    rows = require_rows(
        data.rows(experiments), "None of this table's experiments was run at this scale."
    )
    rows = with_arms(select_whole_cells(rows))
    places = count_equal_decimals(rows)
    lines, rows = Rows(), sort_by_dataset(rows)
    for (dataset, scheme, source, _), part in rows.groupby(ROW, sort=False):
        cells = {row.experiment: row for row in read_spreads(part)}
        line = {("", "Algorithm"): arm_titles(data, part)[0]}
        for name in experiments:
            line |= build_columns(data.experiment(name), cells.get(name), places[dataset])
        if len(experiments) == 2:
            pair = [cells[name].sd if name in cells else np.nan for name in experiments]
            line["", "SD ratio"] = numbers.ratio(_divide(*pair))
        lines.add(line, name_section(data, rows, dataset, scheme, source))
    first = [data.experiment(name).lower() for name in experiments]
    about_ratio = f"SD ratio: SD, {first[0]}, over SD, {first[1]}." if len(first) == 2 else ""
    return lines.table(
        data,
        rows,
        footnote(data, rows, note_missing_spreads(rows)),
        definitions=["Relative variation: range over median.", about_ratio, UNCERTAIN],
        claims=claims(data, rows),
    )


UNCERTAIN = (
    "A range grows with the number of seeds: compare ranges at equal numbers only, SD otherwise."
)


def note_missing_spreads(rows: pd.DataFrame) -> str:
    """Sentence on spreads that are dashes; empty if there are none."""
    is_lacking = any(0 < row.n < LEAST for row in SpreadRow.read(rows))
    return f"No spread is given of fewer than {LEAST} seeds." if is_lacking else ""


def select_whole_cells(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows without slices of cells that cross seeds."""
    return SpreadRow.select(rows, lambda row: not row.held)


def _select_usable(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with an SD of enough seeds."""
    return SpreadRow.select(rows, lambda row: row.n >= LEAST and np.isfinite(row.sd))


def read_spreads(rows: pd.DataFrame) -> list[SpreadRow]:
    """The rows of the analysis; without spreads where there are too few seeds."""
    return [row.without_few(LEAST) for row in SpreadRow.read(rows)]


def count_score_decimals(rows: pd.DataFrame) -> int:
    """Decimals for scores and their spreads on one dataset.

    The relative error of a spread over n runs is near 1 / √(2 n), so the smallest spread has two
    digits from 20 runs on and one digit below.
    """
    is_precise = rows["n"].max() >= _PRECISE
    least = 3 + is_precise if rows["median"].abs().max() < _LARGE else 1
    return numbers.decimals(rows["iqr"], 1 + is_precise, least=least)


def count_equal_decimals(rows: pd.DataFrame) -> dict[str, int]:
    """Decimals by dataset: the most of `count_score_decimals` of all datasets with scores below 10.

    So a column has equal decimals, unless the scores of a dataset have another size.
    """
    places = {str(d): count_score_decimals(part) for d, part in rows.groupby("dataset")}
    size = rows["median"].abs().groupby(rows["dataset"]).max()
    small = [dataset for dataset in places if not size[dataset] >= _LARGE]
    most = max((places[dataset] for dataset in small), default=0)
    return places | dict.fromkeys(small, most)


def sort_by_dataset(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows sorted by dataset, in order of appearance."""
    order = {name: i for i, name in enumerate(dict.fromkeys(rows["dataset"]))}
    return rows.sort_values("dataset", key=lambda s: s.map(order), kind="stable")


def name_section(
    data: ExhibitData, rows: pd.DataFrame, dataset: str, scheme: str, source: str
) -> str:
    """Heading of a dataset's rows, with split and hyper-parameters if they differ."""
    parts = [f"{data.dataset(dataset)}, {metric_title(data.metric(dataset))}"]
    parts += [scheme] if rows["scheme"].nunique() > 1 else []
    parts += [source] if rows["hyperparameters_source"].nunique() > 1 else []
    return ", ".join(parts)


def build_columns(title: str, row: SpreadRow | None, places: int, sd: bool = False) -> GroupedRow:
    """A group of columns: n, median and spreads of a row of the analysis; dashes for None."""
    shown = row or SpreadRow()
    cells = {
        "n": numbers.seeds(int(shown.n), int(shown.failed)) if row else "not run",
        "Median": numbers.fixed(shown.median, places),
        "IQR": numbers.fixed(shown.iqr, places),
        "Range": numbers.fixed(shown.range, places),
        **({"SD": numbers.fixed(shown.sd, places)} if sd else {}),
        "Relative variation": numbers.fixed(shown.relative_variation, 3),
    }
    return {(title, name): cell for name, cell in cells.items()}


def _divide(a: float, b: float) -> float:
    return a / b if b and np.isfinite(a) and np.isfinite(b) else np.nan


def sd_ratios(rows: pd.DataFrame) -> pd.DataFrame:
    """Cells in which each seed was varied alone: SDs, numbers of seeds, `ratio` (data over model).

    `ratio_low`, `ratio_high`: interval of the ratio, where both SDs have one. If several
    experiments vary the same seed of a cell, the first one counts. Cells whose scores do not vary
    are left out.
    """
    usable = _select_usable(rows)
    usable = usable[~phrases.is_degenerate(usable)]
    data_seeds, model_seeds = (
        usable[usable["varied"] == name].drop_duplicates(ROW).set_index(ROW)
        for name in ("data", "model")
    )
    both = data_seeds.merge(
        model_seeds, left_index=True, right_index=True, suffixes=("_data", "_model")
    )
    both = both.reset_index().rename(columns={"metric_data": "metric"})
    both = with_sd_ratio(both, "_data", "_model")
    return both.assign(inverse=1 / both["ratio"])


def with_sd_ratio(pairs: pd.DataFrame, above: str, below: str) -> pd.DataFrame:
    """The rows with `ratio`, of the SDs whose columns end in `above` and `below`; its interval."""
    ends = [
        ratio_limits(*(tuple(row[f"{name}{end}"] for name in ("sd", "sd_low", "sd_high"))
                       for end in (above, below)))
        for row in pairs.to_dict("records")
    ]  # fmt: skip
    limits = pd.DataFrame(ends, pairs.index, ["ratio_low", "ratio_high"], dtype=float)
    return pairs.join(limits).assign(ratio=pairs[f"sd{above}"] / pairs[f"sd{below}"])


def claims(data: ExhibitData, rows: pd.DataFrame) -> list[Claim]:
    """The ratio of the SDs over splits and over model seeds; the models with extreme spreads."""
    both = sd_ratios(rows)
    ratios = [_sd_ratio(data, both)] if len(both) else []
    return [*ratios, *_extremes(data, _select_usable(rows))]


def _sd_ratio(data: ExhibitData, both: pd.DataFrame) -> Claim:
    nouns, is_larger = cell_noun(both), both["ratio"] > 1
    names = {
        "larger": phrases.share(both, is_larger, *nouns),
        "larger_cells": phrases.share(both, is_larger, "setting"),
        "ratio": phrases.pooled(
            both, "ratio", numbers.ratio, noun=nouns[0].partition(" ")[0], title=metric_title
        ),
    }
    intervals, counts = describe_intervals(both, both["level_data"].max())
    headline = "Another split changes the score more than another model seed in {larger_cells}"
    if counts:
        headline = "Splits change the score more than model seeds do: shown for {above}"
    if both["metric"].nunique() == 1:
        more = both["ratio"].median() >= 1
        names["times"] = phrases.centre(both, "ratio" if more else "inverse", numbers.times)
        sides = ("Splits", "model seeds") if more else ("Model seeds", "splits")
        headline = f"{sides[0]} move the score {{times}} times as much as {sides[1]}"
    return Claim(
        "sd_ratio",
        "another random split changes the score more than another model seed does in {larger}: the"
        " SD over data seeds divided by that over model seeds is {ratio}",
        both,
        names | counts,
        Sample.of(both, ["n_data", "n_model"], "seed", each="a side"),
        headline=headline,
        note=intervals,
        statistic="SD over data seeds / SD over model seeds",
        null="ratio 1",
        estimates=ratio_estimates(data, both),
        average=mean_log_ratio(data, [(_side(row, "data"), _side(row, "model"))
                                      for row in both.to_dict("records")]),
    )  # fmt: skip


def _side(row: Row, name: str) -> Row:
    """The cell of one kind of seed of a row of `sd_ratios`."""
    return row | {"experiment": row[f"experiment_{name}"], "varied": name}


def ratio_estimates(data: ExhibitData, both: pd.DataFrame) -> list[Estimate]:
    """The ratio of each row of `sd_ratios`, with its interval."""
    renamed = {"experiment_model": "experiment", "model_model": "model"}
    titles = arm_titles(data, both.rename(columns=renamed))
    named = zip(SpreadRow.read(both), titles, strict=True)
    subjects = [f"{data.dataset(row.dataset)}, {title}" for row, title in named]
    level = both["level_data"].max()
    return Estimate.of_rows(both, subjects, "ratio", (0.0, np.inf), level=level)


def _extremes(data: ExhibitData, usable: pd.DataFrame) -> Iterator[Claim]:
    """The models with the smallest and the largest SD over model seeds on several datasets."""
    model_only = SpreadRow.select(usable, lambda row: row.varied == "model")
    arms = model_only.groupby(COMPARISON_COLUMNS, dropna=False)["arm"].transform("nunique")
    model_only = model_only[arms > 1]
    if model_only["dataset"].nunique() < 2:
        return
    sd = model_only.groupby(COMPARISON_COLUMNS, dropna=False)["sd"]
    of, names = counted_settings(model_only), {}
    for word, end in (("smallest", "min"), ("largest", "max")):
        # All models that share the extreme are named.
        at_end = model_only[model_only["sd"] == sd.transform(end)]
        counts = pd.Series(arm_titles(data, at_end)).value_counts()
        names[word] = phrases.tally(
            at_end, [f"{title} ({n} of {of})" for title, n in counts.items()], of=word
        )
    finding = "over {n} each, the SD is smallest for {smallest} and largest for {largest}"
    yield Claim("extreme_sds", finding, model_only, names, Sample.of(model_only, "n", "model seed"))
