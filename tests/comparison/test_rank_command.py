"""`rank_models`: tables, statements, missing cells and the command."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
import reseed
from reseed import ReseedError
from reseed.cli import main

rank_models = partial(reseed.rank_models, greater_is_better=True)


def _wide(models=5, tasks=10, noise=0.02, rng_seed=0):
    rng = np.random.default_rng(rng_seed)
    scores = np.linspace(0.9, 0.5, models)[:, None] + rng.normal(0, noise, (models, tasks))
    frame = pd.DataFrame(scores, columns=[f"t{task}" for task in range(tasks)])
    frame.insert(0, "model", [f"m{model}" for model in range(models)])
    return frame


def _long(seeds=4, **options):
    wide = _wide(**options)
    long = wide.melt("model", var_name="task", value_name="accuracy")
    rng = np.random.default_rng(1)
    parts = [
        long.assign(seed=seed, accuracy=long["accuracy"] + rng.normal(0, 0.005, len(long)))
        for seed in range(seeds)
    ]
    return pd.concat(parts, ignore_index=True)


def test_columns_of_tasks_and_long_tables_agree():
    wide = _wide()
    long = wide.melt("model", var_name="dataset", value_name="score")
    first, second = rank_models(wide), rank_models(long)
    pd.testing.assert_frame_equal(first.table, second.table)
    assert first.table["model"].tolist() == [f"m{model}" for model in range(5)]
    assert first.table["low_new"].tolist() == [1, 2, 3, 4, 5]
    assert "m0 is the best of 5 models" in str(first)


def test_equal_models_may_each_be_the_best():
    wide = _wide(noise=0.5)
    ranking = rank_models(wide)
    assert ranking.table["low_new"].eq(1).sum() >= 3
    assert "may each be the best" in ranking.sentences()[0]
    assert ranking.table["tasks_needed"].iloc[0] > 10


def test_runs_give_a_statement_on_these_tasks():
    ranking = rank_models(_long())
    assert {"low_new", "low_these"} <= {*ranking.table}
    assert ranking.sources == "4 seeds"
    few = rank_models(_long(tasks=3))
    assert few.new_tasks is None
    assert any("No statement on new tasks: 3 tasks" in note for note in few.notes)


def _one_claim(table, **options):
    """Ranks that `compare` leaves possible; those of `rank_models` on exactly these tasks."""
    ranking = rank_models(table, **options).table.set_index("model")
    expected = reseed.compare(table, greater_is_better=True, **options).possible_ranks
    found = {name: tuple(map(int, row)) for name, row in ranking.filter(like="_these").iterrows()}
    return found, expected


@pytest.mark.parametrize(
    ("columns", "options"),
    [
        (["seed"], {}),
        (["seed"], {"seed_draws": "split", "test_train_ratio": 0.25}),
        (["seed", "fold"], {}),
        (["seed", "item"], {}),
        (["seed", "item", "cluster"], {}),
        (["item"], {}),
        (["seed", "prompt", "item"], {}),
    ],
)
@pytest.mark.parametrize("shared", [-0.9, 0.0, 0.9])
def test_one_task_has_the_ranks_of_compare(columns, options, shared):
    """Also where equal seeds of two models agree, or do the opposite of each other."""
    rng = np.random.default_rng(4)
    levels = {"seed": 6, "fold": 5, "prompt": 2, "item": 12}
    grid = pd.MultiIndex.from_product(
        [range(levels[one]) for one in columns if one != "cluster"],
        names=[one for one in columns if one != "cluster"],
    ).to_frame(index=False)
    common = rng.normal(size=6)[grid["seed"]] if "seed" in grid else 0.0
    parts = []
    for sign, model in zip((1, np.sign(shared), 1, 1), "abcd", strict=True):
        noise = sign * abs(shared) * common + 0.3 * rng.normal(size=len(grid))
        parts.append(grid.assign(model=model, accuracy=0.5 + 0.02 * noise - 0.015 * len(parts)))
    table = pd.concat(parts, ignore_index=True)
    if "cluster" in columns:
        table["cluster"] = table["item"] // 3
    found, expected = _one_claim(table, **options)
    assert found == expected
    assert len(expected) == 4


def test_equal_seeds_are_paired_on_several_tasks():
    """By hand: the mean difference over tasks, with the variance of differences of each seed."""
    rng = np.random.default_rng(7)
    rows = []
    for task in range(3):
        luck = rng.normal(0, 0.02, 5)
        for model, mean in (("a", 0.5), ("b", 0.49)):
            score = mean + luck + rng.normal(0, 0.004, 5)
            rows.append(pd.DataFrame({"task": f"t{task}", "model": model, "seed": range(5),
                                      "accuracy": score}))  # fmt: skip
    table = pd.concat(rows)
    ranking = rank_models(table)
    wide = table.pivot(index=["task", "seed"], columns="model", values="accuracy")
    d = (wide["a"] - wide["b"]).groupby("task")
    assert ranking.these_tasks.difference[0, 1] == pytest.approx(d.mean().mean())
    assert ranking.these_tasks.se[0, 1] == pytest.approx(np.sqrt((d.var() / 5).sum()) / 3)
    assert ranking.these_tasks.is_better[0, 1]
    apart = table.assign(seed=table["seed"] + 100 * table["model"].eq("b"))
    assert not rank_models(apart).these_tasks.is_better.any()


def test_items_give_a_statement_on_these_tasks():
    rng = np.random.default_rng(3)
    table = pd.DataFrame(
        {
            "model": np.repeat(["a", "b", "c"], 200),
            "item": np.tile(np.arange(200), 3),
            "correct": (rng.random(600) < np.repeat([0.9, 0.5, 0.5], 200)).astype(int),
        }
    )
    ranking = rank_models(table)
    assert ranking.sources == "200 items"
    needed = ranking.table["items_needed"].to_numpy()
    assert 10 < needed[0] < 200 < needed[1]
    assert ranking.table.set_index("model").loc["a", ["low_these", "high_these"]].tolist() == [1, 1]


def test_seeds_and_items_each_have_a_number_that_separates():
    """A difference of 5 points: with four seeds of SD 3 points no number of items is enough."""
    rng = np.random.default_rng(5)
    rows = [
        pd.DataFrame({"model": model, "seed": seed, "item": np.arange(300),
                      "score": mean + rng.normal(0, 0.03) + rng.normal(0, 0.2, 300)})
        for model, mean in (("base", 0.5), ("next", 0.45))
        for seed in range(4)
    ]  # fmt: skip
    ranking = rank_models(pd.concat(rows))
    assert ranking.sources == "4 seeds and 300 items"
    needed = ranking.table.loc[0]
    assert 4 < needed["seeds_needed"] < 30
    assert needed["items_needed"] == np.inf
    assert ranking.table.loc[1, ["seeds_needed", "items_needed"]].isna().all()
    one_run = pd.concat([rows[0], *rows[4:]])
    assert "seeds_needed" not in rank_models(one_run).table
    assert "items_needed" in rank_models(one_run).table


def test_skew_is_stated_where_it_is_measured():
    rng = np.random.default_rng(8)
    spread = np.linspace(0.5, 2, 5)[:, None]
    names = [f"m{model}" for model in range(5)]
    for draws, expected in (
        (rng.exponential(size=(5, 30)), True),
        (rng.normal(size=(5, 30)), False),
    ):
        table = pd.DataFrame(spread * draws).add_prefix("task ").assign(model=names)
        ranking = rank_models(table, scale="score")
        assert ranking.is_skewed == expected
        assert any("10 to 16 % of such" in note for note in ranking.notes) == expected
        assert ("the level may not hold" in ranking.sentences()[0]) == expected


def test_errors_rank_the_lowest_first():
    long = _long().rename(columns={"accuracy": "error"})
    ranking = reseed.rank_models(long, metric="error")
    assert ranking.table["model"].iloc[0] == "m4"
    assert ranking.table["mean"].is_monotonic_increasing


def test_ranks_within_tasks_ignore_their_scale():
    wide = _wide(noise=0.2)
    scaled = wide.assign(t0=wide["t0"] * 1000)
    first, second = (rank_models(one, scale="rank").table for one in (wide, scaled))
    pd.testing.assert_frame_equal(first, second)
    raw = rank_models(scaled, scale="score").table["tasks_needed"].iloc[0]
    assert raw != first["tasks_needed"].iloc[0]


def test_scores_of_a_share_are_averaged_and_others_ranked():
    """As in `compare`; a note says it, and exactly these tasks are still ranked by their means."""
    long = _wide(noise=0.2).melt("model", var_name="dataset", value_name="accuracy")
    long["accuracy"] = 0.5 + long["accuracy"] / 100
    pd.testing.assert_frame_equal(rank_models(long).table, rank_models(long, scale="score").table)
    other = long.rename(columns={"accuracy": "reward"})
    found, ranked = rank_models(other), rank_models(other, scale="rank")
    pd.testing.assert_frame_equal(found.table, ranked.table)
    for one, is_said in ((found, True), (ranked, False)):
        assert any("as nothing says that the scores" in note for note in one.notes) == is_said
    runs = pd.concat([other.assign(seed=s, reward=other["reward"] + 0.01 * s) for s in range(6)])
    both = rank_models(runs)
    assert {"low_new", "low_these"} <= set(both.table)
    means = runs.groupby("model")["reward"].mean()
    assert both.these_tasks.mean.max() == pytest.approx(means.max())


def test_tasks_with_unlike_metrics_are_compared_by_rank():
    """As `compare` does; their mean scores mean nothing."""
    rng = np.random.default_rng(2)
    rows = [
        (f"t{task}", metric, model, seed, (0.5 + sign * 0.1 * rank + 0.01 * rng.normal()) * size)
        for task in range(7)
        for metric, sign, size in ([("accuracy", 1, 1.0)] if task < 4 else [("rmse", -1, 50.0)])
        for rank, model in enumerate("abc")
        for seed in range(5)
    ]
    table = pd.DataFrame(rows, columns=["dataset", "metric", "model", "seed", "value"])
    ranking = reseed.rank_models(table, metric=["accuracy", "rmse"])
    assert ranking.table["model"].tolist() == ["c", "b", "a"]
    assert ranking.these_tasks is None
    assert "No statement on exactly these tasks: they differ in their metric." in ranking.notes
    expected = reseed.compare(table, metric=["accuracy", "rmse"]).possible_ranks
    found = ranking.table.set_index("model")[["low_new", "high_new"]]
    assert {name: tuple(row) for name, row in found.iterrows()} == expected
    with pytest.raises(ReseedError, match="accuracy, rmse"):
        reseed.rank_models(table, metric=["accuracy", "rmse"], scale="score")
    few = table[table["dataset"].isin(["t0", "t5"])]
    with pytest.raises(ReseedError, match="support no interval"):
        reseed.rank_models(few, metric=["accuracy", "rmse"])


def test_missing_tasks_are_refused_or_left_out():
    long = _wide().melt("model", var_name="dataset", value_name="score")
    holes = long.drop(long.index[(long["model"] == "m3") & (long["dataset"] == "t2")])
    with pytest.raises(ReseedError, match=r"1 of 50 pairs .* missing: m3 lacks t2"):
        rank_models(holes)
    assert len(rank_models(holes, missing="models").table) == 4
    kept = rank_models(holes, missing="tasks")
    assert any("Tasks kept: 9 of 10" in note for note in kept.notes)


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (lambda t: t[["model", "t0", "t1"]], {}, "which are too few"),
        (lambda t: t.iloc[:1], {}, "one run of each model"),
        (lambda t: t.assign(t1=[0.1, np.nan, 0.2, 0.3, 0.4]), {}, "m1 lacks t1"),
        (lambda t: t, {"failed": "no"}, "failed: 'no' is none of"),
        (lambda t: t, {"failed": "zero", "greater_is_better": False}, "is the best"),
        (lambda t: pd.concat([t, t]), {}, "no column identifies the runs"),
        (lambda t: t, {"missing": "no"}, "missing: 'no' is none of"),
        (lambda t: t, {"scale": "z"}, "scale: 'z' is none of"),
        (lambda t: t, {"level": 95}, "level is 95"),
    ],
)
def test_tables_without_a_ranking_are_refused(change, options, message):
    with pytest.raises(ReseedError, match=message):
        rank_models(change(_wide()), **options)


def _items(rng_seed=6):
    """Three models, two tasks of 60 items, right with probability 0.9, 0.6 and 0.3."""
    rng = np.random.default_rng(rng_seed)
    return pd.concat(
        [
            pd.DataFrame({"model": model, "task": task, "item": np.arange(60),
                          "correct": (rng.random(60) < p) * 1.0})
            for model, p in (("a", 0.9), ("b", 0.6), ("c", 0.3))
            for task in ("t", "u")
        ],
        ignore_index=True,
    )  # fmt: skip


def _hole(table, absent):
    """The table without the scores of model b on items 3 and 4 of task u: absent rows, or empty."""
    hole = table["model"].eq("b") & table["task"].eq("u") & table["item"].isin([3, 4])
    if absent:
        return table[~hole].reset_index(drop=True)
    return table.assign(correct=table["correct"].mask(hole))


@pytest.mark.parametrize("absent", [True, False])
def test_failed_items_are_dropped_for_all_models(absent):
    full = _items()
    with pytest.raises(ReseedError, match="drop"):
        rank_models(_hole(full, absent))
    ranking = rank_models(_hole(full, absent), failed="drop")
    rest = full[~(full["task"].eq("u") & full["item"].isin([3, 4]))]
    expected = rank_models(rest)
    pd.testing.assert_frame_equal(ranking.table, expected.table)
    assert ranking.sources == "58 to 60 items"
    assert any("favours it" in note for note in ranking.notes)


def test_failed_items_count_zero_or_by_their_repeats():
    full = _items()
    holed = _hole(full, absent=False)
    wrong = full.assign(correct=holed["correct"].fillna(0))
    zero = rank_models(holed, failed="zero")
    pd.testing.assert_frame_equal(zero.table, rank_models(wrong).table)
    twice = pd.concat([full.assign(epoch=1), holed.assign(epoch=2)])
    repeats = rank_models(twice.assign(seed=1), failed="repeats")
    assert repeats.table.set_index("model").loc["b", "mean"] == pytest.approx(
        rank_models(full).table.set_index("model").loc["b", "mean"]
    )


def test_failed_runs_of_tables_without_items_are_left_out():
    long = _long(seeds=4, tasks=3)
    failed = long.assign(
        accuracy=long["accuracy"].mask(long["seed"].eq(2) & long["model"].eq("m0"))
    )
    with pytest.raises(ReseedError, match="scores are missing"):
        rank_models(failed)
    ranking = rank_models(failed, failed="drop")
    assert ranking.sources == "3 to 4 seeds"
    assert any("Failed runs are left out: m0 3." in note for note in ranking.notes)


def test_items_without_one_of_the_prompts_are_refused():
    both = pd.concat([_items().assign(prompt="p"), _items(7).assign(prompt="q")])
    hole = both["model"].eq("a") & both["prompt"].eq("q") & both["item"].eq(5)
    table = both[~hole].assign(seed=1)
    table = pd.concat([table, table.assign(seed=2)])
    with pytest.raises(ReseedError, match="prompt q has 59 of 60 items; 5 is missing"):
        rank_models(table)


def test_command_passes_on_what_a_failed_item_means(tmp_path, capsys):
    path = tmp_path / "s.csv"
    _hole(_items(), absent=True).to_csv(path, index=False)
    main(["rank", str(path), "--failed", "drop"])
    assert "58 of 60 items are kept" in capsys.readouterr().out


def test_command_writes_ranks_and_figure(tmp_path, capsys):
    path, ranks, figure = (tmp_path / name for name in ("s.csv", "ranks.csv", "ranks.svg"))
    _long().to_csv(path, index=False)
    main(["rank", str(path), "--csv", str(ranks), "--figure", str(figure)])
    assert "On new tasks: m0 is the best of 5 models" in capsys.readouterr().out
    assert pd.read_csv(ranks)["model"].iloc[0] == "m0"
    assert "<svg" in figure.read_text()


def _of_runs(models, seeds, draw):
    rows = [(m, s, draw(m)) for m in models for s in range(seeds)]
    return pd.DataFrame(rows, columns=["model", "seed", "accuracy"])


def test_two_equal_runs_of_each_model_support_no_rank():
    fixed = {"a": 0.9, "b": 0.8, "c": 0.7}
    with pytest.raises(ReseedError, match="support no interval of ranks"):
        rank_models(_of_runs(fixed, 2, fixed.get))
    table = rank_models(_of_runs(fixed, 5, fixed.get)).table
    assert (table["low_these"] == 1).all()
    assert (table["high_these"] == 3).all()


@pytest.mark.nightly
def test_five_equal_models_are_ranked_apart_in_few_cases():
    """Five seeds, 100 test items: 200 simulations (SE .015)."""
    wrong = 0
    for number in range(200):
        rng = np.random.default_rng(number)
        table = rank_models(_of_runs("abcde", 5, lambda _, r=rng: r.binomial(100, 0.8) / 100)).table
        wrong += (table["low_these"] > 1).any() or (table["high_these"] < 5).any()
    assert wrong / 200 < 0.095


def test_repetitions_of_one_evaluation_are_runs():
    rng = np.random.default_rng(3)
    rows = [
        (model, k, mean + 0.03 * rng.normal())
        for model, mean in (("mini", 0.1), ("base", 0.2))
        for k in range(1, 11)
    ]
    frame = pd.DataFrame(rows, columns=["model", "repetition", "accuracy"])
    ranking = reseed.rank_models(frame)
    assert "over 10 runs: base is the best of 2 models" in " ".join(ranking.sentences())


def test_headings_that_count_are_asked_for():
    table = pd.DataFrame(np.random.default_rng(0).random((3, 8))).assign(model=list("abc"))
    with pytest.raises(ReseedError, match="differ in a number only"):
        rank_models(table)
    named = table.rename(columns=lambda c: c if c == "model" else f"task {c}")
    counted = rank_models(table, headings="dataset").table
    pd.testing.assert_frame_equal(counted, rank_models(named).table)


def test_counts_of_a_table_of_confusion_are_no_tasks():
    table = pd.DataFrame({"model": ["a", "b"], "tp": [5, 6], "fp": [1, 2], "fn": [2, 1]})
    with pytest.raises(ReseedError, match="several columns that may be the score: tp, fp, fn"):
        rank_models(table)
