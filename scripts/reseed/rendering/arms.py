"""Arms in exhibits: their titles, and their cells, each named by what tells it apart."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from reseed.analyses.shared.arms import with_arms
from reseed.plugins.options import Arms
from reseed.rendering.data import ExhibitData, metric_title, one_line

#: What the runs of one cell share, beside their arm.
PLACE = ("experiment", "varied", "dataset", "scheme", "test_ratio", "hyperparameters_source")
#: The same for runs that are judged on one test set.
TEST_SET = (*PLACE, "data_seed", "repeat", "fold")
#: What scores share that stand in one panel, whichever seeds vary; a scheme names its ratio.
PANEL = ("dataset", "scheme", "hyperparameters_source")
_WORDS = {
    "varied": "varied: ",
    "test_ratio": "test ratio ",
    "data_seed": "data seed ",
    "repeat": "repeat ",
    "fold": "fold ",
}


def arm_title(data: ExhibitData, arm: str, experiment: str | None = None) -> str:
    """Title of an arm: its own where the study gives one, else its model's, with its marks.

    Two experiments may give one name to two arms: whose row it is says `experiment`.
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


def chosen(data: ExhibitData, options: Arms) -> pd.DataFrame:
    """The analysis's rows of `experiments` and `arms` (all if not given)."""
    rows = data.rows(options.experiments)
    if rows.empty or not options.arms:
        return rows
    return rows[rows["arm"].isin(options.arms)]


def keys(rows: pd.DataFrame, place: Sequence[str] = PLACE) -> list[str]:
    """Columns of `rows` that tell its cells apart."""
    return [name for name in (*place, "arm") if name in rows]


def cells(
    data: ExhibitData, rows: pd.DataFrame, place: Sequence[str] = PLACE
) -> list[tuple[str, pd.DataFrame]]:
    """(title, rows) of each cell, in order of appearance."""
    by = keys(rows, place)
    titles = cell_titles(data, rows.drop_duplicates(by), place)
    parts = rows.groupby(by, sort=False, dropna=False)
    return [(title, part) for title, (_, part) in zip(titles, parts, strict=True)]


def places(
    data: ExhibitData, rows: pd.DataFrame, place: Sequence[str]
) -> list[tuple[str, pd.DataFrame]]:
    """(title, rows) of each place, in order of appearance."""
    parts = rows.groupby([name for name in place if name in rows], sort=False, dropna=False)
    return [(place_title(data, rows, part.iloc[0], place), part) for _, part in parts]


def cell_titles(data: ExhibitData, rows: pd.DataFrame, place: Sequence[str] = PLACE) -> list[str]:
    """Of each row the arm; where that does not tell cells apart, what differs of the place too.

    Arms of two experiments may share a title.
    """
    titles = arm_titles(data, rows)
    first = ~rows.duplicated(keys(rows, place)).to_numpy()
    if rows["arm"][first].is_unique and pd.Series(titles)[first].is_unique:
        return titles
    differ = _differ(rows, place)
    return [
        ", ".join([title, *_told(data, row, differ)])
        for title, (_, row) in zip(titles, rows.iterrows(), strict=True)
    ]


def place_title(
    data: ExhibitData,
    rows: pd.DataFrame,
    cell: pd.Series | dict,
    place: Sequence[str] = TEST_SET,
) -> str:
    """Dataset, and of the rest of the place what differs within the dataset's `rows`."""
    own = rows[rows["dataset"] == cell["dataset"]]
    told = _told(data, cell, _differ(own, [name for name in place if name != "dataset"]))
    return ", ".join([data.dataset(cell["dataset"]), *told])


def arm_titles(data: ExhibitData, rows: pd.DataFrame) -> list[str]:
    """Title of each row's arm."""
    named = with_arms(rows)
    experiments = named["experiment"] if "experiment" in named else [None] * len(named)
    return [arm_title(data, arm, name) for arm, name in zip(named["arm"], experiments, strict=True)]


def _differ(rows: pd.DataFrame, place: Sequence[str]) -> list[str]:
    return [name for name in place if name in rows and rows[name].nunique(dropna=False) > 1]


def _told(data: ExhibitData, cell: pd.Series | dict, names: list[str]) -> list[str]:
    """What a cell has of these, in words."""
    titles = {"dataset": data.dataset, "experiment": data.experiment}
    told = {name: cell[name] for name in names if pd.notna(cell[name])}
    if "experiment" in told:
        told.pop("varied", None)  # the experiment's title says it
    return [
        titles[name](value) if name in titles else f"{_WORDS.get(name, '')}{value}"
        for name, value in told.items()
    ]


def by_metric(data: ExhibitData, title: str, metric: str) -> str:
    """`Magic, AUC`."""
    return f"{title}, {metric_title(metric)}"
