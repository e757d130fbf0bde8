"""The fault harness detects differences and reports them on its page."""

import json
import os
import subprocess

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fault_harness import kills, load_cases
from fault_harness.compare import hash_contents, list_differences
from fault_harness.damage import cut, exchange, flip, flip_inside
from fault_harness.kills import Kills
from fault_harness.outcome import CASES, GOOD, Bench, Case, Outcome
from fault_harness.page import page, table
from fault_harness.record import Record, read_record
from fault_harness.workspace import Run, Workspace


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


def test_clocks_and_metadata_do_not_count(results):
    before = hash_contents(results)
    table = pa.table({"metric": [1.0], "train_seconds": [9.9]})
    pq.write_table(table.replace_schema_metadata({"commit": "x"}), trial(results))
    (results / "studies" / "s" / "about.json").write_text(
        json.dumps({"trials": 2, "train_seconds": 3.0, "study": "s"})
    )
    assert list_differences(before, hash_contents(results)) == []


def test_trial_clocks_are_ignored_and_metrics_are_compared(results):
    path = trial(results)

    def write(seconds, auc):
        facts = {"train_seconds": seconds, "commit": str(seconds), "metrics": {"auc": auc}}
        pq.write_table(pa.table({"facts": [json.dumps(facts)], "test": [[0.5]]}), path)
        return hash_contents(results)

    before = write(1.0, 0.7)
    assert list_differences(before, write(2.0, 0.7)) == []
    assert list_differences(before, write(1.0, 0.8)) == ["differs: trials/one.parquet"]


def test_training_time_of_the_test_studies_is_ignored(results):
    before = hash_contents(results)
    for name in ("statistics/kernels.csv", "tables/table3.md", "figures/ways.png"):
        path = results / "studies" / "protocol" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("3 s")
    assert list_differences(before, hash_contents(results)) == []
    (results / "studies" / "protocol" / "metrics.csv").write_text("0.7")
    assert list_differences(before, hash_contents(results)) == [
        "unexpected: studies/protocol/metrics.csv"
    ]


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


def test_a_flip_is_one_bit(results):
    before = trial(results).read_bytes()
    flip(trial(results), 0.5)
    after = trial(results).read_bytes()
    changed = [a ^ b for a, b in zip(before, after, strict=True) if a != b]
    assert changed == [0x10]


def test_an_exchange_is_seen_on_both_sides(results):
    before = hash_contents(results)
    exchange(trial(results), trial(results, "two"))
    assert len(list_differences(before, hash_contents(results))) == 2


def test_the_page_tells_bad_ends_as_bad(monkeypatch):
    monkeypatch.setitem(CASES, "odd", Case("odd", "Group", "an odd | fault", "refused", print))
    series = Kills(kills=2, rounds=1, undisturbed_seconds=9, files=7, moments=[0.5, 3.0])
    record = Record({"odd": Outcome("refused", "Error: <no>")}, series, ["2026-01-01"])
    good = page(record, "two cores")
    assert "all rounds ended in the same bits" in good
    assert "1 of 1 end well" in good
    assert "- **refused**: an odd | fault." in good
    assert "Group,an odd | fault,refused,Error: <no>" in table(record)
    assert record.bad == []
    series.differences.append("round 1: differs: trials/x.parquet")
    record.outcomes["odd"] = Outcome("LOST", "gone")
    bad = page(record, "two cores")
    assert record.bad == ["odd", "kills"]
    assert "NOT all rounds did" in bad
    assert "differs: trials/x.parquet" in bad
    assert "0 of 1 end well" in bad


def test_another_good_end_than_the_promised_one_is_bad(tmp_path):
    for end, good in (("recorded", True), ("reported", False), ("LOST", False)):
        one = Case("odd", "Group", "a fault", "recorded", lambda bench, end=end: Outcome(end, "m"))
        outcome, _ = Bench(tmp_path).try_case(one)
        assert outcome.good == good
    assert {case.end for case in load_cases().values()} == set(GOOD)


def test_hanging_case_is_reported_and_its_folder_not_reused(tmp_path):
    def hang(bench):
        raise subprocess.TimeoutExpired("snakemake", 300)

    bench = Bench(tmp_path)
    bench._finished = Workspace(tmp_path / "spoiled")
    outcome, _ = bench.try_case(Case("odd", "Group", "a fault", "recovered", hang))
    assert (outcome.end, outcome.message) == ("HUNG", "still running after 300 s")
    assert bench._finished is None


def test_what_needs_root_is_left_to_root(monkeypatch):
    for user, possible in ((0, True), (1000, False)):
        monkeypatch.setattr(os, "geteuid", lambda user=user: user)
        assert (
            Case("odd", "Group", "a fault", "refused", print, needs_root=True).possible == possible
        )
        assert Case("odd", "Group", "a fault", "refused", print).possible


def test_a_run_that_fails_by_itself_after_a_kill_is_no_survival(tmp_path, monkeypatch):
    class Standing(Workspace):
        def __init__(self, folder):
            self.folder = folder

        def run(self, *_, **__):
            return Run(0, "")

    ends = iter([None, Run(1, "Error: run again."), None])
    monkeypatch.setattr(kills, "_run_until", lambda *_: next(ends))
    found = kills.kill_repeatedly(Standing, tmp_path, kills=2, report=list)
    assert found.errors == ["round 1: Error: run again."]
    assert not found.survived


def test_a_series_goes_on_where_it_was_interrupted(tmp_path):
    load_cases()
    path = tmp_path / "faults.json"
    assert read_record(path) == Record()
    record = Record({"trial_cut": Outcome("recovered", "told")}, Kills(kills=3), ["2026-01-01"])
    record.outcomes["no longer a case"] = Outcome("LOST")
    record.save(path)
    assert list(read_record(path).outcomes.items()) == [("trial_cut", Outcome("recovered", "told"))]
    assert read_record(path).kills == Kills(kills=3)


def test_every_case_has_a_group_and_a_title_of_its_own():
    cases = load_cases()
    assert len({case.title for case in cases.values()}) == len(cases) >= 25
    assert {case.group for case in cases.values()} >= {"Damaged files", "Misbehaving models"}
