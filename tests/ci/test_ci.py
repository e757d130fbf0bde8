"""The action, the hook and the pytest plug-in decide as `reseed gate` does."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml
from reseed.comparison.gate import EXIT_CODES

pytest_plugins = ["pytester"]
ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "docs" / "examples" / "ci"
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))


def scores(right: int, path: Path) -> Path:
    """Write 200 test cases, of which the first ones are right."""
    frame = pd.DataFrame({"item": range(200), "accuracy": [int(i < right) for i in range(200)]})
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def act(tmp_path):
    """Run the action's shell steps with inputs; return the exit status, outputs and summary."""
    (tmp_path / "reseed" / "bin").mkdir(parents=True)
    (tmp_path / "reseed" / "bin" / "python").symlink_to(sys.executable)
    program = tmp_path / "reseed" / "bin" / "reseed"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m reseed "$@"\n')
    program.chmod(0o755)
    [gate] = [step for step in ACTION["runs"]["steps"] if step.get("id") == "gate"]
    last = ACTION["runs"]["steps"][-1]

    def run(**inputs):
        defaults = {name: one.get("default", "") for name, one in ACTION["inputs"].items()}
        given = defaults | {"margin": "0.02"} | inputs
        files = {name: tmp_path / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for file in files.values():
            file.write_text("")
        variables = {
            name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda m: str(given[m[1]]), value)
            for name, value in gate["env"].items()
        }
        environment = {
            **os.environ, **variables, **{name: str(file) for name, file in files.items()},
            "RUNNER_TEMP": str(tmp_path), "PYTHONPATH": str(ROOT / "scripts"),
        }  # fmt: skip
        shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"]
        done = subprocess.run(
            [*shell, gate["run"]], env=environment, cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        lines = files["GITHUB_OUTPUT"].read_text().splitlines()
        outputs = dict(line.split("=", 1) for line in lines)
        status = subprocess.run(
            [*shell, last["run"]], env={**os.environ, "STATUS": outputs["status"]}
        ).returncode
        return status, outputs, files["GITHUB_STEP_SUMMARY"].read_text()

    return run


@pytest.mark.parametrize(
    ("right", "more", "decision", "status"),
    [
        (180, {}, "better", 0),
        (121, {}, "undecided", EXIT_CODES["undecided"]),
        pytest.param(119, {"margin": "0.1"}, "not worse", 0, marks=pytest.mark.nightly),
    ],
)
def test_action_decides_as_the_command(act, tmp_path, right, more, decision, status):
    candidate = scores(right, tmp_path / "new.csv")
    if decision == "undecided":  # other cases are right: many differ
        frame = pd.read_csv(candidate)
        frame["accuracy"] = frame["accuracy"].iloc[::-1].to_numpy()
        frame.to_csv(candidate, index=False)
    baseline = scores(120, tmp_path / "old.csv")
    found = act(candidate=candidate, baseline=baseline, arguments="--metric accuracy", **more)
    assert found[0] == status
    assert found[1]["decision"] == decision
    assert "| Dataset | Verdict | Difference [" in found[2]


def test_action_fails_with_the_status_of_an_error(act, tmp_path):
    baseline = scores(120, tmp_path / "old.csv")
    status, outputs, summary = act(candidate="missing.csv", baseline=baseline)
    assert (status, summary) == (1, "")
    assert "decision" not in outputs


def test_inputs_of_the_action_are_no_code(act, tmp_path):
    baseline = scores(120, tmp_path / "old.csv")
    act(candidate='$(touch "$RUNNER_TEMP/bad"); x', baseline=baseline, arguments="; touch bad")
    assert not (tmp_path / "bad").exists()
    texts = [step.get("run", "") for step in ACTION["runs"]["steps"]]
    assert not any("${{" in text for text in texts)


def test_example_repository_passes_its_gate(tmp_path):
    output = tmp_path / "candidate.csv"
    subprocess.run(
        [sys.executable, EXAMPLE / "evaluate.py", "--output", output], check=True, cwd=EXAMPLE
    )
    workflow = yaml.safe_load((EXAMPLE / ".github/workflows/gate.yml").read_text("utf-8"))
    steps = workflow["jobs"]["gate"]["steps"]
    [given] = [step["with"] for step in steps if "reseed@" in step.get("uses", "")]
    assert set(given) <= set(ACTION["inputs"])
    run = subprocess.run(
        [sys.executable, "-m", "reseed", "gate", output, "--baseline", EXAMPLE / given["baseline"],
         "--margin", given["margin"], *given["arguments"].split()],
        env={**os.environ, "PYTHONPATH": str(ROOT / "scripts")}, capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("BETTER")


def test_documented_exit_statuses_are_those_of_the_command():
    text = (ROOT / "docs" / "ci.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| (\d+) \| \*?([\w ]+)", text, re.MULTILINE))
    for decision, code in EXIT_CODES.items():
        assert decision in rows[str(code)] or code == 0


def test_hook_and_documented_arguments_are_accepted(tmp_path):
    [hook] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    text = (ROOT / "docs" / "ci.md").read_text("utf-8")
    [block] = [b for b in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL) if "hooks:" in b]
    [used] = yaml.safe_load(block)["repos"][0]["hooks"]
    assert used["id"] == hook["id"]
    scores(180, tmp_path / "candidate.csv")
    (tmp_path / "scores").mkdir()
    scores(120, tmp_path / "scores" / "baseline.csv")
    run = subprocess.run(
        [sys.executable, "-m", *hook["entry"].split(), *used["args"]], cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT / "scripts")}, capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr


def test_fixture_fails_with_the_evidence(pytester, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "scripts"))
    # An installed Reseed, or what a build left in scripts/, would load the plug-in a second time.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    scores(120, pytester.path / "old.csv")
    scores(180, pytester.path / "new.csv")
    pytester.makepyfile(
        """
        def test_better(assert_not_worse):
            assert assert_not_worse("new.csv", "old.csv", 0.02).decision == "better"

        def test_worse(assert_not_worse):
            assert_not_worse("old.csv", "new.csv", 0.02)
        """
    )
    result = pytester.runpytest_subprocess("-p", "reseed.pytest_plugin", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*AssertionError: WORSE: the candidate is worse*[[]*"])
