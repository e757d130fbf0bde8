"""A data file of equal size and time but other bytes is prepared again."""

import os

import pytest
from reseed.pipeline.data_files import HASHED_BYTES

pytestmark = pytest.mark.workflow


def swap_classes(path) -> None:
    """Exchange the classes of two rows; size and time stay."""
    status, text = path.stat(), path.read_text()
    path.write_text(text.replace("yes", "no ", 1).replace("no\n", "yes", 1))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert path.stat().st_size == status.st_size


def prepares(planned) -> bool:
    return any(name.startswith("prepare") for name in planned)


def test_replaced_bytes_of_equal_size_and_time_are_detected(finished):
    assert not finished.planned()
    swap_classes(finished.folder / "table.csv")
    assert prepares(finished.planned())


def test_replaced_bytes_of_a_large_file_are_found_by_check_data(finished):
    path, check = finished.folder / "table.csv", ("--config", "check_data=true")
    path.write_text(path.read_text() + "\n" * HASHED_BYTES)  # pandas skips empty lines
    finished.run(*check)
    before = finished.metrics()["auc"].tolist()
    assert not finished.planned(*check)
    assert not finished.planned()
    swap_classes(path)
    assert not finished.planned()
    assert prepares(finished.planned(*check))
    finished.run(*check)
    assert finished.metrics()["auc"].tolist() != before
    assert not finished.planned()
