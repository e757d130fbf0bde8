"""Tables with a column of targets and a column of each model's predictions."""

import numpy as np
import pandas as pd
import pytest
import reseed
from reseed.core.errors import ReseedError

N = 60
RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 2, N)
CLASSES = np.array(["bird", "cat", "dog"])


def flip(share):
    return np.where(np.arange(N) < share * N, 1 - TRUTH, TRUTH)


def shift(share):
    """Indices of classes, wrong in a share of items."""
    y = np.arange(N) % 3
    return np.where(np.arange(N) < share * N, (y + 1) % 3, y)


TABLES = {
    "labels": ({"id": range(N), "y_true": TRUTH, "a": flip(0.1), "b": flip(0.4)}, "accuracy"),
    "words": (
        {"id": range(N), "label": CLASSES[shift(0)], "a": CLASSES[shift(0.1)],
         "b": CLASSES[shift(0.4)]},
        "accuracy",
    ),
    "no column of items": ({"gold": TRUTH, "pred_a": flip(0.1), "pred_b": flip(0.4)}, "accuracy"),
    "probabilities": (
        {"item": range(N), "y_true": TRUTH, "a": 0.4 * TRUTH + np.linspace(0, 0.6, N),
         "b": 0.1 * TRUTH + np.linspace(0, 0.9, N)},
        "auc",
    ),
    "numbers": (
        {"item": range(N), "actual": np.linspace(0, 1, N), "a": np.linspace(0.1, 1.1, N),
         "b": np.linspace(0, 2, N)},
        "mse",
    ),
}  # fmt: skip


def own_score(metric, truth, predicted):
    if metric == "accuracy":
        return float(np.mean(np.asarray(truth) == np.asarray(predicted)))
    if metric == "mse":
        return float(np.mean((np.asarray(truth) - np.asarray(predicted)) ** 2))
    pairs = [x > y for x, i in zip(predicted, truth, strict=True) if i == 1
             for y, j in zip(predicted, truth, strict=True) if j == 0]  # fmt: skip
    return float(np.mean(pairs))


@pytest.mark.parametrize("name", TABLES)
def test_predictions_are_scored_against_their_targets(tmp_path, name):
    table, metric = TABLES[name]
    pd.DataFrame(table).to_csv(tmp_path / "p.csv", index=False)
    found = reseed.compare(tmp_path / "p.csv")
    truth = next(table[key] for key in ("label", "gold", "y_true", "actual") if key in table)
    scores = dict(zip(found.leaderboard["model"], found.leaderboard["mean"], strict=True))
    for model in "ab":
        column = table.get(model, table.get(f"pred_{model}"))
        assert scores[model] == pytest.approx(own_score(metric, truth, column))
    assert any("One column of predictions a model: a, b." in note for note in found.notes)


def test_columns_of_0_and_1_may_be_features_of_a_label(tmp_path):
    table = pd.DataFrame({"id": range(N), "label": TRUTH, "a": flip(0.1), "b": flip(0.4)})
    table.to_csv(tmp_path / "p.csv", index=False)
    with pytest.raises(ReseedError, match=r"`columns=\{'y_true': 'label'\}`"):
        reseed.compare(tmp_path / "p.csv")
    found = reseed.compare(tmp_path / "p.csv", columns={"y_true": "label"})
    assert found.leaderboard["mean"].tolist() == pytest.approx([0.9, 0.6])


@pytest.mark.parametrize("shift_by", [-1, 1])
def test_numbers_beyond_0_and_1_are_no_probabilities(shift_by):
    table = pd.DataFrame({"id": range(N), "y_true": TRUTH})
    scores = RNG.random((2, N)) + shift_by / 2
    with pytest.raises(ReseedError, match="has no column that names the model"):
        reseed.compare(table.assign(a=scores[0], b=scores[1]))


def test_wide_and_long_predictions_give_one_answer(tmp_path):
    table = pd.DataFrame(TABLES["words"][0])
    table.to_csv(tmp_path / "wide.csv", index=False)
    long = table.melt(["id", "label"], ["a", "b"], "model", "y_pred")
    long.rename(columns={"id": "item"}).to_csv(tmp_path / "long.csv", index=False)
    wide, long = (reseed.compare(tmp_path / f"{name}.csv").verdicts for name in ("wide", "long"))
    pd.testing.assert_frame_equal(wide, long)


@pytest.mark.parametrize(
    "table",
    [
        {"id": range(N), "target": TRUTH, "age": RNG.random(N), "income": RNG.random(N)},
        {"id": range(N), "target": RNG.random(N), "age": RNG.random(N), "income": RNG.random(N)},
        {"id": range(N), "label": TRUTH, "age": RNG.random(N), "sex": flip(0.5)},
    ],
    ids=["numbers and two labels", "numbers", "mixed"],
)
def test_features_beside_a_target_are_no_predictions(tmp_path, table):
    pd.DataFrame(table).to_csv(tmp_path / "data.csv", index=False)
    with pytest.raises(ReseedError):
        reseed.compare(tmp_path / "data.csv")


def test_marks_beside_labels_stay_marks(tmp_path):
    table = {"id": range(N), "label": TRUTH, "a_correct": flip(0.1), "b_correct": flip(0.4)}
    pd.DataFrame(table).to_csv(tmp_path / "marks.csv", index=False)
    board = reseed.compare(tmp_path / "marks.csv").leaderboard
    assert dict(zip(board["model"], board["mean"], strict=True)) == {
        "a_correct": pytest.approx(flip(0.1).mean()), "b_correct": pytest.approx(flip(0.4).mean()),
    }  # fmt: skip


def test_a_column_may_name_the_run_of_its_model(tmp_path):
    """Three seeds of two models: seeds are crossed with items, and are no models."""
    shares = {"bert": (0.1, 0.15, 0.2), "t5": (0.3, 0.35, 0.4)}
    table = {"id": range(N), "label": TRUTH} | {
        f"pred_{model}_seed{seed}": flip(share)
        for model, given in shares.items() for seed, share in enumerate(given)
    }  # fmt: skip
    pd.DataFrame(table).to_csv(tmp_path / "seeds.csv", index=False)
    board = reseed.compare(tmp_path / "seeds.csv").leaderboard
    assert dict(zip(board["model"], board["mean"], strict=True)) == {
        model: pytest.approx(1 - np.mean(given)) for model, given in shares.items()
    }


@pytest.mark.parametrize(("name", "is_read"), [("question", True), ("id", False)])
def test_scores_of_test_cases_with_a_column_a_model(tmp_path, name, is_read):
    """Numbers in `id` may count folds, so what a row is stays a question."""
    scores = {"a": RNG.random(N), "b": RNG.random(N)}
    pd.DataFrame({name: range(N)} | scores).to_csv(tmp_path / "judge.csv", index=False)
    if is_read:
        found = reseed.compare(tmp_path / "judge.csv", greater_is_better=True)
        assert "Test cases are named by 'question'." in found.notes
        assert set(found.leaderboard["model"]) == {"a", "b"}
    else:
        with pytest.raises(ReseedError, match="nothing says what a row is"):
            reseed.compare(tmp_path / "judge.csv", greater_is_better=True)


def class_shares(y, names):
    """A column of each class's probability: 0.6 for the predicted one."""
    shares = np.full((N, len(names)), 0.4 / (len(names) - 1))
    shares[np.arange(N), y] = 0.6
    return {name: shares[:, k].round(3) for k, name in enumerate(names)}


@pytest.mark.parametrize(
    ("names", "truth", "predicted", "between"),
    [
        (["0", "1"], {"y": TRUTH}, flip, "_p"),
        (["0", "1", "2"], {"label": shift(0)}, shift, "_prob_"),
        (["bird", "cat", "dog"], {"y_true": CLASSES[shift(0)]}, shift, ".proba.class "),
    ],
    ids=["two", "three", "words"],
)
def test_the_most_probable_class_is_predicted(names, truth, predicted, between):
    shares = {share: class_shares(predicted(share), names) for share in (0.1, 0.4)}
    columns = {f"a{between}{k}": x for k, x in shares[0.1].items()}
    columns |= {f"b{between}{k}": x for k, x in shares[0.4].items()}
    found = reseed.compare(pd.DataFrame(truth | columns))
    by_model = found.leaderboard.set_index("model")["mean"]
    assert by_model.to_dict() == pytest.approx({"a": 0.9, "b": 0.6})


def test_columns_that_do_not_sum_to_one_are_no_classes():
    columns = {f"{m}_p{k}": RNG.random(N) for m in "ab" for k in (0, 1)}
    with pytest.raises(ReseedError, match="holds 0 and 1 alone"):
        reseed.compare(pd.DataFrame({"y": TRUTH} | columns))


def test_answers_next_to_the_gold_ones_are_predictions():
    gold = CLASSES[shift(0)]
    parts = [
        {"question": np.arange(N), "model": m, "answer": CLASSES[shift(s)], "gold": gold}
        for m, s in {"a": 0.1, "b": 0.4}.items()
    ]
    found = reseed.compare(pd.concat(map(pd.DataFrame, parts)))
    assert found.leaderboard.set_index("model")["mean"]["a"] == pytest.approx(0.9)
    free = pd.concat(map(pd.DataFrame, parts)).assign(answer=lambda x: "It is a " + x["answer"])
    with pytest.raises(ReseedError, match="no column of scores"):
        reseed.compare(free)


@pytest.mark.parametrize("item", ["task_id", "question_id", "question"])
def test_a_sample_of_a_test_case_is_an_attempt(item):
    rows = [(m, q, k, int((q + k) % 3 > b)) for m, b in {"a": 0, "b": 1}.items()
            for q in range(30) for k in range(4)]  # fmt: skip
    table = pd.DataFrame(rows, columns=["model", item, "sample", "passed"])
    found = reseed.compare(table)
    assert found.leaderboard.set_index("model")["mean"].to_dict() == pytest.approx(
        table.groupby("model")["passed"].mean().to_dict()
    )
    assert any("4 repeats nested in each" in note for note in found.notes)
