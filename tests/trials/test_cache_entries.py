"""Cache entries are written once, read-only, and copied under other names."""

import os

import pytest
from reseed.trials.entries import add_entry, copy_entry, entry_path


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


def test_target_is_a_copy_with_the_current_time(entry, tmp_path):
    """So an edit of it in place does not change the entry."""
    os.utime(entry, (1e9, 1e9))
    target = tmp_path / "trials" / "a" / "one.json"
    for _ in range(2):
        copy_entry(entry, target)
        assert target.stat().st_mtime > 1e9
        assert os.listdir(target.parent) == ["one.json"]
        with target.open("r+") as file:
            file.write("two")
        assert entry.read_text() == "one"
