"""Names that planning and reading share: files of a prepared dataset, parts, local sources.

Nothing heavy is imported here.
"""

import os
from collections.abc import Iterable

META = "meta.json"
TARGETS = "targets.parquet"
INPUTS_FILE = {"table": "inputs.parquet", "texts": "inputs.parquet", "images": "inputs.npy"}
"""The file of a dataset's inputs, by its kind."""
PARTS = ("train", "validation", "test")


def as_list(value: object) -> list:
    """A value that may be one or a list of them, as a list."""
    return list(value) if isinstance(value, list | tuple) else [value]


def list_local_files(dataset: dict) -> list[str]:
    """Paths of the user's own files behind an entry: its `file` sources and official row files.

    dataset: a dataset's or weights' entry. A rule declares these as inputs, so that an edit of a
    file makes the dataset again. A folder comes with the folders inside it, whose times tell of
    files that came or went. Where a source of another kind can take its place, a file that is not
    there is left out.
    """
    sources = dataset.get("sources") or []
    found = [path for one in sources if one["kind"] == "file" for path in as_list(one["path"])]
    if any(one["kind"] != "file" for one in sources):
        found = [path for path in found if os.path.exists(path)]
    found += [folder for path in found for folder in _folders(path)]
    official = dataset.get("official") or {}
    if not official.get("column"):
        found += [official[part] for part in PARTS if official.get(part)]
    return list(dict.fromkeys(found))


def file_stats(paths: Iterable[str]) -> list[tuple[str, int, int]]:
    """Path, bytes and time (ns) of every file that is there, and of those inside folders.

    For a key: Snakemake looks for a time later than its results', so an older file that was moved
    to this place would pass, and so would images written anew in a folder.
    """
    found = []
    for path in paths:
        inside = os.scandir(path) if os.path.isdir(path) else []
        files = [entry.path for entry in inside if entry.is_file()]
        for file in files or [path]:
            if os.path.isfile(file):
                status = os.stat(file)
                found.append((file, status.st_size, status.st_mtime_ns))
    return sorted(found)


def is_reachable(dataset: dict, mirror: str) -> bool:
    """Whether an entry has a source that may work here: not only local files that are absent."""
    sources = dataset.get("sources") or []

    def there(source: dict) -> bool:
        paths = as_list(source["path"])
        if source["kind"] == "file":  # a folder, for images by class
            return all(map(os.path.exists, paths))
        return bool(mirror) and all(os.path.isfile(os.path.join(mirror, path)) for path in paths)

    local = ("mirror", "file")
    return not sources or any(one["kind"] not in local or there(one) for one in sources)


def _folders(path: str) -> list[str]:
    return sorted(root for root, _, _ in os.walk(path))
