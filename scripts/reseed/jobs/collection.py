"""Collect trial files into the tables of `reseed.core.schemas`; check each against its key."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from reseed.cache.entries import discard
from reseed.cache.trial_cache import SettingFiles
from reseed.core.atomic import replace_atomically
from reseed.core.code_hash import digest
from reseed.core.coordinates import Coordinates, expand, varied
from reseed.core.environment import count_cores
from reseed.core.errors import Damaged, ReseedError
from reseed.core.schemas import (
    CURVES,
    OUTCOME_COLUMNS,
    SCORES,
    SETTING_COLUMNS,
    SPLIT_COLUMNS,
    TARGET_COLUMNS,
    TARGETS,
    TRIAL_COLUMNS,
)
from reseed.core.study_info import (
    DatasetInfo,
    ExperimentInfo,
    MachineInfo,
    RepeatedOutputs,
    SplitDigest,
    StudyInfo,
    TrialCounts,
)
from reseed.data.splits import read_split
from reseed.data.store import read_targets
from reseed.metrics import registry as metrics
from reseed.metrics.outputs import to_probabilities

BATCH = 200


class Study:
    """A study's description (`plan_files.study_job`) with its settings' files."""

    def __init__(self, job: dict, experiment: str | None = None):
        self.job, self.results = job, Path(job["results"])
        self.experiments = [
            entry for entry in job["experiments"] if experiment in (None, entry["experiment"])
        ]
        self.files = [SettingFiles(self.results, described) for described in job["settings"]]

    def trials(self) -> Iterator[tuple[dict, SettingFiles, Coordinates]]:
        """Every (identity, setting's files, coordinates), a shared trial as often as it serves."""
        for entry in self.experiments:
            for arm in entry["arms"]:
                files, scheme = self.files[arm["setting"]], arm["scheme"]
                setting = files.setting
                identity = {
                    "experiment": entry["experiment"],
                    "varied": varied(arm["seeds"]),
                    "dataset": setting.dataset,
                    "scheme": setting.scheme,
                    "test_ratio": scheme.get("test", np.nan),
                    "arm": arm["arm"],
                    "model": setting.model,
                    "hyperparameters_source": setting.hyperparameters,
                }
                for trial in expand(arm["seeds"], scheme):
                    yield identity, files, trial

    def datasets(self) -> list[SettingFiles]:
        """One setting of each dataset."""
        return list({files.setting.dataset: files for files in self.files}.values())


class _Reader:
    """Reads each trial once; gathers everything that must be made again into one error."""

    def __init__(self, columns: Iterable[str] = (), remember: bool = True):
        self.columns, self.remember, self.problems = columns, remember, []
        self._read: dict[Path, dict | None] = {}

    def __call__(self, files: SettingFiles, trial: Coordinates) -> dict | None:
        path = files.target(trial)
        if path in self._read:
            return self._read[path]
        try:
            record = files.read(trial, self.columns)
        except Damaged as error:
            self.problems.append(error)
            record = None
        if self.remember or record is None:
            self._read[path] = record
        return record

    def finish(self) -> None:
        """Raise one error for all that is damaged or stale."""
        if self.problems:
            shown = "\n  ".join(str(problem) for problem in self.problems[:5])
            count, more = len(self.problems), len(self.problems) - 5
            raise ReseedError(
                f"{count} trial{'s' if count > 1 else ''} must be made again; run snakemake again."
                f"\n  {shown}" + (f"\n  … and {more} more" if more > 0 else "")
            )


def _identified(identity: dict, trial: Coordinates) -> dict:
    return identity | dict(
        zip(TRIAL_COLUMNS, (trial.data_seed, 0, trial.fold or 0, *trial[2:]), strict=True)
    )


def collect_trials(study: Study) -> pd.DataFrame:
    """One row a trial and experiment (`schemas`).

    Raises ReseedError, with everything that must be made again, or for a study without trials.
    """
    rows, read, extra = [], _Reader(), study.job["metrics"]
    for identity, files, trial in study.trials():
        record = read(files, trial)
        if record is None:
            continue
        values = record["metrics"]
        absent = [name for name in extra if metrics.get_metric(name).name not in values]
        if absent and record["status"] == "ok":
            values = values | _measure(study, files, trial, absent)
        rows.append(
            {
                **_identified(identity, trial),
                **{name: record[name] for name in [*OUTCOME_COLUMNS, "commit"]},
                **values,
                **{f"validation_{k}": v for k, v in record["validation_metrics"].items()},
            }
        )
    read.finish()
    if not rows:
        raise ReseedError(f"study {study.job['study']}: no trials are planned at this scale")
    frame = pd.DataFrame(rows)
    frame.insert(0, "study", study.job["study"])
    _check_environments(study, frame)
    return frame


def _measure(study: Study, files: SettingFiles, trial: Coordinates, names: list[str]) -> dict:
    """Metrics that the record lacks, from the outputs it keeps."""
    task = files.data.task
    applying = [name for name in names if task in metrics.get_metric(name).tasks]
    if not applying:
        return {}
    outputs = files.read(trial, ["test"])["test"]
    if outputs is None:
        raise ReseedError(
            f"study {study.job['study']}: metric {applying[0]} needs the raw outputs of every "
            "trial. Set keep: [test]."
        )
    rows = read_split(files.split(trial.data_seed), trial.fold or 0).test
    truth = read_targets(files.data_folder).target[rows]
    scores, values = to_probabilities(task, outputs), {}
    for name in applying:
        metric = metrics.get_metric(name)
        try:
            values[metric.name] = metrics.compute_metric(metric, truth, scores)
        except metrics.Undefined:
            continue
        except Exception as error:
            raise ReseedError(
                f"metric {name} failed on {files.target(trial)}: {type(error).__name__}: {error}. "
                "It is given class numbers (or values) and probabilities (or predictions), and "
                "must return a number."
            ) from error
    return values


def _check_environments(study: Study, frame: pd.DataFrame) -> None:
    """With `mixed: retrain`, remove what was made elsewhere than the last trial of its device."""
    searched = any(files.described["search"] for files in study.files)
    if study.job["mixed"] != "retrain" or not (searched or frame["environment"].nunique() > 1):
        return
    found, newest = [], {}
    for _, files, trial in study.trials():
        path, device = files.target(trial), files.described["device"]
        made = path.stat().st_mtime, files.read(trial)["environment"]
        newest[device] = max(made, newest.get(device, made))
        found.append((files, trial, path, made[1]))
    trials, searches = set(), set()
    for files, trial, path, environment in found:
        here, winner = newest[files.described["device"]][1], files.winner(trial)
        foreign = bool(winner) and not _same_machine(study, winner.get("environment"), here)
        if foreign:
            searches.add(files.search_files(trial))
        if foreign or environment != here:  # a search is made anew for a trial that is not there
            trials.add(path)
    discard(*trials, *searches, *(path.with_suffix(".parquet") for path in searches))
    if trials:
        raise ReseedError(
            f"study {study.job['study']}: {len(trials)} trials, or the searches they follow"
            f" ({len(searches)}), were made under other versions or on another device and are"
            " removed (mixed: retrain). Run snakemake again to make them here."
        )


def _same_machine(study: Study, one: str | None, other: str) -> bool:
    """Whether two environments differ in nothing but threads: a search's fits have one each."""
    found = [_environment(study, name) if name else {} for name in (one, other)]
    return one == other or (
        found[0] != {} and found[0] | {"threads": 1} == found[1] | {"threads": 1}
    )


def _environment(study: Study, name: str) -> dict:
    """What the store says of an environment; nothing where it does not know it."""
    path = study.results / "store" / "environments" / f"{name}.json"
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def describe(study: Study, frame: pd.DataFrame) -> StudyInfo:
    """Facts of a study: texts, datasets, models, failures, machines and run times."""
    job = study.job
    trials = frame.drop_duplicates([*SETTING_COLUMNS, *TRIAL_COLUMNS])
    folders = trials["dataset"].str.cat(trials[SETTING_COLUMNS[1:]], sep="/")
    texts = ("study", "title", "question", "citation", "scale", "reduced", "notes", "models",
             "variants")  # fmt: skip
    return StudyInfo(
        **{name: job[name] for name in texts},
        experiments={
            entry["experiment"]: ExperimentInfo(
                title=entry["title"],
                arms={arm["arm"]: arm["title"] for arm in entry["arms"]},
                **_seeds_of(entry),
            )
            for entry in job["experiments"]
        },
        datasets={
            files.setting.dataset: describe_dataset(
                with_texts(files.data.to_json(), job["datasets"][files.setting.dataset]),
                job["metric"],
            )
            for files in study.datasets()
        },
        splits=split_hashes(study),
        trials=TrialCounts.of_trials(trials, same_outputs=repeated_outputs(trials)),
        train_seconds=float(trials["train_seconds"].sum()),
        seconds_per_trial=trials.groupby(folders)["train_seconds"].median().to_dict(),
        machines=_machines(study, trials),
        commits=sorted(trials["commit"].dropna().unique()),
    )


def split_hashes(study: Study) -> list[SplitDigest]:
    """Of each dataset and scheme how many splits were used, and one hash of all their rows."""
    used = defaultdict(set)
    for _, files, trial in study.trials():
        place = (trial.data_seed, trial.fold or 0, files.rows(trial))
        used[files.setting.dataset, files.setting.scheme].add(place)
    return [
        SplitDigest(
            dataset=dataset, scheme=scheme, splits=len(places), sha256=digest(*sorted(places))
        )
        for (dataset, scheme), places in used.items()
    ]


def repeated_outputs(trials: pd.DataFrame) -> list[RepeatedOutputs]:
    """Models of which trials with other seeds gave the same outputs, bit by bit, on one split.

    Each with `repeats`, how many of its `trials` are none of their own: the seed moves nothing
    there, or was never used.
    """
    known = trials[trials["fingerprint"].notna()]
    splits = known.groupby([*SETTING_COLUMNS, *SPLIT_COLUMNS], sort=False)["fingerprint"]
    counts = splits.agg(trials="size", distinct="nunique").reset_index()
    found = counts.groupby(["dataset", "model"], sort=False)[["trials", "distinct"]].sum()
    found["repeats"] = found["trials"] - found.pop("distinct")
    rows = found[found["repeats"] > 0].reset_index().to_dict("records")
    return [RepeatedOutputs(**row) for row in rows]


def _seeds_of(entry: dict) -> dict:
    arms = entry["arms"]
    return {"varied": varied(arms[0]["seeds"]), "seeds": arms[0]["seeds"]} if arms else {}


def _machines(study: Study, trials: pd.DataFrame) -> list[MachineInfo]:
    """Each environment that trials were made in, with how many; the most frequent first."""
    own = {"cores": count_cores()}
    return [
        MachineInfo(**_environment(study, name) | own | {"environment": name, "trials": count})
        for name, count in Counter(trials["environment"]).most_common()
    ]


def with_texts(meta: dict, texts: dict) -> dict:
    """A prepared dataset's meta with its file's texts of now; its notes beside its reader's."""
    return meta | texts | {"notes": [*(texts.get("notes") or []), *(meta.get("notes") or [])]}


def describe_dataset(meta: dict, metric: str | None = None) -> DatasetInfo:
    """Facts of a dataset; its models are compared on `metric`, or on the default of its task."""
    name = metrics.first_applicable(meta["task"], filter(None, [metric, meta.get("metric")]))
    chosen = metrics.get_metric(name) if name else metrics.default_metric(meta["task"])
    chosen_metric = {
        "metric": chosen.name,
        "metric_title": chosen.title,
        "greater_is_better": chosen.greater_is_better,
        "metric_is_share": chosen.share,
    }
    return DatasetInfo(**{"features": [], "class_counts": None} | meta | chosen_metric)


# --- per item -----------------------------------------------------------------------------------


class _Writer:
    """A Parquet file of many rows, written in batches, whole or not at all."""

    def __init__(self, path: Path, schema: pa.Schema):
        self.schema, self._batch = schema, []
        self._context = replace_atomically(path)
        self._writer = pq.ParquetWriter(
            self._context.__enter__(), schema, compression="zstd", write_page_checksum=True
        )

    def add(self, row: dict) -> None:
        self._batch.append(row)
        if len(self._batch) >= BATCH:
            self.flush()

    def flush(self) -> None:
        if self._batch:
            self._writer.write_table(pa.Table.from_pylist(self._batch, schema=self.schema))
            self._batch = []

    def __enter__(self) -> _Writer:
        return self

    def __exit__(self, *error) -> None:
        if error[0] is None:
            self.flush()
        self._writer.close()
        self._context.__exit__(*error)


def collect_items(study: Study, scores: Path, targets: Path, curves: Path) -> None:
    """Write the raw outputs, targets and learning curves of the study's experiments.

    Memory is bounded: trials are read and written in batches. Raises ReseedError, with everything
    that must be made again.
    """
    read = _Reader(["test", "validation", "curve"], remember=False)
    partitions: dict[tuple, tuple[SettingFiles, Coordinates]] = {}
    with _Writer(scores, SCORES) as items, _Writer(curves, CURVES) as epochs:
        for identity, files, trial in study.trials():
            record = read(files, trial)
            if record is None:
                continue
            placed = _identified(identity, trial)
            flat = {
                part: None if record[part] is None else record[part].ravel()
                for part in ("test", "validation")
            }
            items.add(placed | {name: record[name] for name in ("status", "classes")} | flat)
            for point in record["curve"] or []:
                epochs.add(placed | point)
            place = (*files.setting[:2], trial.data_seed, 0, trial.fold or 0)
            partitions.setdefault(place, (files, trial))
        read.finish()
    with _Writer(targets, TARGETS) as truths:
        for place, (files, trial) in sorted(partitions.items()):
            split = read_split(files.split(trial.data_seed), trial.fold or 0)
            target = read_targets(files.data_folder).target.astype(np.float64)
            names = TARGET_COLUMNS
            truths.add(
                dict(zip(names, place, strict=True))
                | {part: target[getattr(split, part)] for part in ("test", "validation")}
            )
