"""Results of training done elsewhere → the tables of a study without training.

`import_results` reads a tidy CSV or Parquet file (long: one row a run and metric; or wide: one
column a metric), an MLflow or Weights & Biases export, or per-item predictions, and returns what
`reseed.collect` makes of trial files.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from reseed.importing.checks import (
    direction_of,
    metric_of_each_dataset,
    refuse_single_runs,
    uneven_runs,
    without_copies,
)
from reseed.importing.columns import RUN, find_columns
from reseed.importing.items import holds_items, scored_items
from reseed.importing.shapes import KEY, long_table
from reseed.importing.table import Table, read_table

EXPERIMENT = "results"
#: The split scheme where the file shows no folds.
GIVEN = "given"
_TRACKER = {
    "mlflow": lambda columns: any(c.startswith(("metrics.", "params.")) for c in columns),
    "wandb": lambda columns: {"Name", "State"} <= columns or {"Name", "Runtime"} <= columns,
}


def import_results(path: str | Path, results: dict, study: dict) -> tuple[pd.DataFrame, dict]:
    """Read the user's results.

    Args:
        path: the file.
        results: a study's `results` entry (`reseed.config.Results`) as a dict.
        study: name (or study), title, question, citation, notes and scale of the study.

    Returns:
        metrics: one row a run, in the columns of `reseed.collect.collect_trials`; a run without a
            finite score has status `failed`.
        about: in the form of `reseed.collect.describe`; its notes say how the file was read.

    Raises:
        ReseedError: for the first thing in the file that cannot be right, with lines and fix.
    """
    file_format, wanted = results.get("format", "auto"), results.get("metric")
    table = read_table(path, file_format)
    columns = set(table.frame.columns)
    tracker = file_format in _TRACKER or (
        file_format == "auto" and any(is_one(columns) for is_one in _TRACKER.values())
    )
    found = find_columns(table, results.get("columns") or {}, tracker)
    notes, tasks = [], {}
    if holds_items(found):
        long, tasks = scored_items(table, found, wanted)
        primary = {dataset: entry["metric"] for dataset, entry in tasks.items()}
        for dataset, metric in primary.items():
            metric_of_each_dataset(table, long[long["dataset"] == dataset], metric)
    else:
        long = long_table(table, found, wanted, tracker)
        long, notes = without_copies(table, found, long)
        primary = metric_of_each_dataset(table, long, wanted)
    directions = direction_of(table, set(primary.values()), results.get("greater_is_better"))
    metrics = _one_row_a_run(long, primary)
    refuse_single_runs(table, found, metrics)
    metrics = _in_contract(table, metrics, primary, results.get("test_train_ratio"), study)
    used = ", ".join(f"{name} from {column!r}" for name, column in found.items())
    notes = [f"Read from {Path(path).name}: {used}.", *notes]
    if set(RUN) & set(found):
        notes += uneven_runs(metrics)
    else:
        notes.append("No column holds a seed: runs are taken as independent of each other.")
    about = _about(metrics, primary, directions, tasks, results.get("unit") or "", study, notes)
    return metrics, about


def _one_row_a_run(long: pd.DataFrame, primary: dict[str, str]) -> pd.DataFrame:
    """Metrics as columns; `reason` says why a run has no score on its dataset's metric."""
    wide = long.groupby([*KEY, "metric"], sort=False)["value"].first().unstack("metric")
    wide = wide[list(dict.fromkeys(long["metric"]))]
    runs = long.groupby(KEY, sort=False)["reason"].max().to_frame().join(wide).reset_index()
    names = list(wide.columns)
    runs[names] = runs[names].where(np.isfinite(runs[names]))
    score = _score(runs, primary)
    missing = "no finite value of " + runs["dataset"].map(primary)
    runs["reason"] = runs["reason"].where((runs["reason"] != "") | score.notna(), missing)
    return runs


def _score(runs: pd.DataFrame, primary: dict[str, str]) -> pd.Series:
    """Each run's value on its dataset's metric."""
    score = pd.Series(np.nan, runs.index)
    for dataset, metric in primary.items():
        chosen = runs["dataset"] == dataset
        score[chosen] = runs.loc[chosen, metric]
    return score


def _in_contract(
    table: Table, runs: pd.DataFrame, primary: dict[str, str], ratio: float | None, study: dict
) -> pd.DataFrame:
    setting = runs.groupby("dataset", sort=False).apply(_setting)
    random_splits = setting["varied"].str.contains("data") & (setting["scheme"] == GIVEN)
    if random_splits.any() and ratio is None:
        raise table.refuse(
            f"its runs on {random_splits.idxmax()} use several random splits (data_seed or "
            "repeat), whose training rows overlap",
            "Give `test_train_ratio`, test rows over training rows (0.25 for an 80/20 split), so "
            "that intervals and tests can allow for it.",
        )
    names = [c for c in runs.columns if c not in (*KEY, "reason")]
    head = {
        "study": study.get("study") or study.get("name"),
        "experiment": EXPERIMENT,
        "varied": runs["dataset"].map(setting["varied"]),
        "dataset": runs["dataset"],
        "scheme": runs["dataset"].map(setting["scheme"]),
        "test_ratio": np.nan if ratio is None else ratio / (1 + ratio),
        "model": runs["model"],
        "hyperparameters_source": "given",
        **{name: runs[name] for name in ("data_seed", "repeat", "fold")},
        **{role: runs["seed"] for role in ("init", "order", "dropout", "augment")},
        "status": np.where(runs["reason"] == "", "ok", "failed"),
        "error": runs["reason"].where(runs["reason"] != "", None),
        "train_seconds": np.nan,
        "fingerprint": "",
        "hyperparameters": "{}",
    }
    return pd.DataFrame(head, index=runs.index).join(runs[names])


def _setting(runs: pd.DataFrame) -> pd.Series:
    """What varies in the runs on one dataset, and how its rows were split."""
    scheme = GIVEN
    if runs["fold"].nunique() > 1:
        scheme = f"kfold-{runs['fold'].nunique()}x{runs['repeat'].nunique()}"
    seeds = {"data": ["data_seed", "repeat", "fold"], "model": ["seed"]}
    varied = [name for name, columns in seeds.items() if runs[columns].nunique().max() > 1]
    return pd.Series({"scheme": scheme, "varied": "+".join(varied) or "none"})


def _about(
    metrics: pd.DataFrame,
    primary: dict[str, str],
    directions: dict[str, bool],
    tasks: dict[str, dict],
    unit: str,
    study: dict,
    notes: list[str],
) -> dict:
    failed = metrics[metrics["status"] != "ok"]
    shown = ["experiment", "dataset", "model", "data_seed", "init", "error"]
    seeds = {"data_seed": "data", "repeat": "repeat", "fold": "fold", "init": "model"}
    datasets = {
        name: {
            "title": name,
            "task": tasks.get(name, {}).get("task"),
            "metric": metric,
            "greater_is_better": directions[metric],
            "unit": "",
            "metric_unit": unit,
            "rows": None,
            "features": [],
            "class_counts": None,
            "stand_in": None,
            "licence": "not stated",
            "citation": "",
            "source": {},
            "notes": [],
        }
        for name, metric in primary.items()
    }
    return {
        "study": study.get("study") or study.get("name"),
        **{name: study.get(name) or "" for name in ("title", "question", "citation")},
        "scale": "as given",
        "notes": [*(study.get("notes") or []), *notes],
        "models": {
            name: {"title": name, "hyperparameters": {}, "search_space": {}, "notes": None}
            for name in dict.fromkeys(metrics["model"])
        },
        "experiments": {
            EXPERIMENT: {
                "title": "Given results",
                "varied": _union(metrics["varied"]),
                "seeds": {
                    noun: sorted(map(int, metrics[column].unique()))
                    for column, noun in seeds.items()
                },
            }
        },
        "datasets": datasets,
        "trials": {
            "planned": len(metrics),
            "ok": len(metrics) - len(failed),
            "failed": len(failed),
            "failures": failed[shown].to_dict("records"),
        },
        "train_seconds": 0.0,
        "seconds_per_trial": {},
        "machines": [],
        "commits": [],
    }


def _union(varied: pd.Series) -> str:
    names = sorted({name for text in varied.unique() for name in text.split("+")} - {"none"})
    return "+".join(names) or "none"
