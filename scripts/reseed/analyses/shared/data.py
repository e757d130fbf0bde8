"""The tables and facts of a study that analyses read, and their grouping into cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
import pandas as pd

from reseed.analyses.shared.arms import with_arms
from reseed.analyses.shared.predictions import Predictions
from reseed.core.checked_io import read_table
from reseed.core.errors import ReseedError, suggest_name
from reseed.core.random_streams import stream
from reseed.core.schemas import CELL_COLUMNS, SEED_COLUMNS, Row
from reseed.core.study_info import StudyInfo, read_study_info
from reseed.metrics.names import infer_direction

if TYPE_CHECKING:
    from reseed.analyses.shared.item_scores import ItemScores

_IMPORTED_COLUMNS = ["given_seed", "repeat"]


class HasKey(Protocol):
    """An object with a key: a `Cell`, or an arm's `Outputs`."""

    @property
    def key(self) -> Row:
        """Names and seeds of what the object holds."""


Keyed = TypeVar("Keyed", bound=HasKey)


@dataclass(frozen=True)
class Data:
    """The data of an analysis.

    metrics: one row a trial and experiment (`metrics.parquet`).
    published: folder of the papers' numbers; None without one.
    predictions: reader of per-item outputs and training curves; None if none were collected.
    repeats: one row for each trial that was trained again; None where none was, or not read.
    items: scores of items by dataset, of data in memory.
    shared: what several analyses compute from the data, by name or key (`pairing.group_models`).
    """

    metrics: pd.DataFrame
    info: StudyInfo
    published: Path | None = None
    predictions: Predictions | None = None
    repeats: pd.DataFrame | None = None
    items: Mapping[str, ItemScores] = field(default_factory=dict)
    shared: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if "model" in self.metrics:  # imported results have no arms: each model is an arm
            object.__setattr__(self, "metrics", with_arms(self.metrics))


@dataclass(frozen=True)
class Cell:
    """One cell: an arm on one dataset and scheme of splits, over the seeds that vary.

    key: values of `CELL_COLUMNS`.
    seeds: one row a seed, with `SEED_COLUMNS`, `score` (on `metric`) and `bad` (the number of
        trials of that seed without a score). Repeats of imported results count as data seeds
        (`number_data_seeds`); `given_seed` and `repeat` hold the imported numbers.
    """

    key: Row
    metric: str
    greater_is_better: bool
    seeds: pd.DataFrame

    @property
    def sign(self) -> int:
        """1 if greater is better, else −1."""
        return 1 if self.greater_is_better else -1

    @property
    def varies_one_seed(self) -> bool:
        """Whether one seed varies, and not several that are crossed."""
        return "+" not in self.key["varied"]

    @property
    def scores(self) -> pd.DataFrame:
        """The rows of the seeds without a failed trial."""
        return self.seeds[self.seeds["bad"] == 0]

    @property
    def failed(self) -> int:
        """Trials without a score."""
        return int(self.seeds["bad"].sum())

    @property
    def values(self) -> np.ndarray:
        """Scores (seeds,) on the metric."""
        return self.scores["score"].to_numpy(dtype=np.float64)

    def rng(self, purpose: str) -> np.random.Generator:
        """A generator that depends on the cell and the purpose only."""
        return stream(0, "/".join([purpose, *(str(value) for value in self.key.values())]))


def read_data(
    study: Path,
    experiments: list[str] | None,
    published: Path | None,
    trained: list[str] | None = None,
) -> Data:
    """Read a study's folder.

    experiments: the experiments to read; None for all.
    trained: the experiments of the current study file. Outputs of others are not read.
    """
    metrics = read_table(study / "metrics.parquet")
    info = read_study_info(study / "about.json")
    if experiments is not None:
        metrics = metrics[metrics["experiment"].isin(experiments)].reset_index(drop=True)
    folder = study / "predictions"
    predictions = None
    if folder.is_dir():
        tasks = {name: dataset.task for name, dataset in info.datasets.items()}
        predictions = Predictions(folder, experiments or trained, tasks)
    return Data(metrics, info, published, predictions)


def primary_metric(info: StudyInfo, dataset: str) -> str:
    """The metric by which a dataset's models are compared."""
    return info.datasets[dataset].metric


def greater_is_better(info: StudyInfo, metric: str) -> bool:
    """The direction of a metric: that of a dataset with this primary metric, else by its name.

    Raises ReseedError if neither is known.
    """
    for dataset in info.datasets.values():
        if dataset.metric == metric:
            return dataset.greater_is_better
    is_up = infer_direction(metric)
    if is_up is None:
        raise ReseedError(
            f"metric {metric!r}: its name does not say whether greater is better, and it is the"
            " primary metric of no dataset. Use a known metric (`reseed.metrics`), or the study's"
            " own."
        )
    return is_up


def number_data_seeds(trials: pd.DataFrame) -> pd.Series:
    """One number a trial for its data seed and repeat, which both draw its splits.

    It is the data seed in datasets without repeats, and the repeat in datasets with the one data
    seed 0. If both vary, it is a new number.
    """
    repeats = trials["repeat"].groupby(trials["dataset"]).transform("max") + 1
    return trials["data_seed"] * repeats + trials["repeat"]


def score_trials(
    info: StudyInfo, trials: pd.DataFrame, metric: str | None = None
) -> tuple[pd.Series, pd.Series]:
    """(metric, score) of each trial on `metric` (None: its dataset's primary metric)."""
    metrics = trials["dataset"].map(lambda name: metric or primary_metric(info, name))
    score = pd.Series(np.nan, trials.index)
    for name in metrics.unique():
        if name in trials:
            score = score.where(metrics != name, trials[name])
    return metrics, score


def cells(data: Data, metric: str | None = None) -> Iterator[Cell]:
    """Every cell in order of appearance, on `metric` (None: its dataset's primary metric).

    A seed's score is the mean over its folds; a seed with a failed fold is left out, so that seeds
    stay comparable. A cell whose trials all failed has no scores. A cell whose task does not have
    the metric is left out. Raises ReseedError for a metric that no dataset has.
    """
    trials = data.metrics
    if metric is not None and metric not in trials:
        measured = list(trials.columns[trials.dtypes == np.float64])
        raise ReseedError(f"metric {metric!r} was not measured.{suggest_name(metric, measured)}")
    metrics, score = score_trials(data.info, trials, metric)
    finished = trials["status"] == "ok"
    trials = trials[[*CELL_COLUMNS, *SEED_COLUMNS]].assign(
        data_seed=number_data_seeds(trials),
        given_seed=trials["data_seed"],
        repeat=trials["repeat"],
        cell=trials.groupby(CELL_COLUMNS, sort=False, dropna=False).ngroup(),
        metric=metrics,
        score=score,
        bad=~(finished & np.isfinite(score)),
    )
    if metric is not None:
        is_measured = (finished & score.notna()).groupby(trials["cell"]).transform("any")
        trials = trials[is_measured | ~finished.groupby(trials["cell"]).transform("any")]
    # One grouping of the whole table: a grouping by cell takes minutes for thousands of cells.
    seeds = trials.groupby(["cell", *SEED_COLUMNS], sort=True).agg(
        score=("score", "mean"),
        bad=("bad", "sum"),
        **{name: (name, "first") for name in _IMPORTED_COLUMNS},
    )
    by_cell = dict(iter(seeds.reset_index().groupby("cell")))
    none = seeds.iloc[:0].reset_index()
    first = trials.drop_duplicates("cell")[["cell", *CELL_COLUMNS, "metric"]]
    for cell, *values, name in first.itertuples(index=False, name=None):
        key = dict(zip(CELL_COLUMNS, values, strict=True))
        rows = by_cell.get(cell, none).drop(columns="cell").reset_index(drop=True)
        yield Cell(key, name, greater_is_better(data.info, name), rows)


def group_by_key(items: Iterable[Keyed], columns: Iterable[str]) -> dict[tuple, list[Keyed]]:
    """Items by `key_values` of their keys, in order of appearance."""
    columns = list(columns)
    groups: dict[tuple, list[Keyed]] = {}
    for item in items:
        groups.setdefault(key_values(item.key, columns), []).append(item)
    return groups


def key_values(key: Mapping[str, Any], columns: Iterable[str]) -> tuple:
    """The values of `columns`; None for NaN, as for the test ratio of given results."""
    return tuple(None if key[name] != key[name] else key[name] for name in columns)
