"""Copy figures of finished studies to the gallery of the documentation, with descriptions."""

import argparse
from pathlib import Path

from reseed.pipeline.runner import limit_threads, run, say


def main() -> None:
    """Read the arguments and write the gallery."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("figures", nargs="+", help="STUDY or STUDY/EXHIBIT, in order")
    parser.add_argument("--results", type=Path, default=Path("results"), help="results folder")
    parser.add_argument("--output", type=Path, default=Path("docs/gallery"), help="the gallery")
    arguments = parser.parse_args()
    limit_threads(1)
    from gallery import write_gallery

    exhibits: dict[str, list[str]] = {}
    order = dict.fromkeys(figure.partition("/")[0] for figure in arguments.figures)
    for figure in arguments.figures:
        study, slash, exhibit = figure.partition("/")
        if slash:
            exhibits.setdefault(study, []).append(exhibit)
    folders = [arguments.results / "studies" / study for study in order]
    write_gallery(folders, exhibits, arguments.output)
    say(f"Gallery: {arguments.output}")


if __name__ == "__main__":
    run(main)
