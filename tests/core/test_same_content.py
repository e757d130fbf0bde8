"""Content of files is compared bit for bit; facts of machine and writer do not count."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from reseed.core.same_content import has_same_content


@pytest.fixture
def pair(tmp_path):
    def write(suffix, *contents):
        paths = [tmp_path / f"{name}{suffix}" for name in ("one", "other")]
        for path, content in zip(paths, contents, strict=True):
            if suffix == ".parquet":
                pq.write_table(content, path)
            else:
                path.write_text(content)
        return paths

    return write


def table(value, **metadata):
    return pa.table({"a": [value, np.nan], "b": ["x", None]}).replace_schema_metadata(metadata)


def test_tables_are_compared_by_values_and_metadata(pair, tmp_path):
    assert has_same_content(*pair(".parquet", table(1.0), table(1.0, pandas="3")))
    assert not has_same_content(*pair(".parquet", table(1.0), table(1.0 + 2**-52)))
    assert not has_same_content(*pair(".parquet", table(0.0), table(-0.0)))
    assert not has_same_content(*pair(".parquet", table(1.0), table(1.0, made_under="x")))
    frame = table(1.0).to_pandas().astype({"a": np.float32})
    other = pa.Table.from_pandas(pd.DataFrame(frame))
    assert not has_same_content(*pair(".parquet", table(1.0), other))


def test_json_is_compared_without_the_facts_of_a_download(pair):
    def facts(time, **more):
        return json.dumps({"files": [{"mtime_ns": time, "sha256": "x"}], **more})

    assert has_same_content(*pair(".json", facts(2), facts(64)))
    assert not has_same_content(*pair(".json", facts(2), facts(2, title="T")))
    assert not has_same_content(*pair(".json", facts(2), "{"))


def test_other_files_are_compared_by_bytes(pair):
    assert has_same_content(*pair(".csv", "a\n1\n", "a\n1\n"))
    assert not has_same_content(*pair(".csv", "a\n1\n", "a\n1.0\n"))
