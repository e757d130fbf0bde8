"""Every fault of the harness ends with the expected outcome.

Some cases always run, five kills each night. All cases run with RESEED_FAULT_TESTS=1 (about five
minutes on two idle cores), or with `make faults`, which writes build/reliability.md.
"""

import os

import pytest
from fault_harness import load_cases
from fault_harness.kills import kill_repeatedly
from fault_harness.outcome import Bench
from fault_harness.workspace import Workspace
from reseed.trials.cached_trials import WAIT_SECONDS

pytestmark = pytest.mark.workflow
CASES = load_cases()
KILLS, SEEDS, SECONDS = 5, 20, 0.5
SWITCH = "RESEED_FAULT_TESTS"
# One of each kind that tests/workflow does not try; each night four more of damaged files.
ALWAYS = {"full_disk", "zip_climbs", "pickle_csv"}
NIGHTLY = {"split_exchanged", "data_cut", "meta_cut", "download_cut"}


@pytest.fixture(scope="module")
def bench(tmp_path_factory) -> Bench:
    return Bench(tmp_path_factory.mktemp("cases"), warm=True)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.nightly] * (name in NIGHTLY)) for name in CASES]
)
def test_fault(bench, name):
    if not CASES[name].possible:
        pytest.skip("mounts a file system: needs root")
    if name not in ALWAYS | NIGHTLY and not os.environ.get(SWITCH):
        pytest.skip(f"set {SWITCH}=1")
    outcome, _ = bench.try_case(CASES[name])
    assert outcome.good, f"{CASES[name].title}: {outcome.end}: {outcome.message}"


@pytest.mark.nightly
def test_killed_at_random_moments_and_run_again(tmp_path):
    trials = SEEDS + 2

    def make(folder):
        workspace = Workspace.small(folder, seeds=SEEDS, seconds=SECONDS, warm=True)
        workspace.environment["WORKSPACE_NOTES"] = str(folder / "notes")
        return workspace

    result = kill_repeatedly(make, tmp_path, KILLS, seed=1)
    assert result.kills == KILLS
    assert result.files > trials
    assert result.errors == []
    assert result.differences == []
    notes = [path.read_text().splitlines() for path in tmp_path.glob("round-*/notes")]
    assert len(notes) == result.rounds
    # Two jobs run at once. A kill cuts a trial of each, and short trials that wait to be written.
    limit = result.rounds * trials + 2 * KILLS * (1 + round(WAIT_SECONDS / SECONDS))
    assert sum(map(len, notes)) <= limit, "finished trials trained again"
