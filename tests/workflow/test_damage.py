"""Damaged and altered files are detected when they are read, and regenerated."""

import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from projects import METRICS, TRAINED

pytestmark = pytest.mark.workflow


def damage(path):
    data = bytearray(path.read_bytes())
    data[100:140] = bytes(40)
    path.chmod(0o644)
    path.write_bytes(bytes(data))


@pytest.mark.parametrize("how", ["cut", "flipped", "swapped"])
def test_damaged_trial_is_detected_and_regenerated(finished, how):
    before = finished.trials()
    one, other = (finished.folder / path for path in list(before)[:2])
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


def test_damaged_split_is_not_used_and_is_regenerated(finished):
    path = finished.folder / "results/splits/table/holdout-0.3/data-seed-0.parquet"
    stored = pq.read_table(path)
    rows = stored["row"].to_pylist()
    part = stored["part"].to_pylist()
    rows[part.index("test")] = rows[part.index("train")]
    column = stored.schema.get_field_index("row")
    forged = stored.set_column(column, "row", pa.array(rows, pa.int64()))
    pq.write_table(forged.replace_schema_metadata(stored.schema.metadata), path)
    shutil.rmtree(finished.folder / "results" / "store")  # so that trials must be trained
    for trial in finished.trials():
        (finished.folder / trial).unlink()
    assert "a row in two parts" in finished.run(fails=True)
    finished.run()
    assert len(finished.trials()) == TRAINED


def test_verify_detects_metrics_that_contradict_the_outputs(finished):
    from reseed.cache.trial_records import read_trial, write_trial

    assert "of 12 trials were retrained" in finished.run("verify")
    path = finished.folder / next(iter(finished.trials()))
    before, record = finished.trials(), read_trial(path, ["test", "curve"])
    record.metrics["auc"] += 0.3
    path.chmod(0o644)
    write_trial(path, record)  # in place, so that the cache entry is altered too
    text = finished.run("verify", fails=True)
    assert "its outputs give" in text
    assert path.name in text
    finished.run()  # verify deleted the trial and its cache entry
    assert finished.trials() == before
    assert "of 12 trials were retrained" in finished.run("verify")


def test_verify_deletes_a_trial_that_does_not_repeat(finished):
    from dataclasses import replace

    from reseed.cache.trial_records import read_trial, write_trial

    forests = [name for name in finished.trials() if "/forest/" in name]
    path, other = (finished.folder / name for name in forests[:2])
    before, record = finished.trials(), read_trial(path, ["test", "curve"])
    taken = read_trial(other, ["test", "curve"])
    path.chmod(0o644)
    write_trial(path, replace(taken, key=record.key, seeds=record.seeds))  # consistent in itself
    text = finished.run("verify", "--config", "verify_all=true", fails=True)
    assert f"{path.name}: differs in metrics, fingerprint, test: expected" in text, text
    finished.run()
    assert finished.trials() == before


def test_verify_retrains_everything_on_request(finished):
    text = finished.run("verify", "--config", "verify_all=true")
    assert f"{TRAINED} of {TRAINED} trials were retrained" in text
