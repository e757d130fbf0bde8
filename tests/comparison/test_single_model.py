"""Runs of one model: the answer says how much its score varies, and with what."""

import json
import re

import numpy as np
import pandas as pd
import pytest
import reseed
from reseed.core.errors import ReseedError
from scipy import stats

RNG = np.random.default_rng(5)
SCORES = 0.9 + 0.01 * RNG.standard_normal(10)


def one_model(**columns):
    return pd.DataFrame({"model": "bert", **columns})


SEEDS = one_model(seed=range(10), accuracy=SCORES)


def test_two_new_runs_by_students_t():
    [sentence] = reseed.compare(SEEDS).answer
    limit = SCORES.std(ddof=1) * stats.studentized_range.ppf(0.95, 2, 9)
    [shown] = re.findall(r"differ by less than (\S+) in 95 % of cases", sentence)
    assert float(shown) == pytest.approx(limit, rel=0.02)
    low, high = np.sqrt(9 * SCORES.var(ddof=1) / stats.chi2.isf([0.025, 0.975], 9))
    [interval] = re.findall(
        r"SD \S+ \[(\S+), (\S+)\] over 10 model seeds, if scores are near", sentence
    )
    assert [float(end) for end in interval] == pytest.approx([low, high], rel=0.06)


def test_folds_have_a_corrected_mean():
    frame = one_model(fold=range(10), accuracy=SCORES)
    [sentence] = reseed.compare(frame).answer
    error = SCORES.std(ddof=1) * np.sqrt(1 / 10 + 1.5 / 9)
    ends = SCORES.mean() + np.array([-1, 1]) * error * stats.t.isf(0.025, 9)
    assert f"[{ends[0]:.4f}, {ends[1]:.4f}]" in sentence or f"[{ends[0]:.3f}, {ends[1]:.3f}]" in (
        sentence
    )
    assert "over 10 splits" in sentence
    new = np.sqrt(2 * (1 + 1.5 / 9)) * SCORES.std(ddof=1) * stats.t.isf(0.025, 9)
    [limit] = re.findall(r"differ by less than (\S+) in 95 % of cases", sentence)
    assert float(limit) == pytest.approx(new, rel=0.02)


def test_crossed_seeds_have_shares_of_the_variance():
    splits = np.repeat(np.arange(6), 5)
    scores = 0.8 + 0.02 * RNG.standard_normal(6)[splits] + 0.001 * RNG.standard_normal(30)
    frame = one_model(data_seed=splits, seed=np.tile(np.arange(5), 6), accuracy=scores)
    answer = reseed.compare(frame, test_train_ratio=0.25).answer
    [share] = re.findall(r"the split (\d+) % \[", " ".join(answer))
    assert int(share) > 95


@pytest.mark.parametrize("kind", ["fold", "item", "seed"])
@pytest.mark.parametrize(("scale", "metric"), [(100, "accuracy"), (-1, "neg_rmse"), (1e4, "mse")])
def test_scores_of_any_scale(kind, scale, metric):
    frame = one_model(**{kind: range(10), metric: SCORES * scale})
    [sentence] = reseed.compare(frame).answer
    [mean] = re.findall(r"mean \S+ (−?[\d.]+)", sentence)
    assert float(mean.replace("−", "-")) == pytest.approx(SCORES.mean() * scale, rel=0.02)


def test_a_bounded_score_has_a_bounded_interval():
    frame = one_model(fold=range(5), accuracy=[1.0, 1.0, 0.9, 1.0, 1.0])
    [sentence] = reseed.compare(frame).answer
    assert "1.00]" in sentence or "1.000]" in sentence


def test_each_dataset_has_its_sentence():
    both = pd.concat([SEEDS.assign(dataset="a"), SEEDS.assign(dataset="b", accuracy=SCORES**2)])
    comparison = reseed.compare(both)
    assert [sentence[:9] for sentence in comparison.answer] == ["bert on a", "bert on b"]
    lines = str(comparison).splitlines()
    assert lines.index("a") < lines.index("b")
    assert sum(line.startswith("bert  ") for line in lines) == 2


@pytest.mark.parametrize(
    ("scores", "words"), [(SCORES[:2], "Too few runs"), (np.full(6, 0.5), "SD 0 over")]
)
def test_no_limit_without_a_spread(scores, words):
    frame = one_model(seed=range(len(scores)), accuracy=scores)
    [sentence] = reseed.compare(frame).answer
    assert words in sentence
    assert "differ by" not in sentence


def test_equal_splits_have_no_interval():
    [sentence] = reseed.compare(one_model(fold=range(5), accuracy=[0.5] * 5)).answer
    assert sentence == "bert: mean accuracy 0.500 over 5 splits, SD 0."


def test_every_output_has_the_same_answer(tmp_path):
    comparison = reseed.compare(SEEDS)
    [sentence] = comparison.answer
    assert json.loads(comparison.to_json())["answer"] == [sentence]
    assert comparison.render().startswith(f"{sentence}\n")
    page = re.sub("<.*?>", "", comparison.to_html())
    assert "How much does the score vary?" in page
    assert "There is one model" not in page
    assert "differ by less than" in page
    comparison.to_csv(tmp_path / "scores.csv")
    assert pd.read_csv(tmp_path / "scores.csv")["n"].tolist() == [10]
    assert "bert &" in comparison.to_latex()
    assert "bert" in comparison._repr_html_()
    comparison.save(tmp_path / "folder")


def test_a_title_of_the_user_stays():
    assert ">Mine<" in reseed.compare(SEEDS, title="Mine").to_html()


def test_two_models_on_two_datasets_compare_nothing():
    frame = pd.concat([SEEDS.assign(dataset="a"), SEEDS.assign(dataset="b", model="gpt")])
    assert "Nothing to compare" in reseed.compare(frame).answer[0]


ITEMS = one_model(item=range(50), correct=[1] * 40 + [0] * 10)


def test_one_run_of_items_has_the_exact_interval():
    comparison = reseed.compare(ITEMS)
    ends = stats.binomtest(40, 50).proportion_ci(method="exact")
    row = comparison.leaderboard.iloc[0]
    assert (row["mean_low"], row["mean_high"]) == pytest.approx((ends.low, ends.high))
    [sentence] = comparison.answer
    assert f"mean correct 0.80 [{ends.low:.2f}, {ends.high:.2f}]" in sentence
    assert sentence.endswith("(for new items and exactly this trained model).")
    assert reseed.compare(ITEMS).answer == [sentence]


def test_clusters_and_seeds_widen_the_interval():
    scores = RNG.standard_normal((6, 1)) * 0.5 + RNG.standard_normal((6, 40))
    table = one_model(
        seed=np.repeat(range(6), 40), item=np.tile(range(40), 6), score=scores.ravel()
    ).assign(topic=lambda rows: rows["item"] // 4)
    options = {"greater_is_better": True}
    boards = [
        reseed.compare(table, fixed=["seed"], **options).leaderboard,
        reseed.compare(table, **options).leaderboard,
        reseed.compare(table, cluster="topic", fixed=["seed"], **options).leaderboard,
    ]
    fixed, both, clustered = (board.iloc[0] for board in boards)
    ends = stats.t.interval(0.95, 39, scores.mean(), stats.sem(scores.mean(axis=0)))
    assert (fixed["mean_low"], fixed["mean_high"]) == pytest.approx(ends)
    assert both["mean_high"] - both["mean_low"] > 2 * (ends[1] - ends[0])
    error = stats.sem(scores.mean(axis=0).reshape(10, 4).mean(axis=1))
    assert clustered["mean_high"] - scores.mean() == pytest.approx(error * stats.t.isf(0.025, 9))


def test_equal_scores_of_items_need_a_known_end():
    """Nine equal shares could be of a population with some at an end: the rule of three."""
    frame = one_model(item=range(9), score=[1.0] * 9)
    [row] = reseed.compare(frame, greater_is_better=True).leaderboard.itertuples()
    assert (row.mean_low, row.mean_high) == pytest.approx((0.025 ** (1 / 9), 1), abs=1e-6)
    comparison = reseed.compare(frame.assign(score=20.5), greater_is_better=True)
    assert comparison.leaderboard["mean_low"].isna().all()


def test_many_datasets_have_a_table():
    frame = pd.concat([ITEMS.assign(dataset=f"d{number}") for number in range(6)])
    comparison = reseed.compare(frame)
    assert comparison.answer == ["One model on 6 datasets: the table has its scores."]
    assert str(comparison).count("bert ") == 6


@pytest.mark.parametrize("metric", ["accuracy", "f1"])
def test_metrics_of_predictions_have_an_interval(metric):
    truth = np.arange(60) % 2
    table = one_model(item=range(60), y_true=truth, y_pred=np.where(np.arange(60) < 50, truth, 1))
    row = reseed.compare(table, metric=metric).leaderboard.iloc[0]
    assert 0.5 < row["mean_low"] < row["mean"] < row["mean_high"] <= 1


def test_models_on_items_of_other_datasets_are_refused():
    both = pd.concat([ITEMS.assign(dataset="a"), ITEMS.assign(dataset="b", model="gpt")])
    with pytest.raises(ReseedError, match="No dataset holds two models"):
        reseed.compare(both)


def test_models_that_share_the_best_mean_are_no_others():
    frame = pd.concat([ITEMS, ITEMS.assign(model="gpt")])
    answer = reseed.compare(frame).answer[0]
    assert "bert and gpt share the best mean" in answer
    assert "from gpt" not in answer


def test_a_file_without_a_model_is_of_one_model(tmp_path):
    path = tmp_path / "bert.csv"
    SEEDS.drop(columns="model").to_csv(path, index=False)
    comparison = reseed.compare(path)
    assert comparison.answer == reseed.compare(SEEDS).answer
    assert any("all rows are runs of one model, 'bert'" in note for note in comparison.notes)


@pytest.mark.parametrize("column", ["size", "ant_accuracy", "note"])
def test_a_column_that_may_name_a_model_is_asked_about(column, tmp_path):
    path = tmp_path / "bert.csv"
    SEEDS.drop(columns="model").assign(**{column: SCORES - 0.1}).to_csv(path, index=False)
    with pytest.raises(ReseedError):
        reseed.compare(path)


def test_samples_of_items_are_attempts():
    table = one_model(
        item=np.repeat(range(20), 3), attempt=np.tile(range(3), 20), correct=[1, 0, 1] * 20
    )
    [sentence] = reseed.compare(table, repeats="pass@2").answer
    assert "mean pass@2 1.00" in sentence
