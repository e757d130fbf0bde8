"""A job's exhibits: what is unchanged is linked, what fails harms no other."""

import pytest
from reseed.core.study_info import write_study_info
from reseed.rendering.drawing import draw_all


@pytest.fixture
def job(tmp_path, statistics):
    study = tmp_path / "studies" / "one"
    study.mkdir(parents=True)
    statistics["metrics"].to_parquet(study / "metrics.parquet")
    write_study_info(study / "about.json", statistics["info"])
    inputs = [str(study / name) for name in ("metrics.parquet", "about.json")]

    def entry(name, kind, **changes):
        return {
            "study": str(study),
            "stem": f"tables/{name}",
            "suffixes": [".csv", ".md", ".tex", ".json"],
            "inputs": inputs,
            "key": "code",
            "own_files": {},
            "kind": kind,
            "title": name,
            "options": {},
        } | changes

    return [entry("data", "datasets_table"), entry("models", "algorithms_table")]


def test_what_is_unchanged_is_linked(job, tmp_path):
    assert dict(draw_all(job, tmp_path)) == {"tables/data": "drawn", "tables/models": "drawn"}
    made = tmp_path / "studies/one/tables/data.md"
    text = made.read_text()
    made.unlink()
    job[1]["key"] = "other code"
    assert dict(draw_all(job, tmp_path)) == {"tables/data": "linked", "tables/models": "drawn"}
    assert made.read_text() == text


def test_other_input_is_another_exhibit(job, tmp_path):
    list(draw_all(job, tmp_path))
    about = tmp_path / "studies/one/about.json"
    about.write_text(about.read_text() + " ")
    # The hash of a file is remembered for a process, as a job reads it once.
    from reseed.rendering import drawing

    drawing._hash.cache_clear()
    assert set(dict(draw_all(job, tmp_path)).values()) == {"drawn"}


def test_one_that_fails_harms_no_other(job, tmp_path):
    job[0]["options"] = {"nonsense": 1}
    found = dict(draw_all(job, tmp_path))
    assert "unknown option 'nonsense'" in str(found["tables/data"])
    assert found["tables/models"] == "drawn"
    assert not (tmp_path / "studies/one/tables/data.md").exists()


def test_an_own_table_must_be_one(job, tmp_path, monkeypatch):
    (tmp_path / "my_tables.py").write_text(
        "import pandas\n\n\ndef table(data, options):\n    return pandas.DataFrame()\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    job[0]["kind"] = "my_tables:table"
    assert str(dict(draw_all(job, tmp_path))["tables/data"]) == (
        "my_tables: table must return a Table (reseed.rendering.tables), not a DataFrame."
    )


def test_edited_drawing_code_is_not_cached_under_the_old_key(job, tmp_path):
    own = tmp_path / "my_tables.py"
    own.write_text("ROWS = 2\n")
    job[0]["own_files"] = {str(own): "hash of ROWS = 1"}
    found = dict(draw_all(job, tmp_path))
    assert "my_tables.py: was edited after the run was planned" in str(found["tables/data"])
    assert found["tables/models"] == "drawn"
    assert not (tmp_path / "studies/one/tables/data.md").exists()
    job[0]["own_files"] = {}
    assert dict(draw_all(job, tmp_path))["tables/data"] == "drawn"
