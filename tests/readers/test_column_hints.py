"""What a message proposes for a column that was not read, word by word."""

import itertools
import re

import numpy as np
import pandas as pd
import pytest
import reseed
from reseed.core.errors import ReseedError

M = ["a", "b"]


def grid(**values):
    """A row for each combination, with scores that all differ."""
    table = pd.DataFrame([*itertools.product(*values.values())], columns=[*values])
    return table.assign(accuracy=np.linspace(0.5, 0.9, len(table)).round(5))


def proposed(table, after):
    """What an error says after the words that all such errors have."""
    with pytest.raises(ReseedError) as refused:
        reseed.compare(table)
    text = str(refused.value).partition("\n  2. ")[0]
    return re.sub(r" Columns in which these rows differ: .*", "", text.partition(after)[2]).strip()


def test_several_settings_are_proposed_as_the_model():
    table = grid(shots=[1, 4], width=[8, 16], seed=range(2))
    both = "If shots and width are settings that are compared: `columns={'model': ['shots',"
    assert proposed(table, "accuracy. ").startswith(both)


TESTED_ON = "If {0!r} names what models were tested on: `columns={{'dataset': {0!r}}}`."
TRAININGS = "If {0!r} counts trainings: `columns={{'seed': {0!r}}}`."
SETTING = "If {0!r} is a setting, it names the model too: `columns={{'model': ['model', {0!r}]}}`."
ROLLOUTS = (
    "Column {0!r} would: `columns={{'seed': {0!r}}}` where it counts trainings or "
    "`columns={{'repetition': {0!r}}}` where it counts evaluations of one trained model."
)
RESAMPLES = (
    "Column {0!r} seems to number resamples of one test set, which are no runs: give the scores of "
    "its items."
)
CASES = "If {0!r} names test cases: `columns={{'item': {0!r}}}`."
RUNS = [
    (grid(model=M, replicate_id=range(6)), TRAININGS),
    (grid(model=M, rollout_no=range(6)), ROLLOUTS),
    (grid(model=M, counter=range(6)), TRAININGS),
    (grid(model=M, counter=[0, 2, 5, 9, 11, 12]), ""),
    (grid(model=M, question_text=[f"q{i}" for i in range(30)]), CASES),
    (grid(model=M, key=[f"k{i}" for i in range(120)]), CASES),
    (grid(model=M, key=[f"k{i}" for i in range(100)]), TESTED_ON),
    (grid(model=M, bootstrap_no=range(20)), RESAMPLES),
    (grid(model=M, year=range(2010, 2020)), ""),
    (grid(model=M, job=["", *map(str, range(5))]), ""),
    (grid(model=M).loc[[0] * 6 + [1] * 6].assign(job=range(12)), TRAININGS),
    (grid(model=M, region=[*"nsew"]), TESTED_ON),
    (grid(model=M, step_name=[*"nsew"]), ""),
]
ROWS = [
    (grid(model=M, seed=range(6), size=["s", "l"]), SETTING),
    (grid(model=M, seed=range(6), run_part=["x", "y"]), ""),
    (grid(model=M, seed=range(6), runtime=["x", "y"]), ""),
    (grid(model=M, seed=[7], take=range(6)), f"{TRAININGS} {SETTING}"),
    (grid(model=M, seed=range(3), image=[f"i{i}" for i in range(10)]), CASES),
    (grid(model=M, seed=range(3), key=[f"i{i}" for i in range(110)]), CASES),
    (grid(model=M, fold=range(5), site=[1, 2, 3]), TESTED_ON),
    (grid(model=M, fold=range(5), site=[*"pqr"]), TESTED_ON),
    (grid(model=M, dataset=["d"], seed=range(5), site=[*"pq"]), SETTING),
]
COMPARED = "If {0!r} names what is compared: `columns={{'model': {0!r}}}`."
LABELS = "Where these name models and their runs: `columns={{'model': 'Modell'}}`"
MODELS = [
    (grid(Modell=M, Lauf=range(6)), LABELS + " and `columns={{'seed': 'Lauf'}}`.", ""),
    (grid(Modell=M), LABELS + ".", ""),
    (grid(Modell=M, id=range(6)).iloc[:-1], "", ""),
    (grid(lr=[0.1, 0.01], seed=range(6)), COMPARED, "lr"),
    (grid(condition=M, dataset=["d1", "d2"], seed=range(6)), COMPARED, "condition"),
    (grid(condition=[f"m{i}" for i in range(60)], seed=range(3)), "", ""),
    (grid(condition=M, seed=range(6)).iloc[:-1], "", ""),
    (grid(condition=["", "b"], seed=range(6)), "", ""),
    (grid(f1=[0.1, 0.2], seed=range(6)), "", ""),
    (grid(condition=["a"], patient=range(20)), "", ""),
    (grid(week=[1, 2], patient=range(20)), "", ""),
    (grid(condition=M, patient=range(20)).iloc[:-1], "", ""),
]


@pytest.mark.parametrize(("table", "expected"), RUNS)
def test_a_column_that_may_be_the_run(table, expected):
    column = table.columns.drop(["model", "accuracy"])[0]
    assert proposed(table, f"It has {', '.join(table.columns)}.") == expected.format(column)


@pytest.mark.parametrize(("table", "expected"), ROWS)
def test_a_column_in_which_rows_of_one_run_differ(table, expected):
    found = proposed(table, "or remove the rows that do not belong.")
    last = table.columns[-2]
    assert found == expected.format(last)


@pytest.mark.parametrize(("table", "expected", "column"), MODELS)
def test_a_column_that_may_name_the_model(table, expected, column):
    found = proposed(table, f"It has {', '.join(table.columns)}.")
    assert found == expected.format(column)


def test_either_column_of_words_may_name_the_model():
    found = proposed(grid(Modell=M, Daten=["x", "y"], Lauf=range(6)), "accuracy.")
    first, _, last = found.partition(" or ")
    assert "'model': 'Modell'" in first
    assert "'dataset': 'Modell'" in last
    assert "'Lauf'" in last


def test_copies_of_items_are_named():
    table = grid(model=M, item=range(20)).assign(correct=1).drop(columns="accuracy")
    with pytest.raises(ReseedError, match=r"\(rows 0, 40\): an item occurs more than once"):
        reseed.compare(pd.concat([table, table.head(1)], ignore_index=True))


def test_a_judge_of_test_cases_is_a_repetition():
    found = proposed(grid(model=M, item=range(20), judge=["x", "y"]), "item, judge, accuracy.")
    assert found == "If 'judge' names who judged an item: `columns={'repetition': 'judge'}`."


def test_columns_that_may_hold_a_metric():
    table = grid(model=M, seed=range(6)).rename(columns={"accuracy": "drift"})
    with pytest.raises(ReseedError) as refused:
        reseed.compare(table.assign(lr=0.1, _step=3, name="x"), metric="accuracy")
    assert "`columns={'value': 'drift'}`." in str(refused.value)
    assert str(refused.value).count("'value'") == 1


def test_a_column_of_a_tracker_is_no_score():
    table = grid(model=M, seed=range(6)).rename(columns={"accuracy": "drift"})
    with pytest.raises(ReseedError, match="whether more or less of 'drift'"):
        reseed.compare(table.assign(_timestamp=3, state="finished"))
