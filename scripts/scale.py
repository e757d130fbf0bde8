"""Write docs/scale.md: what each study costs at scale `paper`, from measured seconds."""

import argparse
import json
from pathlib import Path

from reseed.costs import measured_seconds, page, study_costs
from reseed.machine import cpu_name
from reseed.plan import HINT_ROWS
from reseed.scripting import run, say
from reseed.startup import read_plan


def rows_of(results: Path, name: str, dataset: dict) -> int:
    """Rows of a dataset: as configured, as prepared earlier, or a usual number."""
    if dataset["rows"]:
        return dataset["rows"]
    try:
        return json.loads((results / "data" / name / "meta.json").read_text())["rows"]
    except (OSError, ValueError, KeyError):
        return HINT_ROWS


def main() -> None:
    """Read the plan and earlier measurements, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", default="paper", help="scale of the studies")
    parser.add_argument("--results", type=Path, default=Path("results"), help="measured here")
    parser.add_argument("--block-seconds", type=float, default=1800, help="training a job")
    parser.add_argument("--output", type=Path, default=Path("docs/scale.md"))
    arguments = parser.parse_args()
    project, plan, _ = read_plan("config", {"scale": arguments.scale})
    measured = measured_seconds(arguments.results)
    rows = {name: rows_of(arguments.results, name, entry) for name, entry in plan.datasets.items()}
    costs = study_costs(plan, measured, rows, arguments.block_seconds)
    facts = {
        "command": f"python scripts/scale.py --block-seconds {arguments.block_seconds:g}",
        "cpu": cpu_name() if measured else "none measured yet",
        "block": f"{arguments.block_seconds / 60:g} minutes",
    }
    titles = {name: study.title for name, study in project.studies.items()}
    arguments.output.write_text(page(costs, titles, facts), encoding="utf-8")
    say(f"{arguments.output}: {len(costs)} studies, {len(measured)} settings measured")


if __name__ == "__main__":
    run(main)
