"""Headlines and findings claim what the numbers carry, and no more."""

import numpy as np
import pandas as pd
import pytest
from papers.protocol import training_time, training_time_table
from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim, Sample
from reseed.report.analyses import spread, stochastic_order
from reseed.report.exhibits import interval_table, spread_table, stochastic_order_table
from reseed.report.rendering import coverage
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.table_files import markdown
from reseed.report.rendering.tables import Rows
from reseed.stats.gaussian_range import tail_power
from study_frames import about, frame, trial
from test_exhibits_of_arms import shown

SEEDS = {"experiments": ["model_seeds"]}


@pytest.mark.parametrize(
    ("outlier", "headline"),
    [
        (0.02, "Ranges wider than Gaussian scores give: the only setting, by chance 0.025"),
        (0.0006, "No range is shown to be wider than Gaussian scores give"),
    ],
)
def test_the_headline_counts_wide_ranges(outlier, headline):
    values = np.r_[np.linspace(-0.0005, 0.0005, 29), outlier]
    metrics = frame([
        trial(0.9 + value, seed=s, dataset="magic", metric="auc", model="rf")
        for s, value in enumerate(values)
    ])  # fmt: skip
    table = shown(interval_table, spread, metrics, about(("magic",), ("rf",)), SEEDS)
    assert table.headline == headline
    power = tail_power(30, alpha=0.025).range
    assert table.claims[0].limits.startswith(
        f"power {100 * power:.0f} % a setting against Student's t"
    )


@pytest.mark.parametrize(
    ("level", "message", "covers"),
    [(0.95, "Brackets: 95 % intervals", True), (0.995, "Brackets: 99.5 % intervals", False)],
)
def test_coverage_is_stated_at_the_simulated_level_only(level, message, covers):
    rng = np.random.default_rng(0)
    metrics = frame([
        trial(0.9 + rng.normal(0, 0.01), seed=s, dataset="magic", metric="auc", model="rf")
        for s in range(12)
    ])  # fmt: skip
    measured = {"n_boot": 20, "n_sim": 20, "level": level}
    facts = about(("magic",), ("rf",))
    table = shown(interval_table, spread, metrics, facts, SEEDS, measured)
    assert table.definitions[0].startswith(message)
    assert ("covers" in table.definitions[0]) == covers
    assert (coverage.at(level, coverage.CORRECTED) != "") == covers


def test_short_training_times_keep_their_digits():
    metrics = frame([
        trial(0.9, seed=s, dataset="magic", metric="auc", model=model, train_seconds=seconds)
        for model, seconds in (("nb", 0.002), ("lsvm", 0.004))
        for s in range(6)
    ])  # fmt: skip
    facts = about(("magic",), ("nb", "lsvm"))
    table = shown(training_time_table, training_time, metrics, facts, {}, {"baseline": "nb"})
    assert list(table.shown[["Time", "Time, baseline"]].iloc[0]) == ["0.0040 s", "0.0020 s"]


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


def test_order_and_stand_ins_have_different_marks():
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
    rows = pd.DataFrame({"n": [5]})
    names = {"heading": phrases.name("*headed*")}
    claim = Claim("c", "{n}.", rows, names, Sample.of(rows, "n", "seed"), headline="{heading}")
    text = markdown(lines.table(data, rows, "", claims=[claim]))
    assert text.startswith(r"**\<i>Title\</i>**: \*headed\*")
    assert r"| \<b>RF\</b> \`x\` \_a\_ \~\~y\~\~ \[z](u) max_depth=3 |" in text
    assert r"| **a_b \*c\*** |" in text
