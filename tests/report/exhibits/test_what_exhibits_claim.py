"""Tables say what the numbers carry, and no more."""

import pandas as pd
import pytest
from reseed.report.rendering import coverage, style
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.panels import colours
from reseed.report.rendering.table_files import markdown
from reseed.report.rendering.tables import Rows
from study_frames import Study, about, runs

SEEDS = {"experiments": ["model_seeds"]}


@pytest.mark.parametrize(
    ("level", "message", "covers"),
    [(0.95, "Brackets: 95 % intervals", True), (0.995, "Brackets: 99.5 % intervals", False)],
)
def test_coverage_is_stated_at_the_simulated_level_only(level, message, covers):
    table = Study.of(runs({"rf": 0.9}, n=12)).show("interval_table", SEEDS, level=level)
    assert table.definitions[0].startswith(message)
    assert ("covers" in table.definitions[0]) == covers
    assert (coverage.at(level, coverage.CORRECTED) != "") == covers


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
    assert markdown(lines.table(data, pd.DataFrame({"n": [5]}), "")) == snapshot


def test_no_two_models_or_arms_look_alike():
    variants = ["ffnn~lr=0.1", "ffnn~lr=0.01", "ffnn_res", "rf"]
    assert len(set(colours(variants).values())) == 4
    assert style.colour_of("ffnn~lr=0.1", variants) == style.MODELS["ffnn"]
    models = ["ffnn", "svm", "knn", "logit", "nb"]
    assert len({style.colour_of(model, models) for model in models}) == 5
