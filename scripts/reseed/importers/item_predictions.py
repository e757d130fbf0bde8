"""Per-item predictions → the metrics of each run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from reseed.importers.columns import plain
from reseed.importers.long_table import KEY, item_labels, runs_table
from reseed.importers.metric_choice import Wanted, wanted_on
from reseed.importers.source_table import Table, few
from reseed.metrics.registry import TASKS, default_metric, evaluate_scores

#: More whole numbers than this may be counts.
_MANY_CLASSES = 30
_SPLIT = ["dataset", "data_seed", "repeat", "fold"]


class Items(NamedTuple):
    """Predictions of one dataset.

    `rows`: `KEY`, `item`, `reason`, `target` and `prediction`; `said`: how they were read.
    """

    task: str
    rows: pd.DataFrame
    said: str


def scored_items(table: Table, found: dict, wanted: Wanted) -> tuple[pd.DataFrame, dict[str, dict]]:
    """`KEY`, `metric`, `value`, `reason` of every run; task, primary metric, notes by dataset.

    A run with a prediction that is not finite has failed. Raises ReseedError as `read_items`.
    """
    parts, tasks, inverted = [], {}, []
    for task, group, said in read_items(table, found):
        dataset = group["dataset"].iloc[0]
        primary = [*wanted_on(wanted, dataset), _primary(task)][0]
        tasks[dataset] = {"task": task, "metric": primary, "said": said}
        score = (
            _accuracy if task == "classification" else lambda y, p, t=task: evaluate_scores(t, y, p)
        )
        runs = [
            {**dict(zip(KEY, key, strict=True)), "reason": reason, "metric": name, "value": value}
            for key, run in group.groupby(KEY, sort=False)
            for name, value, reason in _measure(score, run, primary)
        ]
        areas = [run["value"] for run in runs if run["metric"] == "auc"]
        inverted += [dataset] if areas and np.nanmedian(areas) < 0.5 else []
        parts += runs
    _note_reading(table, tasks, inverted)
    return pd.DataFrame(parts), tasks


def _note_reading(table: Table, tasks: dict[str, dict], inverted: list[str]) -> None:
    """Note how the predictions of each dataset were read."""
    for said in dict.fromkeys(entry["said"] for entry in tasks.values()):
        datasets = [name for name, entry in tasks.items() if entry["said"] == said]
        where = f" ({', '.join(datasets)})" if len(datasets) < len(tasks) else ""
        table.notes.append(f"Read as {said}{where}.")
    if inverted:
        table.notes.append(
            f"Warning: the AUC of most runs on {', '.join(inverted)} is below 0.5, as where a "
            "score is the probability of the other label."
        )


def holds_items(found: dict) -> bool:
    """Whether the columns found are those of per-item predictions."""
    return {"item", "y_true"} <= set(found) and bool({"y_score", "y_pred"} & set(found))


def read_items(table: Table, found: dict) -> Iterator[Items]:
    """The predictions of each dataset.

    Raises ReseedError where an item occurs twice in a run, where runs of one split differ in their
    items or targets, or where the predictions do not fit the targets.
    """
    rows = runs_table(table, found)
    table.finish()
    rows["item"], truth = item_labels(table, found["item"]), table.text(found["y_true"])
    if (truth == "").any():
        raise table.refuse("y_true is empty", "Fill it in.", truth.index[truth == ""])
    refuse_copies(table, rows)
    rows["truth"] = truth
    _one_target(table, rows)
    same_items(table, rows)
    for _, group in rows.groupby("dataset", sort=False):
        task, target, prediction, said = _reading(table, found, group)
        yield Items(task, group.assign(target=target, prediction=prediction), said)


def _primary(task: str) -> str:
    return default_metric(task).name if task in TASKS else "accuracy"


def _accuracy(target: np.ndarray, prediction: np.ndarray) -> dict[str, float]:
    return {"accuracy": float(np.mean(target == prediction))}


def _measure(score, run: pd.DataFrame, primary: str) -> list[tuple[str, float, str]]:
    reason = next(filter(None, run["reason"]), "")
    try:
        values = score(run["target"].to_numpy(), run["prediction"].to_numpy())
    except ValueError as error:
        return [(primary, np.nan, reason or str(error))]
    return [(name, value, reason) for name, value in values.items()]


def refuse_copies(table: Table, rows: pd.DataFrame) -> None:
    """ReseedError where an `item` occurs more than once in a run of `KEY`."""
    twice = rows.duplicated([*KEY, "item"], keep=False)
    if twice.any():
        raise table.refuse(
            "an item occurs more than once in a run",
            "Remove the copies, or map the column that tells the runs apart.",
            rows.index[twice],
        )


def _one_target(table: Table, rows: pd.DataFrame) -> None:
    """Refuse items that do not have the same target in all runs of one split."""
    truths = rows.groupby([*_SPLIT, "item"], sort=False)["truth"].transform("nunique")
    if (truths > 1).any():
        item = rows.loc[truths > 1, "item"].iloc[0]
        wrong = rows[(truths > 1) & (rows["item"] == item)]
        raise table.refuse(
            f"item {item} has several targets ({few(wrong['truth'].unique())}) in one "
            "dataset and split",
            "An item is one test case: number items within each split.",
            wrong.index,
        )


def same_items(table: Table, rows: pd.DataFrame) -> None:
    """ReseedError where runs of one split do not hold the same items."""
    all_items = rows.groupby(_SPLIT)["item"].transform("nunique")
    own = rows.groupby(KEY)["item"].transform("size")
    if (own < all_items).any():
        first = rows[own < all_items].iloc[0]
        raise table.refuse(
            f"a run of {first['model']} on {first['dataset']} has {own[first.name]} of the "
            f"{all_items[first.name]} items of its split",
            "All runs of one split (data_seed, repeat, fold) must have the same items; name "
            "the column that tells splits apart `data_seed` or `fold`.",
            [first.name],
        )


def _reading(table: Table, found: dict, group: pd.DataFrame) -> tuple:
    """(task, target, prediction, how they were read) of one dataset.

    A score of an item that has one of two labels is a probability. Predicted classes: accuracy.
    Else predictions of a number.
    """
    part = replace(table, frame=table.frame.loc[group.index])
    labels = sorted(group["truth"].unique(), key=_order)
    both = {"y_score", "y_pred"} <= set(found)
    if "y_score" in found and len(labels) <= 2:
        unread = f"; {found['y_pred']!r} is not read" if both else ""
        return _probabilities(part, found["y_score"], group, labels, unread)
    column = found["y_pred"] if "y_pred" in found else found["y_score"]
    unread = f"; {found['y_score']!r} is not read" if both else ""
    if "y_pred" in found:
        target, prediction = _as_labels(group["truth"], part.text(column))
        if _are_classes(target, prediction):
            said = f"classes: {column!r} is right where it equals y_true{unread}"
            if target.dtype.kind == "f":
                said += ". To compare them as numbers, call that column `y_score`"
            return "classification", target, prediction, said
    if pd.to_numeric(pd.Series(labels), errors="coerce").isna().any():
        raise table.refuse(
            f"the targets are labels ({few(labels)}), but {column!r} does not predict one of them",
            "Give the predicted label as `y_pred`; a single y_score needs two labels.",
        )
    target, prediction = part.numbers(found["y_true"]), part.numbers(column)
    table.finish()
    return (
        "regression",
        target,
        prediction,
        f"numbers: the nearer {column!r} is to y_true, the better{unread}",
    )


def _probabilities(
    part: Table, column: str, group: pd.DataFrame, labels: list[str], unread: str
) -> tuple:
    """As `_reading`, of two labels: the one that the column is named after, else the greater."""
    if len(labels) < 2:
        raise part.refuse(
            f"all targets are {labels[0]!r}", "A metric of two classes needs both of them."
        )
    named = [label for label in labels if plain(column).endswith(f"_{plain(label)}")]
    positive = max(named, key=len, default=labels[1])
    (other,) = set(labels) - {positive}
    score = part.numbers(column)
    outside = (score < 0) | (score > 1)
    if outside.any():
        raise part.refuse(
            f"y_score is {score[outside].iloc[0]:g} for a target of two labels",
            f"Give the probability of label {positive!r}, between 0 and 1.",
            group.index[outside],
        )
    part.finish()
    said = f"two classes: {column!r} is the probability of {positive!r}{unread}"
    if not named:
        name = f"p_{plain(other)}"
        said += (
            f". If it is that of {other!r}, name that column `{name}` and map it: "
            f"`columns: {{y_score: {name}}}`"
        )
    return "binary", (group["truth"] == positive).astype(np.int64), score, said


def _as_labels(*columns: pd.Series) -> list[pd.Series]:
    """Columns of labels; as numbers if all are: 1, 1.0 and True are one label."""
    numbers = [
        pd.to_numeric(column.str.lower().replace({"true": "1", "false": "0"}), errors="coerce")
        for column in columns
    ]
    known = all((n.notna() | (c == "")).all() for n, c in zip(numbers, columns, strict=True))
    return [n.astype(np.float64) for n in numbers] if known else list(columns)


def _are_classes(target: pd.Series, prediction: pd.Series) -> bool:
    """Names of which any is predicted, or whole numbers: those of the targets, or few.

    A class that no item has may be predicted; more than one beyond all others would be counts.
    """
    found = prediction.isin(target)
    if target.dtype.kind != "f":
        return bool(found.any())
    whole = (target % 1 == 0).all() and (prediction.dropna() % 1 == 0).all()
    beyond = prediction[(prediction < target.min()) | (prediction > target.max())]
    few = target.nunique() <= _MANY_CLASSES and beyond.nunique() <= 1
    return bool(whole and (few or found[prediction.notna()].all()))


def _order(label: str) -> tuple:
    try:
        return 0, float(label), label
    except ValueError:
        return 1, 0.0, label
