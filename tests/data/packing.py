"""Archives made in memory, and what a failed fetch tells."""

import hashlib
import io
import tarfile
import zipfile

import pytest
from reseed.core.errors import ReseedError
from reseed.data.sources import fetch

GOOD = b"a,b\n1,2\n"


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
