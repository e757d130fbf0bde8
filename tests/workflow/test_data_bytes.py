"""A data file of equal size and time but other bytes is prepared again."""

import os
import subprocess
import sys

import pytest
from projects import METRICS
from reseed.core.module_finder import SCRIPTS
from reseed.pipeline.data_files import HASHED_BYTES

pytestmark = pytest.mark.workflow


def reverse_rows(path) -> None:
    """Reverse the order of the rows; size and time of the file stay."""
    status, text = path.stat(), path.read_text()
    table = text.rstrip("\n")
    head, *rows = table.split("\n")
    path.write_text("\n".join([head, *reversed(rows)]) + text[len(table) :])
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert path.stat().st_size == status.st_size


def prepares(planned) -> bool:
    return any(name.startswith("prepare") for name in planned)


def test_replaced_bytes_of_equal_size_and_time_are_detected(finished):
    assert not finished.planned(METRICS)
    reverse_rows(finished.folder / "table.csv")
    assert prepares(finished.planned(METRICS))


def test_replaced_bytes_of_a_large_file_are_found_by_check_data(finished):
    path, check = finished.folder / "table.csv", ("--config", "check_data=true")
    path.write_text(path.read_text() + "\n" * HASHED_BYTES)  # pandas skips empty lines
    finished.train(*check)
    before = finished.metrics()["auc"].tolist()
    assert not finished.planned(METRICS, *check)
    assert not finished.planned(METRICS)
    reverse_rows(path)
    assert not finished.planned(METRICS)
    assert prepares(finished.planned(METRICS, *check))
    finished.train(*check)
    assert finished.metrics()["auc"].tolist() != before
    assert not finished.planned(METRICS)


def test_bytes_swapped_between_plan_and_job_stop_the_job(project):
    """A swap back afterwards would otherwise leave results of other bytes under this key."""
    project.run("results/data/table/inputs.parquet")
    specs = (project.folder / "results/plan").glob("??/*.json")
    spec = next(path for path in specs if '"identifier"' in path.read_text())
    command = [sys.executable, "-P", "-m", "reseed.jobs.prepare_data", str(spec)]
    environment = {**os.environ, "PYTHONPATH": str(SCRIPTS)}
    options = {"cwd": project.folder, "env": environment, "capture_output": True, "text": True}
    assert subprocess.run(command, **options).returncode == 0
    reverse_rows(project.folder / "table.csv")
    refused = subprocess.run(command, **options)
    assert refused.returncode == 1
    assert "table.csv: was edited after the run was planned" in refused.stderr
