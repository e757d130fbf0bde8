"""What each job does, as one frozen class a job.

`pipeline.spec_files` writes them as JSON. `results` (a folder), `sources` (stamps): in no key.
"""

from collections.abc import Hashable
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter

from reseed.config.datasets import Dataset, Weights
from reseed.config.models import Encoder, SearchValues, Value
from reseed.config.studies import Results, Scheme, Seeds
from reseed.core.blocks import parse_block
from reseed.core.code_hash import digest
from reseed.core.coordinates import ROLES, Coordinates, Setting, search_coordinates
from reseed.core.halving import SearchShard
from reseed.core.statement import Statement

AnySpec = TypeVar("AnySpec")


@cache
def _adapter(cls: Hashable) -> TypeAdapter[Any]:
    return TypeAdapter(cls)


def to_json(spec: Any) -> Any:
    """JSON-able form of a spec, or of a part of one."""
    return _adapter(cast(Hashable, type(spec))).dump_python(spec, mode="json", by_alias=True)


def from_json(cls: type[AnySpec], text: str | bytes) -> AnySpec:
    """Read a spec. Raises ValueError (pydantic's) for a text that does not hold one."""
    return _adapter(cast(Hashable, cls)).validate_json(text)


# Blocks are files: their borders decide no number.
_PATHS = ("results", "shown", "references", "config", "sources", "blocks")


def without_paths(spec: Any) -> Any:
    """JSON-able form of a spec without its paths, for keys."""
    assert is_dataclass(spec)
    names = (field.name for field in fields(spec))
    parts = {name: getattr(spec, name) for name in names if name not in _PATHS}
    return {name: _json_part(part) for name, part in parts.items()}


def _json_part(part: Any) -> Any:
    if is_dataclass(part) and any(f.name in _PATHS for f in fields(part)):
        return without_paths(part)
    if isinstance(part, tuple) and any(map(is_dataclass, part)):
        return [_json_part(one) for one in part]
    return to_json(part)


# --- training ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ModelSpec:
    """How a trial is trained. Every field decides numbers.

    stack: trials trained in one pass, by the device types on which the model may train.
    metric: a metric besides the built-in ones.
    device: the only device that serves an arm, if it names one.
    """

    factory: str
    encoder: Encoder
    weights: str | None
    hold_validation: bool
    compute: dict[str, Value]
    hyperparameters: dict[str, Value]
    stack: dict[str, int]
    metric: str | None
    device: str | None


@dataclass(frozen=True)
class SearchSettings:
    """How hyper-parameters are searched. metrics: the first that the task has ranks candidates."""

    mode: str
    trials: int
    folds: int
    method: str
    space: dict[str, SearchValues]
    metrics: tuple[str, ...]


@dataclass(frozen=True)
class SettingSpec:
    """What all trials of a setting share.

    search: None where hyper-parameters are given.
    code, search_code: hashes of the code that trains and searches.
    device: `cpu`, `gpu` or `auto`.
    keep: parts of the split whose raw outputs are stored.
    packages: installed packages that the user's code imports; their versions belong to the
        environment and are in no key.
    search_seeds: data seed and model seed of the one search of mode `fixed`.
    """

    setting: Setting
    model: ModelSpec
    search: SearchSettings | None
    code: str
    search_code: str
    device: str
    keep: tuple[str, ...]
    packages: tuple[str, ...] = ()
    search_seeds: tuple[int, int] = (0, 0)

    @property
    def key(self) -> str:
        """Hash of what decides the setting's numbers, apart from data, rows and seeds."""
        return digest(*self._shared(), list(self.keep))

    @property
    def search_parts(self) -> tuple[Any, ...]:
        """What decides a search, apart from data, rows and seeds: JSON-able, for keys."""
        return (*self._shared(), self.search_code)

    def _shared(self) -> tuple[Any, ...]:
        return (to_json(self.model), self.search and to_json(self.search), self.code)

    def search_at(self, trial: Coordinates) -> Coordinates | None:
        """Coordinates of the search that `trial` uses; None where there is no search."""
        at = search_coordinates(self.search.mode, trial) if self.search else None
        if at is None or at is trial:
            return at
        data_seed, model_seed = self.search_seeds
        return Coordinates(data_seed, at.fold, *(model_seed for _ in ROLES))


@dataclass(frozen=True)
class SettingTrials:
    """Some trials of a setting. blocks: their names (`reseed.core.blocks`)."""

    spec: SettingSpec
    blocks: tuple[str, ...]
    sources: str

    @property
    def trials(self) -> tuple[Coordinates, ...]:
        """The trials of all blocks."""
        return tuple(trial for name in self.blocks for trial in parse_block(name).trials())


@dataclass(frozen=True)
class TrainSpec:
    """Train trials. mixed, retry_failed: see `config.Main`."""

    results: str
    mixed: str
    retry_failed: bool
    trial_seconds: float | None
    settings: tuple[SettingTrials, ...]


@dataclass(frozen=True)
class TrySpec:
    """Train a model on a few rows, in no more than `limit` seconds."""

    results: str
    spec: SettingSpec
    hyperparameters: dict[str, Value]
    limit: float
    sources: str


@dataclass(frozen=True)
class SearchSpec:
    """Search the hyper-parameters that are used at `trial`, or make the fits of one shard."""

    results: str
    mixed: str
    retry_failed: bool
    spec: SettingSpec
    trial: Coordinates
    sources: str
    shard: SearchShard | None = None


@dataclass(frozen=True)
class ReplayStep:
    """A deterministic job that `verify` runs again.

    module: of its body, in `reseed.jobs`.
    spec: its spec file.
    inputs: those that another step makes.
    outputs: its files, relative to the results folder as the inputs are.
    """

    module: str
    spec: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


@dataclass(frozen=True)
class VerifySpec:
    """Check trials, and the files that follow from them.

    sample: how many trials to retrain (None: all).
    study: table of repeated fits to write, if any.
    steps: jobs after training, in the order of the data.
    references: folder of committed reference results.
    config: folder of the configuration, whose statements their evidence is on.
    """

    training: TrainSpec
    sample: int | None
    study: str | None = None
    steps: tuple[ReplayStep, ...] = ()
    references: str = ""
    config: str = ""


# --- data ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DataSpec:
    """Prepare a dataset. identifier: its name with the mark of a variant."""

    results: str
    identifier: str
    dataset: Dataset
    sources: str = ""


@dataclass(frozen=True)
class WeightsSpec:
    """Fetch pretrained weights."""

    results: str
    weights: Weights
    sources: str = ""


@dataclass(frozen=True)
class SplitSpec:
    """Draw the splits of neighbouring data seeds (`reseed.core.layout.split_seeds`)."""

    results: str
    dataset: str
    scheme_id: str
    scheme: Scheme
    first_data_seed: int
    sources: str = ""


# --- studies -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ArmSpec:
    """One arm in one setting, of this number in `StudySpec.settings`."""

    name: str
    title: str
    setting_number: int
    scheme: Scheme
    seeds: Seeds


@dataclass(frozen=True)
class ExperimentSpec:
    """One experiment with its arms."""

    name: str
    title: str
    arms: tuple[ArmSpec, ...]


@dataclass(frozen=True)
class ModelText:
    """What a report says about a model."""

    title: str
    hyperparameters: dict[str, Any]
    search_space: dict[str, Any]
    notes: str | list[str] | None


@dataclass(frozen=True)
class DatasetText:
    """What a report says about a dataset, from its configuration file."""

    title: str
    unit: str
    licence: str
    citation: str
    notes: list[str]
    stand_in: str | None
    metric: str | None


@dataclass(frozen=True)
class StudySpec:
    """A study as it is collected: texts, experiments, arms, settings.

    reduced: whether the scale changes the study.
    metrics: those of the study and its datasets.
    metric_code: hash of the code of the study's own metric.
    titles: by name, for imported results.
    left_out: titles of optional datasets without files here.
    variants: changes by name.
    blocks: names of the blocks of trials by setting.
    """

    results: str
    mixed: str
    study: str
    scale: str
    reduced: bool
    title: str
    question: str
    citation: str
    metric: str | None
    metrics: tuple[str, ...]
    metric_code: str
    titles: dict[str, dict[str, str]] | None
    notes: tuple[str, ...]
    left_out: tuple[str, ...]
    models: dict[str, ModelText]
    datasets: dict[str, DatasetText]
    variants: dict[str, str]
    settings: tuple[SettingSpec, ...]
    experiments: tuple[ExperimentSpec, ...]
    blocks: tuple[tuple[str, ...], ...] = ()
    sources: str = ""


@dataclass(frozen=True)
class ImportSpec:
    """Import the user's results: of items if `items`, which must exist if `needs_items`."""

    imported: Results
    study: StudySpec
    items: bool
    needs_items: bool = False
    sources: str = ""


@dataclass(frozen=True)
class ExportSpec:
    """Write a study's scores as a table of runs."""

    results: str
    study: str
    experiment: str
    metrics: tuple[str, ...]
    path: str
    sources: str = ""


@dataclass(frozen=True)
class AnalysisSpec:
    """Run one analysis of a study.

    experiments: those that it reads (None: all).
    collected: those whose per-item tables exist.
    published: folder of the papers' numbers.
    is_imported: whether a study trains nothing.
    """

    results: str
    study: str
    name: str
    kind: str
    options: dict[str, Any]
    experiments: tuple[str, ...] | None
    collected: tuple[str, ...]
    published: str
    sources: str
    is_imported: bool = False


@dataclass(frozen=True)
class ExhibitSpec:
    """Draw one exhibit. key: hash of its code and settings. suffixes: of the files to write."""

    name: str
    kind: str
    is_table: bool
    title: str
    caption: str
    analysis: str | None
    options: dict[str, Any]
    inputs: tuple[str, ...]
    suffixes: tuple[str, ...]
    key: str
    sources: str


@dataclass(frozen=True)
class JudgeSpec:
    """Judge the statements of a study. analyses: by name of the statement."""

    results: str
    study: str
    statements: dict[str, Statement]
    analyses: dict[str, str]


@dataclass(frozen=True)
class DrawSpec:
    """Draw an exhibit of a study."""

    results: str
    study: str
    exhibit: ExhibitSpec
