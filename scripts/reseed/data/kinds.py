"""Names that planning and reading share: files of a prepared dataset, parts, local sources.

The module imports the standard library only.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from reseed.core.layout import META as META

if TYPE_CHECKING:
    from reseed.config.datasets import Dataset, Source, Weights

TARGETS = "targets.parquet"
INPUTS_FILE = {"table": "inputs.parquet", "texts": "inputs.parquet", "images": "inputs.npy"}
"""File of the inputs of a dataset, by its kind."""
PARTS = ("train", "validation", "test")
#: Environment variable with the folder of local copies of data files, for every job of a run.
MIRROR_VARIABLE = "RESEED_DATA_MIRROR"


def as_list(value: object) -> list[Any]:
    """Return a list or tuple as a list, and any other value as a list of one."""
    return list(value) if isinstance(value, list | tuple) else [value]


def list_local_files(entry: Dataset | Weights) -> list[str]:
    """Paths of an entry's local files: its `file` sources and official row files.

    A rule declares them as inputs, so that an edit of a file prepares the dataset again. A folder
    comes with its subfolders, whose times show that files were added or removed. A missing file is
    left out if the entry has a source of another kind.
    """
    paths = [path for one in entry.sources if one.kind == "file" for path in as_list(one.path)]
    if any(one.kind != "file" for one in entry.sources):
        paths = [path for path in paths if os.path.exists(path)]
    paths += [folder for path in paths for folder in _list_folders(path)]
    official = getattr(entry, "official", None)
    if official is not None and not official.column:
        paths += [getattr(official, part) for part in PARTS if getattr(official, part)]
    return list(dict.fromkeys(paths))


def file_stats(paths: Iterable[str]) -> list[tuple[str, int, int]]:
    """Path, bytes and modification time (ns) of every existing file, also of those in folders.

    They are part of cache keys (`reseed.pipeline.data_files`). Snakemake compares times only, so it
    would miss an older file that was moved to the same path, and images replaced in a folder.
    """
    stats = []
    for path in paths:
        files = []
        if os.path.isdir(path):
            files = [entry.path for entry in os.scandir(path) if entry.is_file()]
        for file in files or [path]:
            if os.path.isfile(file):
                status = os.stat(file)
                stats.append((file, status.st_size, status.st_mtime_ns))
    return sorted(stats)


def is_reachable(dataset: Dataset, mirror: str) -> bool:
    """Whether a source of a dataset may work here: one that is remote, or local and present."""

    def is_present(source: Source) -> bool:
        if source.kind == "file":  # a folder is possible too: images by class
            return all(map(os.path.exists, as_list(source.path)))
        if source.kind != "mirror":
            return True
        paths = as_list(source.path)
        return bool(mirror) and all(os.path.isfile(os.path.join(mirror, path)) for path in paths)

    return not dataset.sources or any(map(is_present, dataset.sources))


def _list_folders(path: str) -> list[str]:
    return sorted(root for root, _, _ in os.walk(path))
