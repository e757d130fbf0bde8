"""From many trial files to one table a study, and what a reader should know of its making."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from reseed.atomic import replacing
from reseed.coordinates import ROLES, Coordinates, Setting, expand, trial_path, varied
from reseed.data.store import read_meta, read_prepared
from reseed.errors import ReseedError
from reseed.metrics import GREATER_IS_BETTER, PRIMARY
from reseed.splits import read_split
from reseed.trials import made_by, read_trial

PLACE = ["data_seed", "repeat", "fold"]
COLUMNS = [
    *PLACE,
    "hyperparameters",
    "seeds",
    "status",
    "error",
    "metrics",
    "train_seconds",
    "fingerprint",
]
PREDICTION_BATCH = 200


def planned(job: dict) -> Iterator[tuple[dict, Setting, dict, Coordinates]]:
    """Every (experiment, setting, scheme, coordinates) that a study's description names."""
    for experiment in job["experiments"]:
        for fields, scheme in zip(experiment["settings"], experiment["schemes"], strict=True):
            for trial in expand(experiment["seeds"], scheme):
                yield experiment, Setting(**fields), scheme, trial


def _read(path: str, columns: list[str]) -> dict:
    """Read a trial; a damaged file is moved aside so that the next run makes it anew."""
    try:
        return read_trial(path, columns)
    except (OSError, ValueError, IndexError) as error:
        if not Path(path).exists():
            raise ReseedError(f"{path}: missing. Run snakemake again to train it.") from None
        aside = Path(path).with_suffix(".damaged")
        Path(path).rename(aside)
        raise ReseedError(
            f"{path}: damaged ({error}); moved to {aside.name}. "
            "Run snakemake again: only this trial is trained."
        ) from None


def collect_trials(results: Path, job: dict) -> tuple[pd.DataFrame, list[dict]]:
    """One row a trial and experiment, metrics as columns, and what made each distinct trial."""
    rows, facts, read = [], {}, {}
    for experiment, setting, scheme, trial in planned(job):
        path = trial_path(str(results), setting, trial)
        if path not in read:
            read[path] = _read(path, COLUMNS)
            facts[path] = made_by(path)
        record = read[path]
        rows.append(
            {
                "study": job["study"],
                "experiment": experiment["experiment"],
                "varied": varied(experiment["seeds"]),
                "dataset": setting.dataset,
                "scheme": setting.scheme,
                "test_ratio": scheme.get("test", np.nan),
                "model": setting.model,
                "hyperparameters_source": setting.hyperparameters,
                **{name: record[name] for name in PLACE},
                **record["seeds"],
                **{name: record[name] for name in ("status", "error", "train_seconds")},
                **{name: record[name] for name in ("fingerprint", "hyperparameters")},
                **(record["metrics"] or {}),
            }
        )
    if not rows:
        raise ReseedError(f"study {job['study']}: no trials are planned at this scale")
    return pd.DataFrame(rows), list(facts.values())


def describe(results: Path, job: dict, metrics: pd.DataFrame, facts: list[dict]) -> dict:
    """What is shown beside the numbers: data, models, scale, failures, machines, costs."""
    setting = ["dataset", "scheme", "model", "hyperparameters_source"]
    trials = metrics.drop_duplicates([*setting, *PLACE, *ROLES])
    failed = trials[trials["status"] != "ok"]
    shown = ["experiment", "dataset", "model", "data_seed", "init", "error"]
    machine_fields = ("cpu", "device", "platform", "python", "threads", "libraries")
    machines = Counter(
        json.dumps({name: fact[name] for name in machine_fields}, sort_keys=True) for fact in facts
    )
    folders = trials[setting].agg("/".join, axis=1)
    return {
        **{name: job[name] for name in ("study", "title", "question", "citation", "scale")},
        "notes": job["notes"],
        "models": job["models"],
        "experiments": {
            entry["experiment"]: {
                "title": job["experiment_titles"][entry["experiment"]],
                "varied": varied(entry["seeds"]),
                "seeds": entry["seeds"],
            }
            for entry in job["experiments"]
        },
        "datasets": {
            name: describe_dataset(read_meta(results / "data" / name))
            for name in sorted(metrics["dataset"].unique())
        },
        "trials": {
            "planned": len(trials),
            "ok": len(trials) - len(failed),
            "failed": len(failed),
            "failures": failed[shown].to_dict("records"),
        },
        "train_seconds": float(trials["train_seconds"].sum()),
        "seconds_per_trial": trials.groupby(folders)["train_seconds"].median().to_dict(),
        "machines": [json.loads(text) | {"trials": n} for text, n in machines.most_common()],
        "commits": sorted({fact["git_commit"] for fact in facts}),
    }


def describe_dataset(meta: dict) -> dict:
    """A dataset's meta with the metric that its task is judged by."""
    metric = PRIMARY[meta["task"]]
    return meta | {"metric": metric, "greater_is_better": GREATER_IS_BETTER[metric]}


def collect_predictions(results: Path, job: list[dict], scores: Path, targets: Path) -> None:
    """Write the per-item scores of one or more experiments, and the targets of each split.

    `scores`: one row a trial with `y_score` (flattened row by row for several classes; null for
    a failed trial). `targets`: one row a (dataset, split) with `y_true`. Memory is bounded: trials
    are read and written in batches.
    """
    fields = ["experiment", "dataset", "scheme", "model", "hyperparameters_source"]
    schema = pa.schema(
        [(name, pa.string()) for name in fields]
        + [(name, pa.int64()) for name in (*PLACE, *ROLES)]
        + [("status", pa.string()), ("y_score", pa.list_(pa.float64()))]
    )
    partitions: set[tuple] = set()
    batch: list[dict] = []
    with replacing(scores) as temporary, pq.ParquetWriter(temporary, schema) as writer:

        def flush() -> None:
            if batch:
                writer.write_table(pa.Table.from_pylist(batch, schema=schema))
                batch.clear()

        for experiment, setting, _, trial in planned({"experiments": job}):
            path = trial_path(str(results), setting, trial)
            record = _read(path, [*PLACE, "seeds", "status", "y_score"])
            if record["status"] == "ok" and record["y_score"] is None:
                raise ReseedError(
                    f"{path}: keeps no scores, and an analysis of "
                    f"experiment {experiment['experiment']} needs them. Set keep: scores."
                )
            key = (setting.dataset, setting.scheme, *(record[name] for name in PLACE))
            partitions.add(key)
            batch.append(
                {
                    "experiment": experiment["experiment"],
                    "dataset": setting.dataset,
                    "scheme": setting.scheme,
                    "model": setting.model,
                    "hyperparameters_source": setting.hyperparameters,
                    **{name: record[name] for name in PLACE},
                    **record["seeds"],
                    "status": record["status"],
                    "y_score": record["y_score"],
                }
            )
            if len(batch) == PREDICTION_BATCH:
                flush()
        flush()
    _write_targets(results, partitions, targets)


def _write_targets(results: Path, partitions: set[tuple], targets: Path) -> None:
    rows, data = [], {}
    for dataset, scheme, data_seed, repeat, fold in sorted(partitions):
        if dataset not in data:
            data[dataset] = read_prepared(results / "data" / dataset)
        path = results / "splits" / dataset / scheme / f"data-seed-{data_seed}.parquet"
        test = read_split(path, repeat, fold).test
        rows.append(
            {
                "dataset": dataset,
                "scheme": scheme,
                "data_seed": data_seed,
                "repeat": repeat,
                "fold": fold,
                "y_true": data[dataset].target[test].astype(np.float64),
            }
        )
    with replacing(targets) as temporary:
        pq.write_table(pa.Table.from_pylist(rows), temporary, compression="zstd")
