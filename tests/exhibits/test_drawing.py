"""The job that draws: unchanged exhibits are linked, an error of one does not stop the others."""

from dataclasses import replace

import pytest
from reseed.core.layout import ResultsLayout
from reseed.core.study_info import write_study_info
from reseed.planning.specs import DrawSpec, ExhibitSpec
from reseed.rendering import drawing
from reseed.rendering.drawing import draw_all


@pytest.fixture
def layout(tmp_path, statistics):
    """The layout of a study with its trials and facts."""
    layout = ResultsLayout(str(tmp_path)).study("one")
    folder = tmp_path / "studies" / "one"
    folder.mkdir(parents=True)
    statistics["metrics"].to_parquet(layout.metrics)
    write_study_info(layout.about, statistics["info"])
    return layout


@pytest.fixture
def draw(tmp_path, layout):
    """Draw two tables, the first with changed fields; the second has the key `other_key`."""
    inputs = (layout.metrics, layout.about)

    def run(other_key="code", **changes):
        first, second = (
            ExhibitSpec(
                name=name, kind=kind, is_table=True, title=name, caption="", analysis=None,
                options={}, inputs=inputs, suffixes=(".csv", ".md", ".tex", ".json"), key="code",
                user_code_hashes={},
            )
            for name, kind in (("data", "datasets_table"), ("models", "algorithms_table"))
        )  # fmt: skip
        exhibits = (replace(first, **changes), replace(second, key=other_key))
        return dict(draw_all(DrawSpec(str(tmp_path), "one", exhibits)))

    return run


def test_unchanged_exhibits_are_linked(draw, tmp_path):
    assert draw() == {"data": "drawn", "models": "drawn"}
    file = tmp_path / "studies/one/tables/data.md"
    text = file.read_text()
    file.unlink()
    assert draw(other_key="other code") == {"data": "linked", "models": "drawn"}
    assert file.read_text() == text


def test_changed_input_draws_again(draw, tmp_path):
    draw()
    about = tmp_path / "studies/one/about.json"
    about.write_text(about.read_text() + " ")
    drawing._hash_file.cache_clear()  # a process hashes each file once
    assert set(draw().values()) == {"drawn"}


def test_error_of_one_exhibit_does_not_stop_others(draw, tmp_path):
    outcomes = draw(options={"nonsense": 1})
    assert "unknown option 'nonsense'" in str(outcomes["data"])
    assert outcomes["models"] == "drawn"
    assert not (tmp_path / "studies/one/tables/data.md").exists()


def test_custom_table_must_return_a_table(draw, tmp_path, monkeypatch):
    (tmp_path / "my_tables.py").write_text(
        "import pandas\n\n\ndef table(data, options):\n    return pandas.DataFrame()\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    assert str(draw(kind="my_tables:table")["data"]) == (
        "my_tables: table must return a Table (reseed.rendering.tables), not a DataFrame."
    )


def test_edited_code_is_not_cached_under_the_old_key(draw, tmp_path):
    own = tmp_path / "my_tables.py"
    own.write_text("ROWS = 2\n")
    outcomes = draw(user_code_hashes={str(own): "hash of ROWS = 1"})
    assert "my_tables.py: was edited after the run was planned" in str(outcomes["data"])
    assert outcomes["models"] == "drawn"
    assert not (tmp_path / "studies/one/tables/data.md").exists()
    assert draw()["data"] == "drawn"
