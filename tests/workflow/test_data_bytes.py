"""A data file of equal size and time but other bytes is prepared again."""

import os

import pytest

pytestmark = pytest.mark.workflow


def test_replaced_bytes_of_equal_size_and_time_are_detected(finished):
    path = finished.folder / "table.csv"
    status, text = path.stat(), path.read_text()
    assert not finished.planned()
    path.write_text(text.replace("yes", "no ", 1).replace("no\n", "yes", 1))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert path.stat().st_size == status.st_size
    assert any(name.startswith("prepare") for name in finished.planned())
