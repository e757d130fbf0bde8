"""The fault harness detects differences."""

import json
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fault_harness.compare import hash_contents, list_differences
from fault_harness.damage import cut, flip_inside


@pytest.fixture
def results(tmp_path):
    for name, value in (("one", 1.0), ("two", 2.0)):
        path = tmp_path / "results" / "trials" / f"{name}.parquet"
        path.parent.mkdir(exist_ok=True, parents=True)
        table = pa.table({"metric": [value], "train_seconds": [0.5]})
        pq.write_table(table, path)
    about = {"trials": 2, "train_seconds": 1.0, "study": "s"}
    study = tmp_path / "results" / "studies" / "s"
    study.mkdir(parents=True)
    (study / "about.json").write_text(json.dumps(about))
    return tmp_path / "results"


def trial(results, name="one"):
    return results / "trials" / f"{name}.parquet"


def test_trial_clocks_are_ignored_and_metrics_are_compared(results):
    path = trial(results)

    def write(seconds, auc):
        facts = {"train_seconds": seconds, "commit": str(seconds), "metrics": {"auc": auc}}
        pq.write_table(pa.table({"facts": [json.dumps(facts)], "test": [[0.5]]}), path)
        return hash_contents(results)

    before = write(1.0, 0.7)
    assert list_differences(before, write(2.0, 0.7)) == []
    assert list_differences(before, write(1.0, 0.8)) == ["differs: trials/one.parquet"]


def test_one_value_one_missing_and_one_new_file_are_seen(results):
    before = hash_contents(results)
    pq.write_table(pa.table({"metric": [1.0 + 1e-16 * 4]}), trial(results))
    trial(results, "two").rename(trial(results, "three"))
    assert list_differences(before, hash_contents(results)) == [
        "missing: trials/two.parquet",
        "unexpected: trials/three.parquet",
        "differs: trials/one.parquet",
    ]


@pytest.mark.parametrize("damage", [cut, flip_inside])
def test_damage_changes_contents_but_not_times_or_name(results, damage):
    path, before = trial(results), hash_contents(results)
    path.chmod(0o444)
    linked = path.with_suffix(".link")
    os.link(path, linked)
    stat = path.stat()
    damage(path)
    assert path.stat().st_mtime_ns == stat.st_mtime_ns
    assert path.stat().st_ino == stat.st_ino
    assert linked.read_bytes() == path.read_bytes()
    assert "differs: trials/one.parquet" in list_differences(before, hash_contents(results))
