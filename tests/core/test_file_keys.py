"""Tables and facts carry the key of their job, and readers compare it."""

import json

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from reseed.core.checked_io import (
    TableReader,
    read_json,
    read_table,
    with_key,
    write_json,
    write_table,
)
from reseed.core.errors import Stale
from reseed.core.file_keys import FIELD, FileKeys, use_keys

FRAME = pd.DataFrame({"a": [1.0, float("nan")], "b": ["x", None]})


@pytest.fixture
def written(tmp_path):
    table, facts = tmp_path / "t.parquet", tmp_path / "about.json"
    with use_keys(FileKeys("one")):
        write_table(table, FRAME)
        write_json(facts, {"a": 1})
    return table, facts


def test_files_carry_the_key_and_content_is_unchanged(written):
    table, facts = written
    assert pq.read_schema(table).metadata[FIELD.encode()] == b"one"
    assert json.loads(facts.read_text()) == {"a": 1, FIELD: "one"}
    pd.testing.assert_frame_equal(read_table(table), FRAME)
    assert read_json(facts) == {"a": 1}


def test_readers_accept_the_expected_key_alone(written):
    table, facts = written
    readers = (
        (table, read_table),
        (table, lambda path: TableReader(path).read(["a"])),
        (facts, read_json),
    )
    for path, read in readers:
        with use_keys(FileKeys(reads={str(path): "one"})):
            read(path)
        with use_keys(FileKeys(reads={str(path): "two"})), pytest.raises(Stale) as caught:
            read(path)
        assert caught.value.files == (path,)


def test_file_without_a_key_is_stale_where_one_is_expected(tmp_path):
    path = tmp_path / "t.parquet"
    write_table(path, FRAME)
    assert FIELD.encode() not in pq.read_schema(path).metadata
    with use_keys(FileKeys(reads={str(path): "one"})), pytest.raises(Stale):
        read_table(path)


def test_schemas_and_tables_take_the_key():
    table = pa.table({"a": [1]})
    with use_keys(FileKeys("one")):
        assert with_key(table.schema).metadata == {FIELD.encode(): b"one"}
        assert with_key(table).schema.metadata == {FIELD.encode(): b"one"}
    assert with_key(table) is table
