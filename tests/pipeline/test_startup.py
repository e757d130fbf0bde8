"""Checks before any job runs."""

import copy
import os
from pathlib import Path

import pytest
from reseed.core.errors import ReseedError
from reseed.pipeline.startup import undo_future_times
from reseed.planning import read_plan as read_plan_module
from reseed.planning.read_plan import read_plan
from toy_project import ENTRIES, write_entries


def test_future_file_times_become_now(tmp_path):
    now = 1_000_000.0
    times = {"trials/a/tomorrow": now + 86_400, "trials/a/old": now - 5, "data/skewed": now + 30}
    for name, time in times.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        os.utime(path, (time, time))
    (tmp_path / "trials" / "a" / "link").symlink_to(tmp_path / "nothing")
    assert undo_future_times(str(tmp_path), now) == 1
    actual = {name: (tmp_path / name).stat().st_mtime for name in times}
    assert actual == times | {"trials/a/tomorrow": now}
    assert undo_future_times(str(tmp_path), now) == 0


@pytest.fixture
def error_text(tmp_path, monkeypatch):
    """Write a configuration, read the plan, and return the text of the error."""
    monkeypatch.chdir(tmp_path)

    def read(change):
        entries = copy.deepcopy(ENTRIES)
        (tmp_path / "toy.csv").write_text("y,x\n")
        change(entries)
        write_entries(tmp_path / "config", entries)
        with pytest.raises(ReseedError) as caught:
            read_plan("config", {})
        return str(caught.value)

    (tmp_path / "config").mkdir()
    return read


def test_all_configuration_errors_are_reported_at_once(error_text):
    def change(entries):
        entries["datasets/toy"]["sources"][0]["path"] = "nowhere.csv"
        entries["models/forest"]["factory"] = "reseed.models.forest:random_forst"
        entries["models/b"] = {"name": "b", "title": "B", "factory": "no_module:make"}
        entries["studies/first"]["models"] = ["forest", "b"]
        entries["studies/first"]["analyses"] = {
            "p": {"kind": "pairs", "options": {"baselin": "forest"}}
        }

    text = error_text(change)
    assert "4 errors" in text
    assert "config/datasets/toy.yaml: sources: there is no file nowhere.csv" in text
    assert "config/models/forest.yaml: factory: " in text
    assert "Did you mean 'random_forest'?" in text
    assert "config/models/b.yaml: factory: module 'no_module' is not found" in text
    assert "first.yaml: analyses.p.options: unknown option 'baselin'" in text


def test_missing_imports_are_reported_unless_exported(error_text):
    def change(entries):
        del entries["studies/first"]
        for name, results in {
            "given": {"path": "runs.csv"},
            "own": {"path": "{results}/mine.csv"},
            "there": {"path": "toy.csv"},
            "made": {"path": "{results}/examples/made.csv", "made_from": "given"},
        }.items():
            entries[f"studies/{name}"] = {"name": name, "title": name, "results": results}

    text = error_text(change)
    assert "2 errors" in text
    assert "studies/given.yaml: results.path: there is no file or folder runs.csv. Paths" in text
    assert "studies/own.yaml: results.path: there is no file or folder results/mine.csv." in text


@pytest.mark.parametrize(
    ("name", "code", "expected"),
    [
        ("spread_out", "", "its name does not say whether greater is better"),
        ("auc", "", "is the name of a built-in metric"),
        ("spread_out", "spread_out.greater_is_better = True\n1 +", "line 3"),
    ],
)
def test_unsuitable_metric_is_reported_before_training(error_text, name, code, expected):
    def change(entries):
        module = f"own_{name}_{len(code)}"
        with open(f"{module}.py", "w") as file:
            file.write(f"def {name}(y, p): return 0.0\n{code}")
        entries["studies/first"] |= {"metric": f"{module}:{name}", "keep": ["test"]}

    text = error_text(change)
    assert "first.yaml: metric: " in text
    assert expected in text


def test_missing_libraries_are_one_error_but_none_for_lint(monkeypatch, tmp_path):
    """The workflow catalogue lints with Snakemake and pandas alone."""
    config = Path(__file__).parents[2] / "config"
    overrides = {"scale": "smoke", "results": str(tmp_path / "results")}
    monkeypatch.setattr(read_plan_module, "find_spec", lambda name: None)
    with pytest.raises(ReseedError, match=r"1 error:\s+1\. matplotlib, pyarrow.*'\.\[workflow\]'"):
        read_plan(config, overrides)
    monkeypatch.setattr("sys.argv", ["snakemake", "--lint"])
    read_plan(config, overrides)
