"""The verdicts over seeds and items, as printed and drawn."""

import pandas as pd
import pytest
from output_frames import study_of, write_outputs
from readable import check_table
from reseed.analyses import item_pairs
from reseed.report.exhibits import item_pairs_table
from reseed.report.rendering.data import ExhibitData
from run_kinds import draw, run_analysis
from test_item_pairs import FAST, arms


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    found = arms(("ffnn", "rf", "xgb"), gain=(0.0, 0.02, 0.4))
    found |= arms(("rf", "xgb"), runs=1, gain=(0, 0.1), dataset="home_mortgage_sim")
    y, runs = found["magic", "rf"]
    found["magic", "rf"] = (y, [None, *runs[1:]])
    predictions = write_outputs(tmp_path_factory.mktemp("o"), found)
    read = study_of(predictions, found)
    return ExhibitData(run_analysis(item_pairs, read, FAST), read.metrics, read.info, "k", "Title")


def test_the_table_has_a_verdict_for_each_pair(data, tmp_path):
    table = check_table(draw(item_pairs_table, data, {}), tmp_path)
    assert len(table.shown) == 4
    assert table.sections[0] == "Magic, AUC"
    assert table.sections[-1] == "Home Mortgage Sim*, AUC"
    assert table.shown["Verdict"].tolist() == ["undecided", "better", "better", "undecided"]
    assert "Home Mortgage" in table.footnote
    assert "Failed runs (left out): 1 at most in a pair." in table.footnote

    assert list(table.shown["Runs"])[-1] == "1 + 1"
    assert list(table.shown["Seeds' share"])[-1] == "not known"
    row = data.statistics.query("metric == 'auc'").iloc[0]
    assert table.shown["Difference"].iloc[0].startswith(f"{100 * row['difference']:.1f}"[:3])


def test_nothing_is_said_plainly(data):
    for rows in (pd.DataFrame(), data.statistics.assign(reason="one class only")):
        empty = ExhibitData(rows, data.metrics, data.info, "k", "T")
        assert "per-item" in draw(item_pairs_table, empty, {}).shown.iloc[0, 0]
