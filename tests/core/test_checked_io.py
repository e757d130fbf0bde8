"""Files exchanged between jobs: damage is reported with the name of the file."""

import numpy as np
import pandas as pd
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from fault_harness.damage import cut, flip
from reseed.core.checked_io import TableReader, read_json, read_table, write_table
from reseed.core.errors import Damaged
from reseed.report.pages.pictures import embed

POSITIONS = np.linspace(0.02, 0.98, 60)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "metrics.parquet"
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"model": ["a", "b"] * 500, "auc": rng.random(1000)})
    write_table(path, frame)
    return path, frame


def test_written_table_is_read_unchanged(table):
    path, frame = table
    pd.testing.assert_frame_equal(read_table(path), frame)
    rows = TableReader(path).read(["auc"], pc.field("model") == "a")
    assert rows["auc"].to_pylist() == frame.loc[frame["model"] == "a", "auc"].tolist()


def test_index_is_not_stored(tmp_path):
    write_table(tmp_path / "t.parquet", pd.DataFrame({"auc": [0.5, 0.6]}, index=[7, 3]))
    assert list(read_table(tmp_path / "t.parquet").index) == [0, 1]


def all_rows(path):
    return TableReader(path).read(["model", "auc"]).to_pandas()


@pytest.mark.parametrize("read", [read_table, all_rows])
def test_flipped_bits_of_values_are_detected(table, read):
    path, frame = table
    before, detected = path.read_bytes(), 0
    end = len(before) - pq.ParquetFile(path).metadata.serialized_size - 8
    for part in POSITIONS * end / len(before):
        flip(path, part)
        try:
            pd.testing.assert_frame_equal(read(path), frame)  # an unused bit of a header
        except Damaged:
            detected += 1
        path.write_bytes(before)
    assert detected > len(POSITIONS) / 2


@pytest.mark.parametrize("read", [read_table, TableReader, read_json, embed])
def test_cut_or_missing_file_is_named(tmp_path, read):
    path = tmp_path / "file"
    for content in (b"", b'{"half', b"\x89PNG\r\n\x1a\n\0\0"):
        path.write_bytes(content)
        with pytest.raises(Damaged, match="file: cannot be read"):
            read(path)
    path.unlink()
    with pytest.raises(Damaged, match="file: is missing"):
        read(path)


def test_picture_with_damaged_pixels_is_detected(tmp_path):
    from PIL import Image

    path = tmp_path / "bars.png"
    Image.effect_noise((64, 64), 50).save(path)
    assert embed(path).width == 32
    whole = path.read_bytes()
    for damage in (cut, lambda path: flip(path, 0.5)):
        damage(path)
        with pytest.raises(Damaged, match=r"bars\.png"):
            embed(path)
        path.write_bytes(whole)
