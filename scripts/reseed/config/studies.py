"""Studies, and `config/config.yaml`."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Discriminator, Field, Tag, model_validator

from reseed.config.base import Count, Fraction, Identifier, Scale, Seed, Strict, shape_of
from reseed.config.models import Device, Encoder, Stack, Value
from reseed.standard import with_standard


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
    Discriminator(shape_of),
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
    Discriminator(shape_of),
]
ModelName = Annotated[
    Annotated[str, Tag("plain")] | Annotated[ModelReference, Tag("fields")],
    Discriminator(shape_of),
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
    trial_seconds: Annotated[float, Field(gt=0)] | None = None
    tuning_threads: Count = 2
    mixed: Literal["report", "retrain"] = "report"
    verify_sample: Count = 10
    verify_all: bool = False
