"""Files of the results folder that no study plans, and that Reseed made."""

import json
import os
import re
from collections.abc import Set
from pathlib import Path
from typing import NamedTuple

from reseed.core.errors import Damaged
from reseed.core.layout import DECLARED
from reseed.core.ownership import BLOCK, ENTRY, HALF, SEARCH, SEGMENT, read_twice
from reseed.planning.plan import Plan

#: Columns of a block, and fields of a search or shard, that other files do not have together.
_BLOCK_COLUMNS = {"data_seed", "init", "facts"}
_SEARCH_FIELDS = {"proof", "search"}


class Unplanned(NamedTuple):
    """Files that no study plans.

    files: of models, data or code that no study has any more, and half-written ones.
    seeds: trials and searches of settings that studies plan, with other seeds: they were requested
        by path, or belong to an earlier plan.
    """

    files: list[Path]
    seeds: list[Path]


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


def find_unplanned(results: Path, planned: Set[Path], settings: Set[str]) -> Unplanned:
    """Half-written files, and blocks and searches that no study plans; none of the cache.

    settings: folders of the settings that studies plan. Only files with a name that Reseed gives
    and with the content that it writes. Links to other folders are not followed. No run may be
    active meanwhile.
    """
    unplanned = Unplanned([], [])
    for name in (*DECLARED, "store", "plan"):
        unplanned.files.extend(
            one for one in _list_files(results, name) if _named(one, results, HALF)
        )
    for folder, names in (("trials", BLOCK), ("tuning", SEARCH)):
        for path in _list_files(results, folder):
            # The shards of a search lie in a folder beside its winner.
            search = path.parent.parent.with_suffix(".json")
            if _named(path, results, names) and not {path, search} & planned and _is_record(path):
                setting = "/".join(path.relative_to(results).parts[1:5])
                (unplanned.seeds if setting in settings else unplanned.files).append(path)
    return unplanned


def find_unused_entries(results: Path, keys: Set[str]) -> list[Path]:
    """Files of the cache that hold none of the keys."""
    paths = _list_files(results, "store")
    alone = (path for path in paths if _named(path, results, ENTRY))
    segments = (path for path in paths if _named(path, results, SEGMENT))
    unused = [one for one in alone if one.parent.name + one.name.partition(".")[0] not in keys]
    return unused + [path for path in segments if not keys & _read_keys(path)]


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
    from pyarrow import parquet

    def read() -> set[str]:
        facts = parquet.read_table(path, columns=["facts"])["facts"].to_pylist()
        return {json.loads(one)["key"] for one in facts}

    try:
        return read_twice(path, read)
    except Damaged:
        return set()


def _is_record(path: Path) -> bool:
    """Whether a file is a block, or a file of a search."""
    from pyarrow import parquet

    def read() -> bool:
        if path.suffix == ".parquet" and path.with_suffix(".json").exists():
            return _is_record(path.with_suffix(".json"))  # the log beside a winner
        if path.suffix == ".parquet":
            return set(parquet.read_schema(path).names) >= _BLOCK_COLUMNS
        return bool(_SEARCH_FIELDS & set(json.loads(path.read_text(encoding="utf-8"))))

    try:
        return read_twice(path, read)
    except Damaged:
        return False
