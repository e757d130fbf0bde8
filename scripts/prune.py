"""Remove from the results what no study plans any more: trials, searches, and what stores them."""

import argparse
from pathlib import Path

from reseed.core.errors import ReseedError
from reseed.pipeline.runner import run, say


def main() -> None:
    """Read the arguments; remove (or only list) what the plan does not name."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", action="append", help="scales to keep; default: all three")
    parser.add_argument("--results", help="the results folder; default: the configuration's")
    parser.add_argument("--dry-run", action="store_true", help="say what would go, remove nothing")
    arguments = parser.parse_args()
    from reseed.config import SCALES
    from reseed.planning.build import make_plan
    from reseed.planning.project import load
    from reseed.planning.prune import planned_files, unplanned

    # Every study and dataset: one that is not asked for, or whose mirror is away, is planned still.
    given = {"studies": []} | ({"results": arguments.results} if arguments.results else {})
    keep, results = set(), None
    for scale in arguments.scale or SCALES:
        project = load("config", given | {"scale": scale})
        results = Path(project.main.results)
        keep |= planned_files(make_plan(project))
    if not results.is_dir():
        raise ReseedError(f"{results}: there is no such folder. Nothing to prune.")
    count, size = 0, 0
    for path in unplanned(results, keep):
        count, size = count + 1, size + path.stat().st_size
        if not arguments.dry_run:
            path.unlink()
    done = "would be removed" if arguments.dry_run else "removed"
    say(f"{results}: {count} files {done}, {size / 1e6:.1f} MB")


if __name__ == "__main__":
    run(main)
