"""Any analysis as a table: columns and formats of a study's file → cells."""

import numpy as np
import pandas as pd
import pytest
from readable import check_table
from reseed.core.errors import ReseedError
from reseed.report.rendering.data import ExhibitData
from run_kinds import draw
from study_frames import about, frame, trial


def shown(rows, **options):
    """The table of rows of the arms `rf`, `xgb`, … on one dataset."""
    names = ("rf", "xgb", "gbm")[: len(rows)]
    given = pd.DataFrame(rows).assign(arm=names, model=names, baseline="ffnn")
    given = given.assign(experiment="model_seeds", dataset="magic", metric="auc", level=0.95)
    metrics = frame([trial(0.9, model=name) for name in names])
    data = ExhibitData(given, metrics, about(models=(*names, "ffnn")), "k", "T")
    return draw("table", data, options)


ROW = {"n": 1234, "x": 0.01234, "x_low": 0.01, "x_high": 0.02, "p": 0.0004, "word": "heavier"}


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("x", "0.012"),  # as many decimals as the smallest of `digits` has with two digits
        ("word", "heavier"),
        ("arm", "RF"),
        ("{arm} to {baseline}", "RF to FFNN"),
        ("{x} [{x_low}, {x_high}]", "0.012 [0.010, 0.020]"),
        ("{x:.1f} [{x_low:.1f}, {none:.1f}]", "0.0"),  # no interval without both ends
        ("{none} [{x_low}, {x_high}]", "–"),
        ("{none} of {n}", "–"),
        ("{n:count} runs", "1,234 runs"),
        ("{p:p}", "< 0.001"),
        ("{x:percent}", "1 %"),
        ("{level:level}", "95 %"),
        ("{x:ratio}", "0.01"),
        ("{x:two} s", "0.012 s"),
    ],
)
def test_cells(text, cell):
    table = shown([ROW | {"none": np.nan}], columns={"Arm": "arm", "Cell": text}, digits=["x"])
    # A column of dashes is left out.
    assert table.shown.get("Cell", pd.Series(["–"])).tolist() == [cell]


def test_rows_are_chosen_and_titled_by_section(tmp_path):
    rows = [ROW | {"x": x, "way": way} for x, way in ((0.1, "a"), (0.0004, "b"), (np.nan, "a"))]
    table = shown(
        rows, columns={"Arm": "arm", "X": "x"}, section=["way"], least={"x": 0}, digits=["x"],
        names={"way": {"a": "Alone"}}, note=["Level {level:level}."],
        definitions=["{n:count} rows"],
    )  # fmt: skip
    assert table.sections == ["Alone", "b"]
    assert table.shown["X"].tolist() == ["0.10", "0.00040"]
    assert "Level 95 %." in table.footnote
    assert table.definitions == ["1,234 rows"]
    assert len(table.raw.columns) > 5
    check_table(table, tmp_path)
    assert shown(rows, columns={"X": "x"}, where={"way": ["b"]}).shown["X"].tolist() == ["0.00"]


def test_rows_share_a_line_with_a_column_for_each_value():
    """As a paper's table: groups of columns, published numbers below, a last line."""
    rows = [
        ROW | {"side": side, "x": x, "paper": paper}
        for side, x, paper in (("low", 1.0, 1.5), ("high", 2.0, np.nan), ("low", 3.0, np.nan))
    ]
    table = shown(
        rows,
        columns={"Arm": "arm", "{side}": {"X": "x", "Twice": "{2 * x:.0f}"}},
        line=["experiment"], below={"Arm": "as published", "{side}": {"X": "paper"}},
        last={"Arm": "All rows", "{side}": {"X": "{n:count}"}}, most={"x": 2},
        names={"side": {"low": "Low"}}, note=["{n:count} to {x:.0f}."],
    )  # fmt: skip
    assert table.levels() == [
        ["", "Low", "Low", "high", "high"],
        ["Arm", "X", "Twice", "X", "Twice"],
    ]
    assert table.shown.to_numpy().tolist() == [
        ["XGB", "1.00", "2", "2.00", "4"],
        ["as published", "1.50", "–", "–", "–"],
        ["All rows", "1,234", "–", "1,234", "–"],
    ]
    assert "1,234 to 1–2." in table.footnote


def test_reasons_stand_in_the_footnote():
    rows = [ROW | {"reason": ""}, ROW | {"reason": "3 seeds are too few"}]
    assert "Left out: 3 seeds are too few." in shown(rows, columns={"X": "x"}).footnote
    empty = shown(rows[1:], columns={"X": "x"}, empty="No ratio.")
    assert empty.empty == "No ratio. 3 seeds are too few."
    both = shown(rows, columns={"X": "x"}, with_reason=True, order=["-x"])
    assert len(both.shown) == 2


@pytest.mark.parametrize(
    "options",
    [
        {"columns": {"Y": "y"}},
        {"columns": {"X": "{x - y}"}},
        {"columns": {"Y": "{x} [{y}, {x}]"}},
        {"columns": {"X": "x"}, "where": {"y": ["a"]}},
        {"columns": {"X": "x"}, "note": ["{y:level}"]},
    ],
)
def test_a_column_that_the_analysis_lacks_is_named(options):
    with pytest.raises(ReseedError, match="the analysis has no column y"):
        shown([ROW], **options)
