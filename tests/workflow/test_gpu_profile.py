"""On a machine with two (simulated) GPUs, each training sees only its own device."""

from collections import Counter

import pytest
from fault_harness.workspace import METRICS, Workspace

pytestmark = pytest.mark.workflow


@pytest.mark.nightly
def test_each_training_sees_its_own_device(tmp_path):
    models = {"gpu": {"device": "auto"}, "cpu": {"device": "cpu"}}
    workspace = Workspace.small(tmp_path, models=models, seeds=2, seconds=0.3)
    workspace.environment |= {
        "WORKSPACE_NOTES": str(tmp_path / "notes"),
        "CUDA_VISIBLE_DEVICES": "3,5",
    }
    profile = ("--profile", "profiles/gpu", "--resources", "gpu=2", "--cores", "4")
    workspace.run(METRICS, *profile, "--config", "seeds_per_job=3")

    def visible_devices():
        lines = [line.split("|") for line in (tmp_path / "notes").read_text().splitlines()]
        return Counter((note, visible) for note, visible, _, _ in lines)

    assert set(visible_devices()) == {("gpu", "3"), ("gpu", "5"), ("cpu", "")}

    # Trials of a GPU are verified on a GPU.
    (tmp_path / "notes").write_text("")
    workspace.run("verify", *profile, "--config", "seeds_per_job=3", "verify_all=true")
    assert {visible for note, visible in visible_devices() if note == "gpu"} == {"3"}
