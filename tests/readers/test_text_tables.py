"""Tables of Markdown, LaTeX and spreadsheets."""

import pandas as pd
import pytest
from reseed.core.errors import ReseedError
from reseed.readers import import_results
from reseed.readers.files import read_table
from reseed.readers.text_tables import parse_markdown

ROWS = [("a", 0, 0.81), ("a", 1, 0.82), ("b", 0, 0.7), ("b", 1, 0.72)]


def test_a_rule_without_headings_above_is_no_markdown_table():
    assert parse_markdown("|---|---|\n\n|a|b|\n|---|---|\n|1|2|") == (["a", "b"], [["1", "2"]])


def test_spreadsheet_is_read_with_its_types(tmp_path):
    path = tmp_path / "runs.xlsx"
    pd.DataFrame(ROWS, columns=["model", "seed", "acc"]).to_excel(path, index=False)
    metrics, _ = import_results(path, {}, {"name": "mine"})
    assert metrics["acc"].tolist() == [value for *_, value in ROWS]


def test_spreadsheet_without_its_package_names_the_extra(tmp_path, monkeypatch):
    path = tmp_path / "runs.xlsx"
    path.write_bytes(b"PK")

    def fail(*args, **kwargs):
        raise ImportError

    monkeypatch.setattr(pd, "read_excel", fail)
    with pytest.raises(ReseedError, match="pip install python-calamine"):
        read_table(path)
