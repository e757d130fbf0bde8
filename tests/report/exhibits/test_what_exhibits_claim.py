"""Headlines and findings claim what the numbers carry, and no more."""

import numpy as np
import pandas as pd
import pytest
from papers.protocol import training_time_table
from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.estimates import Sample
from reseed.report.rendering import coverage
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.table_files import markdown
from reseed.report.rendering.tables import Rows
from reseed.stats.gaussian_range import tail_power
from study_frames import Study, about, runs, trial

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
    rows = [trial(0.9 + x, seed=s, dataset="magic", metric="auc") for s, x in enumerate(values)]
    table = Study.of(rows).show("interval_table", SEEDS)
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
    table = Study.of(runs({"rf": 0.9}, n=12)).show("interval_table", SEEDS, level=level)
    assert table.definitions[0].startswith(message)
    assert ("covers" in table.definitions[0]) == covers
    assert (coverage.at(level, coverage.CORRECTED) != "") == covers


def test_short_training_times_keep_their_digits():
    rows = [row | {"train_seconds": seconds} for model, seconds in (("nb", 0.002), ("lsvm", 0.004))
            for row in runs({model: 0.9})]  # fmt: skip
    table = Study.of(rows).show(training_time_table, baseline="nb")
    assert list(table.shown[["Time", "Time, baseline"]].iloc[0]) == ["0.0040 s", "0.0020 s"]


def test_models_that_share_the_smallest_sd_are_all_named():
    both = ("magic", "home_mortgage_sim")
    rows = runs({"nb": 0.9, "lsvm": 0.9}, both, n=5, sd=0) + runs({"rf": 0.9}, both, n=5)
    finding = Study.of(rows).show("spread_table", SEEDS).findings[-1]
    assert "smallest for NB (2 of 2 datasets) and LSVM (2 of 2 datasets) and largest" in finding


def test_a_component_that_an_arm_lacks_is_a_dash():
    lines = Rows()
    lines.add({"Arm": "A", "Order": "30 %"})
    lines.add({"Arm": "B", "Dropout": "40 %"})
    table = lines.table(ExhibitData(None, pd.DataFrame(), about()), pd.DataFrame(), "")
    assert table.shown.to_numpy().tolist() == [["A", "30 %", "–"], ["B", "–", "40 %"]]


def test_markdown_shows_names_as_they_are(snapshot):
    data = ExhibitData(None, pd.DataFrame(), about(), title="<i>Title</i>")
    lines = Rows()
    lines.add({"Name": "<b>RF</b> `x` _a_ ~~y~~ [z](u) max_depth=3"}, "a_b *c*")
    rows = pd.DataFrame({"n": [5]})
    names = {"heading": phrases.name("*headed*")}
    claim = Claim("c", "{n}", rows, names, Sample.of(rows, "n", "seed"), headline="{heading}")
    assert markdown(lines.table(data, rows, "", claims=[claim])) == snapshot
