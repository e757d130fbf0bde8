"""The command that writes docs/scale.md: guesses never take the place of what was measured."""

import json
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
PAGE = REPOSITORY / "docs" / "scale.md"


def scale(*arguments: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "scripts/scale.py", "--scale", "smoke", *arguments]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)


def test_without_a_finished_study_the_page_is_left_alone(tmp_path):
    before = PAGE.read_bytes()
    run = scale("--results", str(tmp_path))
    assert run.returncode == 1
    assert "guesses alone" in run.stderr
    assert "Traceback" not in run.stderr
    assert PAGE.read_bytes() == before


def test_guesses_can_be_written_elsewhere_and_are_called_so(tmp_path):
    output = tmp_path / "guesses.md"
    assert scale("--results", str(tmp_path), "--output", str(output)).returncode == 0
    assert "none measured yet" in output.read_text()


def test_page_names_its_source_results_without_their_path(tmp_path):
    study = tmp_path / "runs" / "studies" / "s"
    study.mkdir(parents=True)
    told = {"seconds_per_trial": {"d/s/m/h": 1.5}, "machines": [{"cpu": "Old"}]}
    (study / "about.json").write_text(json.dumps(told))
    output = tmp_path / "page.md"
    assert scale("--results", str(study.parents[1]), "--output", str(output)).returncode == 0
    text = output.read_text()
    assert "--block-seconds 1800 --results runs`. Seconds measured on: Old." in text
    assert str(tmp_path) not in text
