"""Where a trial stands: its setting, its coordinates, and the path they make.

A trial's path names what was trained and nothing else (no study, no experiment), so any two
studies that need the same trial share it. Light on purpose: the Snakefile imports it.
"""

from itertools import product
from typing import NamedTuple

# The sources of randomness inside training that a study can vary one by one.
ROLES = ("init", "order", "dropout", "augment")
# The parts of a split whose raw outputs a trial may keep.
KEPT_PARTS = ("test", "validation")


def base_name(identifier: str) -> str:
    """Name of a dataset or model without its variant: `magic~1f3a9c0b` → `magic`."""
    return identifier.partition("~")[0]


class Setting(NamedTuple):
    """What all trials of one folder share; every field is an identifier fit for a path."""

    dataset: str
    scheme: str
    model: str
    hyperparameters: str

    @property
    def folder(self) -> str:
        """The setting's folder below `results/trials/`."""
        return "/".join(self)


class Coordinates(NamedTuple):
    """One trial of a setting: the split it learns from and the seeds of its four roles.

    `fold` is None where the scheme has no folds. A data seed is a repeat: five folds under ten
    data seeds are ten times five-fold cross-validation.
    """

    data_seed: int
    fold: int | None
    init: int
    order: int
    dropout: int
    augment: int

    @property
    def seeds(self) -> dict[str, int]:
        """Seed of each role."""
        return dict(zip(ROLES, self[2:], strict=True))

    @property
    def partition(self) -> str:
        """Name of the split this trial uses: a data seed, and a fold where there are folds."""
        name = f"data-seed-{self.data_seed}"
        return name if self.fold is None else f"{name}/fold-{self.fold}"

    @property
    def seed_name(self) -> str:
        """`model-seed-7` when one seed serves every role, else each role by name."""
        seeds = self[2:]
        if len(set(seeds)) == 1:
            return f"model-seed-{self.init}"
        return "-".join(f"{role}-{seed}" for role, seed in zip(ROLES, seeds, strict=True))

    @property
    def file(self) -> str:
        """The trial's file below its setting's folder."""
        return f"{self.partition}/{self.seed_name}.parquet"


def trial_path(results: str, setting: Setting, trial: Coordinates) -> str:
    """Path of a trial's file below the results folder."""
    return f"{results}/trials/{setting.folder}/{trial.file}"


def tuning_trial(mode: str, trial: Coordinates) -> Coordinates | None:
    """The partition and seeds under which the hyper-parameters of `trial` are searched.

    `fixed`: once, at data seed 0 (first fold) and model seed 0; `tuned`: at the trial's own;
    `default`: never (None).
    """
    if mode == "default":
        return None
    if mode == "tuned":
        return trial
    return Coordinates(0, None if trial.fold is None else 0, 0, 0, 0, 0)


def tuning_stem(setting: Setting, mode: str, trial: Coordinates) -> str | None:
    """Path below the results folder, without suffix, of the search whose winner `trial` uses."""
    searched = tuning_trial(mode, trial)
    if searched is None:
        return None
    return f"tuning/{setting.folder}/{searched.partition}/{searched.seed_name}"


def split_path(results: str, dataset: str, scheme: str, data_seed: int) -> str:
    """Path of the split that a data seed makes."""
    return f"{results}/splits/{dataset}/{scheme}/data-seed-{data_seed}.parquet"


def seed_list(spec: int | list[int] | dict) -> list[int]:
    """`5` → [5]; `[1, 4]` → [1, 4]; `{count: 3, start: 10}` → [10, 11, 12]."""
    if isinstance(spec, int):
        return [spec]
    if isinstance(spec, list):
        return spec
    start = spec.get("start", 0)
    return list(range(start, start + spec["count"]))


def folds_of(scheme: dict) -> list[int | None]:
    """The folds of a split scheme; one None where it has none."""
    return list(range(scheme["folds"])) if scheme["kind"] == "kfold" else [None]


def expand(seeds: dict, scheme: dict) -> list[Coordinates]:
    """Every trial of an arm in one setting: data seeds × folds × model seeds.

    `seeds` maps `data`, and either `model` (one seed for all roles) or any of the four roles,
    to a seed list; a role that is not named is held at 0.
    """
    if "model" in seeds:
        roles = [(seed,) * len(ROLES) for seed in seed_list(seeds["model"])]
    else:
        roles = list(product(*(seed_list(seeds.get(role, 0)) for role in ROLES)))
    return [
        Coordinates(data_seed, fold, *role)
        for data_seed in seed_list(seeds.get("data", 0))
        for fold in folds_of(scheme)
        for role in roles
    ]


def varied(seeds: dict) -> str:
    """Names of the seeds that take more than one value, e.g. `model`, `data` or `data+model`."""
    return "+".join(name for name in sorted(seeds) if len(seed_list(seeds[name])) > 1) or "none"
