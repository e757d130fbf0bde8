"""Family-wise error of three decision rules: one run, the protocol as written, the corrected one.

The protocol's Table 3, measured. The family-wise error of a rule is the share of experiments with
equal models in which it calls any model better. It is measured twice:

- `aa`: seeds of one model, drawn for every fold, stand for models. The trials, and so the data,
  are fixed: this is the error of taking seed noise for a difference on these rows.
- `simulated`: cross-validation (or hold-outs) of equally good models on new samples, so that
  training sets overlap as in practice.
"""

from __future__ import annotations

import math
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
from reseed.stats.ranking import instability
from reseed.stats.shares import share_interval

from papers.protocol.error_rates import (
    measure_error_rates,
    nadeau_bengio_holm,
    pseudo_models,
    simulate_cv,
    wilcoxon_holm,
)

COLUMNS = [
    *COMPARISON_COLUMNS, "setting", "models", "folds", "repeats", "seeds", "left_out",
    "instability", "instability_low", "instability_high", "evaluations", "wins", "pairs", "aa",
    "aa_experiments", "simulated", "simulated_low", "simulated_high", "simulations", "items",
    "runs", "alpha", "reason",
]  # fmt: skip


#: Decision rules, in the order of the table.
SETTINGS = ("single", "written", "corrected")


def higher_wins(scores: np.ndarray) -> np.ndarray:
    """Whether the models of each pair differ on the first fold of scores (…, models, folds)."""
    return pair_differences(scores[..., :1])[..., 0] != 0


class Options(Strict):
    """alpha: size of the tests.
    n_experiments: A/A experiments a model.
    n_simulations: simulated experiments.
    items: rows of a simulated sample.
    simulated_models: most models of a simulated experiment.
    repeats: data seeds of an evaluation, if each evaluation shall have folds of its own (None: all
        data seeds, so that evaluations share their folds).
    """

    alpha: Level = 0.05
    n_experiments: Count = 1000
    n_simulations: Count = 500
    items: Annotated[int, Field(ge=40, multiple_of=2)] = 200
    simulated_models: Annotated[int, Field(ge=2)] = 6
    repeats: Count | None = None


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row a decision rule (`SETTINGS`) in each comparison with folds and two models or more.

    - `single`: one run of each model on one split; the higher score wins.
    - `written`: Wilcoxon's signed-rank test over folds and repeats, Holm-adjusted.
    - `corrected`: the corrected resampled t test instead.

    An evaluation by `single` is one run. An evaluation by the other two has one seed for each fold,
    drawn `n_experiments` times; the folds are fixed. `runs`: trainings of each model in an
    evaluation. `instability`: share of evaluations whose order of two models differs from that of
    the means of all trials, averaged over pairs; a tie counts one half. With the option `repeats`
    evaluations share no fold, so `instability` has an interval: the exact one of a share of
    `evaluations`. It is wide enough: an average over pairs varies less than a single pair. `wins`:
    number of pairs decided, on average over evaluations. Arms, seeds and splits that are not fully
    crossed are left out (`left_out` counts trials).
    """
    rows = [row for group in group_models(data) for row in _rows(group, options)]
    return pd.DataFrame(rows, columns=COLUMNS)


def _rows(group: ModelGroup, options: Options) -> list[Row]:
    if len(group.models) < 2 or group.trials[SPLIT_COLUMNS].drop_duplicates().shape[0] < 2:
        return []
    scores, left_out, positions = fully_crossed_scores(group)
    models, splits, seeds = scores.shape
    folds = int(group.trials["fold"].nunique())
    common = group.key | {"folds": folds, "left_out": left_out, "alpha": options.alpha}
    if models < 2 or splits < 2 or seeds < 1:
        reason = "no two models share two splits and a seed"
        return [common | {"setting": name, "reason": reason} for name in SETTINGS]
    common |= {
        "models": models,
        "repeats": len(np.unique(positions // folds)),
        "seeds": seeds,
        "pairs": models * (models - 1) // 2,
        "reason": "",
    }
    own_folds = options.repeats is not None
    if options.repeats and common["repeats"] < 2 * options.repeats:
        reason = f"evaluations of {options.repeats} data seeds need at least {2 * options.repeats}"
        return [common | {"setting": name, "reason": reason} for name in SETTINGS]
    items = max(options.items, 4 * folds)  # two of each class in a fold
    of_one = positions[: options.repeats * folds] if options.repeats else positions
    simulated = _simulated(group, models, of_one, items, options)
    alpha, ratio = common["alpha"], group.test_train_ratio
    rules = {
        "single": higher_wins,
        "written": wilcoxon_holm(alpha),
        "corrected": nadeau_bengio_holm(ratio, alpha),
    }
    if options.repeats:
        evaluations = _evaluations_with_own_folds(group, scores, options.repeats * folds)
        runs = evaluations[:, :, :1]
    else:
        evaluations = _evaluations(group, scores, options.n_experiments)
        runs = np.moveaxis(scores.reshape(models, -1, 1), 1, 0)
    return [
        common
        | {"setting": name, "simulations": len(simulated), "items": items}
        | _decisions(runs if name == "single" else evaluations, decide, own_folds)
        | _aa(group, scores, decide, options)
        | _rate("simulated", simulated, decide)
        for name, decide in rules.items()
    ]


def _decisions(evaluations: np.ndarray, decide: Callable, independent: bool) -> Row:
    """Order and decisions of evaluations (evaluations, models, runs)."""
    count, order, interval = len(evaluations), np.nan, (np.nan, np.nan)
    if count > 1:
        pairs = np.triu_indices(evaluations.shape[1], 1)
        order = instability(evaluations.mean(axis=2).T, ties="half")[pairs].mean()
    if count > 1 and independent:
        reversed_ones = order * count  # a fraction, if only some pairs are reversed
        interval = (
            share_interval(math.floor(reversed_ones), count)[0],
            share_interval(math.ceil(reversed_ones), count)[1],
        )
    return {
        "instability": float(order),
        "instability_low": interval[0],
        "instability_high": interval[1],
        "evaluations": count,
        "wins": float(decide(evaluations).sum(axis=-1).mean()),
        "runs": evaluations.shape[2],
    }


def _evaluations(group: ModelGroup, scores: np.ndarray, count: int) -> np.ndarray:
    """Scores (count, models, splits), where each split has one seed, the same for all models.

    With one seed there is a single evaluation.
    """
    _, splits, seeds = scores.shape
    if seeds < 2:
        return scores[None, :, :, 0]
    drawn = group.rng("evaluations").integers(seeds, size=(count, splits))
    return np.moveaxis(scores[:, np.arange(splits), drawn], 1, 0)


def _evaluations_with_own_folds(group: ModelGroup, scores: np.ndarray, size: int) -> np.ndarray:
    """Scores (evaluations, models, `size`) on successive splits, with one seed for each."""
    models, splits, _ = scores.shape
    count = splits // size
    (drawn,) = _evaluations(group, scores, 1)
    return np.moveaxis(drawn[:, : count * size].reshape(models, count, size), 1, 0)


def fully_crossed_scores(group: ModelGroup) -> tuple[np.ndarray, int, np.ndarray]:
    """Signed scores (models, splits, seeds) that are fully crossed, and the trials left out.

    Third, the position of each split (splits,) among all folds of the group's repeats.
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
    positions = drawn.get_indexer(shared.droplevel("fold")) * len(folds)
    positions += np.searchsorted(folds, shared.get_level_values("fold"))
    return group.sign * scores, len(group.trials) - scores.size, positions


def _aa(group: ModelGroup, scores: np.ndarray, decide: Callable, options: Options) -> Row:
    """Family-wise error if seeds of one model stand for models; pooled over the models."""
    models, splits, seeds = scores.shape
    n_pseudo = min(models, seeds)
    if n_pseudo < 2:
        return {}
    rejected = []
    for number, scores_of_model in enumerate(scores):
        rng = group.rng("aa", group.models[number])
        count = options.n_experiments
        drawn = pseudo_models(scores_of_model.T, n_pseudo, count, seed_per_fold=True, rng=rng)
        # A single run uses the first split: shuffle them. Other rules ignore their order.
        order = rng.random((len(drawn), 1, splits)).argsort(axis=-1).repeat(n_pseudo, axis=1)
        drawn = np.take_along_axis(drawn, order, axis=2)
        rejected.append(decide(drawn).any(axis=-1))
    is_wrong = np.concatenate(rejected)
    # No interval: it would ignore that all experiments share the same few trials.
    return {"aa": float(is_wrong.mean()), "aa_experiments": len(is_wrong)}


def _simulated(
    group: ModelGroup, models: int, positions: np.ndarray, items: int, options: Options
) -> np.ndarray:
    """Simulated scores on as many splits as the group has, with the same test share.

    Folds if the ratio is that of so many folds (without failed ones), else hold-outs.
    """
    folds, ratio = int(group.trials["fold"].nunique()), group.test_train_ratio
    if folds > 1 and round(1 / ratio) == folds - 1:
        design = {"n_folds": folds, "n_repeats": int(positions.max()) // folds + 1}
    else:
        share = np.clip(ratio / (1 + ratio), 2 / items, 1 - 2 / items)  # a row of each class
        design = {"test_share": share, "n_repeats": len(positions)}
        positions = np.arange(len(positions))
    scores = simulate_cv(
        options.n_simulations,
        n_models=min(models, options.simulated_models),
        n_samples=items,
        rng=group.rng("simulated"),
        **design,
    )
    return scores[..., positions]


def _rate(name: str, scores: np.ndarray, decide: Callable) -> Row:
    rate = measure_error_rates(scores, decide).family_wise
    assert rate is not None  # every simulated model has the same true score
    return {name: rate.rate, f"{name}_low": rate.low, f"{name}_high": rate.high}
