"""Put every exhibit of every study on one self-contained page."""

import argparse
import json
from pathlib import Path

from reseed.runtime import limit_threads, run, say


def main() -> None:
    """Read the arguments and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True, help="the results folder")
    parser.add_argument("--exhibits", type=json.loads, required=True, help="exhibits by study")
    parser.add_argument("--output", type=Path, required=True, help="the page to write")
    arguments = parser.parse_args()
    limit_threads(1)
    from reseed.atomic import write_text
    from reseed.exhibits.report import build_report, read_study

    studies = [
        read_study(arguments.results, name, exhibits)
        for name, exhibits in arguments.exhibits.items()
    ]
    write_text(arguments.output, build_report(studies))
    say(f"Report: {arguments.output}")


if __name__ == "__main__":
    run(main)
