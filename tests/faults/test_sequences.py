"""Every move and random sequences end in the files of a fresh run.

Some moves and a short random sequence always run, a new sequence and kills each night, all moves
with RESEED_FAULT_TESTS=1. `make faults` and `make sequences` try more.
"""

import os
import random
import sys

import pytest
from fault_harness.moves import ALL, MOVES
from fault_harness.workspace import Workspace
from fault_harness.world import Bench, find_leftovers, kill_repeatedly, run_sequence
from reseed.trials.cached_trials import WAIT_SECONDS

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="runs are forks of one process")
SWITCH = "RESEED_FAULT_TESTS"
ALWAYS = {"damage_segments_cut", "forge_a_result"}


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    return Bench(tmp_path_factory.mktemp("sequences"))


def check(bench, seed, moves):
    result = run_sequence(bench, seed, moves)
    if result.skipped:
        pytest.skip(result.skipped)
    assert result.violation == "", f"seed {seed}: {result.moves}"
    assert result.compared > 0


@pytest.mark.workflow
@pytest.mark.parametrize("move", ALL, ids=lambda move: move.__name__)
def test_move_ends_in_the_files_of_a_fresh_run(bench, move):
    if move.__name__ not in ALWAYS and not os.environ.get(SWITCH):
        pytest.skip(f"some minutes: set {SWITCH}=1")
    check(bench, 11, [move])


@pytest.mark.workflow
@pytest.mark.parametrize("which", ["fixed", pytest.param("fresh", marks=pytest.mark.nightly)])
def test_a_random_sequence_ends_in_the_files_of_a_fresh_run(bench, which):
    seed = 11 if which == "fixed" else random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")  # shown if the test fails
    check(bench, seed, random.Random(seed).choices(MOVES, k=2))


@pytest.mark.workflow
@pytest.mark.nightly
def test_killed_at_random_moments_and_run_again(tmp_path):
    kills, seeds, seconds = 5, 20, 0.5

    def make(folder):
        workspace = Workspace.small(folder, seeds=seeds, seconds=seconds)
        workspace.environment["WORKSPACE_NOTES"] = str(folder / "notes")
        return workspace

    result = kill_repeatedly(make, tmp_path, kills)
    assert (result.kills, result.violation) == (kills, "")
    notes = [path.read_text().splitlines() for path in tmp_path.glob("round-*/notes")]
    # Two jobs run at once. A kill cuts a trial of each, and short trials that wait to be written.
    limit = len(notes) * (seeds + 2) + 2 * kills * (1 + round(WAIT_SECONDS / seconds))
    assert sum(map(len, notes)) <= limit, "finished trials trained again"


def test_only_trials_and_splits_of_earlier_inputs_may_be_left():
    expected = {"trials/a/1.parquet": "x", "studies/s/metrics.parquet": "y"}
    before = {"trials/a/2.parquet", "splits/b/1.parquet", "studies/s/old.csv"}
    found = expected | {"trials/a/2.parquet": "z", "splits/b/1.parquet": "z"}
    assert find_leftovers(expected, found, before) == (
        ["splits/b/1.parquet", "trials/a/2.parquet"],
        [],
    )
    for path, content, line in (
        ("trials/a/2.parquet", "damaged: OSError", "damaged and left: trials/a/2.parquet"),
        ("trials/a/3.parquet", "z", "unexpected: trials/a/3.parquet"),
        ("studies/s/old.csv", "z", "unexpected: studies/s/old.csv"),
    ):
        assert find_leftovers(expected, expected | {path: content}, before)[1] == [line]
