"""Time and memory of jobs: margins by hand, growth by attempt."""

import json

import pytest
from planned_settings import planned_setting
from reseed.core.blocks import cover
from reseed.core.layout import ResultsLayout
from reseed.planning.costs import Measured
from reseed.planning.job_sizes import JobSizes, memory_mb, minutes
from reseed.planning.plan import Block


def test_time_limit_is_twice_the_estimate_plus_a_start():
    assert minutes(0) == 5
    assert minutes(600) == 5 + 2 * 10
    assert minutes(601) > minutes(600)


def test_each_attempt_doubles_the_request():
    assert [minutes(600, attempt) for attempt in (1, 2, 3)] == [25, 50, 100]
    first, second = (memory_mb(1000, 10, attempt) for attempt in (1, 2))
    assert second == pytest.approx(2 * first, abs=1)


def test_memory_grows_with_the_table():
    assert memory_mb(0, 0) == 1500
    # A million rows of 55 columns: 420 MB a copy, six copies.
    assert memory_mb(1_000_000, 55) == pytest.approx(1500 + 6 * 419.6, abs=2)
    wide, narrow = memory_mb(1_000_000, 55, width=3), memory_mb(1_000_000, 55)
    assert wide - narrow == pytest.approx(2 * 419.6, abs=2)


@pytest.mark.parametrize("call", [lambda: minutes(-1), lambda: minutes(1, 0)])
def test_impossible_times_are_refused(call):
    with pytest.raises(ValueError, match="attempt"):
        call()


@pytest.mark.parametrize("arguments", [(-1, 1), (1, -1), (1, 1, 0), (1, 1, 1, 0)])
def test_impossible_tables_are_refused(arguments):
    with pytest.raises(ValueError, match="rows"):
        memory_mb(*arguments)


def test_memory_of_a_network_on_tiny_imagenet():
    # 110,000 images of 64 × 64 × 3 bytes are 1.3 GB; the job requests six copies and 4 GB.
    assert memory_mb(110_000, 64 * 64 * 3, base=4000, value=1) == pytest.approx(11_734, abs=2)


def planned(stack=1, model="forest", device="cpu"):
    fields = {"stack": {"cpu": stack, "gpu": 1}, "seconds_per_trial": 8.0, "device": device}
    return planned_setting(model, seeds=30, space={"depth": {"low": 1, "high": 10}}, **fields)


def block_of(one):
    """All trials of a setting in one block."""
    [seeds] = cover(one.trials, len(one.trials))
    return Block(one, seeds, ())


def sizes(results, measured=(), **meta):
    folder = results / "data" / "table"
    folder.mkdir(parents=True)
    (folder / "meta.json").write_text(json.dumps({"rows": 4000, **meta}))
    return JobSizes(ResultsLayout(str(results)), dict(measured))


def test_time_follows_rows_hints_and_measurements(tmp_path):
    one = planned()
    # A quarter of the hint's 16,000 rows: 2 s a trial, so a minute for 30 of them.
    hinted = sizes(tmp_path / "hint")
    assert hinted.block_minutes(block_of(one)) == 5 + 2
    assert hinted.block_minutes(block_of(one), attempt=2) == 2 * (5 + 2)
    # 50 fits on four fifths of the rows, shared by two processes.
    assert hinted.search_minutes(one, 1.0, processes=2) == minutes(50 * 2 * 0.8 / 2)
    known = sizes(tmp_path / "known", {"table/holdout-0.25/forest/fixed-10": Measured(20.0, 4000)})
    assert known.block_minutes(block_of(one)) == 5 + 2 * 10


def test_disk_is_that_of_records_and_kept_outputs(tmp_path):
    one = planned_setting("forest", seeds=30, keep=["test"])
    # A record of 6.5 kB, and 8 bytes for each of 1,000 test rows (a quarter).
    assert sizes(tmp_path).block_disk(block_of(one)) == 1
    assert sizes(tmp_path / "large", rows=400_000).block_disk(block_of(one)) == 25


def test_memory_follows_the_kind_of_data_and_the_stack(tmp_path):
    features = [{"name": str(n)} for n in range(100)]
    found = sizes(tmp_path, features=features)
    block = block_of(planned(stack=8, model="ffnn"))
    assert found.block_memory(block) == memory_mb(4000, 100, width=8)
    assert found.block_memory(block_of(planned())) == memory_mb(4000, 100)
    assert found.search_memory(planned(), processes=3) == 3 * memory_mb(4000, 100)
    images = sizes(tmp_path / "images", shape=[32, 32, 3])
    assert images.block_memory(block) == memory_mb(4000, 32 * 32 * 3, base=4000)
    assert images.search_memory(planned(device="auto"), 1) == memory_mb(
        4000, 32 * 32 * 3, base=4000, value=1
    )
    assert found.search_memory(planned(device="auto"), 1) == memory_mb(4000, 100, base=4000)
    assert sizes(tmp_path / "texts").block_memory(block) == 4000


def test_missing_source_file_is_named_before_preparing_data(tmp_path):
    one = planned()
    with pytest.raises(FileNotFoundError) as caught:
        JobSizes(ResultsLayout("results"), {}).block_minutes(block_of(one))
    # Snakemake compares it with the job's inputs.
    assert caught.value.filename == "results/data/table/meta.json"
    damaged = sizes(tmp_path)
    (tmp_path / "data" / "table" / "meta.json").write_text('{"rows": 4')
    assert damaged.block_minutes(block_of(one)) == 5 + 8
