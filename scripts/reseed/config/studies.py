"""Studies, and `config/config.yaml`."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, Tag, model_validator

from reseed.config.base import (
    AnalysisKind,
    Count,
    ExhibitKind,
    Identifier,
    Integer,
    MetricName,
    ReaderName,
    RowFraction,
    Seed,
    Strict,
    get_union_tag,
)
from reseed.config.defaults import add_default_analyses, expand_path
from reseed.config.models import Device, Encoder, Stack, Value
from reseed.core.headings import Headings, Rows
from reseed.core.identifiers import Scale
from reseed.core.statement import Recipe, Statement


class Holdout(Strict):
    """One random split."""

    kind: Literal["holdout"]
    test: RowFraction
    """Fraction of the rows for testing."""
    validation: RowFraction = 0.2
    """Fraction of the rows that are not test rows, for early stopping."""
    stratify: bool = True
    """Stratify by class."""


class Official(Strict):
    """Official test rows of the dataset, and its official validation rows if it has some."""

    kind: Literal["official"]
    validation: RowFraction = 0.1
    """Fraction of the training rows, if the dataset has no official validation rows."""
    stratify: bool = True
    """Stratify by class."""


class KFold(Strict):
    """k-fold cross-validation; every data seed is a repeat with new folds."""

    kind: Literal["kfold"]
    folds: Annotated[Integer, Field(ge=2, le=10_000)] = 5
    """Number of folds; each is the test set once."""
    validation: RowFraction = 0.1
    """Fraction of the rows that are not test rows, for early stopping."""
    stratify: bool = True
    """Stratify by class."""


class Time(Strict):
    """Windows of time: scikit-learn's `TimeSeriesSplit` over the distinct values of the dataset's
    `time`. Nothing is drawn, so model seeds alone vary; a score is the mean over the windows.
    """

    kind: Literal["time"]
    folds: Annotated[Integer, Field(ge=1, le=10_000)] = 5
    """Number of test windows; the last ends with the data."""
    test: RowFraction | None = None
    """Fraction of the times that the test windows share (default: `folds` / (`folds` + 1))."""
    gap: Annotated[Integer, Field(ge=0)] = 0
    """Number of times left out before each test window."""
    train: Count | None = None
    """Largest number of times to train on: a sliding window (default: all before, an expanding
    one)."""
    validation: RowFraction = 0.1
    """Fraction of the training times, the last ones, for early stopping."""


Scheme = Annotated[Holdout | Official | KFold | Time, Field(discriminator="kind")]


class SeedRange(Strict):
    """`count` seeds from `start`."""

    count: Annotated[Count, Field(le=1_000_000)]
    """Number of seeds."""
    start: Seed = 0
    """First seed."""

    @model_validator(mode="after")
    def _check_last(self) -> "SeedRange":
        if self.start + self.count > 2**32:
            raise ValueError("the last seed must be below 2**32")
        return self


def _check_unique(seeds: list[int]) -> list[int]:
    repeated = sorted({seed for seed in seeds if seeds.count(seed) > 1})
    if repeated:
        raise ValueError(f"seed {repeated[0]} is listed twice")
    return seeds


SeedList = Annotated[
    Annotated[Seed, Tag("plain")]
    | Annotated[list[Seed], Field(min_length=1), AfterValidator(_check_unique), Tag("list")]
    | Annotated[SeedRange, Tag("fields")],
    Discriminator(get_union_tag),
]


class Seeds(Strict):
    """Seeds that are crossed: each one seed, a list or a range. Other roles have seed 0."""

    data: SeedList = 0
    """Seeds of the split."""
    model: SeedList | None = None
    """Seeds of all randomness in training: every role below."""
    init: SeedList | None = None
    """Seeds of the initial weights, or of a model with one source of randomness."""
    order: SeedList | None = None
    """Seeds of the order of the batches."""
    dropout: SeedList | None = None
    """Seeds of dropout."""
    augment: SeedList | None = None
    """Seeds of augmentation."""

    @model_validator(mode="after")
    def _check_roles(self) -> "Seeds":
        roles = [r for r in ("init", "order", "dropout", "augment") if getattr(self, r) is not None]
        if self.model is not None and roles:
            raise ValueError(f"sets both model and {', '.join(roles)}: model sets every role")
        return self


class Hyperparameters(Strict):
    """Source of the hyper-parameters.

    `default`: the file of the model. `fixed`: one search, at `data_seed` and `model_seed`, for each
    dataset and split scheme. `tuned`: one search for each pair of data and model seed.
    """

    mode: Literal["default", "fixed", "tuned"] = "default"
    """`fixed`: one search for each dataset and split scheme; `tuned`: one for each pair of seeds. A
    model without `search_space` is not searched."""
    trials: Count = 500
    """Number of configurations that the search draws."""
    folds: Annotated[Integer, Field(ge=2)] = 5
    """Folds of the cross-validation that scores a configuration."""
    method: Literal["random", "halving"] = "random"
    """`halving`: successive halving, which drops poor configurations on part of the rows."""
    metric: MetricName | None = None
    """Metric of the search, if the task has it (default: the study's, else the dataset's)."""
    data_seed: Seed = 0
    """Data seed of the one search of mode `fixed`; of folds it takes the first."""
    model_seed: Seed = 0
    """Model seed of the one search of mode `fixed`."""


class DatasetReference(Strict):
    """A dataset by name, with a number of rows."""

    name: str
    """Name of a file in `config/datasets/`."""
    rows: Count | None = None
    """Number of rows to draw, stratified by class."""
    optional: bool = False
    """Leave it out, with a note, if its files are not on a local mirror."""


class ModelReference(Strict):
    """A model by name, with changes to its recipe."""

    name: str
    """Name of a file in `config/models/`."""
    title: str | None = None
    """Replaces the title of the model."""
    encoder: Encoder | None = None
    """Replaces the encoder of the model."""
    stack: Stack | None = None
    """Replaces the stack of the model."""
    device: Device | None = None
    """Replaces the device of the model."""
    hyperparameters: dict[str, Value] = {}
    """Values that replace those of the model; a search does not change them."""
    trials: Count | None = None
    """Replaces the number of configurations that a search draws."""
    seconds_per_trial: Annotated[float, Field(gt=0)] | None = None
    """Time of a trial; it sets the size of jobs and changes no result."""


DatasetName = Annotated[
    Annotated[str, Tag("plain")] | Annotated[DatasetReference, Tag("fields")],
    Discriminator(get_union_tag),
]
ModelName = Annotated[
    Annotated[str, Tag("plain")] | Annotated[ModelReference, Tag("fields")],
    Discriminator(get_union_tag),
]


class Arm(Strict):
    """An arm of a comparison: a model, its changes, and its seeds."""

    model: ModelName
    """The model."""
    title: str = ""
    """Name in tables and figures."""
    seeds: Seeds | None = None
    """Replaces the seeds of the experiment."""


class Experiment(Strict):
    """Trials of every (dataset, split scheme, arm) over crossed seeds."""

    title: str = ""
    """Name in tables and figures."""
    datasets: list[DatasetName] | None = None
    """Replaces the datasets of the study."""
    models: list[ModelName] | None = None
    """Replaces the models of the study; each model is an arm."""
    arms: dict[Identifier, Arm] | None = None
    """Arms by name, if they differ in more than the model."""
    splits: list[Scheme] | None = None
    """Replaces the split schemes of the study."""
    hyperparameters: Hyperparameters | None = None
    """Replaces the source of hyper-parameters of the study."""
    seeds: Seeds | None = None
    """Seeds that are crossed."""

    @model_validator(mode="after")
    def _check_seeds(self) -> "Experiment":
        if self.arms is not None and self.models is not None:
            raise ValueError("sets both models and arms: an arm names its model")
        arms = list(self.arms.values()) if self.arms else [None]
        if self.seeds is None and any(arm is None or arm.seeds is None for arm in arms):
            raise ValueError("seeds: missing; set the seeds that vary, as in {model: {count: 50}}")
        return self


ResultsFormat = Literal["auto", "csv", "parquet", "json", "lm_eval", "tensorboard"]


class Results(Strict):
    """Imported results of other runs, instead of training (docs/your-results.md)."""

    path: str
    """Path of the table; `{results}` is replaced by the results folder."""
    made_from: str | None = None
    """Study of this project whose scores are exported to `path` first."""
    format: ResultsFormat | ReaderName = "auto"
    """Format of the files, if their names do not say it; or `package.name` of a plug-in."""
    columns: dict[str, str | list[str]] = {}
    """Name of a column in Reseed: name in the file, or a list of names."""
    leave_out: list[str] = []
    """Columns that are not read."""
    keep: dict[str, str] = {}
    """Column: the value of the rows that are read."""
    paths: str = ""
    """What the parts of the paths of files are: `{model}_x_{seed}`."""
    headings: Headings = ""
    """What headings of columns of scores are, if they do not say it: `fold`, `seed`, …"""
    rows: Rows = ""
    """What a row is, if no column says it: `fold`, …; of several of a run the `last`, or `mean`."""
    metric: str | list[str] | dict[str, str] | None = None
    """One metric; a list, of which each dataset uses the first it has; or one per dataset."""
    greater_is_better: bool | dict[str, bool] | None = None
    """Direction of the metric, if it is on no list; or one per metric."""
    test_train_ratio: Annotated[float, Field(ge=0)] | None = None
    """Test rows divided by training rows, for random splits; 0: new data in each run."""
    unit: str = ""
    """Unit of the scores."""
    titles: dict[str, str] = {}
    """Title of a dataset or model by its name in the table (default: from `config/`)."""
    baseline: str | None = None
    """Baseline: compare each model with this one only."""
    pairs: list[Annotated[list[str], Field(min_length=2, max_length=2)]] = []
    """Compare these pairs only: `[[a, b], …]`."""
    deterministic: list[str] = []
    """Models without randomness: one run on a split stands for the runs of all seeds."""
    seed_draws: Literal["split", "training", "both"] | None = None
    """What the seed of a run drew: the split of the data, the training, or both."""


class Analysis(Strict):
    """One statistical analysis of a study."""

    kind: AnalysisKind
    """A kind from the list below, `my_module:analyse`, or `package.name` of a plug-in."""
    experiments: list[str] | None = None
    """Experiments whose trials it reads (default: all)."""
    options: dict[str, Any] = {}
    """Options of the kind."""


class Exhibit(Strict):
    """One table or figure of a study, drawn from its analyses."""

    kind: ExhibitKind
    """A kind from the list below, or `my_module:table`, `my_module:figure`."""
    title: str
    """Heading, with the number in the paper if it has one."""
    caption: str = ""
    """Caption, such as differences from the paper."""
    analysis: str | None = None
    """Name of the analysis that it shows."""
    like: str = ""
    """`STUDY.EXHIBIT`, or a default exhibit, whose options it has, but for what it sets itself."""
    options: dict[str, Any] = {}
    """Options of the kind."""


class Study(Strict):
    """One study: experiments (or imported results), analyses, exhibits, and changes by scale."""

    name: Identifier
    """Name of the file."""
    title: str
    """Heading of the page."""
    question: str = ""
    """Question of the study."""
    citation: str = ""
    """Paper that the study reproduces."""
    position: Integer | None = None
    """Place in the report; studies without a place follow in the order of their names."""
    coverage: str | None = None
    """CSV file with a row for each exhibit of the paper. Columns: `exhibit`, `status` (`made`,
    `differs`, `left out`), `entry` (names of exhibits of the study), `note`."""
    keep: list[Literal["test", "validation"]] = []
    """Parts of each split whose raw outputs (logits, predictions) every trial stores."""
    metric: MetricName | None = None
    """Metric that replaces that of each dataset; `my_module:metric` for a custom metric."""
    results: Annotated[
        Results | None,
        BeforeValidator(expand_path, json_schema_input_type=Results | str | None),
    ] = None
    """Imported results, instead of experiments; a text is their `path`."""
    datasets: list[DatasetName] = []
    """Datasets, by names in `config/datasets/`."""
    models: list[ModelName] = []
    """Models, by names in `config/models/`."""
    splits: list[Scheme] = []
    """Split schemes; every scheme is used."""
    hyperparameters: Hyperparameters = Hyperparameters()
    """Source of the hyper-parameters."""
    experiments: dict[Identifier, Experiment] = {}
    """Experiments by name."""
    analyses: dict[Identifier, Analysis] = {}
    """Analyses by name; without analyses and exhibits, the default ones are used."""
    exhibits: dict[Identifier, Exhibit] = {}
    """Tables and figures by name, in the order of the page."""
    paper: Recipe = {}
    """What the paper ran. A fact of a trial (`dataset`, `model`, `device`, `hyperparameters`: the
    mode of the search) → the paper's names; or a hyper-parameter, or `rows`, → model or dataset →
    least number. A setting that differs in what a statement `needs` has no vote."""
    statements: dict[Identifier, Statement] = {}
    """Statements of the paper by name, and how they are judged."""
    notes: list[str] = []
    """Remarks for the page."""
    scales: dict[Scale, dict[str, Any] | None] = {}
    """Changes to the fields above by scale; null removes a field, or the study at that scale."""

    @model_validator(mode="before")
    @classmethod
    def _add_defaults(cls, data: Any) -> Any:
        return add_default_analyses(data) if isinstance(data, dict) else data

    @model_validator(mode="before")
    @classmethod
    def _resolve_needs(cls, data: Any) -> Any:
        """Each name in `needs` of a statement with its values in `paper`."""
        if not isinstance(data, dict) or not isinstance(data.get("statements"), dict):
            return data
        paper, statements = data.get("paper") or {}, dict(data["statements"])
        for name, one in statements.items():
            if isinstance(one, dict) and isinstance(needs := one.get("needs"), list):
                if absent := [need for need in needs if need not in paper]:
                    raise ValueError(f"statements.{name}.needs: {absent[0]!r} is not in `paper`")
                statements[name] = one | {"needs": {need: paper[need] for need in needs}}
        return data | {"statements": statements}

    @model_validator(mode="after")
    def _check_origin(self) -> "Study":
        if bool(self.experiments) == bool(self.results):
            raise ValueError("needs either experiments (to train) or results (a file), not both")
        return self

    def analysis_of(self, statement: str) -> str:
        """Name of the analysis that a statement is judged on: its own, or that of its exhibit."""
        one = self.statements[statement]
        return one.analysis or self.exhibits[one.exhibit].analysis or ""

    def is_run_at(self, scale: Scale) -> bool:
        """Whether the study is run at a scale; null under `scales` leaves it out."""
        return self.scales.get(scale, {}) is not None

    def resolve_field(self, experiment: Experiment, field: str) -> Any:
        """Return a field of an experiment, or that of the study if the experiment omits it."""
        value = getattr(experiment, field)
        return getattr(self, field) if value is None else value


#: Estimated training time of one job, by scale: a cluster's jobs are long.
BLOCK_SECONDS = {"paper": 3600.0}


def _block_seconds(fields: dict[str, Any]) -> float:
    return BLOCK_SECONDS.get(fields.get("scale", ""), 60.0)


class Main(Strict):
    """`config/config.yaml`."""

    scale: Scale = "demo"
    """Scale of every study."""
    studies: list[str] = []
    """Studies to run (default: all)."""
    results: Annotated[str, Field(pattern=r"^[^{}\x00-\x1f]+$")] = "results"
    """Results folder; no other project may use it."""
    data_mirror: str | None = None
    """Folder with local copies of data files."""
    block_seconds: Annotated[float, Field(gt=0)] = Field(default_factory=_block_seconds)
    """Estimated training time of one job (default: 60 s, 3,600 s at scale `paper`)."""
    seeds_per_job: Count | None = None
    """Trials per job; replaces `block_seconds`."""
    trial_seconds: Annotated[float, Field(gt=0)] | None = None
    """Time limit of one trial (default: none)."""
    tuning_threads: Count = 1
    """Number of threads of a hyper-parameter search."""
    mixed: Literal["report", "retrain"] = "report"
    """Trials from another environment: `report` lists them, `retrain` trains them again."""
    check_data: bool = False
    """Hash large data files too. Without it, one of equal size and time counts as unchanged."""
    retry_failed: bool = False
    """Train failed trials, and searches with failed fits, again (use it on the command line)."""
    verify_sample: Count = 10
    """Trials that `verify` retrains, over all studies."""
    verify_all: bool = False
    """Let `verify` retrain every trial."""
