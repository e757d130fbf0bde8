"""Scores of runs by scores of their items, or by predictions of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from reseed.core.schemas import SPLIT_COLUMNS
from reseed.metrics.registry import TASKS, default_metric, evaluate_scores
from reseed.readers.names import is_of_numbers, normalize_name
from reseed.readers.options import RequestedMetrics, list_metrics
from reseed.readers.run_keys import METRIC_KEY, RUN_KEY, read_labels, read_run_keys
from reseed.readers.scores import ItemPredictions, Scores
from reseed.readers.source_table import SourceTable, join_names

#: With more distinct whole numbers than this, targets may be counts, not classes.
_MAX_CLASSES = 30
_SPLIT_KEY = ["dataset", *SPLIT_COLUMNS]
#: Task, rows and note of `ItemPredictions`.
_Read = tuple[str, pd.DataFrame, str]


def score_predictions(
    table: SourceTable, predictions: Sequence[ItemPredictions], requested: RequestedMetrics
) -> tuple[pd.DataFrame, dict[str, str]]:
    """`RUN_KEY`, `metric`, `value` and `reason` of every run; and the metric by dataset.

    A run with a prediction that is not finite has failed.
    """
    scores: list[dict[str, object]] = []
    metrics: dict[str, str] = {}
    inverted: list[str] = []
    for dataset, task, group, _ in predictions:
        default = default_metric(task).name if task in TASKS else "accuracy"
        metrics[dataset] = [*list_metrics(requested, dataset), default][0]
        areas = []
        for key, run in group.groupby(RUN_KEY, sort=False):
            target, prediction = run["target"].to_numpy(), run["prediction"].to_numpy()
            reason = next(filter(None, run["reason"]), "")
            try:
                values = {"accuracy": float(np.mean(target == prediction))}
                if task != "classification":
                    values = evaluate_scores(task, target, prediction)
            except ValueError as error:
                values, reason = {metrics[dataset]: np.nan}, reason or str(error)
            ids = dict(zip(RUN_KEY, key, strict=True)) | {"reason": reason}
            scores += [ids | {"metric": name, "value": value} for name, value in values.items()]
            areas += [values["auc"]] if "auc" in values else []
        inverted += [dataset] if areas and np.nanmedian(areas) < 0.5 else []
    for note in dict.fromkeys(one.note for one in predictions):
        datasets = [one.dataset for one in predictions if one.note == note]
        where = f" ({', '.join(datasets)})" if len(datasets) < len(predictions) else ""
        table.notes.append(f"Read as {note}{where}.")
    if inverted:
        table.notes.append(
            f"Warning: the AUC of most runs on {', '.join(inverted)} is below 0.5. The score may "
            "be the probability of the other label."
        )
    return pd.DataFrame(scores), metrics


def read_item_predictions(
    table: SourceTable, columns: Mapping[str, str], requested: RequestedMetrics = None
) -> tuple[ItemPredictions, ...]:
    """The predictions of each dataset; by an error, predicted numbers are no classes.

    Raises ReseedError if an item occurs twice in a run, if runs of one split differ in their items
    or targets, or if the predictions do not fit the targets.
    """
    rows = read_run_keys(table, columns)
    table.raise_errors()
    rows["item"] = read_labels(table, columns["item"])
    table.raise_errors()
    truth = table.text(str(columns["y_true"]))
    if (truth == "").any():
        raise table.error("y_true is empty", "Fill it in.", truth.index[truth == ""])
    refuse_duplicate_items(table, rows)
    rows["truth"] = truth
    targets = rows.groupby([*_SPLIT_KEY, "item"], sort=False)["truth"].transform("nunique")
    if (targets > 1).any():
        item = rows.loc[targets > 1, "item"].iloc[0]
        wrong = rows[(targets > 1) & (rows["item"] == item)]
        raise table.error(
            f"item {item} has several targets ({join_names(list(wrong['truth'].unique()))}) in one "
            "dataset and split",
            "An item is one test case: number items within each split.",
            wrong.index,
        )
    check_same_items(table, rows)
    found = []
    for dataset, group in rows.groupby("dataset", sort=False):
        names = list_metrics(requested, str(dataset))
        is_error = bool(names) and is_of_numbers(names[0])
        found.append(ItemPredictions(str(dataset), *_read_dataset(table, columns, group, is_error)))
    return tuple(found)


def refuse_duplicate_items(table: SourceTable, rows: pd.DataFrame) -> None:
    """Raise ReseedError if an `item` occurs more than once in a run, or a run's metric."""
    key = [name for name in (*METRIC_KEY, "item") if name in rows]
    duplicated = rows.duplicated(key, keep=False)
    if duplicated.any():
        fix = "Remove the copies, or map the column that identifies the runs."
        if "prompt" in rows and not rows.duplicated([*key, "prompt"]).any():
            fix = "Give the scores of one prompt."
        raise table.error("an item occurs more than once in a run", fix, rows.index[duplicated])


def check_same_items(table: SourceTable, rows: pd.DataFrame) -> None:
    """Raise ReseedError if runs of one split differ in their items."""
    metric = ["metric"] if "metric" in rows else []
    total = rows.groupby([*_SPLIT_KEY, *metric])["item"].transform("nunique")
    count = rows.groupby([*RUN_KEY, *metric])["item"].transform("size")
    incomplete = (count < total).to_numpy()
    if incomplete.any():
        first = int(incomplete.argmax())
        row = rows.iloc[first]
        raise table.error(
            f"a run of {row['model']} on {row['dataset']} has {count.iloc[first]} of the "
            f"{total.iloc[first]} items of its split",
            "All runs of one split (data_seed, repeat, fold) must have the same items; name "
            "the column that identifies splits `data_seed` or `fold`.",
            [rows.index[first]],
        )


def _read_dataset(
    table: SourceTable, columns: Mapping[str, str], group: pd.DataFrame, is_error: bool
) -> _Read:
    """Read the predictions of one dataset.

    A score of an item with one of two labels is a probability. Predicted labels are classes, scored
    by accuracy. Other predictions are numbers.
    """
    part = replace(table, frame=table.frame.loc[group.index])
    known = pd.DataFrame({"label": group["truth"].unique()})
    known["number"] = pd.to_numeric(known["label"], errors="coerce")
    labels = known.sort_values(["number", "label"])["label"].tolist()  # numbers, then words
    is_error &= len(labels) > 2
    score, label = columns.get("y_score"), columns.get("y_pred")
    has_both = score is not None and label is not None
    if score is not None and len(labels) <= 2:
        unread = f"; {label!r} is not read" if has_both else ""
        return _read_probabilities(part, str(score), group, labels, unread)
    column = str(score if label is None else label)
    unread = f"; {score!r} is not read" if has_both else ""
    if label is not None:
        target, prediction = parse_labels(group["truth"], part.text(column))
        if _are_classes(target, prediction) and not (is_error and target.dtype.kind == "f"):
            note = f"classes: {column!r} is right where it equals y_true{unread}"
            if target.dtype.kind == "f":
                note += ". To compare them as numbers, name an error, such as `metric: mae`"
            rows = group.assign(target=target, prediction=prediction)
            return "classification", rows, note
    if known["number"].isna().any():
        raise table.error(
            f"the targets are labels ({join_names(labels)}), but {column!r} does not predict one "
            "of them",
            "Give the predicted label as `y_pred`; a single y_score needs two labels.",
        )
    target, prediction = part.numbers(str(columns["y_true"])), part.numbers(column)
    table.raise_errors()
    note = f"numbers: the nearer {column!r} is to y_true, the better{unread}"
    rows = group.assign(target=target, prediction=prediction)
    return "regression", rows, note


def _read_probabilities(
    part: SourceTable, column: str, group: pd.DataFrame, labels: list[str], unread: str
) -> _Read:
    """Read probabilities of one of two labels: the one in the column's name, else the greater."""
    if len(labels) < 2:
        raise part.error(
            f"all targets are {labels[0]!r}", "A metric of two classes needs both of them."
        )
    name = normalize_name(column)
    named = [label for label in labels if name.endswith(f"_{normalize_name(label)}")]
    positive = max(named, key=len, default=labels[1])
    (other,) = set(labels) - {positive}
    score = part.numbers(column)
    outside = (score < 0) | (score > 1)
    if outside.any():
        raise part.error(
            f"y_score is {score[outside].iloc[0]:g} for a target of two labels",
            f"Give the probability of label {positive!r}, between 0 and 1.",
            group.index[outside],
        )
    part.raise_errors()
    note = f"two classes: {column!r} is the probability of {positive!r}{unread}"
    if not named:
        other_name = f"p_{normalize_name(other)}"
        note += (
            f". If it is that of {other!r}, name that column `{other_name}` and map it: "
            f"`columns: {{y_score: {other_name}}}`"
        )
    rows = group.assign(target=(group["truth"] == positive).astype(np.int64), prediction=score)
    return "binary", rows, note


def parse_labels(*columns: pd.Series) -> list[pd.Series]:
    """Columns of labels, as numbers if all are: 1, 1.0 and True are one label."""
    numbers = [
        pd.to_numeric(column.str.lower().replace({"true": "1", "false": "0"}), errors="coerce")
        for column in columns
    ]
    known = all((n.notna() | (c == "")).all() for n, c in zip(numbers, columns, strict=True))
    return [n.astype(np.float64) for n in numbers] if known else list(columns)


def _are_classes(target: pd.Series, prediction: pd.Series) -> bool:
    """Whether predictions are classes: names of which any is a target, or whole numbers.

    Numbers only if the targets have few values, with at most one predicted class beyond them (more
    would be counts), or if all predictions are targets.
    """
    is_target = prediction.isin(target)
    if target.dtype.kind != "f":
        return bool(is_target.any())
    is_whole = (target % 1 == 0).all() and (prediction.dropna() % 1 == 0).all()
    beyond = prediction[(prediction < target.min()) | (prediction > target.max())]
    has_few = target.nunique() <= _MAX_CLASSES and beyond.nunique() <= 1
    return bool(is_whole and (has_few or is_target[prediction.notna()].all()))


def list_item_scores(scores: Scores) -> pd.DataFrame:
    """One row an item of a run and metric; repeats of an item are averaged."""
    rows = scores.frame
    if "repetition" in scores.named:
        groups = rows.groupby([*METRIC_KEY, "item", "prompt"], sort=False)
        is_scored = groups["value"].transform("count") == groups["value"].transform("size")
        mean = groups["value"].transform("mean").where(is_scored)
        rows = rows.assign(value=mean).drop_duplicates([*METRIC_KEY, "item", "prompt"])
    return rows.reset_index(drop=True)


def average_items(scores: Scores) -> pd.DataFrame:
    """One row a run and metric: the mean over its items.

    NaN if an item has no score. A run has failed if any of its items has. Raises ReseedError for
    an item that occurs twice in a run, and if runs of one split differ in their items.
    """
    long = list_item_scores(scores)
    rows = long[[*METRIC_KEY, "item", "prompt"]].set_index(long["row"])
    refuse_duplicate_items(scores.source, rows)
    check_same_items(scores.source, rows)
    runs = long.assign(reason=long["reason"].where(long["reason"] != "")).groupby(
        METRIC_KEY, sort=False
    )
    counts = runs["row"].size()
    mean = runs["value"].mean().where(runs["value"].count() == counts, np.nan)
    few, many = counts.min(), counts.max()
    items = f"{few:,} to {many:,}" if few < many else f"{few:,}"
    scores.source.notes.append(f"A run's score is the mean over its items ({items} a run).")
    first = runs[["reason", "row"]].first()
    return first.assign(reason=first["reason"].fillna(""), value=mean).reset_index()
