"""What every source is read as: one long table of scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pandas as pd

from reseed.core.errors import ReseedError
from reseed.metrics.names import is_share
from reseed.readers.question import propose
from reseed.readers.source_table import SourceTable

#: Labels of a score that is of one item of a run; text, empty where the source has none.
ITEM_LABELS = ("item", "prompt", "cluster")
#: Labels of `Scores.items`.
LABELS = ("dataset", "model", "seed", "prompt", "repeat", "item", "cluster")
_OF_LABELS = (
    "accuracy", "error", "precision", "recall", "f1", "macro_precision", "macro_recall", "macro_f1",
)  # fmt: skip
#: Metrics that are computed from predictions of items, by task; the first by default.
ITEM_METRICS = {
    "binary": ("auc", *_OF_LABELS),
    "classification": _OF_LABELS,
    "regression": ("mse", "mae"),
}
_THRESHOLD = 0.5


class ItemPredictions(NamedTuple):
    """Predictions of one dataset.

    rows: `RUN_KEY`, `item`, `reason`, `target` and `prediction`. note: how they were read.
    """

    dataset: str
    task: str
    rows: pd.DataFrame
    note: str


@dataclass(frozen=True)
class Scores:
    """Scores of models.

    frame: one row a score. Columns `RUN_KEY` (model, dataset; data_seed, repeat, fold and seed as
        whole numbers, 0 where the source has none), `repetition`, `ITEM_LABELS`, `metric`,
        `value` (NaN: the run or item failed), `reason` (of a failed run) and `row` of the source.
        Of predictions of items, one row a run and metric.
    metrics: the metric that each dataset is compared by.
    greater: by metric, whether greater is better.
    named: the labels that the source states.
    predictions: of items, by dataset; empty if the source holds scores.
    columns: Reseed's name → the column of `source`; `score_columns` hold the scores.
    source: the table, for errors that name its rows.
    sources: Reseed's name → the columns that the user gave.
    """

    frame: pd.DataFrame
    metrics: Mapping[str, str]
    greater: Mapping[str, bool]
    named: frozenset[str]
    columns: Mapping[str, str]
    score_columns: tuple[str, ...]
    source: SourceTable
    predictions: tuple[ItemPredictions, ...] = ()
    sources: Mapping[str, list[str]] = field(default_factory=dict)

    @property
    def metric(self) -> str:
        """The metric; ReseedError if datasets differ in it."""
        names = list(dict.fromkeys(self.metrics.values()))
        if len(names) > 1:
            raise self.source.error(
                f"datasets differ in their metric ({', '.join(names)})",
                propose("Scores of items are compared by one: ", {"metric": names[0]}),
            )
        return names[0]

    @property
    def sign(self) -> int:
        """1 if greater of `metric` is better, else −1."""
        return 1 if self.greater[self.metric] else -1

    @property
    def models(self) -> list[str]:
        """The models, in the order of the source."""
        return list(dict.fromkeys(self.frame["model"]))

    @property
    def computed(self) -> str | None:
        """The metric, if it is computed from predictions of items."""
        return self.metric if self.predictions else None

    @property
    def notes(self) -> tuple[str, ...]:
        """How the source was read."""
        return tuple(dict.fromkeys(self.source.notes))

    @property
    def has_items(self) -> bool:
        """Whether the scores are of items of runs."""
        return bool(self.predictions) or "item" in self.named

    @property
    def is_share(self) -> bool:
        """Whether scores of items are shares of 1, so that differences are in points."""
        if self.predictions:
            return is_share(self.metric)
        values = self.frame.loc[self.frame["metric"] == self.metric, "value"].dropna()
        is_count = bool(values.isin((0, 1)).all())
        return is_count or (is_share(self.metric) and bool(values.between(0, 1).all()))

    def items(self) -> pd.DataFrame:
        """One row a score of `metric`: `LABELS` as text, and `score` (NaN: the item failed).

        A label that the source does not have is empty. `people` are people's scores, NaN where
        there is none, if there are any. Of predictions, `score` is the prediction
        and `target` what is true of the item.
        """
        if self.predictions:
            parts = [_arrange_predictions(one, self) for one in self.predictions]
            return pd.concat(parts, ignore_index=True)
        rows = self.frame[self.frame["metric"] == self.metric]
        score = rows["value"].where(rows["reason"] == "").replace([np.inf, -np.inf], np.nan)
        is_repetition = self.has_items or "repeat" not in self.named
        labels = {
            "dataset": self._label(rows, "dataset"), "model": rows["model"],
            "seed": self._label(rows, "seed"), "prompt": rows["prompt"],
            "repeat": self._label(rows, "repetition" if is_repetition else "repeat"),
            "item": rows["item"], "cluster": rows["cluster"],
        }  # fmt: skip
        people = {}
        if "people" in self.columns:
            people["people"] = self.source.numbers(self.columns["people"])[rows["row"]].to_numpy()
        return pd.DataFrame({**labels, "score": score}).assign(**people).reset_index(drop=True)

    def clusters(self, rows: pd.DataFrame) -> pd.Series | str:
        """The cluster of the item of each prediction; empty without clusters."""
        if "cluster" not in self.columns:
            return ""
        return self.source.text(str(self.columns["cluster"])).loc[rows.index]

    def _label(self, rows: pd.DataFrame, name: str) -> pd.Series | str:
        return rows[name].astype(str) if name in self.named else ""


def refuse_item_metric(
    table: SourceTable, metric: str, task: str, computed: Iterable[str] = ()
) -> None:
    """Raise ReseedError for a metric that is not computed from predictions of a task."""
    known = dict.fromkeys([*ITEM_METRICS[task], *computed])
    if metric not in known:
        raise ReseedError(
            f"{table.path}: metric {metric!r} is not computed from predictions of {task}; there "
            f"are {', '.join(known)}."
        )


def _arrange_predictions(part: ItemPredictions, scores: Scores) -> pd.DataFrame:
    """Predictions of one dataset with their targets, as `Scores.items`."""
    rows, metric = part.rows, scores.metric
    refuse_item_metric(scores.source, metric, part.task)
    if rows.duplicated(["model", "seed", "item"]).any():
        raise scores.source.error(
            "runs of one model and seed are on several splits",
            "Predictions with clusters are compared on one test set for each dataset.",
        )
    target, prediction = rows["target"], rows["prediction"]
    if part.task == "binary" and metric in _OF_LABELS:
        prediction = (prediction >= _THRESHOLD).where(prediction.notna())
    if part.task == "classification" and not pd.api.types.is_numeric_dtype(target):
        labels = pd.Index([*sorted({*target}), *sorted({*prediction} - {*target})])
        target, prediction = labels.get_indexer(target), labels.get_indexer(prediction)
    names = {"dataset": rows["dataset"] if "dataset" in scores.named else ""}
    frame = pd.DataFrame(names | {"model": rows["model"]}, index=rows.index).assign(
        seed=rows["seed"].astype(str), prompt="", repeat="", item=rows["item"].astype(str),
        cluster=scores.clusters(rows), score=np.asarray(prediction, dtype=np.float64),
        target=np.asarray(target, dtype=np.float64),
    )  # fmt: skip
    return frame.reset_index(drop=True)
