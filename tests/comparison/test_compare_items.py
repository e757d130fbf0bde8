"""`reseed.compare` with scores of items: the verdict covers seeds and items."""

import numpy as np
import pandas as pd
import pytest
import reseed
from reseed.stats.item_model import Factor, item_difference


def _null_items(rng, seeds=8, items=150, models="abc", spread=0.0):
    """Scores (0 or 1) of equally good models: items matter, seeds hardly do."""
    difficulty = rng.normal(0, 1, items)
    rows = []
    for model in models:
        level = difficulty + rng.normal(0, 1, items)  # what this model finds hard
        for seed in range(seeds):
            right = level + spread * rng.normal() + 0.3 * rng.normal(size=items) > 0
            rows += [(model, seed, item, int(one)) for item, one in enumerate(right)]
    return pd.DataFrame(rows, columns=["model", "seed", "item", "correct"])


def _joint(values, a, b):
    sides = [values[values["model"] == m].pivot(index="seed", columns="item", values="correct")
             for m in (a, b)]  # fmt: skip
    return item_difference(*(side.to_numpy(float) for side in sides), [Factor("seed", True)])


def test_given_items_the_verdict_is_over_seeds_and_items():
    runs = _null_items(np.random.default_rng(4), seeds=20)
    found = reseed.compare(runs, metric="correct", greater_is_better=True)
    for row in found.verdicts.itertuples():
        joint = _joint(runs, row.model_a, row.model_b)
        assert row.test == "t test of crossed seeds and items"
        assert row.p == pytest.approx(joint.p_value)
        assert (row.low, row.high) == pytest.approx(joint.interval(1 - 0.05 / 3))
    assert set(found.verdicts["outcome"]) == {"undecided"}


def test_three_seeds_with_items_have_a_verdict():
    runs = _null_items(np.random.default_rng(4), seeds=3, models="ab")
    found = reseed.compare(runs, metric="correct", greater_is_better=True)
    assert found.verdicts["outcome"].item() == "undecided"
    mean = runs.groupby(["model", "seed"], as_index=False)["correct"].mean()
    scores = reseed.compare(mean, metric="correct", greater_is_better=True)
    assert scores.verdicts["reason"].item() == "too few runs"


def test_predicted_labels_are_items_too():
    rng = np.random.default_rng(2)
    runs = _null_items(rng, models="ab")
    truth = rng.integers(0, 2, 150)[runs["item"]]
    labels = runs.assign(y_true=truth, y_pred=np.where(runs["correct"] == 1, truth, 1 - truth))
    found = reseed.compare(labels.drop(columns="correct"))
    row = found.verdicts.iloc[0]
    assert row["p"] == pytest.approx(_joint(runs, row["model_a"], row["model_b"]).p_value)


def test_scores_of_one_test_set_say_first_that_it_did_not_vary():
    runs = _null_items(np.random.default_rng(4), models="abcd")
    scores = runs.groupby(["model", "seed"], as_index=False)["correct"].mean()
    found = reseed.compare(scores, metric="correct", greater_is_better=True, seed_draws="training")
    assert "(on exactly this test set, which did not vary)" in found.answer[0]
    items = reseed.compare(runs, metric="correct", greater_is_better=True)
    assert "did not vary" not in str(items)


def test_no_number_of_seeds_replaces_items():
    runs = _null_items(np.random.default_rng(4), seeds=20, models="ab")
    found = reseed.compare(runs, metric="correct", greater_is_better=True)
    row = found.statistics("seeds_needed").iloc[0]
    joint = _joint(runs, row["model_a"], row["model_b"])
    assert row["design"] == "seeds and items"
    # More seeds leave the part of the items, which is nearly all of this error.
    assert 0.9 * joint.se**2 < joint.item_variance < joint.se**2
    assert row["smallest_half_width"] == pytest.approx(1.959964 * joint.item_variance**0.5)
    assert np.isnan(row["runs_for_power"])


def test_the_plan_is_for_the_options_of_the_verdict(tmp_path):
    scores = pd.DataFrame(
        [(m, s, 0.8 + 0.01 * np.sin(7 * s + ord(m))) for m in "ab" for s in range(8)],
        columns=["model", "seed", "accuracy"],
    )
    found = reseed.compare(scores, alpha=0.01, target_power=0.9, family="study")
    plan = found.statistics("seeds_needed").iloc[0]
    assert (plan["alpha"], plan["target_power"], plan["family"]) == (0.01, 0.9, "study")
