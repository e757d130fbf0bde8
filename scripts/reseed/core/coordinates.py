"""What identifies a trial: its setting and its coordinates.

Neither names a study or an experiment, so studies that need the same trial share it. The module
imports nothing heavy: the Snakefile imports it.
"""

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


def search_coordinates(mode: str, trial: Coordinates) -> Coordinates | None:
    """Partition and seeds of the search whose winner `trial` uses.

    `fixed`: once, at data seed 0 (first fold) and model seed 0; `tuned`: at the trial's own;
    `default`: never (None).
    """
    if mode == "default":
        return None
    if mode == "tuned":
        return trial
    return Coordinates(0, None if trial.fold is None else 0, 0, 0, 0, 0)
