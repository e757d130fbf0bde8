"""The table of crossed roles shows what the analysis measured."""

from papers.banerjee import role_components, roles_table
from readable import check_table
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.table_files import write_table
from run_kinds import draw, run_analysis
from test_role_components import study


def test_the_table_has_a_row_a_measure(tmp_path):
    data = study()
    shown = ExhibitData(run_analysis(role_components, data), data.metrics, data.info, "k", "Title")
    table = check_table(draw(roles_table, shown, {}), tmp_path)
    assert list(table.shown["What varies"]) == [
        "Accuracy", "Right or wrong, by item", "Logit gap, by item",
    ]  # fmt: skip
    assert list(table.shown["Grid"]) == ["6×5"] * 3
    assert "so their SDs differ." in " ".join(table.footnote.split())  # from those of the arms
    assert {"Initial weights", "Order of batches", "Interaction and rest"} < {*table.shown}


def test_a_study_without_a_grid_gives_an_empty_table(tmp_path):
    data = study(d=1)
    shown = ExhibitData(run_analysis(role_components, data), data.metrics, data.info, "k", "Title")
    table = draw(roles_table, shown, {})
    write_table(table, tmp_path / "t")
    assert "varied: init" in table.shown["Nothing to show"][0]
