import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from reseed.data.store import Prepared, content_sha256, read_prepared, write_prepared
from reseed.errors import ReseedError


def example(groups=None):
    features = pd.DataFrame(
        {
            "x": [1.0, np.nan, -0.5, 3.0],
            "job": pd.Series(["Büro", "x", None, "x"], dtype="str"),
        }
    )
    meta = {
        "name": "tiny",
        "target": "y",
        "group": None if groups is None else "who",
        "features": [{"name": "x", "kind": "numeric"}, {"name": "job", "kind": "categorical"}],
    }
    return Prepared(features, np.array([0, 1, 1, 0]), groups, meta)


@pytest.mark.parametrize("groups", [None, np.array([5, 5, 2, 1])])
def test_round_trip(tmp_path, groups):
    written = write_prepared(tmp_path / "tiny", example(groups))
    read = read_prepared(tmp_path / "tiny")
    pd.testing.assert_frame_equal(read.features, example().features)
    assert read.target.tolist() == [0, 1, 1, 0]
    assert read.target.dtype == np.int64
    assert (read.groups is None) == (groups is None)
    assert groups is None or read.groups.tolist() == groups.tolist()
    assert read.meta == written.meta
    assert read.meta["rows"] == 4
    assert sorted(p.name for p in (tmp_path / "tiny").iterdir()) == ["meta.json", "rows.parquet"]
    names = pq.read_schema(tmp_path / "tiny" / "rows.parquet").names
    assert names == ["x", "job", "y"] + ([] if groups is None else ["who"])


def test_content_hash_is_of_the_values_only():
    one = example()
    wanted = content_sha256(one.features, one.target, None)
    same = one.features.copy()
    same["x"] = same["x"].astype("Float64").astype("float64")
    same["job"] = same["job"].astype(object)
    same.index = [9, 8, 7, 6]
    assert content_sha256(same, one.target.astype(float), None) == wanted
    negative_zero = pd.DataFrame({"x": [0.0]})
    found = [content_sha256(x, np.array([0]), None) for x in (negative_zero, -negative_zero)]
    assert found[0] == found[1]


def test_content_hash_sees_every_change():
    one = example()
    seen = {content_sha256(one.features, one.target, None)}

    def differs(features=one.features, target=one.target, groups=None):
        found = content_sha256(features, target, groups)
        assert found not in seen
        seen.add(found)

    differs(features=one.features.assign(x=[1.0, np.nan, -0.5, np.nextafter(3, 4)]))
    differs(features=one.features.assign(x=[1.0, 0.0, -0.5, 3.0]))
    differs(features=one.features.rename(columns={"x": "z"}))
    differs(features=one.features[["job", "x"]])
    differs(features=one.features.assign(job=["Büro", "x", "", "x"]))
    differs(features=one.features.assign(job=["Bür", "ox", None, "x"]))
    differs(target=np.array([1, 1, 1, 0]))
    differs(groups=np.array([0, 0, 0, 1]))


def test_content_hash_against_its_definition():
    """Recomputed here byte by byte, without pandas or NumPy."""
    import hashlib
    import struct

    digest = hashlib.sha256()
    digest.update(b'["x", "numeric", 2]' + struct.pack("<2d", 1.5, float("nan")))
    digest.update(b'["c", "text", 2]' + struct.pack("<q", 3) + "ü1".encode() + b"\xff" * 8)
    digest.update(b'["<target>", "numeric", 2]' + struct.pack("<2d", 0, 1))
    frame = pd.DataFrame({"x": [1.5, np.nan], "c": ["ü1", None]})
    assert content_sha256(frame, np.array([0, 1]), None) == digest.hexdigest()


def test_damage_is_found(tmp_path):
    write_prepared(tmp_path, example())
    rows, meta = tmp_path / "rows.parquet", tmp_path / "meta.json"
    whole, text = rows.read_bytes(), meta.read_text()

    rows.write_bytes(whole[:-20])
    with pytest.raises(ReseedError, match=r"rows.parquet is damaged"):
        read_prepared(tmp_path)
    other = example()
    write_prepared(tmp_path / "other", Prepared(other.features, 1 - other.target, None, other.meta))
    rows.write_bytes((tmp_path / "other" / "rows.parquet").read_bytes())
    with pytest.raises(ReseedError, match="values hash to"):
        read_prepared(tmp_path)
    rows.unlink()
    with pytest.raises(ReseedError, match=r"rows.parquet is missing"):
        read_prepared(tmp_path)
    meta.write_text(text[:-9])
    with pytest.raises(ReseedError, match=r"meta.json is damaged"):
        read_prepared(tmp_path)
    meta.unlink()
    with pytest.raises(ReseedError, match=r"meta.json is missing"):
        read_prepared(tmp_path)


def test_a_failed_write_leaves_the_old_files(tmp_path):
    write_prepared(tmp_path, example())
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    broken = example()
    broken.features["job"] = [object()] * 4
    with pytest.raises(Exception, match="object"):
        write_prepared(tmp_path, broken)
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


def test_target_must_not_be_a_feature(tmp_path):
    one = example()
    clash = Prepared(one.features, one.target, None, {**one.meta, "target": "x"})
    with pytest.raises(ReseedError, match="also a feature"):
        write_prepared(tmp_path, clash)
    assert not list(tmp_path.iterdir())


def test_meta_is_readable_json(tmp_path):
    write_prepared(tmp_path, example())
    assert json.loads((tmp_path / "meta.json").read_text())["name"] == "tiny"


def test_data_and_splits_need_no_torch_and_fetching_no_pandas():
    code = (
        "import sys, reseed.data.sources; assert 'pandas' not in sys.modules;"
        "import reseed.splits, reseed.data.tabular; assert 'torch' not in sys.modules"
    )
    scripts = Path(__file__).parents[2] / "scripts"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=scripts)
