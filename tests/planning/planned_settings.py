"""Planned settings of a small table, for tests."""

from collections.abc import Collection

from reseed.config.datasets import Dataset
from reseed.config.models import Model
from reseed.config.studies import Holdout, Hyperparameters, Seeds
from reseed.core.coordinates import Setting
from reseed.planning.plan import PlannedSetting
from reseed.planning.seed_grid import expand_seeds

SPACE = {"depth": {"low": 1, "high": 10}, "rate": [0.1, 0.2]}


def planned_setting(
    model: str = "forest",
    *,
    rows: int | None = None,
    seeds: int = 20,
    space: dict = SPACE,
    keep: Collection[str] = (),
    **fields,
) -> PlannedSetting:
    """A setting with `seeds` trials and a search of 10 candidates in 5 folds.

    fields: further fields of the model.
    """
    scheme = Holdout(kind="holdout", test=0.25, validation=0.1)
    factory = "reseed.models.forest:random_forest"
    return PlannedSetting(
        setting=Setting("table", "holdout-0.25", model, "fixed-10"),
        dataset=Dataset(name="table", title="Table", task="binary", target="y", rows=rows),
        scheme=scheme,
        model=Model(name=model, title=model, factory=factory, search_space=space, **fields),
        source=Hyperparameters(mode="fixed", trials=10, folds=5, method="random"),
        trials=expand_seeds(Seeds(model={"count": seeds}), scheme),
        keep=set(keep),
    )
