"""Trials of an arm in one setting: data seeds × folds × model seeds."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from reseed.core.coordinates import ROLES, Coordinates

if TYPE_CHECKING:
    from reseed.config.studies import Scheme, SeedList, Seeds


def seed_values(seeds: SeedList | None) -> range | list[int]:
    """Return the seeds of a configured value: a seed, a list, or a range; None is seed 0."""
    if seeds is None:
        return [0]
    if isinstance(seeds, int):
        return [seeds]
    if isinstance(seeds, list):
        return seeds
    return range(seeds.start, seeds.start + seeds.count)


def count_trials(seeds: Seeds, scheme: Scheme) -> int:
    """Return the number of trials of `expand_seeds` without creating them."""
    count = len(seed_values(seeds.data)) * len(list_folds(scheme))
    named = (seeds.model,) if seeds.model is not None else (getattr(seeds, role) for role in ROLES)
    for role_seeds in named:
        count *= len(seed_values(role_seeds))
    return count


def list_folds(scheme: Scheme) -> list[int | None]:
    """Return the folds of a split scheme, or one None if it has no folds."""
    return list(range(scheme.folds)) if scheme.kind in ("kfold", "time") else [None]


def expand_seeds(seeds: Seeds, scheme: Scheme) -> list[Coordinates]:
    """Return all trials of an arm in one setting.

    A model seed applies to every role. Without a model seed, roles that are not set have seed 0.
    """
    if seeds.model is not None:
        roles = [(seed,) * len(ROLES) for seed in seed_values(seeds.model)]
    else:
        roles = list(product(*(seed_values(getattr(seeds, role)) for role in ROLES)))
    return [
        Coordinates(data_seed, fold, *role)
        for data_seed in seed_values(seeds.data)
        for fold in list_folds(scheme)
        for role in roles
    ]


def varied_seeds(seeds: Seeds) -> str:
    """Return the names of seeds with more than one value: `model`, `data+model`, … or `none`."""
    names = sorted(("data", "model", *ROLES))
    varied = [name for name in names if len(seed_values(getattr(seeds, name))) > 1]
    return "+".join(varied) or "none"
