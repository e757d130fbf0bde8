"""Titles of arms and cells in exhibits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd
from reseed.analyses.shared.arms import with_arms
from reseed.core.schemas import Row
from reseed.plugins.options import Arms
from reseed.report.rendering.data import ExhibitData, metric_title, one_line

#: Columns that the runs of one cell share, besides the arm.
CELL_KEY = ("experiment", "varied", "dataset", "scheme", "test_ratio", "hyperparameters_source")
#: Columns that the runs on one test set share.
TEST_SET_KEY = (*CELL_KEY, "data_seed", "repeat", "fold")
#: Columns that the scores of one panel share. A scheme includes its test ratio.
PANEL_KEY = ("dataset", "scheme", "hyperparameters_source")
_WORDS = {
    "varied": "varied: ",
    "test_ratio": "test ratio ",
    "data_seed": "data seed ",
    "repeat": "repeat ",
    "fold": "fold ",
    "size": "size ",
}


def arm_title(data: ExhibitData, arm: str, experiment: str | None = None) -> str:
    """Title of an arm: the configured one, else the title of its model with its marks.

    experiment: the arm's experiment; two experiments may use one name for different arms.
    """
    model = data.info.models.get(arm)
    experiments = data.info.experiments
    for name in experiments if experiment is None else [experiment]:
        titles = experiments[name].arms if name in experiments else {}
        title = titles.get(arm)
        if title and (model is None or title != model.title):
            several = list(titles.values()).count(title) > 1
            return one_line(f"{title} ({arm})" if several else title)
    return data.model(arm)


def name_arms(data: ExhibitData, rows: pd.DataFrame, arms: Iterable[str]) -> dict[str, str]:
    """Title of each of these arms of the rows' experiment."""
    experiment = rows["experiment"].iloc[0]
    return {arm: arm_title(data, arm, experiment) for arm in arms}


def select_rows(data: ExhibitData, options: Arms) -> pd.DataFrame:
    """Rows of the analysis for the `experiments` and `arms` of the options (None: all)."""
    rows = data.rows(options.experiments)
    if rows.empty or not options.arms:
        return rows
    return rows[rows["arm"].isin(options.arms)]


def key_columns(rows: pd.DataFrame, columns: Sequence[str] = CELL_KEY) -> list[str]:
    """Columns of `rows` that identify a cell."""
    return [name for name in (*columns, "arm") if name in rows]


def cells(
    data: ExhibitData, rows: pd.DataFrame, columns: Sequence[str] = CELL_KEY
) -> list[tuple[str, pd.DataFrame]]:
    """(title, rows) of each cell, in order of appearance."""
    by = key_columns(rows, columns)
    titles = cell_titles(data, rows.drop_duplicates(by), columns)
    parts = rows.groupby(by, sort=False, dropna=False)
    return [(title, part) for title, (_, part) in zip(titles, parts, strict=True)]


def titled_groups(
    data: ExhibitData, rows: pd.DataFrame, columns: Sequence[str]
) -> list[tuple[str, pd.DataFrame]]:
    """(title, rows) of each group by `columns`, in order of appearance."""
    parts = rows.groupby([name for name in columns if name in rows], sort=False, dropna=False)
    return [(group_title(data, rows, part.iloc[0], columns), part) for _, part in parts]


def cell_titles(
    data: ExhibitData, rows: pd.DataFrame, columns: Sequence[str] = CELL_KEY
) -> list[str]:
    """Title of each row's cell: its arm, and the columns that differ where arms share a title."""
    titles = arm_titles(data, rows)
    first = ~rows.duplicated(key_columns(rows, columns)).to_numpy()
    if rows["arm"][first].is_unique and pd.Series(titles)[first].is_unique:
        return titles
    differ = _differing_columns(rows, columns)
    return [
        ", ".join([title, *_describe(data, row, differ)])
        for title, (_, row) in zip(titles, rows.iterrows(), strict=True)
    ]


def group_title(
    data: ExhibitData,
    rows: pd.DataFrame,
    cell: pd.Series | Row,
    columns: Sequence[str] = TEST_SET_KEY,
) -> str:
    """Title of the dataset, with the columns that differ within the dataset's `rows`."""
    of_dataset = rows[rows["dataset"] == cell["dataset"]]
    values = _describe(
        data, cell, _differing_columns(of_dataset, [name for name in columns if name != "dataset"])
    )
    return ", ".join([data.dataset(cell["dataset"]), *values])


def arm_titles(data: ExhibitData, rows: pd.DataFrame) -> list[str]:
    """Title of each row's arm."""
    named = with_arms(rows)
    experiments = named["experiment"] if "experiment" in named else [None] * len(named)
    return [arm_title(data, arm, name) for arm, name in zip(named["arm"], experiments, strict=True)]


def _differing_columns(rows: pd.DataFrame, columns: Sequence[str]) -> list[str]:
    return [name for name in columns if name in rows and rows[name].nunique(dropna=False) > 1]


def _describe(data: ExhibitData, cell: pd.Series | Row, names: list[str]) -> list[str]:
    """Text for the values of these columns in a cell."""
    titles = {"dataset": data.dataset, "experiment": data.experiment}
    values = {name: cell[name] for name in names if pd.notna(cell[name])}
    if "experiment" in values:
        values.pop("varied", None)  # the experiment's title says it
    return [
        titles[name](value) if name in titles else f"{_WORDS.get(name, '')}{value}"
        for name, value in values.items()
    ]


def add_metric(data: ExhibitData, title: str, metric: str) -> str:
    """`Magic, AUC`."""
    return f"{title}, {metric_title(metric)}"
