"""Studies, and `config/config.yaml`."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Discriminator, Field, Tag, model_validator

from reseed.config.base import (
    Count,
    Fraction,
    Identifier,
    Integer,
    Scale,
    Seed,
    Strict,
    get_union_tag,
)
from reseed.config.defaults import add_default_analyses
from reseed.config.models import Device, Encoder, Stack, Value


class Holdout(Strict):
    """One random split."""

    kind: Literal["holdout"]
    test: Fraction
    """Share of the test rows."""
    validation: Fraction = 0.2
    """Share of the rows that are not test rows, for early stopping."""
    stratify: bool = True
    """Keep the shares of the classes in every part."""


class Official(Strict):
    """The dataset's own test rows, and its own validation rows where it has some."""

    kind: Literal["official"]
    validation: Fraction = 0.1
    """Share of the training rows, where the dataset has no validation rows of its own."""
    stratify: bool = True
    """Keep the shares of the classes in every part."""


class KFold(Strict):
    """k-fold cross-validation; every data seed is a repeat with folds of its own."""

    kind: Literal["kfold"]
    folds: Annotated[Integer, Field(ge=2)] = 5
    """Parts, each of which is the test set once."""
    validation: Fraction = 0.1
    """Share of the rows that are not test rows, for early stopping."""
    stratify: bool = True
    """Keep the shares of the classes in every part."""


Scheme = Annotated[Holdout | Official | KFold, Field(discriminator="kind")]


class SeedRange(Strict):
    """`count` seeds from `start` on."""

    count: Annotated[Count, Field(le=1_000_000)]
    """How many."""
    start: Seed = 0
    """The first."""

    @model_validator(mode="after")
    def _ends(self) -> "SeedRange":
        if self.start + self.count > 2**32:
            raise ValueError("the last seed must be below 2**32")
        return self


def _different(seeds: list[int]) -> list[int]:
    twice = sorted({seed for seed in seeds if seeds.count(seed) > 1})
    if twice:
        raise ValueError(f"seed {twice[0]} stands there twice")
    return seeds


SeedList = Annotated[
    Annotated[Seed, Tag("plain")]
    | Annotated[list[Seed], Field(min_length=1), AfterValidator(_different), Tag("list")]
    | Annotated[SeedRange, Tag("fields")],
    Discriminator(get_union_tag),
]


class Seeds(Strict):
    """Which seeds are crossed: each a seed, a list, or a range; what is not named stays at 0."""

    data: SeedList = 0
    """Draws the split."""
    model: SeedList | None = None
    """Draws all that is random inside training: every role below."""
    init: SeedList | None = None
    """Initial weights; all chance of models that have one source of it."""
    order: SeedList | None = None
    """Order of the batches."""
    dropout: SeedList | None = None
    """Dropout."""
    augment: SeedList | None = None
    """Augmentation."""

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
    """`fixed`: one search a dataset and split scheme; `tuned`: one a pair of seeds; none of a model
    without a `search_space`."""
    trials: Count = 500
    """Draws of the search."""
    folds: Annotated[Integer, Field(ge=2)] = 5
    """Folds of the cross-validation that judges a draw."""
    method: Literal["random", "halving"] = "random"
    """`halving`: poor draws are dropped on part of the rows."""
    metric: str | None = None
    """What judges a draw, where a dataset's task has it (the study's; else the dataset's own)."""


class DatasetReference(Strict):
    """A dataset by name, at a number of rows."""

    name: str
    """File in `config/datasets/`."""
    rows: Count | None = None
    """Rows to draw of it, by class."""
    optional: bool = False
    """Leave it out, and say so, where its files are not on a local mirror."""


class ModelReference(Strict):
    """A model by name, with parts of its recipe changed."""

    name: str
    """File in `config/models/`."""
    title: str | None = None
    """In place of its own."""
    encoder: Encoder | None = None
    """In place of its own."""
    stack: Stack | None = None
    """In place of its own."""
    device: Device | None = None
    """In place of its own."""
    hyperparameters: dict[str, Value] = {}
    """Those that differ from its own; none of them is searched."""
    seconds_per_trial: Annotated[float, Field(gt=0)] | None = None
    """What a trial costs then: sizes jobs, changes no result."""


DatasetName = Annotated[
    Annotated[str, Tag("plain")] | Annotated[DatasetReference, Tag("fields")],
    Discriminator(get_union_tag),
]
ModelName = Annotated[
    Annotated[str, Tag("plain")] | Annotated[ModelReference, Tag("fields")],
    Discriminator(get_union_tag),
]


class Arm(Strict):
    """What is compared, where that is more than a model: a model with seeds of its own."""

    model: ModelName
    """The model."""
    title: str = ""
    """What tables and figures call it."""
    seeds: Seeds | None = None
    """In place of the experiment's."""


class Experiment(Strict):
    """Trials of every (dataset, split scheme, arm) over crossed seeds."""

    title: str = ""
    """What tables and figures call it."""
    datasets: list[DatasetName] | None = None
    """In place of the study's."""
    models: list[ModelName] | None = None
    """In place of the study's; each is an arm."""
    arms: dict[Identifier, Arm] | None = None
    """What is compared, by name, where that is more than a model."""
    splits: list[Scheme] | None = None
    """In place of the study's."""
    hyperparameters: Hyperparameters | None = None
    """In place of the study's."""
    seeds: Seeds | None = None
    """Which seeds are crossed."""

    @model_validator(mode="after")
    def _has_seeds(self) -> "Experiment":
        if self.arms is not None and self.models is not None:
            raise ValueError("gives both models and arms: an arm names its model")
        arms = list((self.arms or {"": None}).values())
        if self.seeds is None and any(arm is None or arm.seeds is None for arm in arms):
            raise ValueError("seeds: missing; say which seeds are varied, as {model: {count: 50}}")
        return self


ResultsFormat = Literal[
    *("auto", "csv", "parquet", "json", "lm_eval", "tensorboard"),
    *("mlflow", "mlflow_ui", "wandb", "clearml", "optuna", "ray"),
    *("cv_results", "cross_validate", "runs_in_columns", "models_in_columns"),
    "datasets_in_columns",
]


class Results(Strict):
    """Results of the user's own runs, in place of training (docs/your-results.md)."""

    path: str
    """The table; `{results}` in it stands for the results folder."""
    made_from: str | None = None
    """A study of this project whose scores are written to `path` first."""
    format: ResultsFormat = "auto"
    """The tool that wrote it, where it is not recognised."""
    columns: dict[str, str | list[str]] = {}
    """Reseed's name of a column: the file's, or several of them."""
    metric: str | list[str] | dict[str, str] | None = None
    """One; a list, of which each dataset takes the first it has; or one by dataset."""
    greater_is_better: bool | dict[str, bool] | None = None
    """Where the metric's name does not say; or by metric."""
    test_train_ratio: Annotated[float, Field(gt=0)] | None = None
    """Test rows over training rows, where splits are random and no column tells."""
    unit: str = ""
    """What scores are measured in."""
    titles: dict[str, str] = {}
    """Title of a dataset or model by its name in the table (that of a file in `config/`)."""
    baseline: str | None = None
    """Compare each model with this one only."""
    pairs: list[Annotated[list[str], Field(min_length=2, max_length=2)]] = []
    """Or compare these pairs only: `[[a, b], …]`."""


class Analysis(Strict):
    """One statistical analysis of a study."""

    kind: str
    """One of those below, or `my_module:analyse`."""
    experiments: list[str] | None = None
    """Whose trials it reads (all)."""
    options: dict[str, Any] = {}
    """Its own settings."""


class Exhibit(Strict):
    """One table or figure of a study, drawn from its analyses."""

    kind: str
    """One of those below, or `my_module:table`, `my_module:figure`."""
    title: str
    """Its heading, with the number in the paper if it has one."""
    caption: str = ""
    """What differs from the paper."""
    analysis: str | None = None
    """The analysis it shows, by name."""
    options: dict[str, Any] = {}
    """Its own settings."""


class Study(Strict):
    """One study: experiments (or given results), analyses, exhibits, and what scales change."""

    name: Identifier
    """The file's name."""
    title: str
    """Heading of its page."""
    question: str = ""
    """What it asks."""
    citation: str = ""
    """The paper it follows."""
    keep: list[Literal["test", "validation"]] = []
    """Parts of each split whose raw outputs (logits, predictions) every trial keeps."""
    metric: str | None = None
    """Judges the models in place of each dataset's own; `my_module:metric` for yours."""
    results: Results | None = None
    """Given results, in place of experiments."""
    datasets: list[DatasetName] = []
    """Names of `config/datasets/`."""
    models: list[ModelName] = []
    """Names of `config/models/`."""
    splits: list[Scheme] = []
    """How rows are split; each scheme is run."""
    hyperparameters: Hyperparameters = Hyperparameters()
    """Where hyper-parameters come from."""
    experiments: dict[Identifier, Experiment] = {}
    """What is trained, by name."""
    analyses: dict[Identifier, Analysis] = {}
    """Statistics, by name; without analyses and exhibits: the standard set."""
    exhibits: dict[Identifier, Exhibit] = {}
    """Tables and figures, by name, in the order of the page."""
    notes: list[str] = []
    """What a reader of the page should know."""
    scales: dict[Scale, dict[str, Any]] = {}
    """What a scale changes in all of the above; null takes a field away."""

    @model_validator(mode="before")
    @classmethod
    def _standard(cls, data: Any) -> Any:
        return add_default_analyses(data) if isinstance(data, dict) else data

    @model_validator(mode="after")
    def _one_origin(self) -> "Study":
        if bool(self.experiments) == bool(self.results):
            raise ValueError("needs either experiments (to train) or results (a file), not both")
        return self

    def used(self, experiment: Experiment, field: str) -> Any:
        """A field of an experiment, or the study's where the experiment leaves it out."""
        own = getattr(experiment, field)
        return getattr(self, field) if own is None else own


class Main(Strict):
    """`config/config.yaml`."""

    scale: Scale = "demo"
    """How large every study is run."""
    studies: list[str] = []
    """Those to make (all)."""
    results: Annotated[str, Field(pattern=r"^[^{}\x00-\x1f]+$")] = "results"
    """Folder of everything that is made, by this project alone."""
    data_mirror: str | None = None
    """Folder with local copies of data files."""
    block_seconds: Annotated[float, Field(gt=0)] = 60
    """Training time a job is given, as the models estimate it."""
    seeds_per_job: Count | None = None
    """Trials a job, in place of that."""
    trial_seconds: Annotated[float, Field(gt=0)] | None = None
    """Time limit of one trial (none)."""
    tuning_threads: Count = 1
    """Threads of a hyper-parameter search."""
    mixed: Literal["report", "retrain"] = "report"
    """Trials made elsewhere: `report` says so, `retrain` trains them here."""
    verify_sample: Count = 10
    """Trials that `verify` retrains, of all studies together; `repeated_fits`: of its own study."""
    verify_all: bool = False
    """`verify` retrains every trial."""
