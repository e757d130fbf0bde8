"""No cell of text in a CSV file is a formula of a spreadsheet program."""

import base64
import csv
import io
import re
from pathlib import Path

import pandas as pd
import pytest
from reseed.core import csv_files
from reseed.core.csv_files import write_csv
from reseed.report.pages.result_page import build_result_page
from reseed.verdicts.shown import ResultRow, Shown

FORMULAS = [
    "=1+1",
    "＝1+1",
    "＠SUM(A1)",
    "+A1",
    "-A1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\t1",
    "=cmd|' /C calc'!A0",
    "-1+cmd|x",
]


@pytest.mark.parametrize("kind", [str, object, "category"])
def test_text_that_looks_like_a_formula_is_escaped(tmp_path, kind):
    plain = ["a=b", "-0.5", "+1e-3", "", "−2", "'=1"]
    frame = pd.DataFrame({"text": pd.Series([*FORMULAS, *plain], dtype=kind)})
    write_csv(frame, tmp_path / "x.csv")
    text = (tmp_path / "x.csv").read_bytes().decode()
    cells = [row[0] if row else "" for row in csv.reader(io.StringIO(text, newline=""))][1:]
    escaped = ["'" + cell.replace("\r", "\n") for cell in FORMULAS]
    assert cells == [*escaped, *plain]
    assert frame["text"].tolist() == [*FORMULAS, *plain]


def test_numbers_and_other_columns_are_written_unchanged(tmp_path):
    frame = pd.DataFrame(
        {
            "score": [-0.1, float("nan"), 2.0],
            "count": [-1, 0, 1],
            "flag": [True, False, True],
            "name": ["rf", None, "xgb"],
            "mixed": [-1.5, "b", None],
        }
    )
    write_csv(frame, tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text() == frame.to_csv(index=False, lineterminator="\n")
    write_csv(frame.iloc[:0], tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text() == "score,count,flag,name,mixed\n"


def test_headers_are_escaped_and_may_be_equal(tmp_path):
    frame = pd.DataFrame([["=1", -1, "-x"]], columns=["=f", "n", "=f"])
    write_csv(frame, tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text() == "'=f,n,'=f\n'=1,-1,'-x\n"


def test_no_other_module_writes_csv_files():
    """Of text that a method of the same name is called on, as `result.to_csv(path)`, none is."""
    library = Path(csv_files.__file__).parents[1]
    texts = {path: path.read_text() for path in library.rglob("*.py")}
    writing = {
        path.name
        for path, text in texts.items()
        if re.search(r"csv\.(Dict)?[wW]riter|\.to_csv\([^)]*index=", text)
    }
    assert writing == {"csv_files.py"}


def test_a_download_of_a_page_holds_no_formula():
    table = pd.DataFrame({"model": ["=HYPERLINK(1)", "b"], "=f": [0.1, 0.2]})
    row = ResultRow("b", "leader", "")
    page = build_result_page(Shown("t", ["a"], [row], {"rows": table}, []))
    [encoded] = re.findall(r"data:text/csv[^,]*;base64,([A-Za-z0-9+/=]+)", page)
    assert base64.b64decode(encoded).decode() == "model,'=f\n'=HYPERLINK(1),0.1\nb,0.2\n"


def test_a_page_names_a_file_that_is_too_large_for_it():
    table = pd.DataFrame({"model": range(20_001)})
    page = build_result_page(Shown("t", ["a"], [ResultRow("b", "leader", "")], {"rows": table}, []))
    assert "base64" not in page
    assert "rows.csv has 20,001 rows and is not in this page" in page
