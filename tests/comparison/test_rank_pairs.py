"""Ranks on exactly these tasks: known variances, and how often the numbers of levels suffice."""

import numpy as np
import pandas as pd
import pytest
import reseed
from reseed.comparison import rank_pairs
from scipy import stats

#: SDs of runs, of model × item, and of run × item of `_crossed`.
_SDS = (0.1, 0.3, 1.0)


def _crossed(rng, runs, items, difference, tasks=1):
    """Two models, each with its own runs and items crossed, with known variances."""
    parts = []
    for task in range(tasks):
        easy = rng.normal(size=items)
        for name, mean in (("a", difference), ("b", 0.0)):
            values = (
                easy + mean + rng.normal(0, _SDS[0], (runs, 1)) + rng.normal(0, _SDS[1], items)
                + rng.normal(0, _SDS[2], (runs, items))
            )  # fmt: skip
            frame = pd.DataFrame(values, index=[f"{name}{seed}" for seed in range(runs)])
            frame = frame.rename_axis("seed").reset_index().melt("seed", var_name="item")
            parts.append(frame.assign(model=name, dataset=f"task {task}"))
    return pd.concat(parts, ignore_index=True).rename(columns={"value": "reward"})


def _pilot(difference):
    """200 runs × 300 items whose observed difference is exact: estimates close to the truth."""
    table = _crossed(np.random.default_rng(11), 200, 300, 0.0)
    means = table.groupby("model")["reward"].mean()
    shift = difference - (means["a"] - means["b"])
    table["reward"] += shift * table["model"].eq("a")
    return reseed.rank_models(table, greater_is_better=True)


@pytest.fixture(scope="module")
def pilot():
    return _pilot(0.1)


def test_squared_error_divides_into_runs_and_items(pilot):
    """Closed form of the parts for known variances; estimates within 20 %."""
    run, item, rest = (sd**2 for sd in _SDS)
    sets, both = pilot.these_tasks, 2 * rest / (200 * 300)
    expected = {"seed": 2 * run / 200 + both, "item": 2 * item / 300 + both}
    for name, value in expected.items():
        assert sets.by_source[name][0, 1] == pytest.approx(value, rel=0.2)
    assert sets.se[0, 1] ** 2 == pytest.approx(sum(expected.values()) - both, rel=0.2)


def test_needed_levels_follow_from_the_squared_error(pilot):
    """For the variances of the estimate, with the critical value of the test and a power of 0.8."""
    sets, row = pilot.these_tasks, pilot.table.loc[0]
    largest = (sets.difference[0, 1] / (sets.critical[0, 1] + stats.norm.ppf(0.8))) ** 2
    for name, levels in (("seed", 200), ("item", 300)):
        part = sets.by_source[name][0, 1]
        rest = sets.se[0, 1] ** 2 - part
        assert row[f"{name}s_needed"] == np.ceil(levels * part / (largest - rest))


@pytest.mark.nightly
def test_so_many_seeds_separate_neighbours(pilot):
    """With so many seeds, the items unchanged, the difference is found in 80 %."""
    rng, seeds = np.random.default_rng(13), int(pilot.table.loc[0, "seeds_needed"])
    found = [
        reseed.rank_models(_crossed(rng, seeds, 300, 0.1), greater_is_better=True)
        for _ in range(100)
    ]
    assert 0.68 < np.mean([one.these_tasks.is_better[0, 1] for one in found]) < 0.95


def test_no_number_of_one_source_makes_up_for_the_other():
    """The runs alone give a standard error of 0.01: no number of items finds 0.025."""
    row = _pilot(0.025).table.loc[0]
    assert row["items_needed"] == np.inf
    assert row["seeds_needed"] > 200


def test_squared_errors_are_means_over_tasks():
    """Those of Welch's test of each task, and the degrees of freedom of their sum."""
    rng = np.random.default_rng(16)
    rows = [
        (f"task {task}", model, f"{model}{seed}", 0.5 + sd * rng.normal())
        for task, (runs, sd) in enumerate([(3, 0.01), (4, 0.02), (6, 0.01)])
        for model in "ab"
        for seed in range(runs)
    ]
    table = pd.DataFrame(rows, columns=["dataset", "model", "seed", "accuracy"])
    sets = reseed.rank_models(table).these_tasks
    parts = []
    for _, task in table.groupby("dataset"):
        a, b = (task.loc[task["model"] == model, "accuracy"] for model in "ab")
        test = stats.ttest_ind(a, b, equal_var=False)
        parts.append((a.var() / len(a) + b.var() / len(b), test.df))
    total = sum(part for part, _ in parts)
    df = total**2 / sum(part**2 / df for part, df in parts)
    assert sets.se[0, 1] ** 2 == pytest.approx(total / 9)
    assert sets.critical[0, 1] == pytest.approx(stats.t.isf(0.025, df))


@pytest.mark.parametrize("clusters", [None, 7])
def test_single_runs_have_the_errors_of_items(clusters, monkeypatch):
    """All pairs at once, or pair by pair as `compare` tests them."""
    rng = np.random.default_rng(3)
    table = pd.DataFrame(
        [
            (f"task {task}", model, item, float(rng.random() < 0.3 + 0.2 * rank))
            for task, items in enumerate((40, 90))
            for rank, model in enumerate("abc")
            for item in range(items)
        ],
        columns=["dataset", "model", "item", "accuracy"],
    )
    options = {}
    if clusters:
        table, options = table.assign(book=table["item"] % clusters), {"cluster": "book"}
    fast = reseed.rank_models(table, **options)
    monkeypatch.setattr(rank_pairs, "_has_single_runs", lambda task: False)
    slow = reseed.rank_models(table, **options)
    assert fast.sources == slow.sources
    pd.testing.assert_frame_equal(fast.table, slow.table)
    for name in ("se", "difference", "critical", "is_better"):
        ours, expected = (getattr(one.these_tasks, name) for one in (fast, slow))
        np.testing.assert_allclose(ours, expected, rtol=1e-9)


@pytest.mark.nightly
@pytest.mark.parametrize("luck", [0.0, 0.9])
def test_equal_models_are_ranked_apart_in_few_cases(luck):
    """Five models on three tasks with three runs, luck shared or not: 200 draws (SE .015)."""
    wrong = 0
    for number in range(200):
        rng = np.random.default_rng(number)
        rows = []
        for task in range(3):
            common = luck * rng.normal(size=3)
            for model in "abcde":
                for seed, value in enumerate(common + rng.normal(size=3)):
                    rows.append((f"task {task}", model, seed, 0.5 + 0.01 * value))
        table = pd.DataFrame(rows, columns=["dataset", "model", "seed", "accuracy"])
        wrong += reseed.rank_models(table).these_tasks.is_better.any()
    assert wrong / 200 < 0.095
