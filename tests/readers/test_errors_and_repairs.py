"""Problems of a file are repaired with a note, or refused with one clear error."""

import pandas as pd
import pytest
import reseed
from reseed.core.errors import ReseedError
from reseed.readers import import_results

HEAD = "model,dataset,seed,metric,value"
ROWS = ["a,d,0,accuracy,0.8", "a,d,1,accuracy,0.9", "b,d,0,accuracy,0.7", "b,d,1,accuracy,0.6"]


@pytest.fixture
def read(tmp_path):
    def read(*lines, **results):
        path = tmp_path / "runs.csv"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return import_results(path, results, {"name": "mine"})

    return read


def test_metric_of_each_dataset_by_name(read):
    lines = [row.replace("accuracy", "f1") for row in ROWS]
    _, about = read(HEAD, *ROWS, *lines, metric={"d": "f1"})
    assert about.datasets["d"].metric == "f1"
    with pytest.raises(ReseedError, match=r"dataset 'dd'.*mean 'd'"):
        read(HEAD, *ROWS, metric={"dd": "accuracy"})


def test_rows_of_parquet_are_counted_from_one(tmp_path):
    path = tmp_path / "runs.parquet"
    rows = {"model": ["a"] * 3, "seed": ["1", "2", ""], "accuracy": [1, 2, 3]}
    pd.DataFrame(rows).to_parquet(path)
    with pytest.raises(ReseedError, match=r"\(row 3\)"):
        import_results(path, {}, {"name": "mine"})


def test_errors_name_the_row_of_the_pivoted_frame():
    scores = {1: [0.8, 0.7, 0.6], 2: [0.8, "failed?", 0.6], 3: [0.9, 0.7, 0.6]}
    frame = pd.DataFrame(scores, index=pd.Index(["a", "b", "c"], name="model"))
    with pytest.raises(ReseedError, match=r"\(row 1\): column 'value' holds 'failed\?'"):
        reseed.compare(frame.rename_axis(columns="seed"), metric="accuracy")
