"""One machine with two GPUs (named, not real): each training sees one device, and its own."""

from collections import Counter

import pytest
from fault_harness.workspace import Workspace

pytestmark = pytest.mark.workflow


def test_each_training_sees_its_own_device(tmp_path):
    models = {"gpu": {"device": "auto"}, "cpu": {"device": "cpu"}}
    made = Workspace.small(tmp_path, models=models, seconds=0.3)
    made.environment |= {
        "WORKSPACE_NOTES": str(tmp_path / "notes"),
        "CUDA_VISIBLE_DEVICES": "3,5",
    }
    profile = ("--profile", "profiles/gpu", "--resources", "gpu=2", "--cores", "4")
    run = made.run(*profile, "--config", "seeds_per_job=2")
    assert run.ok, run.text

    def seen():
        lines = [line.split("|") for line in (tmp_path / "notes").read_text().splitlines()]
        return Counter((note, visible) for note, visible, _, _ in lines)

    assert set(seen()) == {("gpu", "3"), ("gpu", "5"), ("cpu", "")}

    # What was made on a device is verified on one.
    (tmp_path / "notes").write_text("")
    run = made.run("verify", *profile, "--config", "seeds_per_job=2", "verify_all=true")
    assert run.ok, run.text
    assert {visible for note, visible in seen() if note == "gpu"} == {"3"}
