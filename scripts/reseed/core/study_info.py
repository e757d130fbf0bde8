"""The facts of a study (`about.json`): their classes, and the one reader and writer of the file.

Fields that a class does not declare are preserved: a dataset's reader may record more of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from reseed.core.checked_io import read_json, write_json
from reseed.core.ownership import read_twice

if TYPE_CHECKING:
    import pandas as pd

#: The scale of a study of imported results.
IMPORTED_SCALE = "as given"
_FAILURE_COLUMNS = ["experiment", "dataset", "model", "data_seed", "init", "error"]


class _Info(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow")


class DatasetInfo(_Info):
    """A dataset, and the metric that its models are compared on.

    is_split_assumed: whether imported runs are taken to share one split without a column or word
    that says so.
    by_items: whether seeds alone do not describe what varied in imported scores, so that models are
        compared over items with all that is crossed with them (`readers.design`).
    """

    metric: str
    greater_is_better: bool
    metric_title: str | None = None
    metric_is_share: bool | None = None
    metric_unit: str = ""
    title: str | None = None
    kind: str | None = None
    task: str | None = None
    target: str | None = None
    unit: str | None = None
    rows: int | None = None
    features: list[dict[str, Any]] = []
    classes: list[Any] | None = None
    class_counts: dict[Any, int] | None = None
    stand_in: str | None = None
    licence: str | None = None
    citation: str | None = None
    source: dict[str, Any] | None = None
    content_sha256: str | None = None
    sha256: str | None = None
    shape: list[int] | None = None
    columns: list[str] | None = None
    words: float | None = None
    notes: list[str] | None = None
    targets_sha256: str | None = None
    is_split_assumed: bool = False
    by_items: bool = False

    @property
    def is_described(self) -> bool:
        """Whether anything is known of the data, as of datasets that are not imported."""
        known = (self.rows, self.source, self.licence, self.citation, self.stand_in, self.notes)
        return any(known)


class ModelInfo(_Info):
    """A model: its hyper-parameters, and the values that a search chooses from."""

    title: str | None = None
    hyperparameters: dict[str, Any] = {}
    search_space: dict[str, Any] = {}
    notes: str | list[str] | None = None


class ExperimentInfo(_Info):
    """An experiment: titles of its arms, and which seeds vary.

    `varied` is `data`, `model`, `data+model` or `none`; `seeds` holds, by kind of seed, a number,
    a list of numbers, or a count.
    """

    title: str | None = None
    arms: dict[str, str] = {}
    varied: str | None = None
    seeds: dict[str, Any] = {}


class FailedTrial(_Info):
    """A failed trial and its error."""

    experiment: str
    dataset: str
    model: str
    data_seed: int
    init: int
    error: str | None = None


class RepeatedOutputs(_Info):
    """A model of which `repeats` of the `trials` have the same outputs as another seed."""

    dataset: str
    model: str
    trials: int
    repeats: int


class TrialCounts(_Info):
    """How many trials were planned, finished and failed, with each failure."""

    planned: int = 0
    ok: int = 0
    failed: int = 0
    not_converged: int = 0
    failures: list[FailedTrial] = []
    same_outputs: list[RepeatedOutputs] = []

    @classmethod
    def of_trials(cls, trials: pd.DataFrame, **more: Any) -> TrialCounts:
        """Counts of a table with one row a trial that was needed; `more` are further fields."""
        failed = trials[trials["status"] != "ok"]
        return cls(
            planned=len(trials),
            ok=len(trials) - len(failed),
            failed=len(failed),
            not_converged=int(trials["converged"].eq(False).sum()) if "converged" in trials else 0,
            failures=failed[_FAILURE_COLUMNS].to_dict("records"),  # type: ignore[arg-type]
            **more,
        )


class SplitDigest(_Info):
    """The splits of one dataset and scheme: their number, and one hash of all their rows."""

    dataset: str
    scheme: str
    splits: int
    sha256: str


class MachineInfo(_Info):
    """An environment (`reseed.core.environment`), and how many trials ran in it."""

    environment: str | None = None
    cpu: str | None = None
    device: str | None = None
    threads: int | None = None
    platform: str | None = None
    python: str | None = None
    interpreter: dict[str, Any] = {}
    libraries: dict[str, str] = {}
    packages: dict[str, str] = {}
    determinism: dict[str, Any] = {}
    trials: int | None = None


class StudyInfo(_Info):
    """The facts of a study that its exhibits and pages show.

    `left_out` holds titles of optional datasets without files here. `variants` maps the identifier
    of a changed dataset or model to its changes. `seconds_per_trial` holds medians in seconds, by
    folder of the setting.
    """

    study: str | None = None
    title: str = ""
    question: str | None = ""
    citation: str | None = ""
    scale: str
    reduced: bool = False
    notes: list[str] | None = None
    left_out: list[str] = []
    models: dict[str, ModelInfo] = {}
    variants: dict[str, str] = {}
    experiments: dict[str, ExperimentInfo] = {}
    datasets: dict[str, DatasetInfo] = {}
    splits: list[SplitDigest] = []
    trials: TrialCounts = TrialCounts()
    train_seconds: float = 0.0
    seconds_per_trial: dict[str, float] = {}
    machines: list[MachineInfo] = []
    commits: list[str] = []

    @property
    def is_reproduction(self) -> bool:
        """Whether the study reproduces a paper, which it then cites."""
        return bool(self.citation)


def build_study_info(
    experiments: Mapping[str, ExperimentInfo],
    datasets: Mapping[str, DatasetInfo],
    trials: pd.DataFrame | None = None,
    settings: pd.Series[str] | None = None,
    *,
    same_outputs: list[RepeatedOutputs] | None = None,
    scale: str = IMPORTED_SCALE,
    **fields: Any,
) -> StudyInfo:
    """Facts of a study, by default of imported results.

    Args:
        experiments: by name.
        datasets: by name.
        trials: a table with one row for each trial that was needed; it gives the counts.
        settings: name of each row's setting in `seconds_per_trial`. Without it, the run times are
            unknown.
        same_outputs: models with equal outputs for several seeds; None if unknown.
        scale: scale of the study.
        fields: further fields of `StudyInfo`, such as its texts.
    """
    if trials is not None:
        known = {} if same_outputs is None else {"same_outputs": same_outputs}
        fields["trials"] = TrialCounts.of_trials(trials, **known)
    if trials is not None and settings is not None:
        medians = trials.groupby(settings)["train_seconds"].median()
        fields["seconds_per_trial"] = {str(name): float(s) for name, s in medians.items()}
        fields["train_seconds"] = float(trials["train_seconds"].sum())
    return StudyInfo(scale=scale, experiments=dict(experiments), datasets=dict(datasets), **fields)


def read_study_info(path: Path) -> StudyInfo:
    """Read `about.json`. Raises Damaged."""
    facts = read_json(path)
    return read_twice(path, lambda: StudyInfo.model_validate(facts))


def write_study_info(path: Path, info: StudyInfo) -> None:
    """Write `about.json` in one step, with the fields that were set."""
    write_json(path, info.model_dump(exclude_unset=True))
