"""What a way of deciding is worth: one run, the protocol as written, the corrected protocol.

The protocol's Table 3, measured. A way's family-wise error is the share of experiments, on models
that are equal, in which it calls any of them better. It is measured twice:

- `aa`: seeds of one model, drawn anew for every fold, pose as models, on the trials at hand. The
  data are held: this is the error of taking seed noise for a difference on *these* rows;
- `simulated`: real cross-validation (or hold-outs) of equally good models on fresh samples, so that
  overlapping training sets do what they do in life.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from reseed.analyses.shared.data import Data
from reseed.analyses.shared.pairing import ModelGroup, group_models
from reseed.core.schemas import COMPARISON_COLUMNS, MODEL_SEED_COLUMNS, SPLIT_COLUMNS, Row
from reseed.plugins.options import Count, Level, Strict
from reseed.stats.comparison import pair_differences
from reseed.stats.error_rates import (
    measure_error_rates,
    nadeau_bengio_holm,
    pseudo_models,
    simulate_cv,
    wilcoxon_holm,
)
from reseed.stats.ranking import instability

COLUMNS = [
    *COMPARISON_COLUMNS, "setting", "models", "folds", "repeats", "seeds", "left_out",
    "instability", "wins", "pairs", "aa", "aa_experiments", "simulated", "simulated_low",
    "simulated_high", "simulations", "items", "runs", "overhead", "alpha", "reason",
]  # fmt: skip
#: Ways of deciding, in the order of the table.
SETTINGS = ("single", "written", "corrected")


def higher_wins(scores: np.ndarray) -> np.ndarray:
    """What one run tells: whoever scores more is better. (…, models, folds): the first fold."""
    return pair_differences(scores[..., :1])[..., 0] != 0


class Options(Strict):
    """alpha: level of the tests.
    n_experiments: A/A experiments a model.
    n_simulations: simulated experiments.
    items: rows of a simulated sample.
    simulated_models: at most so many are simulated.
    """

    alpha: Level = 0.05
    n_experiments: Count = 1000
    n_simulations: Count = 500
    items: Annotated[int, Field(ge=40, multiple_of=2)] = 200
    simulated_models: Annotated[int, Field(ge=2)] = 6


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row a way of deciding (`SETTINGS`) in each setting with folds and two models or more.

    `single`: one run of each model on one split, the higher score wins. `written`: Wilcoxon's
    signed-rank test over folds and repeats, Holm-adjusted. `corrected`: the corrected resampled t
    test in its place. `instability`: share of such evaluations whose order of two models differs
    from that of all trials' means, averaged over pairs, ties one half; of the two protocols, an
    evaluation is the mean over all folds, each under one seed, drawn `n_experiments` times: the
    folds are held. `wins`: pairs decided (of a single
    run: on average). `overhead`: training time by the time of a single run of each model. Arms,
    seeds and splits that are not crossed in full are left out (`left_out` counts trials).
    """
    rows = [row for group in group_models(data) for row in _rows(group, options)]
    return pd.DataFrame(rows, columns=COLUMNS)


def _rows(group: ModelGroup, options: Options) -> list[Row]:
    if len(group.models) < 2 or group.trials[SPLIT_COLUMNS].drop_duplicates().shape[0] < 2:
        return []
    scores, left_out, places = crossed(group)
    models, splits, seeds = scores.shape
    folds = int(group.trials["fold"].nunique())
    common = group.key | {"folds": folds, "left_out": left_out, "alpha": options.alpha}
    if models < 2 or splits < 2 or seeds < 1:
        reason = "no two models share two splits and a seed"
        return [common | {"setting": name, "reason": reason} for name in SETTINGS]
    common |= {
        "models": models,
        "repeats": len(np.unique(places // folds)),
        "seeds": seeds,
        "pairs": models * (models - 1) // 2,
        "reason": "",
    }
    items = max(options.items, 4 * folds)  # two of each class in a fold
    simulated = _simulated(group, models, places, items, options)
    alpha, ratio = common["alpha"], group.test_train_ratio
    ways = {
        "single": higher_wins,
        "written": wilcoxon_holm(alpha),
        "corrected": nadeau_bengio_holm(ratio, alpha),
    }
    evaluations = _evaluations(group, scores, options.n_experiments)
    rows = []
    for name, decide in ways.items():
        single = name == "single"
        units = scores.reshape(models, -1) if single else evaluations
        decided = (
            higher_wins(np.moveaxis(units, 1, 0)[..., None]).sum(axis=-1).mean()
            if single
            else decide(scores.mean(axis=2)).sum()
        )
        rows.append(
            common
            | {
                "setting": name,
                "instability": float(_upper(instability(units, ties="half")).mean())
                if units.shape[1] > 1
                else np.nan,
                "wins": float(decided),
                "runs": 1 if single else splits * seeds,
                "overhead": 1.0 if single else _overhead(group, splits * seeds),
            }
            | _aa(group, scores, decide, options)
            | _rate("simulated", simulated, decide)
            | {"simulations": len(simulated), "items": items}
        )
    return rows


def _evaluations(group: ModelGroup, scores: np.ndarray, count: int) -> np.ndarray:
    """(models, count) means over splits; each split under one of its seeds, all models' the same.

    Where they have one seed there is one evaluation, and nothing to vary.
    """
    _, splits, seeds = scores.shape
    if seeds < 2:
        return scores.mean(axis=1)
    drawn = group.rng("evaluations").integers(seeds, size=(count, splits))
    return scores[:, np.arange(splits), drawn].mean(axis=-1)


def crossed(group: ModelGroup) -> tuple[np.ndarray, int, np.ndarray]:
    """(models, splits, seeds) scores of all that is crossed in full, signed; trials left out.

    And the place of each split (splits,) among all folds of the group's repeats, in their order.
    """
    trials = group.trials.drop_duplicates(["arm", *SPLIT_COLUMNS, *MODEL_SEED_COLUMNS])
    table = trials.set_index(["arm", *SPLIT_COLUMNS, *MODEL_SEED_COLUMNS])["score"].unstack(
        MODEL_SEED_COLUMNS
    )
    table = table.dropna(axis=1)  # a seed that some split of some arm lacks
    wide = [part.droplevel("arm") for _, part in table.groupby(level="arm", sort=False)]
    shared = wide[0].index
    for part in wide[1:]:
        shared = shared.intersection(part.index)
    scores = np.stack([part.loc[shared].to_numpy(dtype=np.float64) for part in wide])
    drawn = shared.droplevel("fold").drop_duplicates()
    folds = np.unique(group.trials["fold"])
    places = drawn.get_indexer(shared.droplevel("fold")) * len(folds)
    places += np.searchsorted(folds, shared.get_level_values("fold"))
    return group.sign * scores, len(group.trials) - scores.size, places


def _upper(matrix: np.ndarray) -> np.ndarray:
    return matrix[np.triu_indices(len(matrix), 1)]


def _overhead(group: ModelGroup, runs: int) -> float:
    """All trials' training time, by that of one run of each model."""
    if "train_seconds" not in group.trials:
        return np.nan
    seconds = group.trials.groupby("arm")["train_seconds"]
    return float(runs * seconds.mean().sum() / seconds.median().sum())


def _aa(group: ModelGroup, scores: np.ndarray, decide: Callable, options: Options) -> Row:
    """Family-wise error where seeds of one model pose as models; pooled over the models."""
    models, splits, seeds = scores.shape
    posing = min(models, seeds)
    if posing < 2:
        return {}
    rejected = []
    for number, own in enumerate(scores):
        rng = group.rng("aa", group.models[number])
        count = options.n_experiments
        drawn = pseudo_models(own.T, posing, count, seed_per_fold=True, rng=rng)
        # A single run's split is any of them; to the other ways their order is nothing.
        order = rng.random((len(drawn), 1, splits)).argsort(axis=-1).repeat(posing, axis=1)
        drawn = np.take_along_axis(drawn, order, axis=2)
        rejected.append(decide(drawn).any(axis=-1))
    found = np.concatenate(rejected)
    # No interval: the experiments share the few stored trials, whose own luck it would leave out.
    return {"aa": float(found.mean()), "aa_experiments": len(found)}


def _simulated(
    group: ModelGroup, models: int, places: np.ndarray, items: int, options: Options
) -> np.ndarray:
    """Splits like the group's, as many, of the size that its tests are corrected for.

    Folds where the ratio is that of as many folds (without those that failed), else hold-outs of
    the same share.
    """
    folds, ratio = int(group.trials["fold"].nunique()), group.test_train_ratio
    if folds > 1 and round(1 / ratio) == folds - 1:
        design = {"n_folds": folds, "n_repeats": int(places.max()) // folds + 1}
    else:
        share = np.clip(ratio / (1 + ratio), 2 / items, 1 - 2 / items)  # a row of each class
        design = {"test_share": share, "n_repeats": len(places)}
        places = np.arange(len(places))
    scores = simulate_cv(
        options.n_simulations,
        n_models=min(models, options.simulated_models),
        n_samples=items,
        rng=group.rng("simulated"),
        **design,
    )
    return scores[..., places]


def _rate(name: str, scores: np.ndarray, decide: Callable) -> Row:
    found = measure_error_rates(scores, decide).family_wise
    return {name: found.rate, f"{name}_low": found.low, f"{name}_high": found.high}
