"""Reference results: what is written, and how a later run shows it."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from reseed.core.checked_io import write_json
from reseed.core.errors import ReseedError
from reseed.core.layout import StudyLayout, find_reference
from reseed.core.schemas import SCORES, TARGETS
from reseed.core.study_info import ExperimentInfo, StudyInfo, read_study_info, write_study_info
from reseed.report.pages.reference import (
    copy_references,
    find_wrong_tables,
    summarise,
    write_reference,
)
from reseed.report.pages.studies import read_study
from study_frames import frame, trial
from test_statements import record, study

STATED = (record((1.3, 1.9), text="Order matters more"),)


def gather(root, *layouts, replace=False):
    """Gather the reference results of studies, and copy them."""
    for layout in layouts:
        write_reference(layout)
    studies = {Path(layout.folder).name: layout for layout in layouts}
    return copy_references(studies, root, replace)


def finished(folder, scale="cpu", records=STATED):
    """A finished study with statements, and five trials that two experiments share."""
    rows = [trial(0.9, seed=seed, experiment=name) for name in ("one", "two") for seed in range(5)]
    metrics = frame(rows).assign(train_seconds=720.0, commit="0123456789abcdef", environment="e1")
    (folder / "tables").mkdir(parents=True)
    metrics.to_parquet(folder / "metrics.parquet")
    info = StudyInfo(study=folder.name, title="Paper", scale=scale, citation="One")
    write_study_info(folder / "about.json", info)
    [exhibit] = study().exhibits
    write_json(folder / "tables" / "table1.json", vars(exhibit.sidecar))
    write_json(folder / "evidence.json", {"statements": list(records)})
    return StudyLayout(str(folder))


def test_a_reference_holds_trials_evidence_and_origin(tmp_path):
    layout = finished(tmp_path / "studies" / "paper")
    [folder] = gather(tmp_path / "reference", layout)
    about = json.loads((folder / "about.json").read_text())
    assert (about["trials"], about["failed"], about["hours"]) == (5, 0, 1.0)
    assert (about["scale"], about["commits"]) == ("cpu", ["0123456789abcdef"])
    assert len(pd.read_parquet(folder / "trials.parquet")) == 10
    path = find_reference(tmp_path / "reference", "paper")
    shown = read_study(Path(layout.folder), ["table1"], reference=path, stated=True)
    [row] = replace(shown, info=shown.info.model_copy(update={"scale": "demo"})).statements
    assert row.reference.verdict == row.verdict == "supported"
    assert row.made == "Reference results: scale cpu, 5 trials, 1 core-hours, commit 01234567."


def fewer(rows):
    return rows[rows["init"] < 3]


def failed(rows):
    return rows.assign(status=rows["status"].where(rows["init"] > 0, "failed"))


@pytest.mark.parametrize(
    ("scale", "change", "text"),
    [
        ("cpu", fewer, "5 trials, not 3"),
        ("smoke", fewer, "scale cpu, not smoke; 5 trials, not 3"),
        ("demo", lambda rows: rows, "scale cpu, not demo"),
        ("cpu", failed, "0 failed trials, not 1"),
    ],
)
def test_a_reference_is_not_replaced_by_less(tmp_path, scale, change, text):
    root, layout = tmp_path / "reference", finished(tmp_path / "1" / "paper")
    [folder] = gather(root, layout)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    less = finished(tmp_path / "2" / "paper", scale=scale)
    rows = change(pd.read_parquet(less.metrics))
    rows.to_parquet(less.metrics)
    other = finished(tmp_path / "2" / "another")
    with pytest.raises(ReseedError, match=f"holds more than this run: {text}.*--replace"):
        gather(root, other, less)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert not (root / "another").exists()  # all or nothing
    gather(root, less, replace=True)
    assert json.loads((folder / "about.json").read_text())["scale"] == scale
    gather(root, less)  # as much as there is
    gather(root, layout)


def test_outputs_that_a_run_does_not_keep_are_not_lost(tmp_path):
    root, layout = tmp_path / "reference", finished(tmp_path / "1" / "paper")
    [folder] = gather(root, layout)
    kept = folder / "predictions.parquet"
    kept.write_bytes(b"outputs")
    with pytest.raises(ReseedError, match=r"holds more than this run: predictions\.parquet"):
        gather(root, layout)
    assert kept.read_bytes() == b"outputs"
    gather(root, layout, replace=True)
    assert not kept.exists()


def test_tables_of_references_have_checksums(tmp_path):
    root = tmp_path / "reference"
    [folder] = gather(root, finished(tmp_path / "1" / "paper"))
    assert list(find_wrong_tables(root)) == []
    table = folder / "trials.parquet"
    table.write_bytes(b"garbage")
    (folder / "targets.parquet").write_bytes(b"new")
    assert dict(find_wrong_tables(root)) == {
        table: "differs from its checksum in SHA256SUMS: restore it (git checkout)",
        folder / "targets.parquet": "has no checksum in SHA256SUMS",
    }
    table.unlink()
    assert "is missing" in dict(find_wrong_tables(root))[table]


def test_committed_tables_have_their_checksums():
    root = Path(__file__).parents[3] / "results" / "reference"
    assert list(find_wrong_tables(root)) == []
    assert len(list(root.glob("*/SHA256SUMS"))) == len(list(root.glob("*/about.json")))


def test_projects_elsewhere_show_the_librarys_evidence(tmp_path):
    path = find_reference(tmp_path, "protocol")
    assert json.loads(path.read_text())["statements"]
    (tmp_path / "protocol").mkdir()
    (tmp_path / "protocol" / "evidence.json").write_text("{}")
    assert find_reference(tmp_path, "protocol").parent.parent == tmp_path
    assert find_reference(tmp_path, "unknown") is None


def test_commits_with_edits_are_named():
    machines = [{"device": "cpu"}]
    about = {"scale": "cpu", "trials": 5, "hours": 1.0, "commits": [], "machines": machines}
    assert summarise(about).endswith("1 core-hours, commit unknown.")
    on_a_gpu = about | {"machines": [*machines, {"device": "NVIDIA H200"}]}
    assert summarise(on_a_gpu).endswith("1 hours of NVIDIA H200, commit unknown.")
    commits = ["0123456789abcdef", "0123456789abcdef-dirty"]
    made = summarise(about | {"commits": commits})
    assert made.endswith("commit 01234567, 01234567 with edits.")


def test_imported_results_are_no_reference(tmp_path):
    with pytest.raises(ReseedError, match="imported results are no reference"):
        write_reference(finished(tmp_path / "b", scale="as given"))
    with pytest.raises(ReseedError, match="Run: snakemake references"):
        copy_references({"b": StudyLayout(str(tmp_path / "b"))}, tmp_path / "reference")
    assert find_reference(tmp_path / "reference", "b") is None


@pytest.mark.parametrize(("items", "kept"), [(3, True), (2_000, False)])
def test_small_outputs_of_test_items_are_kept(tmp_path, monkeypatch, items, kept):
    monkeypatch.setattr("reseed.report.pages.reference.MOST_BYTES", 5_000)
    layout = finished(tmp_path / "studies" / "paper")
    info = read_study_info(Path(layout.about))
    experiments = {"one": ExperimentInfo(title="One"), "two": ExperimentInfo(title="Two")}
    write_study_info(Path(layout.about), info.model_copy(update={"experiments": experiments}))
    raw = np.random.default_rng(0).normal(size=items).astype(np.float32)
    for table, schema in zip(layout.prediction_tables("one"), (SCORES, TARGETS), strict=False):
        Path(table).parent.mkdir(parents=True, exist_ok=True)
        row = {"dataset": "d", "arm": "a", "data_seed": 0, "test": raw, "validation": raw}
        pq.write_table(pa.Table.from_pylist([row], schema=schema), table)
    old = tmp_path / "reference" / "paper" / "targets.parquet"  # of an earlier run
    old.parent.mkdir(parents=True)
    old.write_text("")
    [folder] = gather(tmp_path / "reference", layout, replace=True)
    paths = [folder / "predictions.parquet", folder / "targets.parquet"]
    assert [path.is_file() for path in paths] == [kept, kept]
    for path in paths[: 2 * kept]:
        [row] = pq.read_table(path).to_pylist()
        assert row["test"] == raw.tolist()
        assert "validation" not in row
