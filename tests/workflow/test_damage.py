"""Damaged and altered files are detected when they are read, and regenerated."""

import shutil
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fault_harness.blocks import COLUMNS, read_all
from projects import METRICS, TRAINED

pytestmark = pytest.mark.workflow


def damage(path):
    data = bytearray(path.read_bytes())
    data[100:140] = bytes(40)
    path.chmod(0o644)
    path.write_bytes(bytes(data))


@pytest.mark.parametrize(
    "how",
    ["cut", *(pytest.param(one, marks=pytest.mark.nightly) for one in ("flipped", "swapped"))],
)
def test_damaged_trial_is_detected_and_regenerated(finished, how):
    before = finished.trials()
    one, other = finished.blocks()[:2]
    if how == "cut":
        one.chmod(0o644)
        with one.open("r+b") as handle:
            handle.truncate(900)
    elif how == "flipped":
        damage(one)
    else:
        data = other.read_bytes()
        one.unlink()
        one.write_bytes(data)
    (finished.folder / METRICS).unlink()
    assert one.name in finished.train(fails=True)
    finished.train()
    assert finished.trials() == before


@pytest.mark.nightly
def test_damaged_split_is_not_used_and_is_regenerated(finished):
    path = finished.folder / "results/splits/table/holdout-0.3/data-seeds-0-19.parquet"
    stored = pq.read_table(path)
    groups = pq.ParquetFile(path)
    size = groups.metadata.row_group(0).num_rows
    rows = stored["row"].to_pylist()
    part = stored["part"].to_pylist()
    rows[part.index("test")] = rows[part.index("train")]
    column = stored.schema.get_field_index("row")
    forged = stored.set_column(column, "row", pa.array(rows, pa.int64()))
    metadata = groups.metadata.metadata
    pq.write_table(forged.replace_schema_metadata(metadata), path, row_group_size=size)
    shutil.rmtree(finished.folder / "results" / "store")  # so that trials must be trained
    for block in finished.blocks():
        block.unlink()
    assert "a row in two parts" in finished.run(fails=True)
    finished.run()
    assert len(finished.trials()) == TRAINED


@pytest.mark.nightly
def test_verify_detects_metrics_that_contradict_the_outputs(finished):
    before, records = finished.trials(), read_all(finished.folder / "results", COLUMNS)
    name, record = next(iter(records.items()))
    record.metrics["auc"] += 0.3
    [path] = finished.forge({name: record})
    text = finished.run("verify", fails=True)
    assert "its outputs give" in text
    assert f"{path.name}: {name.split('/', 4)[4]}" in text
    finished.delete_wrong()
    finished.run()
    assert finished.trials() == before
    assert finished.trained() == 4  # with the other short trials of its file in the cache
    assert "of 12 trials were retrained" in finished.run("verify")


def test_verify_only_reports_a_trial_that_does_not_repeat(finished):
    """As of a model that draws from the entropy of the system."""
    before, records = finished.trials(), read_all(finished.folder / "results", COLUMNS)
    (name, record), (_, taken) = [one for one in records.items() if "/forest/" in one[0]][:2]
    forged = replace(taken, key=record.key, seeds=record.seeds)  # consistent in itself
    finished.forge({name: forged})
    files = list_results(finished)
    text = finished.run("verify", "--config", "verify_all=true", fails=True)
    assert f"{name.split('/', 4)[4]}: differs in metrics, fingerprint, test: expected" in text, text
    assert "Nothing is deleted" in text
    assert list_results(finished) == files
    finished.delete_wrong()
    finished.run()
    assert finished.trials() == before
    assert finished.trained() > 0


def list_results(project):
    """Bytes of the trials, in blocks and in the cache."""
    results = project.folder / "results"
    return {
        path: path.read_bytes()
        for name in ("trials", "store")
        for path in (results / name).rglob("*.parquet")
    }


@pytest.mark.nightly
def test_verify_retrains_everything_on_request(finished):
    text = finished.run("verify", "--config", "verify_all=true")
    assert f"{TRAINED} of {TRAINED} trials were retrained" in text
