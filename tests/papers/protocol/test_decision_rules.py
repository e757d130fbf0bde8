"""The protocol's tables: by hand, against known truth, and where they are not to be had."""

from itertools import product

import numpy as np
import pytest
from pair_frames import data, frame
from papers.protocol import decision_rules
from papers.protocol.error_rates import measure_error_rates, simulate_cv, wilcoxon_holm
from reseed.analyses import fold_scores
from reseed.stats.comparison import nadeau_bengio
from run_kinds import run_analysis
from scipy import stats

QUICK = {"n_experiments": 200, "n_simulations": 200}


def folded(
    effects, seed=0, seeds=5, folds=5, repeats=2, noise=0.004, test_ratio=np.nan, scheme="kfold-5"
):
    rng = np.random.default_rng(seed)
    common = rng.normal(0, 0.01, (repeats, folds))
    rows = [
        ("d", m, r, f, s, 0.8 + effect + common[r, f] + rng.normal(0, noise))
        for m, effect in effects.items()
        for r in range(repeats)
        for f in range(folds)
        for s in range(seeds)
    ]
    return frame(rows, test_ratio=test_ratio, scheme=scheme).assign(train_seconds=2.0)


def of(trials, **options):
    return run_analysis(decision_rules, data(trials), QUICK | options).set_index("setting")


def test_clear_differences_are_won_by_every_way():
    table = of(folded({"a": 0.1, "b": 0.0, "c": -0.1}))
    assert table["wins"].tolist() == [3, 3, 3]
    assert table["instability"].tolist() == [0, 0, 0]


def test_an_evaluation_has_one_training_per_fold():
    trials = folded({"a": 0.002, "b": 0.0}, noise=0.01)
    table = of(trials)
    assert table["runs"].tolist() == [1, 10, 10]
    wide = trials.set_index(["model", "data_seed", "fold", "init"])["accuracy"].unstack("init")
    scores = np.stack([wide.loc[model].to_numpy() for model in "ab"])  # (models, folds, seeds)
    rng = np.random.default_rng(9)
    drawn = scores[:, np.arange(10), rng.integers(5, size=(2000, 10))]
    wins = wilcoxon_holm()(np.moveaxis(drawn, 1, 0)).mean()
    assert 0.05 < wins < 0.95
    assert table.loc["written", "wins"] == pytest.approx(wins, abs=0.1)


def test_instability_by_hand():
    table = of(folded({"a": 0.0015, "b": 0.0}, noise=0.01))
    trials = folded({"a": 0.0015, "b": 0.0}, noise=0.01)
    a, b = (
        trials[trials["model"] == m].set_index(["data_seed", "fold", "init"])["accuracy"]
        for m in "ab"
    )
    d = a - b
    order = np.sign(d.mean())
    assert table.loc["single", "instability"] == pytest.approx((np.sign(d) != order).mean())


def test_protocol_instability_averages_over_all_seed_choices():
    trials = folded({"a": 0.002, "b": 0.0}, noise=0.01, seeds=3, folds=2, seed=4)
    a, b = (trials[trials["model"] == m]["accuracy"].to_numpy().reshape(4, 3) for m in "ab")
    means = [np.mean([d[i] for d, i in zip(a - b, chosen, strict=True)])
             for chosen in product(range(3), repeat=4)]  # fmt: skip
    flipped = np.mean(np.sign(means) != np.sign((a - b).mean()))
    assert 0.05 < flipped < 0.5
    table = of(trials, n_experiments=4000)
    assert table.loc["written", "instability"] == pytest.approx(flipped, abs=0.03)
    assert table.loc["corrected", "instability"] == table.loc["written", "instability"]


def test_the_errors_are_those_that_the_literature_predicts():
    """Overlapping folds: Wilcoxon far above 5 %, the corrected test not above it."""
    table = of(folded({"a": 0, "b": 0, "c": 0}), n_simulations=600)
    assert table.loc["single", "simulated"] > 0.9
    assert table.loc["written", "simulated_low"] > 0.1
    assert table.loc["corrected", "simulated_low"] < 0.05
    # Seed noise alone is independent from fold to fold: there Wilcoxon keeps its level.
    assert table.loc["written", "aa"] < 0.12
    assert table.loc["single", "aa"] == 1


@pytest.mark.parametrize(
    ("folds", "repeats", "test_ratio", "wanted"),
    [
        (5, 2, np.nan, {"n_folds": 5, "n_repeats": 2}),
        (5, 2, 0.2004, {"n_folds": 5, "n_repeats": 2}),  # rows do not divide by five
        (10, 1, 1 / 3, {"test_share": pytest.approx(1 / 3), "n_repeats": 10}),
        (1, 10, 0.5, {"test_share": 0.5, "n_repeats": 10}),
        (1, 10, 0.75, {"test_share": 0.75, "n_repeats": 10}),
        (1, 10, 0.001, {"test_share": 2 / 80, "n_repeats": 10, "n_samples": 80}),
        (21, 2, 1 / 21, {"n_folds": 21, "n_repeats": 2, "n_samples": 84}),
    ],
)
def test_simulated_splits_are_of_the_size_that_is_corrected_for(
    folds, repeats, test_ratio, wanted, monkeypatch
):
    asked = []
    monkeypatch.setattr(
        decision_rules, "simulate_cv", lambda n, **kw: asked.append(kw) or simulate_cv(n, **kw)
    )
    of(folded({"a": 0, "b": 0}, folds=folds, repeats=repeats, test_ratio=test_ratio), items=80)
    assert {name: asked[0].get(name) for name in wanted} == wanted
    assert ("n_folds" in asked[0]) != ("test_share" in asked[0])


def test_failed_trials_leave_what_is_crossed_in_full():
    trials = folded({"a": 0.1, "b": 0.0})
    trials.loc[3, ["status", "accuracy"]] = ["failed", np.nan]
    table = of(trials)
    assert (table["seeds"] == 4).all()
    assert (table["left_out"] == 19).all()


def test_failed_fold_leaves_other_simulated_errors_unchanged():
    """Nine folds of two repeats, not one repeat, where Wilcoxon's test can call nothing better."""
    trials = folded(dict.fromkeys("abc", 0), seeds=1)
    trials.loc[3, ["status", "accuracy"]] = ["failed", np.nan]
    table = of(trials, n_simulations=1500)
    assert (table["repeats"] == 2).all()
    assert (table["left_out"] == 2).all()
    nine = np.delete(simulate_cv(1500, rng=np.random.default_rng(1)), 3, axis=-1)
    truth = measure_error_rates(nine, wilcoxon_holm()).family_wise
    assert truth.low > 0.1
    assert abs(table.loc["written", "simulated"] - truth.rate) < 4 * np.sqrt(2) * truth.se


def test_one_split_has_no_rows():
    assert of(folded({"a": 0.1, "b": 0.0}, folds=1, repeats=1)).empty


def test_what_shares_no_seed_or_has_no_run_is_told():
    own = frame([("d", f"m{m}", r, f, 10 * m + s, 0.8 + 0.01 * (m + r + f + s) % 0.05)
                 for m, r, f, s in product(range(2), range(2), range(3), range(2))],
                scheme="kfold-3", test_ratio=np.nan)  # fmt: skip
    table = of(own)
    assert set(table["reason"]) == {"no two models share two splits and a seed"}
    assert table["left_out"].tolist() == [24] * 3
    assert of(own.assign(status="failed", accuracy=np.nan)).empty


def test_lower_scores_may_be_better():
    table = run_analysis(decision_rules, data(folded({"a": 0.1, "b": 0.0}), greater=False), QUICK)
    assert (table["wins"] == 1).all()


def test_fold_scores_by_hand():
    trials = folded({"a": 0.0, "b": 0.01})
    table = run_analysis(fold_scores, data(trials)).set_index("arm")
    means = trials[trials["model"] == "a"].groupby(["data_seed", "fold"])["accuracy"].mean()
    row = table.loc["a"]
    assert row["mean"] == pytest.approx(means.mean())
    assert row["low"] == pytest.approx(nadeau_bengio(means.to_numpy(), 1.5 * 0.25).low)
    wanted = stats.bootstrap((means.to_numpy(),), np.mean, n_resamples=9999, rng=1)
    wanted = wanted.confidence_interval
    assert row["bca_low"] == pytest.approx(wanted.low, abs=5e-4)
    assert row["bca_high"] == pytest.approx(wanted.high, abs=5e-4)
    assert (row["folds"], row["runs"]) == (10, 50)
    first = trials[(trials["model"] == "a") & (trials["data_seed"] == 0) & (trials["fold"] == 0)]
    assert np.isnan(row["single"])  # no seed 42
    table = run_analysis(fold_scores, data(trials), single_seed=3).set_index("arm")
    assert table.loc["a", "single"] == first.set_index("init")["accuracy"][3]


def test_evaluations_with_folds_of_their_own_have_an_interval():
    trials = folded({"a": 0.001, "b": 0.0}, noise=0.01, seeds=1, repeats=40)
    table = of(trials, repeats=2)
    a, b = (trials[trials["model"] == m]["accuracy"].to_numpy().reshape(20, 10) for m in "ab")
    d = (a - b).mean(axis=1)
    count = int((np.sign(d) != np.sign(d.mean())).sum())
    assert 0 < count < 20
    row = table.loc["written"]
    exact = stats.binomtest(count, 20).proportion_ci(method="exact")
    assert row["instability"] == pytest.approx(count / 20)
    assert (row["instability_low"], row["instability_high"]) == pytest.approx(tuple(exact))
    assert (row["evaluations"], row["runs"]) == (20, 10)
    assert of(trials, repeats=21)["reason"].str.contains("at least 42").all()
