"""Only proven damage is deleted, and only files that a rule of the project makes."""

import errno
import re
import sys
from pathlib import Path

import pytest
from reseed.core import ownership
from reseed.core.checked_io import read_json
from reseed.core.errors import Damaged
from reseed.core.layout import ResultsLayout
from reseed.core.ownership import delete, read_twice
from reseed.pipeline.runner import Granted, run_job
from reseed.pipeline.spec_files import SpecFiles
from reseed.planning.specs import ExportSpec

OWNED = [
    "data/toy/inputs.npy",
    "data/toy/meta.json",
    "weights/minilm/model.safetensors",
    "splits/toy/holdout-0.2/data-seeds-0-19.parquet",
    "tuning/toy/s/rf/tuned-2/data-seed-0/model-seed-0.json",
    "tuning/toy/s/rf/tuned-2/data-seed-0/model-seed-0/rung-0/shard-0-of-3.json",
    "trials/toy/holdout-0.2/rf/default/data-seed-0/model-seeds-0-9.parquet",
    f"store/ab/{'c' * 62}.test.parquet",
    f"store/ab/{'c' * 62}.test/{'d' * 64}.parquet",
    "studies/first/metrics.parquet",
    "studies/first/evidence.json",
    "studies/first/predictions/models/scores.parquet",
    "studies/first/statistics/spread.csv",
    "studies/first/tables/table1.tex",
    "studies/first/figures/bars.png",
    "report/first.html",
    "examples/first.csv",
]
FOREIGN = [
    "reference/first/evidence.json",
    "reference/first/meta.json",
    "reference/first/trials.parquet",
    "data/toy/notes.txt",
    "weights/minilm.replaced/model.safetensors",
    "studies/first/meta.json",
    "studies/first/paper.tex",
    "store/ab/thesis.pdf",
    "trials/mine.parquet",
    "notes.md",
    "../data/toy/meta.json",
]


def write(path, text="{"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def run_reader(folder, path, monkeypatch):
    """Run a job that reads a JSON file and fails; what it prints is captured."""

    def read(spec: ExportSpec, granted: Granted) -> None:
        read_json(path)

    spec = SpecFiles(ResultsLayout(str(folder / "results"))).write(
        ExportSpec(str(folder / "results"), "first", "models", ("x.csv",), "y.csv")
    )
    monkeypatch.setattr(sys, "argv", ["job", spec])
    for stream in ("stdout", "stderr"):  # which a job replaces
        monkeypatch.setattr(sys, stream, getattr(sys, stream))
    with pytest.raises(SystemExit):
        run_job(read)


@pytest.mark.parametrize("name", OWNED)
def test_a_damaged_file_of_a_rule_is_deleted(tmp_path, name):
    path = write(tmp_path / "results" / name)
    assert delete([path], tmp_path / "results").deleted == [path]
    assert not path.exists()


@pytest.mark.parametrize("name", FOREIGN)
def test_a_damaged_file_that_no_rule_makes_is_left(tmp_path, name):
    (tmp_path / "results").mkdir()
    path = write(tmp_path / "results" / name)
    assert delete([path], tmp_path / "results").left == [path]
    assert path.read_text() == "{"


def test_links_are_not_followed_below_the_first_folders(tmp_path):
    disk, results = tmp_path / "disk", tmp_path / "results"
    for name in ("store", "first"):
        (disk / name).mkdir(parents=True)
    (results / "studies").mkdir(parents=True)
    (results / "store").symlink_to(disk / "store")  # a cache on another disk
    (results / "studies" / "first").symlink_to(disk / "first")
    entry = write(results / "store" / "ab" / f"{'c' * 62}.test.parquet")
    theirs = write(results / "studies" / "first" / "about.json")
    page = results / "report" / "first.html"
    target = write(tmp_path / "mine.html")
    page.parent.mkdir()
    page.symlink_to(target)
    assert delete([entry, theirs, page], results) == ([entry], [theirs, page])
    assert target.exists()


def test_a_job_deletes_what_it_finds_damaged(tmp_path, monkeypatch, capfd):
    path = write(tmp_path / "results" / "studies" / "first" / "about.json")
    beside = write(path.with_name("meta.json"), "mine")
    run_reader(tmp_path, path, monkeypatch)
    assert not path.exists()
    assert beside.read_text() == "mine"
    assert "about.json. Run snakemake again" in capfd.readouterr().err


def test_a_merge_conflict_in_committed_evidence_is_left(tmp_path, monkeypatch, capfd):
    folder = tmp_path / "results" / "reference" / "first"
    evidence = write(folder / "evidence.json", "<<<<<<< HEAD\n{}")
    beside = write(folder / "meta.json", "mine")
    run_reader(tmp_path, evidence, monkeypatch)
    assert evidence.read_text() == "<<<<<<< HEAD\n{}"
    assert beside.read_text() == "mine"
    text = capfd.readouterr().err
    assert "evidence.json: cannot be read" in text
    assert "Not deleted, because no rule of this project makes it" in text
    assert "git checkout" in text


def test_bytes_that_are_right_on_the_second_read_are_no_damage(tmp_path, monkeypatch):
    """The second read is not one of the memory that holds the wrong bytes."""
    path = write(tmp_path / "x")
    steps = []
    monkeypatch.setattr("os.posix_fadvise", lambda *_: steps.append("forget"))

    def read():
        steps.append("read")
        if len(steps) == 1:
            raise ValueError("wrong checksum")
        return "right"

    assert read_twice(path, read) == "right"
    assert steps == ["read", "forget", "read"]


@pytest.mark.parametrize("number", [errno.ESTALE, errno.EIO, errno.EMFILE, errno.EACCES])
def test_an_error_of_the_system_is_no_damage(tmp_path, monkeypatch, number):
    path = write(tmp_path / "results" / "studies" / "first" / "about.json", "{}")

    def fail(*_, **__):
        raise OSError(number, "no")

    monkeypatch.setattr("pathlib.Path.read_text", fail)
    with pytest.raises(OSError, match="no") as caught:
        read_json(path)
    assert caught.value.errno == number


def test_an_error_of_this_program_is_no_damage(tmp_path):
    for error in (NameError, MemoryError):
        with pytest.raises(error):
            read_twice(tmp_path / "x", lambda error=error: (_ for _ in ()).throw(error()))
    with pytest.raises(Damaged):
        read_twice(tmp_path / "x", lambda: [][0])


def test_no_other_module_deletes_results():
    """The others delete their own temporary files, records, or what a user asked to replace."""
    library = Path(ownership.__file__).parents[1]
    calls = re.compile(r"\.unlink\(|rmtree|os\.remove|\.rmdir\(")
    deleting = {
        path.relative_to(library).as_posix()
        for path in library.rglob("*.py")
        if calls.search(path.read_text())
    }
    assert deleting == {
        "core/ownership.py",
        "core/atomic.py",  # its temporary file
        "analyses/shared/predictions.py",  # its temporary folder
        "pipeline/snakemake_metadata.py",  # records of Snakemake for an exchanged results folder
        "pipeline/workflow.py",  # a list of pages, which the index replaces
        "data/download.py",  # a download without a checksum, which is fetched again
        "training/fit_store.py",  # a fit with a wrong checksum
        "report/pages/reference.py",  # what a copy of a reference replaces
    }
