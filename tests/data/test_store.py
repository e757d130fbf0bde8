import hashlib
import os
import shutil
import struct
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from reseed.core.errors import ReseedError
from reseed.data.inputs import Images, Table, Texts
from reseed.data.kinds import INPUTS_FILE, TARGETS
from reseed.data.meta import DatasetDescription
from reseed.data.store import (
    Damaged,
    Prepared,
    open_inputs,
    read_meta,
    read_targets,
    write_prepared,
)

FRAME = pd.DataFrame(
    {"x": [1.0, np.nan, -0.5, 3.0], "job": pd.Series(["Büro", "x", None, "x"], dtype="str")}
)
PIXELS = np.random.default_rng(0).integers(0, 256, (4, 2, 3, 1), dtype=np.uint8)
INPUTS = {
    "table": Table(FRAME),
    "images": Images(PIXELS),
    "texts": Texts({"text": ["a", "ü b", "\n", "d"]}),
    "pairs": Texts({"question": list("abcd"), "passage": list("wxyz")}),
}
TARGET = np.array([0, 1, 1, 0])


def example(inputs="table", groups=None, parts=None, **meta):
    fields = {
        "name": "tiny",
        "task": "binary",
        "classes": ["no", "yes"],
        "target": "y",
        "group": None if groups is None else "who",
        **meta,
    }
    return Prepared(INPUTS[inputs], TARGET, groups, parts, DatasetDescription(**fields))


@pytest.mark.parametrize("name", INPUTS)
def test_inputs_round_trip(tmp_path, name):
    written = example(name)
    meta = write_prepared(tmp_path, written)
    read = open_inputs(tmp_path)
    assert read.kind == meta.kind == written.inputs.kind
    assert len(read) == meta.rows == 4
    assert read.sha256() == meta.inputs_sha256 == written.inputs.sha256()
    files = {"meta.json", TARGETS, INPUTS_FILE[read.kind]}
    assert {path.name for path in tmp_path.iterdir()} == files
    rows = np.array([3, 0, 3])
    found, wanted = read.take(rows), written.inputs.take(rows)
    if name == "table":
        pd.testing.assert_frame_equal(found, wanted)
        pd.testing.assert_frame_equal(read.frame, FRAME)
        assert meta.features[1] == {"name": "job", "kind": "categorical"}
    elif name == "images":
        assert isinstance(read.array, np.memmap), "processes share one copy"
        assert not isinstance(found, np.memmap)
        assert (found == PIXELS[rows]).all()
        assert meta.shape == [2, 3, 1]
    else:
        both = [("d", "z"), ("a", "w"), ("d", "z")]
        assert found == wanted == (["d", "a", "d"] if name == "texts" else both)


@pytest.mark.parametrize("groups", [None, np.array([5, 5, 2, 1])])
@pytest.mark.parametrize("parts", [None, np.array(["train", "test", "validation", "train"])])
def test_targets_round_trip(tmp_path, groups, parts):
    meta = write_prepared(tmp_path, example(groups=groups, parts=parts))
    (tmp_path / INPUTS_FILE["table"]).unlink()
    read = read_targets(tmp_path)
    assert read.target.tolist() == [0, 1, 1, 0]
    assert read.target.dtype == np.int64
    assert (read.groups is None) == (groups is None)
    assert groups is None or read.groups.tolist() == groups.tolist()
    assert (read.parts is None) == (parts is None)
    assert parts is None or read.parts.tolist() == parts.tolist()
    assert read.sha256() == meta.targets_sha256
    assert meta.parts == (None if parts is None else {"train": 2, "validation": 1, "test": 1})


def test_content_hash_is_of_the_values_only(tmp_path):
    wanted = write_prepared(tmp_path, example())
    same = FRAME.assign(x=FRAME["x"].astype("Float64"), job=FRAME["job"].astype(object))
    same.index = [9, 8, 7, 6]
    other = example(notes=["Other"], attempts=["source 1: ok"])
    found = write_prepared(
        tmp_path, Prepared(Table(same.astype({"x": float})), TARGET, None, None, other.info)
    )
    assert found.content_sha256 == wanted.content_sha256
    zeros = [Table(pd.DataFrame({"x": [zero]})).sha256() for zero in (0.0, -0.0)]
    assert zeros[0] == zeros[1]


def test_content_hash_sees_every_change(tmp_path):
    seen = {write_prepared(tmp_path, example()).content_sha256}

    def differs(inputs=INPUTS["table"], target=TARGET, **meta):
        one = Prepared(inputs, target, None, None, example(**meta).info)
        found = write_prepared(tmp_path, one).content_sha256
        assert found not in seen
        seen.add(found)

    differs(Table(FRAME.assign(x=[1.0, np.nan, -0.5, np.nextafter(3, 4)])))
    differs(Table(FRAME.assign(x=[1.0, 0.0, -0.5, 3.0])))
    differs(Table(FRAME.rename(columns={"x": "z"})))
    differs(Table(FRAME[["job", "x"]]))
    differs(Table(FRAME.assign(job=["Büro", "x", "", "x"])))
    differs(Table(FRAME.assign(job=["Bür", "ox", None, "x"])))
    differs(target=np.array([1, 1, 1, 0]))
    differs(task="multiclass")
    differs(classes=["yes", "no"])
    for name in ("images", "texts", "pairs"):
        differs(INPUTS[name])
    differs(Texts({"text": ["aü", " b", "\n", "d"]}))
    differs(Texts({"question": list("abcw"), "passage": list("dxyz")}))
    differs(Images(PIXELS.reshape(4, 3, 2, 1)))
    differs(Images(PIXELS[[1, 0, 2, 3]]))
    changed = PIXELS.copy()
    changed[-1, -1, -1, -1] ^= 1
    differs(Images(changed))


def test_column_hash_against_its_definition():
    """Recomputed here byte by byte, without pandas or NumPy."""
    digest = hashlib.sha256()
    digest.update(b'["x", "numeric", 2]' + struct.pack("<2d", 1.5, float("nan")))
    digest.update(b'["c", "text", 2]' + struct.pack("<q", 3) + "ü1".encode() + b"\xff" * 8)
    frame = pd.DataFrame({"x": [1.5, np.nan], "c": ["ü1", None]})
    assert Table(frame).sha256() == digest.hexdigest()


def test_large_images_are_hashed_in_pieces(monkeypatch):
    monkeypatch.setattr("reseed.data.inputs._CHUNK", 12)
    wanted = hashlib.sha256(b'["images", [4, 2, 3, 1]]' + PIXELS.tobytes()).hexdigest()
    assert Images(PIXELS).sha256() == wanted
    assert Images(np.asfortranarray(PIXELS)).sha256() == wanted


@pytest.mark.parametrize("bad", [PIXELS.astype(float), PIXELS[0]])
def test_images_are_bytes_of_four_axes(bad):
    with pytest.raises(ReseedError, match="images must be whole numbers"):
        Images(bad)


@pytest.mark.parametrize("name", INPUTS)
def test_damage_is_found(tmp_path, name):
    meta = write_prepared(tmp_path, example(name))
    inputs = tmp_path / INPUTS_FILE[meta.kind]
    readers = {inputs: open_inputs, tmp_path / TARGETS: read_targets}
    for path, reading in readers.items():
        whole = path.read_bytes()
        path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
        with pytest.raises(Damaged, match="bytes hash to") as caught:
            reading(tmp_path)
        assert caught.value.path == path
        path.write_bytes(whole[:-20])
        with pytest.raises(Damaged, match="bytes hash to"):
            reading(tmp_path)
        path.write_bytes(whole)
        reading(tmp_path)
        path.unlink()
        with pytest.raises(Damaged, match="is missing"):
            reading(tmp_path)
    text = (tmp_path / "meta.json").read_text()
    (tmp_path / "meta.json").write_text(text[:-9])
    with pytest.raises(Damaged, match=r"meta.json: cannot be read"):
        read_meta(tmp_path)
    (tmp_path / "meta.json").unlink()
    with pytest.raises(Damaged, match=r"meta.json: is missing"):
        read_targets(tmp_path)


def test_unchanged_files_are_not_hashed_again(tmp_path, monkeypatch):
    write_prepared(tmp_path / "one", example("images"))
    shutil.copytree(tmp_path / "one", tmp_path / "copy")
    for path in (tmp_path / "copy").iterdir():
        os.utime(path, (1, 1))
    hashed = []
    whole = hashlib.file_digest

    def noting(stream, name):
        hashed.append(Path(stream.name).name)
        return whole(stream, name)

    monkeypatch.setattr(hashlib, "file_digest", noting)
    open_inputs(tmp_path / "one")
    read_targets(tmp_path / "one")
    assert hashed == []
    open_inputs(tmp_path / "copy")
    assert hashed == ["inputs.npy"]


def test_a_failed_write_leaves_the_old_files(tmp_path, monkeypatch):
    write_prepared(tmp_path, example())
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}

    def fails(self, path):
        path.write_bytes(b"half")
        raise OSError("no space left")

    monkeypatch.setattr(Table, "write", fails)
    with pytest.raises(OSError, match="no space"):
        write_prepared(tmp_path, example())
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


def test_interrupted_write_is_detected_as_damage(tmp_path, monkeypatch):
    write_prepared(tmp_path, example())
    changed = Prepared(Table(FRAME.assign(x=1.0)), TARGET, None, None, example().info)
    monkeypatch.setattr("reseed.data.meta.write_json", lambda *_: None)
    write_prepared(tmp_path, changed)
    with pytest.raises(Damaged, match="bytes hash to"):
        open_inputs(tmp_path)


def test_lengths_and_groups_must_agree(tmp_path):
    short = Prepared(INPUTS["table"], TARGET[:3], None, None, example().info)
    with pytest.raises(ReseedError, match="differ in length"):
        write_prepared(tmp_path, short)
    odd = Prepared(INPUTS["table"], TARGET, np.arange(4), None, example().info)
    with pytest.raises(ReseedError, match="either the group column or the groups are missing"):
        write_prepared(tmp_path, odd)
    assert not list(tmp_path.iterdir())
