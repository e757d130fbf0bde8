"""Per-item predictions → the metrics of each run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd

from reseed.importing.metric_choice import Wanted, wanted_names
from reseed.importing.shapes import KEY, runs_table
from reseed.importing.table import Table
from reseed.metrics import TASKS, evaluate_scores, usual

_SPLIT = ["dataset", "data_seed", "repeat", "fold"]


def scored_items(table: Table, found: dict, wanted: Wanted) -> tuple[pd.DataFrame, dict[str, dict]]:
    """`KEY`, `metric`, `value`, `reason` of every run, and task and primary metric by dataset.

    A run with a prediction that is not finite has failed. Raises ReseedError as `read_items`.
    """
    parts, tasks = [], {}
    for task, group in read_items(table, found):
        dataset = group["dataset"].iloc[0]
        asked = wanted.get(dataset) if isinstance(wanted, dict) else wanted
        tasks[dataset] = {"task": task, "metric": (wanted_names(asked) or [_primary(task)])[0]}
        score = (
            _accuracy if task == "classification" else lambda y, p, t=task: evaluate_scores(t, y, p)
        )
        parts += [
            {**dict(zip(KEY, key, strict=True)), "reason": reason, "metric": name, "value": value}
            for key, run in group.groupby(KEY, sort=False)
            for name, value, reason in _measure(score, run, tasks[dataset]["metric"])
        ]
    return pd.DataFrame(parts), tasks


def holds_items(found: dict) -> bool:
    """Whether the columns found are those of per-item predictions."""
    return {"item", "y_true"} <= set(found) and bool({"y_score", "y_pred"} & set(found))


def read_items(table: Table, found: dict) -> Iterator[tuple[str, pd.DataFrame]]:
    """(task, rows) of each dataset: `KEY`, `item`, `reason`, `target` and `prediction`.

    Raises ReseedError where an item occurs twice in a run, where runs of one split differ in their
    items or targets, or where the predictions do not fit the targets.
    """
    rows = runs_table(table, found)
    table.finish()
    rows["item"], truth = table.text(found["item"]), table.text(found["y_true"])
    if (truth == "").any():
        raise table.refuse("y_true is empty", "Fill it in.", truth.index[truth == ""])
    twice = rows.duplicated([*KEY, "item"], keep=False)
    if twice.any():
        raise table.refuse(
            "an item occurs more than once in a run",
            "Remove the copies, or map the column that tells the runs apart.",
            rows.index[twice],
        )
    rows["truth"] = truth
    _same_items(table, rows)
    for _, group in rows.groupby("dataset", sort=False):
        task, target, prediction = _task(table, found, group)
        yield task, group.assign(target=target, prediction=prediction)


def _primary(task: str) -> str:
    return usual(task).name if task in TASKS else "accuracy"


def _accuracy(target: np.ndarray, prediction: np.ndarray) -> dict[str, float]:
    return {"accuracy": float(np.mean(target == prediction))}


def _measure(score, run: pd.DataFrame, primary: str) -> list[tuple[str, float, str]]:
    reason = run["reason"].iloc[0]
    try:
        values = score(run["target"].to_numpy(), run["prediction"].to_numpy())
    except ValueError as error:
        return [(primary, np.nan, reason or str(error))]
    return [(name, value, reason) for name, value in values.items()]


def _same_items(table: Table, rows: pd.DataFrame) -> None:
    """Refuse runs of one split that were not tested on the same items with the same targets."""
    truths = rows.groupby([*_SPLIT, "item"], sort=False)["truth"].transform("nunique")
    if (truths > 1).any():
        item = rows.loc[truths > 1, "item"].iloc[0]
        wrong = rows[(truths > 1) & (rows["item"] == item)]
        raise table.refuse(
            f"item {item} has several targets ({', '.join(wrong['truth'].unique()[:5])}) in one "
            "dataset and split",
            "An item is one test case: number items within each split.",
            wrong.index,
        )
    all_items = rows.groupby(_SPLIT)["item"].transform("nunique")
    own = rows.groupby(KEY)["item"].transform("size")
    if (own < all_items).any():
        first = rows[own < all_items].iloc[0]
        raise table.refuse(
            f"a run of {first['model']} on {first['dataset']} predicts {own[first.name]} of the "
            f"{all_items[first.name]} items of its split",
            "All runs of one split (data_seed, repeat, fold) must predict the same items; name "
            "the column that tells splits apart `data_seed` or `fold`.",
            [first.name],
        )


def _task(table: Table, found: dict, group: pd.DataFrame) -> tuple:
    """(task, target, prediction) of one dataset.

    A score of one number an item: probability of the greater of two labels, else a prediction of
    a number. Labels predicted as labels: accuracy.
    """
    part = replace(table, frame=table.frame.loc[group.index])
    labels = sorted(group["truth"].unique(), key=_order)
    if "y_score" in found and len(labels) <= 2:
        score = part.numbers(found["y_score"])
        outside = (score < 0) | (score > 1)
        if outside.any():
            raise table.refuse(
                f"y_score is {score[outside].iloc[0]:g} for a target of two labels",
                f"Give the probability of label {labels[-1]!r}, between 0 and 1.",
                group.index[outside],
            )
        if len(labels) < 2:
            raise table.refuse(
                f"all targets are {labels[0]!r}", "A metric of two classes needs both of them."
            )
        table.finish()
        return "binary", (group["truth"] == labels[1]).astype(np.int64), score
    if "y_score" not in found and part.text(found["y_pred"]).isin([*labels, ""]).all():
        return "classification", group["truth"], part.text(found["y_pred"])
    column = found["y_score"] if "y_score" in found else found["y_pred"]
    if pd.to_numeric(pd.Series(labels), errors="coerce").isna().any():
        raise table.refuse(
            f"the targets are labels ({', '.join(labels[:5])}), but {column!r} does not predict "
            "one of them",
            "Give the predicted label as `y_pred`; a single y_score needs two labels.",
        )
    target, prediction = part.numbers(found["y_true"]), part.numbers(column)
    table.finish()
    return "regression", target, prediction


def _order(label: str) -> tuple:
    try:
        return 0, float(label), label
    except ValueError:
        return 1, 0.0, label
