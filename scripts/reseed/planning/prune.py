"""What of the results no study plans: halves of files, targets, then what of the store is free."""

from collections.abc import Collection, Iterator
from pathlib import Path

from reseed.planning.plan import Plan


def planned_files(plan: Plan) -> set[Path]:
    """Trial and search files that some study of a plan names."""
    trials = (Path(file) for study in plan.studies for file in plan.trial_files(study))
    stems = (stem for planned in plan.settings.values() for stem in planned.searches())
    searches = (
        Path(plan.results, f"{stem}{suffix}") for stem in stems for suffix in (".json", ".parquet")
    )
    return {*trials, *searches}


def unplanned(results: Path, planned: Collection[Path]) -> Iterator[Path]:
    """Files below `results` to remove, in an order that loses nothing when interrupted.

    No run may go on meanwhile: what a killed one left half written (`replace_atomically`) goes too.
    A store file stays while a planned target, or an exhibit, is a link to it. Where a target is a
    copy (the file system cannot link; the project was copied), all of the store stays: nothing
    tells which file the copy came from.
    """
    targets = [path.stat() for path in planned if path.is_file()]
    inodes = {target.st_ino for target in targets}
    drawn = (path for path in (results / "studies").glob("*/*/*") if path.is_file())
    inodes |= {path.stat().st_ino for path in drawn}
    copied = any(target.st_nlink == 1 for target in targets)
    halves = sorted(results.rglob(".*.part"))
    yield from halves
    for folder in ("trials", "tuning"):
        for path in sorted((results / folder).rglob("*")):
            if path.is_file() and path not in planned and path not in halves:
                yield path
    if copied or (inodes and not targets):
        return
    for path in sorted((results / "store").glob("??/*")):
        if path.is_file() and path.stat().st_ino not in inodes and path not in halves:
            yield path
