"""Words that mark right and wrong answers, and columns that are crossed like models and cases."""

import numpy as np
import pandas as pd
import pytest
import reseed
from reseed.core.errors import ReseedError

ITEMS = 40
RIGHT = {"a": np.arange(ITEMS) % 4 > 0, "b": np.arange(ITEMS) % 5 < 2}
WORDS = [("True", "False"), ("PASS", "FAIL"), ("passed", "failed"), ("correct", "wrong"),
         ("Correct", "Incorrect")]  # fmt: skip


def means(found):
    return found.leaderboard.set_index("model")["mean"].to_dict()


@pytest.mark.parametrize(("right", "wrong"), WORDS)
def test_words_of_right_and_wrong_are_scores(right, wrong):
    columns = {name: np.where(marks, right, wrong) for name, marks in RIGHT.items()}
    wide = pd.DataFrame({"question": [f"q{i}" for i in range(ITEMS)], **columns})
    long = wide.melt("question", var_name="model", value_name="resolved")
    expected = {name: marks.mean() for name, marks in RIGHT.items()}
    assert means(reseed.compare(wide)) == pytest.approx(expected)
    assert means(reseed.compare(long)) == pytest.approx(expected)


def test_words_of_two_pairs_are_no_marks():
    answers = np.resize(["pass", "no", "wrong"], 2 * ITEMS)
    long = pd.DataFrame({"question": [*range(ITEMS)] * 2, "model": ["a"] * ITEMS + ["b"] * ITEMS})
    with pytest.raises(ReseedError, match="no column of scores"):
        reseed.compare(long.assign(answer=answers))


@pytest.mark.parametrize("words", [("True", "False"), ("yes", "no")])
def test_answers_are_no_marks(words):
    long = pd.DataFrame({"question": [*range(ITEMS)] * 2, "model": ["a"] * ITEMS + ["b"] * ITEMS})
    with pytest.raises(ReseedError, match="no column of scores"):
        reseed.compare(long.assign(answer=np.resize(words, 2 * ITEMS)))


def test_a_flag_is_no_score_without_test_cases():
    runs = pd.DataFrame({"model": list("aabb"), "seed": [0, 1, 0, 1], "amp": [True, False] * 2})
    with pytest.raises(ReseedError, match="no column of scores"):
        reseed.compare(runs)


def test_crossed_columns_are_proposed_as_models_and_test_cases():
    rows = [(p, c, p % 7 + (c == "new")) for p in range(20) for c in ("old", "new")]
    table = pd.DataFrame(rows, columns=["participant", "condition", "accuracy"])
    proposal = "If 'condition' names what is compared, and 'participant' test cases"
    with pytest.raises(ReseedError, match=proposal):
        reseed.compare(table)
    columns = {"model": "condition", "item": "participant"}
    assert len(reseed.compare(table, columns=columns).leaderboard) == 2
    with pytest.raises(ReseedError, match="no column that names the model") as refused:
        reseed.compare(table.iloc[:-1])  # not every pair
    assert proposal not in str(refused.value)
