"""Every move and random sequences end in the files of a fresh run.

A short random sequence always runs, a new one each night, all moves with RESEED_FAULT_TESTS=1. The
tests in tests/workflow try the same faults one by one; `tests/run_sequences.py` tries longer
sequences.
"""

import os
import random
import sys

import pytest
from fault_harness.leftovers import find_leftovers
from fault_harness.moves import MOVES, REPORTED
from fault_harness.sequences import Bench, draw_moves, run_sequence
from fault_harness.series import (
    LEAST_SHARE,
    Result,
    add_result,
    read_results,
    share_with_reported_faults,
    summarise,
)

SWITCH = "RESEED_FAULT_TESTS"
FIXED = 11
needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="runs are forks of one process")


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    return Bench(tmp_path_factory.mktemp("sequences"))


def check(bench, seed, moves):
    result = run_sequence(bench, seed, moves)
    assert result.violation == "", f"seed {seed}: {result.moves}"
    assert result.compared > 0
    assert {move.__name__ for move in moves} <= set(result.moves)


@pytest.mark.workflow
@needs_linux
@pytest.mark.skipif(not os.environ.get(SWITCH), reason=f"some minutes: set {SWITCH}=1")
@pytest.mark.parametrize("move", dict.fromkeys(MOVES), ids=lambda move: move.__name__)
def test_move_ends_in_the_files_of_a_fresh_run(bench, move):
    check(bench, FIXED, [move])


@pytest.mark.workflow
@needs_linux
@pytest.mark.parametrize("which", ["fixed", pytest.param("fresh", marks=pytest.mark.nightly)])
def test_a_random_sequence_ends_in_the_files_of_a_fresh_run(bench, which):
    seed = FIXED if which == "fixed" else random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")  # shown if the test fails
    check(bench, seed, draw_moves(random.Random(seed))[:1])


def test_most_random_sequences_try_reported_faults():
    results = [
        Result(seed, moves=[move.__name__ for move in draw_moves(random.Random(seed))])
        for seed in range(500)
    ]
    assert share_with_reported_faults(results) > LEAST_SHARE + 0.1
    assert {name for one in results for name in one.moves} == {move.__name__ for move in MOVES}
    assert set(REPORTED) < set(MOVES)


def test_only_trials_and_splits_of_earlier_inputs_may_be_left():
    expected = {"trials/a/1.parquet": "x", "studies/s/metrics.parquet": "y"}
    planned_before = {"trials/a/2.parquet", "splits/b/1.parquet", "studies/s/old.csv"}
    found = expected | {"trials/a/2.parquet": "z", "splits/b/1.parquet": "z"}
    left = find_leftovers(expected, found, planned_before)
    assert left.allowed == ["splits/b/1.parquet", "trials/a/2.parquet"]
    assert left.refused == []
    for path, content, line in (
        ("trials/a/2.parquet", "damaged: OSError", "damaged and left: trials/a/2.parquet"),
        ("trials/a/3.parquet", "z", "unexpected: trials/a/3.parquet"),
        ("studies/s/old.csv", "z", "unexpected: studies/s/old.csv"),
    ):
        assert find_leftovers(expected, expected | {path: content}, planned_before).refused == [
            line
        ]


def test_a_series_goes_on_where_it_was_interrupted(tmp_path):
    path = tmp_path / "results.jsonl"
    assert read_results(path) == []
    day = {"commit": "abc", "date": "2026-01-01"}
    results = [
        Result(4, **day, moves=["prune", "run  → 0"], runs=1, compared=1, left=3),
        Result(
            5,
            **day,
            moves=["let_trials_fail", "kill_everything", "  after 1 s"],
            runs=2,
            kills=1,
            violation="differs: x\nlog",
        ),
    ]
    for result in results:
        add_result(path, result)
    assert read_results(path) == results
    text = summarise(results)
    assert "2 random sequences (seeds 4 to 5) of 3 moves, 3 runs and 1 kill" in text
    assert "commit abc, 2026-01-01." in text
    assert "50% of the sequences have at least one of these moves:" in text
    assert "let trials fail 1" in text
    assert "Violations: 1." in text
    assert "- seed 5: differs: x" in text
    assert "Other moves: " in text
    assert "kill everything 1" in text
    assert "3 such files were found" in text
