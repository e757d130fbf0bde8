"""Weights of pretrained models: files that are fetched, verified, and never changed.

They are loaded by models, with ``torch.load(weights_only=True)`` or safetensors only.
"""

import hashlib
import json
import shutil
from pathlib import Path, PurePosixPath

from reseed.core.atomic import replace_atomically, write_json
from reseed.core.errors import ReseedError
from reseed.data.files import check_file, describe_file, read_meta
from reseed.data.kinds import META
from reseed.data.sources import Fetched


def prepare_weights(folder: Path, entry: dict, fetched: Fetched) -> dict:
    """Put the fetched files into `folder` under their own names, then write ``meta.json``.

    entry: as in ``config/weights/``. Returns the meta: name, title, licence, citation, notes,
    source, attempts, ``files`` (name: size, mtime_ns, sha256) and ``sha256`` of names and bytes,
    which enters the key of every trial that uses them. Raises ReseedError where two files have one
    name.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    names = {key: PurePosixPath(key).name for key in fetched.paths}
    if META in names.values() or len(set(names.values())) < len(names):
        raise ReseedError(f"weights {entry['name']}: two files would be called the same: {names}")
    for key, path in fetched.paths.items():
        with replace_atomically(folder / names[key]) as temporary:
            shutil.copyfile(path, temporary)
    files = {name: describe_file(folder / name) for name in sorted(names.values())}
    for left in set(folder.iterdir()) - {folder / name for name in files}:
        if left.is_file():
            left.unlink()  # of an earlier edition of these weights
    meta = {
        **{key: entry.get(key) for key in ("name", "title", "licence", "citation", "notes")},
        "source": fetched.source,
        "attempts": fetched.attempts,
        "files": files,
        "sha256": compute_weights_sha256(files),
    }
    write_json(folder / META, meta)
    return meta


def compute_weights_sha256(files: dict[str, dict]) -> str:
    """Hash of the files' names and bytes."""
    text = json.dumps({name: facts["sha256"] for name, facts in files.items()}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def read_weights_meta(folder: Path) -> dict:
    """What `prepare_weights` wrote, once every file was checked to be it. Raises `Damaged`."""
    meta = read_meta(folder)
    for name in meta["files"]:
        check_file(folder, meta, name)
    return meta
