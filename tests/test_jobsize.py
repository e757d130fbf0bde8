"""Time and memory of jobs: margins by hand, growth by attempt."""

import pytest
from reseed.jobsize import memory_mb, minutes


def test_a_job_gets_twice_its_estimate_and_a_start():
    assert minutes(0) == 5
    assert minutes(600) == 5 + 2 * 10
    assert minutes(601) > minutes(600)


def test_each_attempt_doubles():
    assert [minutes(600, attempt) for attempt in (1, 2, 3)] == [25, 50, 100]
    first, second = (memory_mb(1000, 10, attempt) for attempt in (1, 2))
    assert second == pytest.approx(2 * first, abs=1)


def test_memory_follows_the_table():
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
