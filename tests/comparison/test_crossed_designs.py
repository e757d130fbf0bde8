"""What varied and what is crossed is found before a test is chosen: false claims of whole tables.

`benchmarks/measure_designs.py` has the rates of many more simulations.
"""

import numpy as np
import pandas as pd
import pytest
import reseed
from scipy import stats


def crossed(folds, seeds, sd, n_sim=150, models="ab"):
    """Tables of equal models, one a dataset; each seed of a model has an effect on every fold."""
    rng = np.random.default_rng(folds)
    shape = (n_sim, len(models), folds, seeds)
    scores = rng.normal(size=(*shape[:3], 1)) + 0.5 * rng.normal(size=shape)
    scores += sd * rng.normal(size=(*shape[:2], 1, seeds))
    dataset, model, fold, seed = np.indices(shape).reshape(4, -1)
    columns = {"model": np.array([*models])[model], "fold": fold, "seed": seed}
    return pd.DataFrame({"dataset": [f"d{n}" for n in dataset], **columns, "score": scores.ravel()})


def claims(table):
    verdicts = reseed.compare(table, metric="score", greater_is_better=True).verdicts
    return verdicts["outcome"].eq("better")[verdicts["dataset"] != "all datasets"].mean()


def test_seeds_crossed_with_splits_vary_too():
    assert claims(crossed(10, 5, 2)) <= 0.06


def test_seeds_crossed_with_splits_by_hand():
    table = crossed(5, 3, 1, n_sim=1)
    d = table.pivot(index=["fold", "seed"], columns="model", values="score")
    d = (d["a"] - d["b"]).to_numpy().reshape(5, 3)
    splits = (1 / 5 + 1.5 / 4) * d.mean(axis=1).var(ddof=1)
    rest = d - d.mean(axis=1, keepdims=True) - d.mean(axis=0) + d.mean()
    seeds = d.mean(axis=0).var(ddof=1) / 3 - (rest**2).sum() / (4 * 2) / (5 * 3)
    assert seeds > 0
    t = [stats.t.isf(0.025, df) for df in (4, 2)]
    half = (splits * t[0] + seeds * t[1]) / (splits + seeds) ** 0.5
    row = reseed.compare(table, metric="score", greater_is_better=True).verdicts.iloc[0]
    assert (row["high"] - row["low"]) / 2 == pytest.approx(half)
    assert row["difference"] == pytest.approx(abs(d.mean()))
    assert (row["p"] <= 0.05) == (row["low"] > 0)


def test_two_runs_of_one_model_over_seeds_and_folds():
    """The limit holds for runs on new splits with new seeds."""
    found = reseed.compare(crossed(5, 4, 1, 80, "a"), metric="score", greater_is_better=True)
    sd = np.sqrt(1 + 0.25 + 1)
    limits = found.statistics("folds")["limit"] / (sd * np.sqrt(2))
    assert np.mean(2 * stats.norm.cdf(limits) - 1) >= 0.95
    [answer] = reseed.compare(
        crossed(5, 4, 1, 1, "a"), metric="score", greater_is_better=True
    ).answer
    assert "did not vary" not in answer
    assert "with a split and seed of its own" in answer
