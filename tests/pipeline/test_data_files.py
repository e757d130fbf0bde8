"""Data files in keys: equal size and time, but other bytes."""

import os

import pytest
from reseed.core.errors import ReseedError
from reseed.core.source_guard import SourceGuard
from reseed.pipeline import data_files
from reseed.pipeline.data_files import DataFiles


def replace_bytes(path, text):
    """Write another text of the same length, and restore the time."""
    status = path.stat()
    assert len(text) == status.st_size
    path.write_text(text)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,y\n1,0\n")
    return path


def new_process():
    data_files._hash_bytes.cache_clear()


def test_other_bytes_of_a_small_file_change_its_description(table):
    before = DataFiles().describe([str(table)])
    new_process()
    assert DataFiles().describe([str(table)]) == before
    replace_bytes(table, "a,y\n2,0\n")
    new_process()
    assert DataFiles().describe([str(table)]) != before


def test_large_files_are_hashed_on_request_and_recorded(table, tmp_path, monkeypatch):
    monkeypatch.setattr(data_files, "HASHED_BYTES", 3)
    record = tmp_path / "hashes.json"

    def describe(**options):
        new_process()
        return DataFiles(record, **options).describe([str(table)])

    assert describe()[0][-1] == ""
    dry = describe(check=True)
    assert not record.exists()
    checked = describe(check=True, write=True)
    assert dry == checked == describe()
    replace_bytes(table, "a,y\n2,0\n")
    assert describe() == checked
    again = describe(check=True, write=True)
    assert again != checked
    assert describe() == again
    os.utime(table)
    assert describe()[0][-1] == ""
    record.write_text("{")
    assert describe()[0][-1] == ""


def test_many_files_are_not_hashed_without_a_request(tmp_path, monkeypatch):
    monkeypatch.setattr(data_files, "HASHED_FILES", 2)
    for name in "abc":
        (tmp_path / name).write_text(name)
    assert {one[-1] for one in DataFiles().describe([str(tmp_path)])} == {""}
    assert "" not in {one[-1] for one in DataFiles(check=True).describe([str(tmp_path)])}


@pytest.mark.parametrize("text", ["a,y\n2,0\n", "a,y\n2,0\n3,1\n"])
@pytest.mark.parametrize("limit", [1000, 3])
def test_bytes_that_are_swapped_after_planning_reach_no_job(table, monkeypatch, text, limit):
    """The key is of the old bytes; the stamp, which a job checks, is not of the new ones."""
    monkeypatch.setattr(data_files, "HASHED_BYTES", limit)
    planned = DataFiles()
    key = planned.describe([str(table)])
    if len(text) == table.stat().st_size:
        replace_bytes(table, text)
    else:
        table.write_text(text)
    new_process()
    guard = SourceGuard(planned.stamp([str(table)]))
    assert planned.describe([str(table)]) == key
    with pytest.raises(ReseedError, match="edited after the run was planned"):
        guard.refuse_edits()
