"""What every analysis reads: the study's table of trials, its facts, and how both are grouped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import pandas as pd

from reseed.analyses.shared.arms import with_arms
from reseed.analyses.shared.predictions import Predictions
from reseed.core.checked_io import read_table
from reseed.core.errors import ReseedError, suggest_name
from reseed.core.random_streams import stream
from reseed.core.schemas import CELL_COLUMNS, SEED_COLUMNS
from reseed.core.study_info import StudyInfo, read_study_info
from reseed.metrics.names import infer_direction

_GIVEN = ["given_seed", "repeat"]
#: Whatever has a `key`: a `Cell`, and an arm's `Outputs`.
Keyed = TypeVar("Keyed")


@dataclass(frozen=True)
class Data:
    """One row a trial and experiment (`metrics`), the study's facts, and where to read more.

    `published` is the folder of the papers' numbers; `predictions` reads per-item scores and
    `curves` is the file of training curves (one row a trial and epoch); None where none were
    collected.
    """

    metrics: pd.DataFrame
    info: StudyInfo
    published: Path | None = None
    predictions: Predictions | None = None

    def __post_init__(self) -> None:
        if "model" in self.metrics:  # given results compare models: there are no arms but these
            object.__setattr__(self, "metrics", with_arms(self.metrics))


@dataclass(frozen=True)
class Cell:
    """One cell: an arm on one dataset and scheme of splits, over the seeds that vary.

    key: values of `CELL_COLUMNS`.
    seeds: one row a seed, with `SEED_COLUMNS`, `score` (on `metric`) and `bad` (the number of
        trials of that seed without a score). Repeats of imported results count as data seeds
        (`data_seeds`); `given_seed` and `repeat` hold the imported numbers.
    """

    key: dict
    metric: str
    greater_is_better: bool
    seeds: pd.DataFrame

    @property
    def sign(self) -> int:
        """1, or -1 where less is better: what makes more of a score better."""
        return 1 if self.greater_is_better else -1

    @property
    def scores(self) -> pd.DataFrame:
        """The rows of the seeds that are complete."""
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
        """A generator that depends on the cell and the purpose, not on the cells beside it."""
        return stream(0, "/".join([purpose, *(str(value) for value in self.key.values())]))


def read_data(
    study: Path,
    experiments: list[str] | None,
    published: Path | None,
    trained: list[str] | None = None,
) -> Data:
    """Read a study's folder, restricted to `experiments` (None: all).

    `trained`: the experiments that the study has now; tables of others are not read.
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
    """Whether it is, as a dataset judged by the metric says, else the metric's name.

    Raises ReseedError where neither does.
    """
    for dataset in info.datasets.values():
        if dataset.metric == metric:
            return dataset.greater_is_better
    known = infer_direction(metric)
    if known is None:
        raise ReseedError(
            f"metric {metric!r}: its name does not say whether greater is better, and no dataset"
            " is judged by it. Use one that is known (`reseed.metrics`), or the study's own."
        )
    return known


def data_seeds(trials: pd.DataFrame) -> pd.Series:
    """One number a trial for its data seed and repeat, which are both draws of its splits.

    The data seed where a dataset repeats nothing; the repeat where it has one data seed, 0; where
    both vary, a number of its own.
    """
    repeats = trials["repeat"].groupby(trials["dataset"]).transform("max") + 1
    return trials["data_seed"] * repeats + trials["repeat"]


def cells(data: Data, metric: str | None = None) -> Iterator[Cell]:
    """Every cell in order of appearance, on `metric` (None: its dataset's primary one).

    A cell whose trials all failed has no scores. A seed's score is the mean over its folds; a seed
    with a failed fold is left out, so that seeds stay comparable. A cell whose task has no such
    metric is left out; ReseedError for one that no dataset has.
    """
    trials = data.metrics
    if metric is not None and metric not in trials:
        measured = list(trials.columns[trials.dtypes == np.float64])
        raise ReseedError(f"metric {metric!r} was not measured.{suggest_name(metric, measured)}")
    used = trials["dataset"].map(lambda name: metric or primary_metric(data.info, name))
    score = pd.Series(np.nan, trials.index)
    for name in used.unique():
        if name in trials:
            score = score.where(used != name, trials[name])
    finished = trials["status"] == "ok"
    trials = trials[[*CELL_COLUMNS, *SEED_COLUMNS]].assign(
        data_seed=data_seeds(trials),
        given_seed=trials["data_seed"],
        repeat=trials["repeat"],
        cell=trials.groupby(CELL_COLUMNS, sort=False, dropna=False).ngroup(),
        metric=used,
        score=score,
        bad=~(finished & np.isfinite(score)),
    )
    if metric is not None:
        measured = (finished & score.notna()).groupby(trials["cell"]).transform("any")
        trials = trials[measured | ~finished.groupby(trials["cell"]).transform("any")]
    # One grouping of all: one for each of thousands of cells would take minutes.
    seeds = trials.groupby(["cell", *SEED_COLUMNS], sort=True).agg(
        score=("score", "mean"), bad=("bad", "sum"), **{n: (n, "first") for n in _GIVEN}
    )
    of = dict(iter(seeds.reset_index().groupby("cell")))
    none = seeds.iloc[:0].reset_index()
    for cell, *key, name in trials.drop_duplicates("cell")[
        ["cell", *CELL_COLUMNS, "metric"]
    ].itertuples(index=False, name=None):
        own = of.get(cell, none).drop(columns="cell").reset_index(drop=True)
        up = greater_is_better(data.info, name)
        yield Cell(dict(zip(CELL_COLUMNS, key, strict=True)), name, up, own)


def grouped(found: Iterable[Keyed], names: Iterable[str]) -> dict[tuple, list[Keyed]]:
    """Those together whose `key` agrees in `names`, in order of appearance."""
    groups: dict[tuple, list[Keyed]] = {}
    for one in found:
        groups.setdefault(tuple(one.key[name] for name in names), []).append(one)
    return groups
