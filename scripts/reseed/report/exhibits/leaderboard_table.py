"""Models by mean score, or mean rank over datasets, with the ranks that verdicts leave possible."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite, nan

import pandas as pd

from reseed.analyses.leaderboard import analyse as rank_models
from reseed.analyses.shared.data import Data
from reseed.analyses.shared.keys import merge_keys
from reseed.core.schemas import Row
from reseed.plugins.options import Experiments as Options
from reseed.plugins.options import NoOptions
from reseed.report.exhibits.shared.leading_models import (
    name_model,
    rank_cell,
    rank_note,
    score_heading,
)
from reseed.report.rendering.data import ExhibitData, require_rows
from reseed.report.rendering.numbers import (
    NONE,
    decimals,
    fixed,
    gaps,
    interval,
    interval_decimals,
    plus_minus,
    seeds,
)
from reseed.report.rendering.settings import (
    CROSS_DATASET_COLUMNS,
    footnote_pairs,
    group_by_setting,
    group_over_datasets,
    join_titles,
)
from reseed.report.rendering.tables import Rows, Table
from reseed.verdicts.decide import ALL_DATASETS
from reseed.verdicts.formatting import format_level
from reseed.verdicts.pair import is_over_datasets, list_pairs
from reseed.verdicts.possible_ranks import format_ranks, is_ranked_over_datasets
from reseed.verdicts.possible_ranks import rank_models as rank_by_verdicts

#: Most datasets whose means are shown; with more, the means are in the CSV only.
MOST_DATASETS = 6
#: With more datasets, the SDs are in the CSV only, so that the table fits a page.
_MOST_SPREADS = 3
_MEANS = "Means and SDs are over each model’s own finished runs."
_INTERVALS = (
    "Interval: of the mean, for {}. Models are compared on the same items, so intervals that "
    "overlap say nothing of a difference."
)
_RANKS = "Possible ranks: those that shown differences leave to a model, for all models at once."
DRAWS = ("pairs",)


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each model, best first.

    One dataset: mean, spread and runs. Several datasets: mean rank, and means of up to
    `MOST_DATASETS`. The analysis `pairs` gives possible ranks if it compared every pair.
    """
    pairs = data.rows(options.experiments)
    wanted = options.experiments or list(pairs.get("experiment", ())) or None
    board = require_rows(read_board(data, wanted), "No run has finished at this scale.")
    if pairs.empty:
        pairs = list_pairs([])
    pairs, board = (rows.assign(place=_setting_key(rows)) for rows in (pairs, board))
    over_pairs, pairs = pairs[is_ranked_over_datasets(pairs)], pairs[~is_over_datasets(pairs)]
    is_over = board["dataset"] == ALL_DATASETS
    over, single = board[is_over], board[~is_over]
    groups = list(_boards(data, single, over, pairs))
    sections, lines = [], Rows()
    for title, part, ranks, compared in groups:
        if len(ranks):
            sections.append((title, _list_ranks(data, part, ranks, over_pairs)))
        else:
            sections += [
                (join_titles(title, t), _list_means(data, of, compared))
                for t, of in group_by_setting(data, part)
            ]
    for title, cells in sections:
        for line in cells:
            lines.add(line, title if len(sections) > 1 else "")
    has_ranks = any("Possible ranks" in line for _, cells in sections for line in cells)
    holds_for = sorted({*single.get("holds_for", ())} - {""})
    notes = [_MEANS, _INTERVALS.format(" or ".join(holds_for)) if holds_for else ""]
    notes += [_RANKS] if has_ranks else []
    return lines.table(
        data,
        board.drop(columns="place"),
        footnote_pairs(data, single, per="model and dataset"),
        definitions=[text for text in (*notes, rank_note(over)) if text],
    )


def read_board(data: ExhibitData, experiments: list[str] | None) -> pd.DataFrame:
    """The analysis `leaderboard` of these experiments (None: all)."""
    names = data.metrics["experiment"]
    is_chosen = names.isin(names if experiments is None else experiments)
    if data.leaderboard is not None and is_chosen.all():
        return data.leaderboard
    return rank_models(Data(data.metrics[is_chosen], data.info), NoOptions())


def _setting_key(rows: pd.DataFrame) -> pd.Series:
    """A text that identifies the setting of each row; NaN equals NaN."""
    names = rows[["dataset", *CROSS_DATASET_COLUMNS]].itertuples(index=False, name=None)
    keys = ["\x1f".join(map(str, key)) for key in names]
    return pd.Series(keys, rows.index, dtype="category")  # compared as numbers


def _boards(
    data: ExhibitData, single: pd.DataFrame, over: pd.DataFrame, pairs: pd.DataFrame
) -> Iterator[tuple[str, pd.DataFrame, pd.DataFrame, pd.DataFrame]]:
    """(title, rows by setting, rows over datasets, pairs) of each comparison over datasets."""
    for title, part in group_over_datasets(data, single):
        key = _setting_key(pd.DataFrame([merge_keys(part) | {"dataset": ALL_DATASETS}]))
        ranks = over[over["place"].isin(key)]
        yield title, part, ranks, pairs[pairs["place"].isin(part["place"])]


def _list_means(data: ExhibitData, part: pd.DataFrame, pairs: pd.DataFrame) -> list[Row]:
    lines, places, rows = [], _count_decimals(part), list(part.itertuples())
    possible = _possible_ranks(_setting_of(pairs, part))
    if bounds := [row for row in rows if "mean_low" in part and isfinite(row.mean_low)]:
        ends = ((row.mean_low, row.mean_high) for row in bounds)
        places = max(places, interval_decimals(ends))
    for row in rows:
        line = {"Model": name_model(data, row), "Rank": rank_cell(row.rank)}
        if possible:
            line["Possible ranks"] = possible.get(row.model, NONE)
        line[f"Mean {score_heading(rows[0])}"] = fixed(row.mean, places)
        if bounds:
            heading = f"{format_level(bounds[0].level)} interval"
            line[heading] = interval(row.mean_low, row.mean_high, places) or NONE
        if max(one.n for one in rows) > 1:
            line["SD"] = fixed(row.sd, places)
        lines.append(line | {"Runs": seeds(int(row.n), int(row.failed))})
    return lines


def _list_ranks(
    data: ExhibitData, part: pd.DataFrame, ranks: pd.DataFrame, pairs: pd.DataFrame
) -> list[Row]:
    columns = group_by_setting(data, part)
    with_spread = len(columns) <= _MOST_SPREADS
    means = {
        f"{title}: {score_heading(next(of.itertuples()))}": _means(of, with_spread)
        for title, of in columns
    }
    lines, rows, possible = [], list(ranks.itertuples()), _possible_ranks(_setting_of(pairs, ranks))
    for row in rows:
        line = {"Model": name_model(data, row), "Mean rank": fixed(row.mean, 2)}
        if possible:
            line["Possible ranks"] = possible.get(row.model, NONE)
        if len(columns) <= MOST_DATASETS:
            line |= {title: of.get(row.model, NONE) for title, of in means.items()}
        else:
            line["First on"] = f"{row.firsts:.0f} of {row.n:.0f}"
        if any(one.failed for one in rows):
            line["Failed runs"] = f"{row.failed:.0f}"
        lines.append(line)
    return lines


def _possible_ranks(pairs: pd.DataFrame) -> dict[str, str]:
    """The ranks of each model, by the pairs of one setting; empty where models are not ranked."""
    board = rank_by_verdicts(pairs) if len(pairs) else pairs
    return {row.model: format_ranks(row.low, row.high) for row in board.itertuples()}


def _means(part: pd.DataFrame, with_spread: bool) -> dict[str, str]:
    """Mean and SD by model with a finished run."""
    places = _count_decimals(part)
    return {
        row.model: plus_minus(row.mean, row.sd if with_spread else nan, places)
        for row in list(part.itertuples())
        if row.n
    }


def _count_decimals(part: pd.DataFrame) -> int:
    return decimals(part["sd"], 2, 1, otherwise=gaps(part["mean"]))


def _setting_of(pairs: pd.DataFrame, part: pd.DataFrame) -> pd.DataFrame:
    return pairs[pairs["place"] == part["place"].iloc[0]]
