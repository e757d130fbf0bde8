"""Rows of tables as classes: their columns, and what is read of tables that lack some."""

import pkgutil
from importlib import import_module

import pandas as pd
import papers
import pytest
from reseed.core.schemas import CELL_COLUMNS, COMPARISON_COLUMNS
from reseed.verdicts.pair_row import PairRow
from reseed.verdicts.typed_row import CellRow, ComparedRow, TypedRow


@pytest.mark.parametrize(
    ("row", "columns"), [(CellRow, CELL_COLUMNS), (ComparedRow, COMPARISON_COLUMNS)]
)
def test_fields_are_the_columns_in_their_order(row, columns):
    assert list(row.columns()) == columns


def test_no_field_hides_a_method():
    """`Row.select(rows, …)` of a class with a column `select` would call a default value."""
    for name in ("analyses", "report.exhibits"):
        folder = import_module(f"reseed.{name}")
        for module in pkgutil.iter_modules(folder.__path__):
            import_module(f"{folder.__name__}.{module.name}")
    for module in pkgutil.walk_packages(papers.__path__, "papers."):
        import_module(module.name)
    methods = {name for name in vars(TypedRow) if not name.startswith("_")}
    classes = [TypedRow]
    for row in classes:
        classes += row.__subclasses__()
    assert len(classes) > 10
    assert [row.__name__ for row in classes if methods & row.names()] == []


def test_tables_of_pairs_have_the_fields_of_a_pair():
    assert len(PairRow.columns()) == 35
    assert list(PairRow.columns())[:6] == COMPARISON_COLUMNS


def test_arms_of_items_are_read_as_models():
    rows = pd.DataFrame([{"arm_a": "rf", "arm_b": "xgb", "other": 1}])
    (row,) = PairRow.read(rows)
    assert (row.model_a, row.model_b) == ("rf", "xgb")
    assert PairRow.of(rows.iloc[0]).model_a == "rf"


def test_a_difference_is_shown_in_its_unit():
    assert PairRow(difference=0.01, low=0.0, high=0.02, factor=100).shown_difference == (1, 0, 2)
