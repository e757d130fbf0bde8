"""`gate`: decisions with known truth, exit codes, and what is refused."""

import json

import numpy as np
import pandas as pd
import pytest
import reseed
from reseed import ReseedError, gate
from reseed.cli import main
from scipy import stats


def _scores(accuracy, items=400, seeds=1, rng_seed=0, dataset="d"):
    rng = np.random.default_rng([rng_seed, int(accuracy * 1000)])
    return pd.DataFrame(
        {
            "dataset": dataset,
            "seed": np.repeat(np.arange(seeds), items),
            "item": np.tile(np.arange(items), seeds),
            "accuracy": (rng.random(items * seeds) < accuracy).astype(int),
        }
    )


@pytest.mark.parametrize(
    ("accuracy", "items", "margin", "decision", "code"),
    [
        (0.95, 400, 0.01, "better", 0),
        (0.80, 4000, 0.05, "not worse", 0),
        (0.60, 400, 0.01, "worse", 10),
        (0.80, 60, 0.01, "undecided", 11),
    ],
)
def test_decisions(accuracy, items, margin, decision, code):
    result = gate(_scores(accuracy, items, rng_seed=1), _scores(0.8, items), margin)
    assert (result.decision, result.exit_code) == (decision, code)
    assert result.sentence().lower().startswith(decision)


def _flipped(base, lost, gained):
    """The scores of `base` with `lost` right answers made wrong, and `gained` wrong ones right."""
    score = base["accuracy"].to_numpy().copy()
    right, wrong = np.flatnonzero(score == 1), np.flatnonzero(score == 0)
    score[right[:lost]], score[wrong[:gained]] = 0, 1
    return base.assign(accuracy=score)


def test_loss_within_the_margin_is_not_worse():
    """20,000 items, −0.3 points: a loss is shown, and one of 2 points is excluded."""
    base = _scores(0.8, 20_000)
    result = gate(_flipped(base, 60, 0), base, 0.02)
    row = result.rows[0]
    assert row.difference == pytest.approx(-0.003)
    assert -0.02 < row.low < row.limit < row.high < 0
    assert (result.decision, result.exit_code, row.is_loss_shown) == ("not worse", 0, True)
    assert "not worse by 0.02 or more, but a smaller loss is shown" in result.sentence()
    assert "not worse (a loss within the margin is shown)" in result.to_markdown()
    assert json.loads(result.to_json())["rows"][0]["is_loss_shown"] is True


def test_loss_is_worse_unless_the_margin_is_excluded():
    """The same loss with margin 0.0035, which the interval does not exclude."""
    base = _scores(0.8, 20_000)
    result = gate(_flipped(base, 60, 0), base, 0.0035)
    assert (result.decision, result.exit_code) == ("worse", 10)
    assert "a loss of 0.0035 or more is not excluded" in result.sentence()


def test_no_evidence_never_passes():
    """Ten items: equal scores of both models are undecided, whatever the margin below 0.2."""
    scores = _scores(0.8, 10)
    assert gate(scores, scores, 0.1).decision == "undecided"


@pytest.mark.nightly
def test_error_rates():
    """At most 5 %: worse by the margin and passed, equal and called worse (SE .015)."""
    passed, failed = [], []
    for number in range(200):
        rng = np.random.default_rng([9, number])
        base, worse, equal = (
            pd.DataFrame({"item": np.arange(300), "accuracy": (rng.random(300) < p) * 1})
            for p in (0.8, 0.75, 0.8)
        )
        passed.append(gate(worse, base, 0.05).exit_code == 0)
        failed.append(gate(equal, base, 0.05).exit_code == 10)
    assert np.mean(passed) < 0.085
    assert np.mean(failed) < 0.085


def test_one_worse_dataset_decides():
    candidate = pd.concat([_scores(0.99, dataset="a"), _scores(0.5, dataset="b")])
    baseline = pd.concat([_scores(0.7, dataset="a"), _scores(0.7, dataset="b")])
    result = gate(candidate, baseline, 0.02)
    assert result.decision == "worse"
    assert [row.decision for row in result.rows] == ["better", "worse"]


def test_seeds_are_allowed_for():
    """Candidates of three seeds that differ: not decided, although 3 × 2,000 items would."""
    shifts = np.array([0.2, 0.05, -0.1])
    rng = np.random.default_rng(4)

    def table(mean):
        return pd.DataFrame(
            {
                "seed": np.repeat(np.arange(3), 2000),
                "item": np.tile(np.arange(2000), 3),
                "score": (rng.normal(size=(3, 2000)) + mean[:, None]).ravel(),
            }
        )

    candidate, baseline = table(shifts + 0.1), table(np.zeros(3))
    result = gate(candidate, baseline, 0.01, greater_is_better=True)
    assert result.decision == "undecided"
    fixed = gate(candidate, baseline, 0.01, greater_is_better=True, fixed=["seed"])
    assert fixed.decision == "better"


def test_every_sampled_source_is_named():
    sides = [
        pd.concat(
            _scores(0.8, 60, seeds=2, rng_seed=rng_seed + copy).assign(prompt=copy)
            for copy in range(3)
        ).assign(cluster=lambda t: t["item"] // 3)
        for rng_seed in (0, 5)
    ]
    covers = gate(*sides, 0.05).covers
    assert covers == "Covers new seeds, new prompts and new clusters."


def test_lower_is_better():
    worse = _scores(0.9).rename(columns={"accuracy": "error"})
    better = _scores(0.6).rename(columns={"accuracy": "error"})
    assert gate(better, worse, 0.01).decision == "better"
    assert gate(worse, better, 0.01).decision == "worse"


def test_command(tmp_path, capsys):
    candidate, baseline, comment, numbers = (
        tmp_path / name for name in ("c.csv", "b.csv", "comment.md", "gate.json")
    )
    _scores(0.6).to_csv(candidate, index=False)
    _scores(0.8).to_csv(baseline, index=False)
    arguments = ["gate", str(candidate), "--baseline", str(baseline), "--margin", "0.01"]
    with pytest.raises(SystemExit) as stopped:
        main([*arguments, "--markdown", str(comment), "--json", str(numbers)])
    assert stopped.value.code == 10
    assert capsys.readouterr().out.startswith("WORSE: the candidate is worse")
    content = json.loads(numbers.read_text())
    assert (content["decision"], content["exit_code"]) == ("worse", 10)
    assert "| d |" in comment.read_text()
    with pytest.raises(SystemExit, match="margin is -1"):
        main([*arguments[:-1], "-1"])


def _runs(mean, seeds=5, rng_seed=0, noise=0.01):
    rng = np.random.default_rng(rng_seed)
    return pd.DataFrame(
        {"seed": np.arange(seeds), "accuracy": mean + noise * rng.normal(size=seeds)}
    )


@pytest.mark.parametrize(
    ("mean", "seeds", "decision"),
    [(0.9, 5, "better"), (0.7, 5, "worse"), (0.801, 40, "not worse"), (0.792, 3, "undecided")],
)
def test_runs_without_items_are_decided_over_seeds(mean, seeds, decision):
    result = gate(_runs(mean, seeds, 1), _runs(0.8, seeds, 2), 0.01, seed_draws="training")
    assert result.decision == decision
    assert "Covers new seeds on exactly these items." in result.sentence()
    assert ("not tested: too few runs" in result.sentence()) == (seeds < 5)


def test_runs_equal_the_paired_t_test():
    a, b = _runs(0.81, 6, 1), _runs(0.8, 6, 2)
    expected = stats.ttest_rel(a["accuracy"], b["accuracy"])
    row = gate(a, b.sample(frac=1, random_state=0), 0.01, seed_draws="training").rows[0]
    assert row.p == pytest.approx(expected.pvalue)
    low, high = expected.confidence_interval(0.95)
    assert (row.low, row.high) == pytest.approx((low, high))
    assert row.limit == pytest.approx(expected.confidence_interval(0.9).low)
    other = gate(a, b.assign(seed=b["seed"] + 100), 0.01).rows[0]
    welch = stats.ttest_ind(a["accuracy"], b["accuracy"], equal_var=False)
    assert other.p == pytest.approx(welch.pvalue)


def test_equal_runs_never_pass():
    same = _runs(0.8, noise=0.0)
    assert gate(same, same, 0.01).decision == "undecided"
    assert gate(_runs(0.8, 1), _runs(0.7), 0.01).decision == "undecided"


@pytest.mark.parametrize(
    ("candidate", "message"),
    [
        (_runs(0.8).assign(seed=1, dataset="d"), "rows are equal in model, dataset, seed"),
        (_scores(0.8), "column .item. is empty"),
    ],
)
def test_runs_that_show_no_spread_are_refused(candidate, message):
    with pytest.raises(ReseedError, match=message):
        gate(candidate, _runs(0.8).assign(dataset="d"), 0.01)


def _all_right(items, seeds=1, clusters=0, score=1.0):
    table = pd.DataFrame(
        {"item": np.tile(np.arange(items), seeds), "seed": np.repeat(np.arange(seeds), items)}
    )
    table["score"] = score
    return table.assign(cluster=table["item"] % clusters) if clusters else table


@pytest.mark.parametrize(
    ("items", "seeds", "clusters", "margin", "decision"),
    [
        (3, 2, 0, 0.01, "undecided"),
        (59, 3, 0, 0.05, "not worse"),  # the rule of three: 0.95^59 < 0.05
        (58, 3, 0, 0.05, "undecided"),
        (59, 1, 0, 0.05, "not worse"),
        (58, 1, 0, 0.05, "undecided"),
        (1000, 1, 60, 0.05, "undecided"),
    ],
)
def test_scores_that_do_not_vary_pass_by_their_number_only(
    items, seeds, clusters, margin, decision
):
    scores = _all_right(items, seeds, clusters)
    result = gate(scores, scores, margin, greater_is_better=True)
    row = result.rows[0]
    assert result.decision == decision
    assert (row.limit > -margin) == (decision == "not worse")


@pytest.mark.parametrize("clusters", [0, 1])
def test_a_single_item_or_cluster_never_passes(clusters):
    scores = _all_right(9 if clusters else 1, clusters=clusters).drop(columns="seed")
    result = gate(scores, scores, 0.05, greater_is_better=True)
    assert (result.decision, result.rows[0].reason[:7]) == ("undecided", "too few")


def test_equal_runs_have_no_interval():
    runs = pd.DataFrame({"seed": range(5), "accuracy": 0.5})
    result = gate(runs, runs, 0.05)
    assert "not tested: no variation" in result.sentence()
    assert json.loads(result.to_json())["rows"][0]["low"] is None


def test_two_graded_items_do_not_show_a_better_candidate():
    base = _all_right(2, score=0.5)
    result = gate(base.assign(score=0.6), base, 0.01, greater_is_better=True)
    assert result.decision == "undecided"


@pytest.mark.parametrize("number", range(12))
def test_decisions_are_the_verdicts_of_compare(number):
    rng = np.random.default_rng(number)
    seeds, items = [(1, 200), (3, 100)][number % 2]
    a, b = (
        _all_right(items, seeds).assign(score=(rng.random(seeds * items) < p) * 1)
        for p in (0.65 + 0.3 * rng.random(), 0.8)
    )
    row = gate(a, b, 0.05, greater_is_better=True).rows[0]
    assert (row.low > 0) == (row.decision == "better")
    assert (row.limit > -0.05) == (row.decision in ("better", "not worse"))
    assert (row.high < 0) == row.is_loss_shown
    both = pd.concat([a.assign(model="new"), b.assign(model="old")])
    verdict = reseed.compare(both, metric="score", greater_is_better=True).verdicts.iloc[0]
    names = ("difference", "low", "high") if verdict["model_a"] == "new" else ("", "high", "low")
    assert abs(row.low) == pytest.approx(abs(verdict[names[1]]))
    assert abs(row.high) == pytest.approx(abs(verdict[names[2]]))
    assert row.p == pytest.approx(verdict["p"])


def test_out_of_fold_scores_are_decided_over_the_folds():
    base = _scores(0.8, 100).assign(fold=np.arange(100) // 20)
    other = _scores(0.9, 100).assign(fold=np.arange(100) // 20)
    assert gate(other, base, 0.05).rows[0].test == "corrected resampled t test"
    assert gate(other, base, 0.05).covers == "Covers new splits of the same data (and new seeds)."


def test_all_datasets_must_pass_so_none_is_adjusted():
    base = [_scores(0.8, 1500, dataset=f"d{i}") for i in range(6)]
    other = [_flipped(one, 20, 16) for one in base]
    result = gate(pd.concat(other), pd.concat(base), 0.01)
    alone = gate(other[0], base[0], 0.01)
    assert alone.decision == result.decision == "not worse"
    assert result.rows[0].limit == pytest.approx(alone.rows[0].limit)
    assert result.shown.heading == "Difference [95 %]"


def test_all_uses_together_have_one_size():
    base = _scores(0.8, 1500)
    other = _flipped(base, 20, 16)
    first, third = gate(other, base, 0.01, use=1), gate(other, base, 0.01, use=3)
    assert (first.alpha, third.alpha) == pytest.approx((0.025, 0.05 / 12))
    assert sum(0.05 / (k * (k + 1)) for k in range(1, 10_000)) < 0.05
    assert first.rows[0].limit > third.rows[0].limit
    assert any("in up to 5 % of cases" in note for note in gate(other, base, 0.01).notes)
    with pytest.raises(ReseedError, match="use is 0"):
        gate(other, base, 0.01, use=0)


def test_a_column_of_the_model_may_be_mapped():
    sides = [_scores(accuracy, 200).assign(arch="m") for accuracy in (0.9, 0.7)]
    assert gate(*sides, 0.05, columns={"model": "arch"}).decision == "better"
    with pytest.raises(ReseedError, match=r"alpha is 0\.5: give a number between"):
        gate(*sides, 0.05, alpha=0.5)


def test_single_scores_of_many_tasks_are_decided_over_them():
    rng = np.random.default_rng(0)
    old = pd.DataFrame({"dataset": [f"d{i}" for i in range(12)], "accuracy": rng.random(12) / 2})
    new = old.assign(accuracy=old["accuracy"] + 0.1 + rng.random(12) / 50)
    assert gate(new, old, 0.05).decision == "better"
    assert gate(old, new, 0.05).decision == "worse"


@pytest.mark.parametrize(
    ("fallen", "items", "decision"),
    [(1, 40, "undecided"), (1, 400, "not worse"), (0, 3, "undecided")],
)
def test_grades_that_could_fall_far_need_enough_items(fallen, items, decision):
    """One grade of 40 fell by one point: others may fall from 5 to 1, and were not drawn."""
    old = pd.DataFrame({"item": range(items), "grade": [5.0] * (items - 1) + [4.0]})
    new = old.assign(grade=old["grade"] - (old.index < fallen))
    found = gate(new, old, margin=0.1, metric="grade", greater_is_better=True)
    assert found.decision == decision


def test_the_limit_of_bounded_scores_is_the_exact_one_of_shares():
    """With clusters of one item and falls alone it is that of Clopper and Pearson."""
    items = np.arange(100)
    old = pd.DataFrame({"item": items, "cluster": items, "accuracy": 1})
    new = old.assign(accuracy=(items >= 3).astype(int))
    found = gate(new, old, margin=0.2, cluster="cluster")
    exact = stats.binomtest(3, 100).proportion_ci(0.9, method="exact").high
    assert found.rows[0].limit == pytest.approx(-exact, abs=2e-4)
