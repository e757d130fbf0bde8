"""Files of the results folder that no study plans."""

from collections.abc import Iterator, Set
from pathlib import Path

from reseed.planning.plan import Plan


def planned_files(plan: Plan) -> set[Path]:
    """Trial and search files that some study of a plan names."""
    planned = plan.settings.values()
    trials = (Path(file) for study in plan.studies for file in plan.trial_files(study))
    searches = (
        Path(plan.layout.search(one.setting, at, suffix))
        for one in planned
        for at in one.searches()
        for suffix in (".json", ".parquet")
    )
    return {*trials, *searches}


def unplanned(results: Path, planned: Set[Path]) -> Iterator[Path]:
    """Files below `results` to remove, in an order that loses nothing when interrupted.

    No run may be active meanwhile: half-written files of killed runs are removed too. A cache entry
    is kept while a planned file, or an exhibit, is a link to it. Where a planned file is a copy
    (the file system cannot link, or the project was copied), all cache entries are kept, since
    nothing shows which of them is in use.
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
            # The shards of a search lie in a folder beside its winner.
            search = path.parent.parent.with_suffix(".json")
            if path.is_file() and not {path, search} & planned and path not in halves:
                yield path
    if copied or (inodes and not targets):
        return
    for path in sorted((results / "store").glob("??/*")):
        if path.is_file() and path.stat().st_ino not in inodes and path not in halves:
            yield path
