"""Write a study's page, or the index of all pages."""

import argparse
from pathlib import Path

from reseed.pipeline.runner import limit_threads, read_job, run, say


def main() -> None:
    """Read the arguments and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--job", type=Path, required=True, help="exhibits by study, as JSON")
    parser.add_argument("--output", type=Path, required=True, help="the page to write")
    arguments = parser.parse_args()
    job = read_job(arguments.job)
    limit_threads(1)
    from reseed.core.atomic import write_text
    from reseed.reporting.pages import build_index, build_study_page, read_study

    results, page = Path(job["results"]), arguments.output.absolute()
    studies = [
        read_study(results / "studies" / name, exhibits, page)
        for name, exhibits in job["exhibits"].items()
    ]
    if job["index"]:
        text = build_index(studies, [f"{study.name}.html" for study in studies])
    else:
        text = build_study_page(studies[0])
    write_text(page, text)
    say(f"Report: {arguments.output}")


if __name__ == "__main__":
    run(main)
