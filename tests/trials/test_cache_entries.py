"""Cache entries are written once, read-only, and linked under other names."""

import os

import pytest
from reseed.trials.entries import add_entry, delete_files, entry_path, link_entry, linked_entries


@pytest.fixture
def entry(tmp_path):
    path = entry_path(tmp_path / "store", "abcdef", ".json")
    add_entry(path, lambda temporary: temporary.write_text("one"))
    return path


def test_path_of_an_entry(tmp_path):
    assert entry_path("store", "abcdef", ".x.json").as_posix() == "store/ab/cdef.x.json"


def test_entry_is_read_only_and_never_changed(entry):
    assert entry.stat().st_mode & 0o777 == 0o444
    add_entry(entry, lambda temporary: temporary.write_text("two"))
    assert entry.read_text() == "one"


def test_failed_write_leaves_nothing(tmp_path):
    def fail(temporary):
        temporary.write_text("half")
        raise RuntimeError

    path = entry_path(tmp_path, "abcdef", ".json")
    with pytest.raises(RuntimeError):
        add_entry(path, fail)
    assert list(path.parent.iterdir()) == []


def test_target_is_a_link_with_the_current_time(entry, tmp_path):
    os.utime(entry, (1e9, 1e9))
    target = tmp_path / "trials" / "a" / "one.json"
    for _ in range(2):  # the second time the target is the same file already
        link_entry(entry, target)
        assert target.samefile(entry)
        assert target.stat().st_mtime > 1e9
        assert os.listdir(target.parent) == ["one.json"]


def test_link_replaces_another_file(entry, tmp_path):
    target = tmp_path / "one.json"
    target.write_text("other")
    link_entry(entry, target)
    assert target.read_text() == "one"


def test_copy_where_the_file_system_cannot_link(entry, tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr("reseed.trials.entries.os.link", refuse)
    target = tmp_path / "trials" / "one.json"
    link_entry(entry, target)
    assert (target.read_text(), target.samefile(entry)) == ("one", False)
    assert target.stat().st_mode & 0o777 == 0o444


def test_entries_of_a_link_are_found_by_file_identity(entry, tmp_path):
    other = entry_path(tmp_path / "store", "abcdff", ".json")
    add_entry(other, lambda temporary: temporary.write_text("one"))
    target = tmp_path / "trials" / "a" / "one.json"
    link_entry(entry, target)
    assert linked_entries(target) == [entry]
    target.unlink()
    assert linked_entries(target) == []
    copy = tmp_path / "copy.json"
    copy.write_text("one")
    assert linked_entries(copy) == []


def test_missing_files_can_be_deleted(entry, tmp_path):
    delete_files([entry, tmp_path / "missing"])
    assert not entry.exists()
