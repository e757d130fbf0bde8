"""The scripts of docs/cluster.md, run with a replacement for `kubectl` that stores its input."""

import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml

PAGE = (Path(__file__).parents[2] / "docs" / "cluster.md").read_text(encoding="utf-8")
KUBECTL = """#!/bin/sh
case $1 in
  create) cat > "$KEPT"; echo job.batch/reseed-1 ;;
  get) printf %s "$TOLD"; exit "${CODE:-0}" ;;
esac
"""


def block(first: str) -> str:
    """Return the code block of the page that starts with a comment."""
    result = re.findall(rf"```\w+\n(# {re.escape(first)}.*?)```", PAGE, re.DOTALL)
    assert len(result) == 1, first
    return result[0]


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a script of the page in a folder, with the replacement first on PATH."""
    kubectl = tmp_path / "kubectl"
    kubectl.write_text(KUBECTL)
    kubectl.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("KEPT", str(tmp_path / "kept.yaml"))

    def script(first: str, *arguments: str, **variables: str) -> str:
        path = tmp_path / "script.sh"
        path.write_text(block(first))
        command = ["sh", str(path), *arguments]
        environment = os.environ | variables
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    return script


@pytest.mark.parametrize("gpus", ["0", "1"])
def test_pod_has_limits_of_memory_time_and_gpus(run, tmp_path, gpus):
    output = run("/volume/kubernetes/pod.sh", "2", "1501", gpus, "10", "job script.sh")
    assert output == "job.batch/reseed-1"
    job = yaml.safe_load((tmp_path / "kept.yaml").read_text())
    assert job["spec"]["activeDeadlineSeconds"] == 600
    (pod,) = job["spec"]["template"]["spec"]["containers"]
    assert pod["command"] == ["sh", "job script.sh"]
    assert pod["workingDir"] == str(tmp_path)
    # Kubernetes refuses a request for GPUs without a limit.
    assert pod["resources"] == {
        "requests": {"cpu": "2", "memory": "1501M"},
        "limits": {"memory": "1501M", "nvidia.com/gpu": gpus},
    }


@pytest.mark.parametrize(
    ("output", "code", "status"),
    [
        *(("/", "0", "running"), ("1/", "0", "success"), ("/True", "0", "failed")),
        *(("", "0", "failed"), ("", "1", "running")),
    ],
)
def test_status_of_a_pod(run, output, code, status):
    result = run("/volume/kubernetes/status.sh", "job.batch/reseed-1", TOLD=output, CODE=code)
    assert result == status


@pytest.mark.parametrize("first", ["~/.config/snakemake/pbs", "/volume/kubernetes/config.yaml"])
def test_generic_profile_sets_every_resource_of_its_command(first):
    entry = yaml.safe_load(block(first))
    assert entry["executor"] == "cluster-generic"
    defaults = {resource.partition("=")[0] for resource in entry["default-resources"]}
    assert set(re.findall(r"\{resources\.(\w+)\}", entry["cluster-generic-submit-cmd"])) <= defaults
