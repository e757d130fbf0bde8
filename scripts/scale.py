"""Write docs/scale.md: what each study costs at scale `paper`, from measured seconds."""

import argparse
from pathlib import Path

from reseed.core.errors import ReseedError
from reseed.pipeline.runner import run, say
from reseed.pipeline.startup import read_plan
from reseed.planning.costs import lacking, measured_seconds, page, processors, rows_of, study_costs
from reseed.planning.plan import HINT_ROWS


def main() -> None:
    """Read the plan and earlier measurements, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", default="paper", help="scale of the studies")
    parser.add_argument(
        "--results", type=Path, nargs="+", default=[Path("results")], help="measured here"
    )
    parser.add_argument("--block-seconds", type=float, default=1800, help="training a job")
    parser.add_argument("--output", type=Path, default=Path("docs/scale.md"))
    given = parser.parse_args()
    project, plan, _ = read_plan("config", {"scale": given.scale})
    measured = measured_seconds(given.results)
    if not measured and given.output == parser.get_default("output"):
        raise ReseedError(
            f"{', '.join(map(str, given.results))}: no finished study, so {given.output} would "
            "hold guesses alone. Run one (make run), name finished results (--results), or write "
            "the guesses elsewhere (--output guesses.md)."
        )
    rows = {name: rows_of(given.results, name, entry) for name, entry in plan.datasets.items()}
    known = {name: count or HINT_ROWS for name, count in rows.items()}
    costs = study_costs(plan, measured, known, given.block_seconds)
    absent = {name for names in plan.left_out.values() for name in names}
    # By name alone: where they lie on this machine is nobody else's business.
    usual = given.results == parser.get_default("results")
    folders = "" if usual else f" --results {' '.join(path.name for path in given.results)}"
    facts = {
        "scale": given.scale,
        "command": f"python scripts/scale.py --scale {given.scale} "
        f"--block-seconds {given.block_seconds:g}{folders}",
        "cpu": ", ".join(processors(given.results)) or "none measured yet",
        "block": f"{given.block_seconds / 60:g} minutes",
        "lacking": lacking(absent, [name for name, count in rows.items() if not count]),
    }
    titles = {name: study.title for name, study in project.studies.items()}
    given.output.write_text(page(costs, titles, facts), encoding="utf-8")
    say(f"{given.output}: {len(costs)} studies, {len(measured)} settings measured")


if __name__ == "__main__":
    run(main)
