"""Pictures embedded in a page as data URIs, at full size or as a thumbnail."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from reseed.core.ownership import read_twice

# Pixels of a picture per pixel of the page, for high-resolution screens.
_FINE = 2
_THUMBNAIL = 640


@dataclass(frozen=True)
class Picture:
    """A picture as the `source` of an image, with its size on the page in pixels."""

    source: str
    width: int
    height: int
    data: bytes


def embed(path: str | Path) -> Picture:
    """The picture of a PNG file. Raises Damaged if it is incomplete."""
    # Pillow raises SyntaxError for a wrong checksum.
    return read_twice(Path(path), lambda: _picture(Path(path).read_bytes()))


def thumbnail(picture: Picture) -> Picture:
    """A smaller picture for a card."""
    with Image.open(io.BytesIO(picture.data)) as image:
        small = image.convert("RGB")
        small.thumbnail((_THUMBNAIL, _THUMBNAIL))
        buffer = io.BytesIO()
        small.quantize(64, dither=Image.Dither.NONE).save(buffer, format="PNG", optimize=True)
    return _picture(buffer.getvalue())


def _picture(data: bytes) -> Picture:
    with Image.open(io.BytesIO(data)) as image:
        width, height = image.size
        image.verify()
    source = f"data:image/png;base64,{base64.b64encode(data).decode('ascii')}"
    return Picture(source, width // _FINE, height // _FINE, data)
