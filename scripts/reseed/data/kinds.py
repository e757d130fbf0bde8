"""Names that planning and reading share: files of a prepared dataset, parts, local sources.

Nothing heavy is imported here.
"""

META = "meta.json"
TARGETS = "targets.parquet"
INPUTS_FILE = {"table": "inputs.parquet", "texts": "inputs.parquet", "images": "inputs.npy"}
"""The file of a dataset's inputs, by its kind."""
PARTS = ("train", "validation", "test")


def listed(value: object) -> list:
    """A value that may be one or a list of them, as a list."""
    return list(value) if isinstance(value, list | tuple) else [value]


def local_files(dataset: dict) -> list[str]:
    """Paths of the user's own files behind an entry: its `file` sources and official row files.

    dataset: a dataset's or weights' entry. A rule declares those as inputs, so that an edit of the
    file makes the dataset again. All are listed, whether they are there or not.
    """
    found = []
    for source in dataset.get("sources") or []:
        if source["kind"] == "file":
            found += listed(source["path"])
    official = dataset.get("official") or {}
    if "column" not in official:
        found += [official[part] for part in PARTS if official.get(part)]
    return list(dict.fromkeys(found))
