"""What an exhibit is drawn from, and what all of them say in the same words."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd


class _Titles(dict):
    """A metric of the user's own is printed as it is written."""

    def __missing__(self, metric: str) -> str:
        return metric


#: Metrics as they are printed within a sentence.
METRICS = _Titles(
    {
        "mse": "MSE",
        "mae": "MAE",
        "r2": "R²",
        "auc": "AUC",
        "average_precision": "average precision",
        "accuracy": "accuracy",
        "log_loss": "log loss",
        "brier": "Brier score",
        "macro_auc": "macro AUC",
    }
)
VARIED = {"model": "model seeds", "data": "data seeds", "data+model": "data and model seeds"}


@dataclass(frozen=True)
class ExhibitData:
    """An exhibit's inputs: its analysis (None without one), the trials, the study's facts.

    `kind`, `title` and `caption` are as the study configures the exhibit.
    """

    statistics: pd.DataFrame | None
    metrics: pd.DataFrame
    about: dict
    kind: str = ""
    title: str = ""
    caption: str = ""

    def dataset(self, identifier: str) -> str:
        """Title of a dataset; a stand-in is marked with an asterisk that the footnote explains."""
        entry = self.about["datasets"].get(identifier, {})
        mark = "*" if entry.get("stand_in") else ""
        return _title(entry, identifier) + mark

    def model(self, identifier: str) -> str:
        """Title of a model; † marks one run off its usual recipe, which the footnote gives.

        Where several recipes of a model are in the study, each title names its own.
        """
        entry = self.about["models"].get(identifier, {})
        name, _, variant = identifier.partition("~")
        if variant and self._alone(name):
            return f"{entry.get('title') or name}†"
        return _title(entry, identifier)

    def recipes(self, models: Iterable[str]) -> list[str]:
        """One sentence a model that `model` marks with †."""
        marked = [m for m in dict.fromkeys(models) if "~" in m and self._alone(m.partition("~")[0])]
        return [
            f"{self.model(m).replace('†', '')}: {m.partition('~')[2].replace(',', ', ')}"
            for m in marked
        ]

    def _alone(self, name: str) -> bool:
        return sum(m.partition("~")[0] == name for m in self.about["models"]) == 1

    def experiment(self, name: str) -> str:
        """Title of an experiment."""
        return self.about["experiments"].get(name, {}).get("title") or name

    def metric(self, dataset: str) -> str:
        """The dataset's primary metric."""
        return self.about["datasets"][dataset]["metric"]

    def rows(self, experiments: Iterable[str] | None = None) -> pd.DataFrame:
        """The analysis, or an empty frame; restricted to `experiments` in their order."""
        table = self.statistics if self.statistics is not None else pd.DataFrame()
        if experiments is None or table.empty:
            return table
        parts = [table[table["experiment"] == name] for name in experiments]
        return pd.concat(parts, ignore_index=True)

    def trials(self, experiments: Iterable[str]) -> pd.DataFrame:
        """Trials of the given experiments, each trial once."""
        chosen = self.metrics[self.metrics["experiment"].isin(list(experiments))]
        shared = ["experiment", "varied"]
        place = [
            name
            for name in (
                "dataset", "scheme", "model", "arm", "hyperparameters_source", "data_seed",
                "repeat", "fold", "init", "order", "dropout", "augment",
            )
            if name in chosen and name not in shared
        ]  # fmt: skip
        return chosen.drop_duplicates(place)


def read_exhibit_data(study: Path, job: dict) -> ExhibitData:
    """Read what the exhibit `job` (as configured) is drawn from out of a study's folder."""
    analysis = job.get("analysis")
    statistics = pd.read_parquet(study / "statistics" / f"{analysis}.parquet") if analysis else None
    return ExhibitData(
        statistics,
        pd.read_parquet(study / "metrics.parquet"),
        json.loads((study / "about.json").read_text(encoding="utf-8")),
        kind=job["kind"],
        title=job["title"],
        caption=job.get("caption", ""),
    )


def footnote(
    data: ExhibitData,
    shown: pd.DataFrame,
    *sentences: str,
    per: str = "cell",
) -> str:
    """The line under an exhibit: scale, seeds, failed trials, stand-ins, units, then `sentences`.

    `shown` holds the rows drawn, with `dataset`, and where they exist `experiment` and `n`.
    """
    datasets = list(dict.fromkeys(shown["dataset"])) if "dataset" in shown else []
    parts = [f"Scale: {data.about['scale']}."]
    if "n" in shown and len(shown):
        low, high = int(shown["n"].min()), int(shown["n"].max())
        parts.append(f"Seeds per {per}: {low if low == high else f'{low}–{high}'}.")
    if "experiment" in shown:
        trials = data.trials(shown["experiment"].unique())
        trials = trials[trials["dataset"].isin(datasets)]
        if "model" in shown:
            trials = trials[trials["model"].isin(shown["model"])]
        failed = int((trials["status"] != "ok").sum())
        parts.append(f"Failed trials (left out): {failed:,} of {len(trials):,}.")
    recipes = data.recipes(shown["model"]) if "model" in shown else []
    parts += [*units(data, datasets), *stand_ins(data, datasets)]
    parts += [f"† {'; '.join(recipes)}."] if recipes else []
    parts += sentences
    return " ".join(part for part in parts if part)


def units(data: ExhibitData, datasets: list[str]) -> list[str]:
    """What a regression score is measured in; other metrics have no unit."""
    found = []
    for dataset in datasets:
        entry = data.about["datasets"][dataset]
        if entry["metric"] in ("mse", "mae"):
            unit = entry.get("unit") or f"the target ({entry.get('target', 'as given')})"
            square = "squared unit" if entry["metric"] == "mse" else "unit"
            name = METRICS[entry["metric"]]
            found.append(f"{_title(entry, dataset)}: {name} in the {square} of {unit}.")
    return found


def stand_ins(data: ExhibitData, datasets: list[str]) -> list[str]:
    """One sentence a dataset that stands in for one that cannot be had."""
    entries = ((name, data.about["datasets"][name]) for name in datasets)
    return [
        f"* {_title(entry, name)} stands in for {entry['stand_in']}."
        for name, entry in entries
        if entry.get("stand_in")
    ]


def _title(entry: dict, identifier: str) -> str:
    """Title with the variant that the identifier names: `magic~rows=1500` → `…, 1,500 rows`."""
    name, _, variant = identifier.partition("~")
    changes = (part.partition("=") for part in variant.split(",") if part)
    parts = [f"{int(v):,} rows" if k == "rows" else f"{k}={v}" for k, _, v in changes]
    return ", ".join([entry.get("title") or name, *parts])
