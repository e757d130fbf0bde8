"""Drawing jobs write every format, and leave no file of an exhibit that fails."""

from dataclasses import replace
from pathlib import Path

import pytest
from reseed.core.errors import ReseedError
from reseed.core.layout import ResultsLayout
from reseed.core.source_guard import SourceStamp
from reseed.core.study_info import write_study_info
from reseed.pipeline.spec_files import SpecFiles
from reseed.planning.specs import DrawSpec, ExhibitSpec
from reseed.report.rendering import drawing


@pytest.fixture
def exhibits(tmp_path, statistics):
    study = ResultsLayout(str(tmp_path)).study("one")
    inputs = (study.metrics, study.about)
    no_sources = SpecFiles(ResultsLayout(str(tmp_path))).write_sources({})
    Path(study.folder).mkdir(parents=True)
    statistics["metrics"].to_parquet(study.metrics)
    write_study_info(Path(study.about), statistics["info"])

    def exhibit(name, kind):
        return ExhibitSpec(
            name=name,
            kind=kind,
            is_table=True,
            title=name,
            caption="",
            analysis=None,
            options={},
            inputs=inputs,
            suffixes=(".csv", ".md", ".tex", ".json"),
            key="code",
            sources=no_sources,
        )

    return exhibit("data", "datasets_table"), exhibit("models", "algorithms_table")


@pytest.fixture
def draw(tmp_path):
    """Draws exhibits, each as a job of its own; returns the outcome or error by name."""

    def run(*exhibits):
        outcomes = {}
        for exhibit in exhibits:
            try:
                drawing.make_exhibit(DrawSpec(str(tmp_path), "one", exhibit))
                outcomes[exhibit.name] = "drawn"
            except ReseedError as error:
                outcomes[exhibit.name] = error
        return outcomes

    return run


@pytest.fixture
def data_table(tmp_path):
    return tmp_path / "studies/one/tables/data.md"


def test_an_edited_file_of_an_exhibit_is_drawn_again(exhibits, draw, data_table):
    """Nothing else holds its bytes: an edit in place changes this file alone."""
    draw(*exhibits)
    text = data_table.read_text()
    data_table.write_text("mine")
    draw(*exhibits)
    assert data_table.read_text() == text
    assert list(data_table.parents[3].glob("store/*/*")) == []


def test_failed_exhibit_leaves_no_file(exhibits, draw, data_table):
    data, models = exhibits
    outcomes = draw(replace(data, options={"nonsense": 1}), models)
    assert "unknown option 'nonsense'" in str(outcomes["data"])
    assert outcomes["models"] == "drawn"
    assert not data_table.exists()


def test_users_table_function_must_return_a_table(exhibits, draw, tmp_path, monkeypatch):
    (tmp_path / "my_tables.py").write_text(
        "import pandas\n\n\ndef table(data, options):\n    return pandas.DataFrame()\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    outcomes = draw(replace(exhibits[0], kind="my_tables:table"))
    assert str(outcomes["data"]) == (
        "my_tables: table must return a Table (reseed.report.rendering.tables), not a DataFrame."
    )


def test_no_exhibit_is_drawn_by_edited_code(exhibits, draw, tmp_path, data_table):
    data, models = exhibits
    own = tmp_path / "my_tables.py"
    own.write_text("ROWS = 2\n")
    stamps = {str(own): SourceStamp("hash of ROWS = 1", 0, 0, 0)}
    sources = SpecFiles(ResultsLayout(str(tmp_path))).write_sources(stamps)
    outcomes = draw(replace(data, sources=sources), models)
    assert "my_tables.py: was edited after the run was planned" in str(outcomes["data"])
    assert outcomes["models"] == "drawn"
    assert not data_table.exists()
    assert draw(data)["data"] == "drawn"
