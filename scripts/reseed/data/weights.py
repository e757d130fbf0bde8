"""Weights of pretrained models: files that are fetched, verified, and never changed.

`reseed.data.files` reads them: jobs that train have no packages for downloads.

Models load them with `torch.load(weights_only=True)` or safetensors only.
"""

import hashlib
import json
import shutil
from pathlib import Path, PurePosixPath

from reseed.config.datasets import Weights
from reseed.core.atomic import replace_atomically
from reseed.core.errors import ReseedError
from reseed.data.files import describe_file
from reseed.data.meta import FileFacts, WeightsMeta
from reseed.data.sources import Fetched
from reseed.plugins.loading import load_object


def prepare_weights(folder: Path, entry: Weights, fetched: Fetched) -> WeightsMeta:
    """Copy the fetched files into `folder` under their own names, then write `meta.json`.

    A converter gets the fetched files by name, and returns the bytes of each file to write instead.

    Returns the content of `meta.json`.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    names = {PurePosixPath(key).name: path for key, path in fetched.paths.items()}
    if entry.converter:
        contents = load_object(entry.converter, "converter")(names)
        if sorted(contents) != entry.file_names:
            raise ReseedError(
                f"the converter made {sorted(contents)}, but `files` names {entry.file_names}"
            )
        for name, content in contents.items():
            with replace_atomically(folder / name) as temporary:
                temporary.write_bytes(content)
    else:
        for name, path in names.items():
            with replace_atomically(folder / name) as temporary:
                shutil.copyfile(path, temporary)
        contents = names
    files = {name: describe_file(folder / name) for name in sorted(contents)}
    for other in set(folder.iterdir()) - {folder / name for name in files}:
        if other.is_file():  # of an earlier version, which a model may load, or of the user
            aside = folder.with_name(f"{folder.name}.replaced")
            aside.mkdir(exist_ok=True)
            other.rename(aside / other.name)
    meta = WeightsMeta(
        name=entry.name,
        title=entry.title,
        licence=entry.licence,
        citation=entry.citation,
        notes=entry.notes,
        source=fetched.source,
        attempts=fetched.attempts,
        files=files,
        sha256=compute_weights_sha256(files),
    )
    meta.write(folder)
    return meta


def compute_weights_sha256(files: dict[str, FileFacts]) -> str:
    """Hash of the names and bytes of the files."""
    text = json.dumps({name: facts["sha256"] for name, facts in files.items()}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
