"""A JSON file a run, as training scripts write it: `rf/seed_3/metrics.json`."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from itertools import permutations
from pathlib import Path

import numpy as np
import pandas as pd

from reseed.core.errors import ReseedError
from reseed.importers.columns import known_name, plain
from reseed.importers.files import flat
from reseed.importers.run_paths import common_folder, places_of
from reseed.importers.source_table import Table, few

#: A folder with more files than this is not that of one run.
_MOST_BESIDE = 20


def read_run_files(
    runs: dict[Path, Mapping],
    is_score: Callable[[str], bool],
    wanted: Iterable[str],
    mapped: Iterable[str],
) -> Table:
    """One row a file, with what it holds; where that names no model or seed, its path does.

    Args:
        runs: what each file holds, by its path.
        is_score: whether a name is that of a score; files without one (settings, say) are left out.
        wanted: the metrics asked for; files of a name under which none is found are left out too.
        mapped: Reseed's names that the user maps columns to.

    Raises:
        ReseedError: where no file holds a score.
    """
    folder = common_folder(list(runs))
    inner = {path: path.absolute().relative_to(folder) for path in runs}
    repeated = _repeated(runs)
    frames = {path: flat([run]) for path, run in runs.items() if path not in repeated}
    scored = [path for path, frame in frames.items() if any(map(is_score, frame))]
    asked = {*map(plain, wanted)}
    kinds = {_kind(path) for path in scored if asked & {*map(plain, frames[path])}}
    kept = [path for path in scored if _kind(path) in kinds] or scored
    if not kept:
        raise ReseedError(
            f"{folder}: its JSON files hold no score by a metric's name. Say which it is: "
            "`metric: …`."
        )
    told = {*mapped, *(known_name(c) for path in kept for c in frames[path])}
    rows = []
    for path, place in zip(kept, places_of(kept), strict=True):
        own = {name: value for name, value in place.items() if known_name(name) not in told}
        rows.append(frames[path].assign(**own))
    notes = ["A file was read as one run."]
    if "model" not in told:
        notes = ["A file was read as one run, named by its path."]
    stray = [inner[path].as_posix() for path in frames if path not in kept]
    if stray:
        notes.append(f"Left out, as without a metric: {few(stray)}.")
    if repeated:
        again = [inner[path].as_posix() for path in runs if path in repeated]
        notes.append(f"Left out, as a file beside each holds the same: {few(again)}.")
    where = np.array([inner[path].as_posix() for path in kept])
    return Table(str(folder), pd.concat(rows, ignore_index=True), where, "file", notes=notes)


def _kind(path: Path) -> str:
    """A file's name whatever numbers stand in it."""
    return re.sub(r"\d+", "#", path.name)


def _repeated(runs: dict[Path, Mapping]) -> set[Path]:
    """Files all of which another one beside them holds too, in each of several folders.

    As `all_results.json` does `eval_results.json`: two files of one run, and no two models. What is
    the same in every folder says nothing: two models may be right on all items.
    """
    folders = defaultdict(dict)
    for path, run in runs.items():
        folders[path.parent][path.name] = run
    pairs = defaultdict(list)
    for files in folders.values():
        if len(files) > _MOST_BESIDE:
            continue
        for one, other in permutations(files, 2):
            if (len(files[one]), other) < (len(files[other]), one):  # of two alike, one is left
                pairs[one, other].append(files)
    names = {
        one
        for (one, other), folder in pairs.items()
        if any(files[one] != folder[0][one] for files in folder)
        and all(files[one].items() <= files[other].items() for files in folder)
    }
    return {path for path in runs if path.name in names}
