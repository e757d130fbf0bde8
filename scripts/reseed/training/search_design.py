"""Design of a search: configurations and folds."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    ParameterGrid,
    StratifiedGroupKFold,
    StratifiedKFold,
)

from reseed.core import random_streams as seeds
from reseed.core.errors import ReseedError


def sample_configurations(
    search_space: dict[str, Any], trials: int, seed: int
) -> list[dict[str, Any]]:
    """Draw `trials` distinct configurations uniformly, or all if there are fewer.

    The first configurations of a longer draw are those of a shorter one. So a search with more
    trials makes the fits of the additional configurations only.
    """
    if trials < 1:
        raise ReseedError(f"tuning trials {trials}: at least 1 is needed")
    lists = {}
    for name, values in search_space.items():
        if isinstance(values, dict):
            if set(values) != {"low", "high"} or values["low"] > values["high"]:
                raise ReseedError(
                    f"search space of {name}: {values!r} is not a list or {{low, high}}"
                    " with low at most high"
                )
            values = list(range(values["low"], values["high"] + 1))
        if not values:
            raise ReseedError(f"search space of {name} is empty: give it a value")
        lists[name] = list(values)
    grid = ParameterGrid(lists)
    size = len(grid)
    # Repeated draws are dropped: the same stream whatever the number of trials. scikit-learn's
    # ParameterSampler does this up to 1 % of the grid, and changes its algorithm there.
    rng = np.random.RandomState(seeds.derive_seed(seed, "search"))
    drawn: dict[int, None] = {}
    while len(drawn) < min(trials, size):
        drawn[rng.randint(size)] = None
    return [grid[number] for number in drawn]


def make_folds(
    target: np.ndarray,
    task: str,
    rows: np.ndarray,
    folds: int,
    seed: int,
    groups: np.ndarray | None = None,
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return `folds` pairs (training, test) of row numbers; the test rows partition `rows`."""
    splitters = {
        (False, False): KFold,
        (True, False): StratifiedKFold,
        (False, True): GroupKFold,
        (True, True): StratifiedGroupKFold,
    }
    splitter_class = splitters[task != "regression", groups is not None]
    splitter = splitter_class(
        folds, shuffle=True, random_state=seeds.derive_seed(seed, "cross-validation")
    )
    grouping = None if groups is None else groups[rows]
    try:
        return [(rows[a], rows[b]) for a, b in splitter.split(rows, target[rows], grouping)]
    except ValueError as error:
        raise ReseedError(f"tuning: {folds} folds are not possible ({error})") from error
