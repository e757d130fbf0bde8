"""Identity of a trial: its setting and its coordinates.

Neither contains the name of a study or an experiment, so studies can share trials. The Snakefile
imports this module, which therefore imports no large library.
"""

from typing import NamedTuple

#: Sources of randomness in training that a study can vary separately.
ROLES = ("init", "order", "dropout", "augment")
#: Parts of a split for which a trial can store raw outputs.
KEPT_PARTS = ("test", "validation")


def base_name(identifier: str) -> str:
    """Return the name of a dataset or model without its variant: `magic~1f3a9c0b` → `magic`."""
    return identifier.partition("~")[0]


class Setting(NamedTuple):
    """Common identity of the trials in one folder; every field is an identifier valid in paths."""

    dataset: str
    scheme: str
    model: str
    hyperparameters: str

    @property
    def folder(self) -> str:
        """Folder of the setting, relative to `results/trials/`."""
        return "/".join(self)


class Coordinates(NamedTuple):
    """One trial of a setting: its split and the seeds of its four roles.

    `fold` is None if the scheme has no folds. Each data seed is one repeat of the scheme: five
    folds and ten data seeds are five-fold cross-validation with ten repeats.
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
        """Name of the split: the data seed, and the fold if the scheme has folds."""
        name = f"data-seed-{self.data_seed}"
        return name if self.fold is None else f"{name}/fold-{self.fold}"

    @property
    def seed_name(self) -> str:
        """`model-seed-7` if all roles have the same seed, otherwise every role by name."""
        seeds = self[2:]
        if len(set(seeds)) == 1:
            return f"model-seed-{self.init}"
        return "-".join(f"{role}-{seed}" for role, seed in zip(ROLES, seeds, strict=True))

    @property
    def file(self) -> str:
        """File of the trial, relative to the folder of its setting."""
        return f"{self.partition}/{self.seed_name}.parquet"


def search_coordinates(mode: str, trial: Coordinates) -> Coordinates | None:
    """Return the split and seeds of the search whose winner `trial` uses.

    Args:
        mode: `fixed` for one search at data seed 0 (first fold) and model seed 0; `tuned` for a
            search at the split and seeds of the trial; `default` for no search (None).
        trial: the trial.
    """
    if mode == "default":
        return None
    if mode == "tuned":
        return trial
    return Coordinates(0, None if trial.fold is None else 0, 0, 0, 0, 0)
