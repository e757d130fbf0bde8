"""Where a trial stands: its setting, its coordinates, and the path they make.

A trial file's path names what was trained and nothing else (no study, no experiment), so any
two studies that need the same trial share it. Light on purpose: the Snakefile imports it.
"""

import re
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path, PurePosixPath

# The sources of randomness inside training that a study can vary one by one.
ROLES = ("init", "order", "dropout", "augment")
# What a trial keeps of its predictions, least first: more serves whoever asks for less.
KEEP = ("none", "correctness", "scores")


def strongest(first: str, second: str) -> str:
    """The one of two `keep` levels that serves both."""
    return max(first, second, key=KEEP.index)


@dataclass(frozen=True, order=True)
class Setting:
    """What all trials of one folder share; every field is an identifier fit for a path."""

    dataset: str
    scheme: str
    model: str
    hyperparameters: str

    @property
    def folder(self) -> str:
        """The setting's folder below `results/trials/`."""
        return f"{self.dataset}/{self.scheme}/{self.model}/{self.hyperparameters}"


@dataclass(frozen=True, order=True)
class Coordinates:
    """One trial of a setting: the split it learns from and the seeds of its four roles."""

    data_seed: int
    repeat: int | None
    fold: int | None
    init: int
    order: int
    dropout: int
    augment: int

    @property
    def seeds(self) -> dict[str, int]:
        """Seed of each role."""
        return {role: getattr(self, role) for role in ROLES}

    @property
    def partition(self) -> str:
        """Name of the split this trial uses: a data seed, and a fold where there are folds."""
        if self.fold is None:
            return f"data-seed-{self.data_seed}"
        return f"data-seed-{self.data_seed}/repeat-{self.repeat}-fold-{self.fold}"

    @property
    def seed_name(self) -> str:
        """`model-seed-7` when one seed serves every role, else each role by name."""
        seeds = self.seeds
        if len(set(seeds.values())) == 1:
            return f"model-seed-{self.init}"
        return "-".join(f"{role}-{seed}" for role, seed in seeds.items())

    @property
    def file(self) -> str:
        """The trial's file below its setting's folder."""
        return f"{self.partition}/{self.seed_name}.parquet"


_FILE = re.compile(
    r"data-seed-(?P<data_seed>\d+)/(?:repeat-(?P<repeat>\d+)-fold-(?P<fold>\d+)/)?"
    r"(?:model-seed-(?P<model>\d+)|"
    r"init-(?P<init>\d+)-order-(?P<order>\d+)-dropout-(?P<dropout>\d+)-augment-(?P<augment>\d+))"
    r"\.parquet$"
)


def trial_path(results: str, setting: Setting, coordinates: Coordinates) -> str:
    """Path of a trial file below the results folder."""
    return f"{results}/trials/{setting.folder}/{coordinates.file}"


def parse_trial_path(path: str) -> Coordinates:
    """Read the coordinates back from a trial file's path.

    Raises ValueError if `path` is no trial path.
    """
    match = _FILE.search(PurePosixPath(path).as_posix())
    if match is None:
        raise ValueError(f"not a trial path: {path}")
    found = {name: int(text) for name, text in match.groupdict().items() if text is not None}
    model = found.pop("model", None)
    if model is not None:
        found |= dict.fromkeys(ROLES, model)
    return Coordinates(repeat=found.pop("repeat", None), fold=found.pop("fold", None), **found)


def tuning_trial(mode: str, trial: Coordinates) -> Coordinates | None:
    """The partition and seeds under which the hyper-parameters of `trial` are searched.

    `fixed`: once, at data seed 0 (first fold) and model seed 0; `tuned`: at the trial's own;
    `default`: never (None).
    """
    if mode == "default":
        return None
    if mode == "tuned":
        return trial
    first = None if trial.fold is None else 0
    return Coordinates(0, first, first, 0, 0, 0, 0)


def tuning_path(results: str, setting: Setting, mode: str, trial: Coordinates) -> Path | None:
    """Path of the search winner that `trial` uses; None where nothing is searched."""
    searched = tuning_trial(mode, trial)
    if searched is None:
        return None
    return Path(results, "tuning", setting.folder, searched.file).with_suffix(".json")


def seed_list(spec: int | list[int] | dict) -> list[int]:
    """`5` → [5]; `[1, 4]` → [1, 4]; `{count: 3, start: 10}` → [10, 11, 12]."""
    if isinstance(spec, int):
        return [spec]
    if isinstance(spec, list):
        return spec
    start = spec.get("start", 0)
    return list(range(start, start + spec["count"]))


def folds_of(scheme: dict) -> list[tuple[int | None, int | None]]:
    """(repeat, fold) pairs of a split scheme; one pair of None where there are no folds."""
    if scheme["kind"] != "kfold":
        return [(None, None)]
    return list(product(range(scheme["repeats"]), range(scheme["folds"])))


def expand(seeds: dict, scheme: dict) -> list[Coordinates]:
    """Every trial of an experiment in one setting: data seeds × folds × model seeds.

    `seeds` maps `data`, and either `model` (one seed for all roles) or any of the four roles,
    to a seed list; a role that is not named is held at 0.
    """
    if "model" in seeds:
        roles = [dict.fromkeys(ROLES, seed) for seed in seed_list(seeds["model"])]
    else:
        lists = [seed_list(seeds.get(role, 0)) for role in ROLES]
        roles = [dict(zip(ROLES, values, strict=True)) for values in product(*lists)]
    return [
        Coordinates(data_seed=data_seed, repeat=repeat, fold=fold, **role)
        for data_seed in seed_list(seeds.get("data", 0))
        for repeat, fold in folds_of(scheme)
        for role in roles
    ]


def varied(seeds: dict) -> str:
    """Names of the seeds that take more than one value, e.g. `model`, `data` or `data+model`."""
    return "+".join(name for name in sorted(seeds) if len(seed_list(seeds[name])) > 1) or "none"


def as_columns(setting: Setting, coordinates: Coordinates) -> dict:
    """Flat record fields of a trial's place (repeat and fold are 0 where there are no folds)."""
    return asdict(setting) | {
        "data_seed": coordinates.data_seed,
        "repeat": coordinates.repeat or 0,
        "fold": coordinates.fold or 0,
        "seeds": coordinates.seeds,
    }
