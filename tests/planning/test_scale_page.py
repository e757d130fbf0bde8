"""The page docs/scale.md and the command that writes it."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from reseed.core.module_finder import SCRIPTS
from reseed.planning.costs import study_costs
from reseed.planning.plan import HINT_ROWS
from reseed.planning.read_plan import read_plan

REPOSITORY = Path(__file__).parents[2]
PAGE = REPOSITORY / "docs" / "scale.md"


def estimate(*arguments: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "reseed", "cost", "--scale", "smoke", *arguments]
    environment = os.environ | {"PYTHONPATH": str(SCRIPTS)}
    return subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def costs():
    """Cost by study and model at scale `paper`."""
    _, plan, _ = read_plan(REPOSITORY / "config", {"scale": "paper"})
    rows = {name: one.rows or HINT_ROWS for name, one in plan.datasets.items()}
    return study_costs(plan, {}, rows)


def test_the_longest_job_at_scale_paper_takes_two_hours_at_most(costs):
    longest = {
        (study, model): cost.longest for study in costs for model, cost in costs[study].items()
    }
    assert max(longest.values()) <= 2 * 3600
    # No job is shorter than its longest training: that of a network on a million simulated rows.
    assert longest["inherent_randomness", "ffnn"] >= 40 * 1_000_000 / HINT_ROWS


def test_the_published_longest_job_takes_four_hours_at_most():
    """Blocks count data of unknown size as 16,000 rows; CIFAR-10 has 60,000."""
    with PAGE.with_suffix(".csv").open(encoding="utf-8") as stream:
        hours = [float(line["longest job, h"]) for line in csv.DictReader(stream)]
    assert len(hours) > 20
    assert 0 < max(hours) <= 4


def test_page_names_result_folders_without_their_path(tmp_path):
    study = tmp_path / "runs" / "studies" / "s"
    study.mkdir(parents=True)
    about = {"seconds_per_trial": {"d/s/m/h": 1.5}, "machines": [{"cpu": "Old", "device": "cpu"}]}
    (study / "about.json").write_text(json.dumps(about))
    output = tmp_path / "page.md"
    assert estimate("--results", str(study.parents[1]), "--output", str(output)).returncode == 0
    text = output.read_text()
    assert "--block-seconds 60 --results runs`. Seconds measured on: " in text
    assert "NVIDIA H200, Old." in text  # and of the committed references
    assert str(tmp_path) not in text
    assert "(page.csv)" in text
    assert output.with_suffix(".csv").read_text().startswith("study,model,trials,")
