"""Reads members of zip archives, also those compressed with Zstandard."""

from __future__ import annotations

import struct
import zipfile
import zlib

import pyarrow as pa

#: Compression method of Zstandard in the zip format (APPNOTE.TXT 4.4.5); Inspect may write it, and
#: Python reads it from version 3.14 on.
_ZSTANDARD = 93
_LOCAL_HEADER = struct.Struct("<4s5H3L2H")


def read_member(archive: zipfile.ZipFile, name: str) -> bytes:
    """The content of a member. Raises zipfile.BadZipFile if it is damaged."""
    info = archive.getinfo(name)
    if info.compress_type != _ZSTANDARD:
        return archive.read(name)
    file = archive.fp
    if file is None:
        raise zipfile.BadZipFile("the archive is closed")
    file.seek(info.header_offset)
    header = _LOCAL_HEADER.unpack(file.read(_LOCAL_HEADER.size))
    file.seek(header[-2] + header[-1], 1)  # name and extra field
    compressed = pa.BufferReader(file.read(info.compress_size))
    try:
        content = pa.CompressedInputStream(compressed, "zstd").read()
    except OSError as error:
        raise zipfile.BadZipFile(f"{name} is damaged ({error})") from None
    if zlib.crc32(content) != info.CRC:
        raise zipfile.BadZipFile(f"{name} has another checksum than the archive states")
    return bytes(content)
