"""Headlines and findings claim what the numbers carry, and no more."""

import numpy as np
import pandas as pd
import pytest
from papers.protocol import training_time, training_time_table
from papers.raste import same_splits
from reseed.analyses import spread, stochastic_order
from reseed.exhibits import interval_table, spread_table, stochastic_order_table
from reseed.rendering import coverage
from reseed.rendering.data import ExhibitData
from reseed.rendering.table_files import markdown
from reseed.rendering.tables import Rows
from run_kinds import draw
from study_frames import about, amended, frame, trial
from test_exhibits_of_arms import shown

SEEDS = {"experiments": ["model_seeds"]}


@pytest.mark.parametrize(
    ("outlier", "headline"),
    [
        (0.02, "Ranges wider than Gaussian scores give: the one cell, by chance 0.025"),
        (0.0006, "No range is shown to be wider than Gaussian scores give"),
    ],
)
def test_one_range_that_is_too_wide_is_not_denied(outlier, headline):
    values = np.r_[np.linspace(-0.0005, 0.0005, 29), outlier]
    metrics = frame([
        trial(0.9 + value, seed=s, dataset="magic", metric="auc", model="rf")
        for s, value in enumerate(values)
    ])  # fmt: skip
    table = shown(interval_table, spread, metrics, about(("magic",), ("rf",)), SEEDS)
    assert table.headline == headline


def splits(scores, arms=None, folds=1):
    """What `same_splits` shows of {arm: scores over splits and folds}, arms of one model or not."""
    metrics = frame([
        trial(score, dataset="magic", metric="auc", model="rf" if arms else arm, arm=arm,
              data_seed=i // folds, fold=i % folds, varied="data", experiment="data_seeds")
        for arm, values in scores.items()
        for i, score in enumerate(values)
    ])  # fmt: skip
    facts = about(("magic",), ("rf",) if arms else tuple(scores))
    facts = amended(facts, experiments={"data_seeds": {"arms": arms or {}}})
    data = ExhibitData(None, metrics, facts, "k", "T")
    return draw(same_splits, data, {"experiment": "data_seeds"})[1]


def test_a_tie_is_nobodys_win():
    same = [0.90, 0.91, 0.92, 0.93]
    drawn = splits({"rf": same, "xgb": same})
    assert drawn.headline == "Splits that the best wins: 0 of 4"
    assert "RF wins 0 of 4 splits (4 ties)" in drawn.findings[0]
    assert "no model wins every split" in drawn.caption


def test_separating_splits_do_not_move_models_together():
    drawn = splits({"rf": [0.80, 0.79, 0.78, 0.77], "xgb": [0.95, 0.96, 0.97, 0.98]})
    assert drawn.headline == "Splits that the best wins: 4 of 4"


def test_a_split_with_a_failed_fold_is_left_out():
    """Fold 0 is hard: without it the model that lost it would look the better one."""
    whole = [0.71, 0.91] * 5
    lost = [None, 0.9] * 2 + [0.7, 0.9] * 3
    drawn = splits({"rf": whole, "xgb": lost}, folds=2)
    assert sorted(drawn.frame["data_seed"].unique()) == [2, 3, 4]
    assert "RF wins 3 of 3 splits" in drawn.findings[0]


def test_arms_of_one_model_are_lines_of_their_own():
    titles = {"one": "First recipe", "two": "Second recipe"}
    drawn = splits({"one": [0.90, 0.91, 0.92], "two": [0.80, 0.82, 0.81]}, titles)
    assert "First recipe wins 3 of 3 splits; the difference to Second recipe" in drawn.findings[0]


@pytest.mark.parametrize(
    ("level", "told", "covers"),
    [(0.95, "Brackets: 95 % intervals", True), (0.995, "Brackets: 99.5 % intervals", False)],
)
def test_level_is_shown_and_coverage_at_the_simulated_one(level, told, covers):
    rng = np.random.default_rng(0)
    metrics = frame([
        trial(0.9 + rng.normal(0, 0.01), seed=s, dataset="magic", metric="auc", model="rf")
        for s in range(12)
    ])  # fmt: skip
    measured = {"n_boot": 20, "n_sim": 20, "level": level}
    facts = about(("magic",), ("rf",))
    table = shown(interval_table, spread, metrics, facts, SEEDS, measured)
    assert table.definitions[0].startswith(told)
    assert ("covers" in table.definitions[0]) == covers
    assert (coverage.at(level, coverage.CORRECTED) != "") == covers


def test_short_trainings_take_some_time():
    metrics = frame([
        trial(0.9, seed=s, dataset="magic", metric="auc", model=model, train_seconds=seconds)
        for model, seconds in (("nb", 0.002), ("lsvm", 0.004))
        for s in range(6)
    ])  # fmt: skip
    facts = about(("magic",), ("nb", "lsvm"))
    table = shown(training_time_table, training_time, metrics, facts, {}, {"baseline": "nb"})
    assert list(table.shown[["Time", "The other's"]].iloc[0]) == ["0.0040 s", "0.0020 s"]


def test_models_that_share_the_smallest_sd_are_all_named():
    rng = np.random.default_rng(0)
    metrics = frame([
        trial(0.9 + rng.normal(0, 0.01) * (model == "rf"), seed=s, dataset=dataset, metric="auc",
              model=model)
        for dataset in ("magic", "home_mortgage_sim")
        for model in ("nb", "lsvm", "rf")
        for s in range(5)
    ])  # fmt: skip
    facts = about(("magic", "home_mortgage_sim"), ("nb", "lsvm", "rf"))
    finding = shown(spread_table, spread, metrics, facts, SEEDS).findings[-1]
    assert "smallest for NB (2 of 2 datasets) and LSVM (2 of 2 datasets) and largest" in finding


def test_a_mark_of_order_is_not_that_of_a_stand_in():
    rng = np.random.default_rng(0)
    metrics = frame([
        trial(0.9 + gain + rng.normal(0, 0.001), seed=s, dataset="home_mortgage_sim", metric="auc",
              model=model)
        for model, gain in (("rf", 0.0), ("xgb", 0.05))
        for s in range(6)
    ])  # fmt: skip
    facts = about(("home_mortgage_sim",), ("rf", "xgb"))
    table = shown(stochastic_order_table, stochastic_order, metrics, facts)
    cells = " ".join(table.shown.astype(str).to_numpy().ravel())
    assert "]§" in cells
    assert "*" not in cells
    assert "§ where that is below" in table.footnote
    assert "* Home Mortgage Sim stands in for Home Mortgage." in table.footnote


def test_a_component_that_an_arm_lacks_is_a_dash():
    lines = Rows()
    lines.add({"Arm": "A", "Order": "30 %"})
    lines.add({"Arm": "B", "Dropout": "40 %"})
    table = lines.table(ExhibitData(None, pd.DataFrame(), about()), pd.DataFrame(), "")
    assert table.shown.to_numpy().tolist() == [["A", "30 %", "–"], ["B", "–", "40 %"]]


def test_markdown_shows_names_as_they_are():
    data = ExhibitData(None, pd.DataFrame(), about(), title="<i>Title</i>")
    lines = Rows()
    lines.add({"Name": "<b>RF</b> `x` _a_ ~~y~~ [z](u) max_depth=3"}, "a_b *c*")
    text = markdown(lines.table(data, pd.DataFrame(), "", headline="*headed*"))
    assert text.startswith(r"**\<i>Title\</i>**: \*headed\*")
    assert r"| \<b>RF\</b> \`x\` \_a\_ \~\~y\~\~ \[z](u) max_depth=3 |" in text
    assert r"| **a_b \*c\*** |" in text
