"""Put every exhibit of every study on one self-contained page."""

import argparse
from pathlib import Path

from reseed.scripting import limit_threads, read_job, run, say


def main() -> None:
    """Read the arguments and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--job", type=Path, required=True, help="exhibits by study, as JSON")
    parser.add_argument("--output", type=Path, required=True, help="the page to write")
    arguments = parser.parse_args()
    job = read_job(arguments.job)
    limit_threads(1)
    from reseed.atomic import write_text
    from reseed.exhibits.report import build_report, read_study

    studies = [
        read_study(Path(job["results"]), name, exhibits)
        for name, exhibits in job["exhibits"].items()
    ]
    write_text(arguments.output, build_report(studies))
    say(f"Report: {arguments.output}")


if __name__ == "__main__":
    run(main)
