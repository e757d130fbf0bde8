"""Verifying: every trial's metrics are computed again, the user's own among them."""

from types import SimpleNamespace

import numpy as np
import pytest
from reseed.core.coordinates import Coordinates
from reseed.data.splits import Split
from reseed.data.store import Targets
from reseed.metrics.registry import evaluate
from reseed.training import verification

OWN = "own_verified_metric:hits"
TRUTH = np.arange(20) % 2
OUTPUTS = np.linspace(-1, 1, 20)
TRIALS = [Coordinates(0, None, *[seed] * 4) for seed in range(3)]


@pytest.fixture
def checked(tmp_path, monkeypatch):
    (tmp_path / "own_verified_metric.py").write_text(
        "def hits(y, p): return float(((p > 0.5) == y).sum())\nhits.greater_is_better = True\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    rows = np.arange(20)
    monkeypatch.setattr(verification, "Splits", lambda files: lambda t: Split(rows, rows, rows))
    monkeypatch.setattr(verification, "read_targets", lambda folder: Targets(TRUTH))

    def check(records):
        files = SimpleNamespace(
            data_folder=tmp_path,
            data={"task": "binary"},
            described={"recipe": {"metric": OWN}},
            target=lambda trial: trial.file,
            read=lambda trial, columns: records[trial],
        )
        return [check for _, check in verification.recomputed(files, list(records))]

    return check


def test_the_users_own_metric_is_computed_again_for_every_trial(checked):
    metrics = evaluate("binary", TRUTH, OUTPUTS, [OWN])
    sound = {"status": "ok", "test": OUTPUTS, "metrics": metrics}
    assert all(check.same for check in checked(dict.fromkeys(TRIALS, sound)))
    wrong = sound | {"metrics": metrics | {"hits": metrics["hits"] + 1}}
    found = checked({trial: wrong for trial in TRIALS})
    assert [check.same for check in found] == [False] * 3
    assert all("hits is" in check.text for check in found)


def test_a_trial_without_outputs_is_not_counted_as_computed(checked):
    bare = {"status": "ok", "test": None, "metrics": {}}
    assert [check.made for check in checked({TRIALS[0]: bare})] == [False]
