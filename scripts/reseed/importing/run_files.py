"""A JSON file a run, as training scripts write it: `rf/seed_3/metrics.json`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from reseed.errors import ReseedError
from reseed.importing.columns import known_name
from reseed.importing.files import flat
from reseed.importing.paths import common_folder, places_of
from reseed.importing.table import Table, few


def read_run_files(
    runs: dict[Path, Mapping], is_score: Callable[[str], bool], mapped: Iterable[str]
) -> Table:
    """One row a file, with what it holds; where that names no model or seed, its path does.

    Args:
        runs: what each file holds, by its path.
        is_score: whether a name is that of a score; files without one (settings, say) are left out.
        mapped: Reseed's names that the user maps columns to.

    Raises:
        ReseedError: where no file holds a score.
    """
    folder = common_folder(list(runs))
    inner = {path: path.absolute().relative_to(folder) for path in runs}
    frames = {path: flat([run]) for path, run in runs.items()}
    kept = [path for path, frame in frames.items() if any(map(is_score, frame))]
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
    stray = [inner[path].as_posix() for path in runs if path not in kept]
    if stray:
        notes.append(f"Left out, as without a metric: {few(stray)}.")
    where = np.array([inner[path].as_posix() for path in kept])
    return Table(str(folder), pd.concat(rows, ignore_index=True), where, "file", notes=notes)
