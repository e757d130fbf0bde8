"""Files of the results folder that no study plans, and that Reseed made."""

import json
import os
import re
from collections.abc import Iterator, Set
from pathlib import Path

from reseed.core.blocks import BLOCK_NAME
from reseed.core.layout import DECLARED
from reseed.planning.plan import Plan

_SETTING = r"[^/]+/[^/]+/[^/]+/[^/]+"
_AT = rf"{_SETTING}/data-seed-\d+(/fold-\d+)?/"
_AT += r"(model-seed-\d+|init-\d+-order-\d+-dropout-\d+-augment-\d+)"
#: Names that `core.layout` gives to files, below the results folder.
_BLOCK = re.compile(rf"trials/{_SETTING}/{BLOCK_NAME}\.parquet")
_SEARCH = re.compile(rf"tuning/{_AT}(\.json|\.parquet|/rung-\d+/shard-\d+-of-\d+\.json)")
_ENTRY = re.compile(r"store/[0-9a-f]{2}/[0-9a-f]{62}\.[^/]+")
_SEGMENT = re.compile(_ENTRY.pattern + r"/[0-9a-f]{64}\.parquet")
_HALF = re.compile(r"\.[^/]+\.\d+\.part")
#: Columns of a block, and fields of a search or shard, that other files do not have together.
_BLOCK_COLUMNS = {"data_seed", "init", "facts"}
_SEARCH_FIELDS = {"proof", "search"}


def planned_blocks(plan: Plan) -> set[Path]:
    """Files of blocks of trials."""
    return {Path(plan.block_file(block)) for block in plan.all_blocks()}


def planned_searches(plan: Plan) -> set[Path]:
    """Search files that some study of a plan names."""
    return {
        Path(plan.layout.search(one.setting, at, suffix))
        for one in plan.settings.values()
        for at in one.searches()
        for suffix in (".json", ".parquet")
    }


def unplanned(results: Path, planned: Set[Path], keys: Set[str]) -> Iterator[Path]:
    """Files below `results` to remove, in an order that loses nothing when interrupted.

    Only files with a name that Reseed gives and with the content that it writes: links to cache
    entries, or records. Links to other folders are not followed. No run may be active meanwhile:
    half-written files of killed runs are removed too. A cache file is kept while it holds a trial
    with one of `keys`, or while a planned search or an exhibit is a link to it. Where one of these
    is a copy (the file system cannot link, or the project was copied), all cache entries are kept,
    since nothing shows which of them is in use.
    """
    searches = [path for path in planned if path.is_file() and "tuning" in path.parts]
    drawn = (path for kind in ("tables", "figures") for path in results.glob(f"studies/*/{kind}/*"))
    targets = [path.stat() for path in (*searches, *drawn) if path.is_file()]
    inodes = {target.st_ino for target in targets}
    copied = any(target.st_nlink == 1 for target in targets)
    entries = [path for path in _list_files(results, "store") if _named(path, results, _ENTRY)]
    cached = {path.stat().st_ino for path in entries}
    for name in (*DECLARED, "store", "plan"):
        yield from (path for path in _list_files(results, name) if _HALF.fullmatch(path.name))
    for folder, names in (("trials", _BLOCK), ("tuning", _SEARCH)):
        for path in _list_files(results, folder):
            # The shards of a search lie in a folder beside its winner.
            search = path.parent.parent.with_suffix(".json")
            is_named = _named(path, results, names) and not {path, search} & planned
            if is_named and (path.stat().st_ino in cached or _is_record(path)):
                yield path
    if copied or not (keys or inodes):
        return
    for path in entries:
        key = path.parent.name + path.name.partition(".")[0]
        if key not in keys and path.stat().st_ino not in inodes:
            yield path
    for path in _list_files(results, "store"):
        if _named(path, results, _SEGMENT) and not keys & _read_keys(path):
            yield path


def _list_files(results: Path, name: str) -> list[Path]:
    """Regular files below a folder of the results, sorted; symbolic links are not followed."""
    if (results / name).is_symlink():
        return []
    files = (Path(folder, file) for folder, _, files in os.walk(results / name) for file in files)
    return sorted(path for path in files if not path.is_symlink() and path.is_file())


def _named(path: Path, results: Path, names: re.Pattern[str]) -> bool:
    return names.fullmatch(path.relative_to(results).as_posix()) is not None


def _read_keys(path: Path) -> set[str]:
    """Keys of the trials in a segment (`reseed.trials.cached_trials`); none if it is damaged."""
    from pyarrow import ArrowException, parquet

    try:
        facts = parquet.read_table(path, columns=["facts"])["facts"].to_pylist()
        return {json.loads(one)["key"] for one in facts}
    except (OSError, ValueError, TypeError, KeyError, ArrowException):
        return set()


def _is_record(path: Path) -> bool:
    """Whether a file that is no link to a cache entry is a block, or a file of a search."""
    from pyarrow import ArrowException, parquet

    try:
        if path.suffix == ".parquet" and path.with_suffix(".json").exists():
            return _is_record(path.with_suffix(".json"))  # the log beside a winner
        if path.suffix == ".parquet":
            return set(parquet.read_schema(path).names) >= _BLOCK_COLUMNS
        return bool(_SEARCH_FIELDS & set(json.loads(path.read_text(encoding="utf-8"))))
    except (OSError, ValueError, TypeError, ArrowException):
        return False
