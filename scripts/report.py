"""Write a study's page, or the index of all pages."""

import argparse
import json
from pathlib import Path

from reseed.runtime import limit_threads, run, say


def main() -> None:
    """Read the arguments and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=Path, required=True, help="the folder of all studies")
    parser.add_argument("--exhibits", type=json.loads, required=True, help="exhibits by study")
    parser.add_argument("--index", action="store_true", help="the index in place of one page")
    parser.add_argument("--output", type=Path, required=True, help="the page to write")
    arguments = parser.parse_args()
    limit_threads(1)
    from reseed.atomic import write_text
    from reseed.exhibits.report import build_index, build_study_page, read_study

    studies = [
        read_study(arguments.studies / name, exhibits, arguments.output)
        for name, exhibits in arguments.exhibits.items()
    ]
    if arguments.index:
        text = build_index(studies, [f"{name}.html" for name in arguments.exhibits])
    else:
        text = build_study_page(studies[0], "index.html")
    write_text(arguments.output, text)
    say(f"Report: {arguments.output}")


if __name__ == "__main__":
    run(main)
