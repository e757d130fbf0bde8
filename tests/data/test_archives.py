import io
import os
import tarfile
import zipfile

import pytest
from packing import GOOD, fail, fetch, mirrored, sdist, wheel
from reseed.data import archives


@pytest.mark.parametrize("make", [wheel, sdist])
def test_truncated_archive_with_its_own_checksum(tmp_path, make):
    data = make({"pkg/t.csv": os.urandom(5000)})[:-3000]
    (tmp_path / "cut.bin").write_bytes(data)
    text = fail([mirrored("cut.bin", data, "pkg/t.csv")], tmp_path / "cache", tmp_path)
    assert "truncated" in text


def test_encrypted_zip_is_refused(tmp_path):
    data = bytearray(wheel({"t.csv": GOOD}))
    # General purpose flag, bit 0, in the local header and in the central directory.
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + offset] |= 1
    (tmp_path / "t.zip").write_bytes(data)
    text = fail([mirrored("t.zip", bytes(data), "t.csv")], tmp_path / "cache", tmp_path)
    assert "t.zip is encrypted: unpack it" in text


def test_unknown_compression_method_is_refused(tmp_path):
    data = bytearray(wheel({"t.csv": GOOD}))
    for signature, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        data[data.index(signature) + offset] = 97
    (tmp_path / "t.zip").write_bytes(data)
    text = fail([mirrored("t.zip", bytes(data), "t.csv")], tmp_path / "cache", tmp_path)
    assert "compressed in a way Python cannot read" in text


def test_other_files_are_refused(tmp_path):
    (tmp_path / "t.zip").write_bytes(b"Rar! something else")
    text = fail([mirrored("t.zip", b"Rar! something else", "t.csv")], tmp_path / "c", tmp_path)
    assert "t.zip is not a zip or tar archive" in text


@pytest.mark.parametrize("make", [wheel, sdist])
def test_too_large_members_are_refused(tmp_path, make, monkeypatch):
    monkeypatch.setattr(archives, "MAX_EXPANDED_BYTES", 1000)
    data = make({"a.csv": bytes(600), "b.csv": bytes(600)})
    (tmp_path / "t.bin").write_bytes(data)
    both = mirrored("t.bin", data, "a.csv", "b.csv", content=bytes(600))
    assert "expands to more than" in fail([both], tmp_path / "cache", tmp_path)
    one = mirrored("t.bin", data, "b.csv", content=bytes(600))
    fetch([one], tmp_path / "cache", tmp_path, lambda line: None)


def test_wrong_size_in_a_header_is_refused(tmp_path, monkeypatch):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("t.csv", bytes(100_000))
    data = stream.getvalue()
    (tmp_path / "t.zip").write_bytes(data)
    monkeypatch.setattr(archives, "MAX_EXPANDED_BYTES", 1000)
    assert "expands to more" in fail([mirrored("t.zip", data, "t.csv")], tmp_path, tmp_path)


def test_a_member_outside_is_only_read(tmp_path):
    data = sdist({"../../outside.csv": GOOD})
    (tmp_path / "t.tar.gz").write_bytes(data)
    source = mirrored("t.tar.gz", data, "../../outside.csv")
    found = fetch([source], tmp_path / "a" / "b" / "cache", tmp_path, lambda line: None)
    assert found.path.parent == tmp_path / "a" / "b" / "cache"
    assert not (tmp_path / "a" / "outside.csv").exists()


def test_links_inside_an_archive_are_not_followed(tmp_path):
    (tmp_path / "secret").write_bytes(GOOD)
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        info = tarfile.TarInfo("t.csv")
        info.type, info.linkname = tarfile.SYMTYPE, str(tmp_path / "secret")
        archive.addfile(info)
    data = stream.getvalue()
    (tmp_path / "t.tar.gz").write_bytes(data)
    text = fail([mirrored("t.tar.gz", data, "t.csv")], tmp_path / "cache", tmp_path)
    assert "has no file t.csv" in text
