"""Scores of items: designs that are found, scores that are refused, and the command."""

import re

import numpy as np
import pandas as pd
import pytest
from reseed import ReseedError, compare
from reseed.cli import main
from reseed.stats.item_model import Factor, item_difference
from reseed.stats.pass_at_k import pass_all_k, pass_at_k
from scipy import stats


def _table(seeds=3, prompts=1, repeats=1, items=24, gap=0.3, rng_seed=0):
    """Binary scores of two models; items in clusters of three."""
    rng = np.random.default_rng(rng_seed)
    shape = (2, seeds, prompts, repeats, items)
    latent = rng.normal(size=items) + gap * np.arange(2).reshape(2, 1, 1, 1, 1)
    right = latent + rng.normal(0, 0.2, (2, seeds, prompts, 1, 1)) + rng.normal(size=shape) > 0
    model, seed, prompt, repeat, item = (axis.ravel() for axis in np.indices(shape))
    return pd.DataFrame(
        {
            "model": np.array(["old", "new"])[model],
            "seed": seed,
            "prompt": [f"p{one}" for one in prompt],
            "attempt": repeat,
            "question": [f"q{one}" for one in item],
            "cluster": item // 3,
            "correct": right.ravel().astype(int),
        }
    )


def _values(table, model):
    part = table[table["model"] == model]
    return part.pivot_table(index="seed", columns="question", values="correct").to_numpy(float)


def test_seeds_and_items_equal_the_crossed_test():
    table = _table().drop(columns=["cluster", "prompt", "attempt"])
    row = compare(table).verdicts.iloc[0]
    better = row["model_a"]
    sides = [_values(table, name) for name in (better, row["model_b"])]
    expected = item_difference(*sides, [Factor("seed", True)])
    assert (row["difference"], row["low"], row["p"]) == pytest.approx(
        (expected.difference, expected.low, expected.p_value)
    )
    assert row["covers"] == "new seeds and new items"


def test_one_run_of_each_is_mcnemar():
    table = _table(seeds=1, items=90).drop(columns=["cluster", "seed", "prompt"])
    comparison = compare(table)
    row = comparison.verdicts.iloc[0]
    a, b = (
        table[table["model"] == row[side]].sort_values("question")["correct"]
        for side in ("model_a", "model_b")
    )
    only_a, only_b = (
        int((a.to_numpy() > b.to_numpy()).sum()),
        int((a.to_numpy() < b.to_numpy()).sum()),
    )
    expected = stats.chi2.sf((only_a - only_b) ** 2 / (only_a + only_b), 1)
    assert row["p"] == pytest.approx(expected)


def test_errors_are_tested_as_their_complement():
    table = pd.DataFrame(
        [
            {"model": model, "item": item, "score": int((item * step) % 7 < 5)}
            for model, step in (("a", 3), ("b", 4))
            for item in range(40)
        ]
    )
    right = compare(table, greater_is_better=True).verdicts
    wrong = table.assign(score=1 - table["score"])
    found = compare(wrong, greater_is_better=False).verdicts
    columns = ["model_a", "test", "p"]
    pd.testing.assert_frame_equal(found[columns], right[columns])
    assert (found["low"].item(), found["high"].item()) == pytest.approx(
        (-right["high"].item(), -right["low"].item())
    )


def test_clusters_widen_the_interval():
    rng = np.random.default_rng(1)
    effect = rng.normal(size=(2, 20)).repeat(10, axis=1)
    table = pd.DataFrame(
        {
            "model": np.repeat(["a", "b"], 200),
            "item": np.tile(np.arange(200), 2),
            "passage": np.tile(np.arange(200) // 10, 2),
            "score": (effect + 0.1 * rng.normal(size=(2, 200))).ravel(),
        }
    )
    without = compare(table, greater_is_better=True, leave_out="passage").verdicts.iloc[0]
    with_clusters = compare(table, cluster="passage", greater_is_better=True).verdicts.iloc[0]
    widths = [row["high"] - row["low"] for row in (with_clusters, without)]
    assert widths[0] > 2.5 * widths[1]
    shares = re.findall(r"(\w+) (\d+)%", with_clusters["error_shares"])
    assert {name: int(share) >= 90 for name, share in shares} == {"item": False, "cluster": True}
    assert with_clusters["covers"] == "new clusters and exactly these trained models"


def test_few_prompts_have_a_wide_interval():
    shifts = np.array([[-0.15, 0.1], [0.05, -0.05]])  # models × prompts
    rng = np.random.default_rng(2)
    share = 0.5 + shifts[:, None, :, None] + rng.normal(0, 0.02, (2, 3, 2, 1))
    right = rng.random((2, 3, 2, 60)) < share
    model, seed, prompt, item = (axis.ravel() for axis in np.indices(right.shape))
    columns = {"model": np.array(["a", "b"])[model], "seed": seed, "prompt": prompt, "item": item}
    table = pd.DataFrame(columns | {"correct": right.ravel().astype(int)})
    row = compare(table).verdicts.iloc[0]
    assert (row["low"], row["high"]) == (-1, 1)  # two prompts hardly show their spread
    fixed = compare(table, fixed=["prompt"]).verdicts.iloc[0]
    assert fixed["high"] - fixed["low"] < 1


def test_two_clusters_have_no_verdict():
    table = _table().drop(columns=["prompt", "attempt"])
    passage = table["question"].str[1:].astype(int)
    two, three = (
        compare(table.assign(passage=passage % count), cluster="passage") for count in (2, 3)
    )
    assert set(two.verdicts["reason"]) == {"too few clusters"}
    assert "too few clusters" in two.answer[0]
    assert "(for new" not in two.answer[0]  # nothing is claimed
    assert "not tested" not in set(three.verdicts["outcome"])


def test_items_numbered_within_clusters_are_told_apart():
    table = _table().drop(columns=["prompt", "attempt"])
    number = table["question"].str[1:].astype(int) % 3
    renamed = table.assign(question=number)
    first, second = compare(table), compare(renamed)
    assert first.verdicts["p"].iloc[0] == pytest.approx(second.verdicts["p"].iloc[0])
    assert any("numbered within clusters" in note for note in second.notes)


@pytest.mark.parametrize(("name", "estimate"), [("pass@2", pass_at_k), ("pass^2", pass_all_k)])
def test_pass_at_k_of_repeats(name, estimate):
    table = _table(repeats=5).drop(columns=["prompt", "cluster"])
    comparison = compare(table, repeats=name)
    for model, mean in comparison.leaderboard.set_index("model")["mean"].items():
        part = table[table["model"] == model]
        right = part.groupby(["seed", "question"])["correct"].sum()
        assert mean == pytest.approx(estimate(5, right, 2).mean(), rel=1e-12)
    assert comparison.verdicts["metric"].iloc[0] == name
    assert "repeat " in comparison.verdicts["error_shares"].iloc[0]


def test_repeats_are_averaged_or_taken_as_runs():
    table = _table(seeds=1, repeats=6).drop(columns=["prompt", "cluster", "seed"])
    averaged = compare(table).verdicts.iloc[0]
    as_runs = compare(table, repeats="factor").verdicts.iloc[0]
    assert int(re.findall(r"repeat (\d+)%", averaged["error_shares"])[0]) > 30
    assert averaged["covers"] == "new items and exactly these trained models"
    assert as_runs["covers"] == "new seeds and new items"
    assert averaged["difference"] == pytest.approx(as_runs["difference"])


def test_unequal_repeats_are_averaged_by_item():
    table = _table(seeds=1, repeats=3).drop(columns=["prompt", "cluster"])
    shorter = table.drop(table.index[(table["attempt"] == 2) & (table["question"] == "q0")])
    mean = shorter[shorter["model"] == "new"].groupby("question")["correct"].mean().mean()
    board = compare(shorter).leaderboard.set_index("model")["mean"]
    assert board["new"] == pytest.approx(mean)


def test_prompts_are_a_factor_or_fixed():
    table = _table(prompts=4).drop(columns=["attempt", "cluster"])
    random, fixed = compare(table), compare(table, fixed=["prompt"])
    assert random.verdicts["covers"].iloc[0] == "new seeds, new prompts and new items"
    assert fixed.verdicts["covers"].iloc[0] == "new seeds and new items"
    assert fixed.verdicts["difference"].iloc[0] == pytest.approx(
        random.verdicts["difference"].iloc[0]
    )


def test_other_seeds_of_each_model_are_not_paired():
    table = _table().drop(columns=["prompt", "attempt", "cluster"])
    table.loc[table["model"] == "new", "seed"] += 10
    row = compare(table).verdicts.iloc[0]
    sides = [_values(table, row[side]) for side in ("model_a", "model_b")]
    assert row["p"] == pytest.approx(item_difference(*sides, [Factor("seed", False)]).p_value)


def test_lower_is_better_puts_the_lower_mean_first():
    table = _table().rename(columns={"correct": "error"}).drop(columns=["attempt"])
    row = compare(table).verdicts.iloc[0]
    means = table.groupby("model")["error"].mean()
    assert row["model_a"] == means.idxmin()
    assert row["difference"] < 0


def test_each_dataset_is_a_family_of_its_own():
    parts = [_table(rng_seed=seed).assign(task=f"t{seed}") for seed in range(2)]
    third = _table(rng_seed=5).query("model == 'new'").assign(model="third", task="t0")
    table = pd.concat([*parts, third]).drop(columns=["prompt", "attempt", "cluster"])
    verdicts = compare(table).verdicts.query("dataset != 'all datasets'")
    assert verdicts.groupby("dataset").size().to_dict() == {"t0": 3, "t1": 1}
    assert verdicts.groupby("dataset")["pairs"].first().to_dict() == {"t0": 3, "t1": 1}
    against = compare(table, baseline="new").verdicts.query("dataset != 'all datasets'")
    assert len(against) == 3


def test_equivalence_needs_a_region():
    table = _table(items=3000, gap=0.0).drop(columns=["prompt", "attempt", "cluster"])
    assert compare(table).verdicts["outcome"].iloc[0] != "equal"
    assert compare(table, rope=0.3).verdicts["outcome"].iloc[0] == "equal"


def test_failed_items_are_refused_dropped_or_zero():
    table = _table().drop(columns=["prompt", "attempt"]).astype({"correct": float})
    failed = (table["model"] == "new") & (table["question"] == "q3") & (table["seed"] == 1)
    table.loc[failed, "correct"] = np.nan
    with pytest.raises(ReseedError, match=r"scores are missing \(new 1\).*failed='zero'"):
        compare(table)
    dropped = compare(table, failed="drop")
    assert any("23 items" in note for note in dropped.notes)
    zero = compare(table, failed="zero").leaderboard.set_index("model")["mean"]
    expected = table[table["model"] == "new"]["correct"].fillna(0).mean()
    assert zero["new"] == pytest.approx(expected)


def test_long_table_of_several_metrics():
    table = _table().drop(columns=["prompt", "attempt", "cluster"])
    both = pd.concat(
        [
            table.rename(columns={"correct": "value"}).assign(metric="accuracy"),
            table.rename(columns={"correct": "value"}).assign(metric="f1", value=0.0),
        ]
    )
    with pytest.raises(ReseedError, match=r"several metrics, and one is compared"):
        compare(both)
    chosen = compare(both, metric="accuracy")
    assert chosen.verdicts["p"].iloc[0] == pytest.approx(compare(table).verdicts["p"].iloc[0])


def test_command(tmp_path, capsys):
    path, output = tmp_path / "scores.csv", tmp_path / "verdicts.csv"
    _table(repeats=2).drop(columns=["prompt"]).to_csv(path, index=False)
    main(["compare", str(path), "--repeats", "pass@2", "--baseline", "old", "--csv", str(output)])
    printed = capsys.readouterr().out
    assert "pass@2" in printed
    assert len(pd.read_csv(output)) == 1
    with pytest.raises(SystemExit, match="write NAME=COLUMN"):
        main(["compare", str(path), "--column", "model"])
