"""Verification recomputes the metrics of every trial, and the user's metrics too."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from reseed.core.blocks import trial_name
from reseed.core.coordinates import Coordinates
from reseed.core.errors import Damaged
from reseed.data.splits import Split
from reseed.data.store import Targets
from reseed.metrics.registry import evaluate
from reseed.training import verification
from reseed.training.run import Outcome, compute_fingerprint
from reseed.trials.trial_records import TrialRecord

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
    monkeypatch.setattr(verification, "Splits", lambda cache: lambda t: Split(rows, rows, rows))
    monkeypatch.setattr(verification, "read_targets", lambda folder: Targets(TRUTH))

    cached = SimpleNamespace(places=lambda trial: [], files=lambda trial: [Path("entry-of-key")])
    monkeypatch.setattr(verification, "CachedTrials", lambda cache: cached)

    def check(records):
        cache = SimpleNamespace(
            data_folder=tmp_path,
            data=SimpleNamespace(task="binary"),
            spec=SimpleNamespace(model=SimpleNamespace(metric=OWN)),
            trial_path=lambda trial: Path(f"{trial_name(trial)}.parquet"),
            key=lambda trial: "key",
            read=lambda trial, columns=(): records[trial],
        )
        return [check for _, check in verification.check_records(cache, list(records))]

    return check


def record(metrics, test):
    empty = {"key": "", "seeds": {}, "hyperparameters": "{}", "environment": "", "commit": ""}
    fingerprint = None if test is None else compute_fingerprint(test)
    return TrialRecord(**empty, status="ok", metrics=metrics, test=test, fingerprint=fingerprint)


def test_users_metric_is_recomputed_for_every_trial(checked):
    metrics = evaluate("binary", TRUTH, OUTPUTS, [OWN])
    assert all(check.same for check in checked(dict.fromkeys(TRIALS, record(metrics, OUTPUTS))))
    wrong = record(metrics | {"hits": metrics["hits"] + 1}, OUTPUTS)
    checks = checked(dict.fromkeys(TRIALS, wrong))
    assert [check.same for check in checks] == [False] * 3
    assert all("hits is" in check.text for check in checks)
    files = [path.name for check in checks for path in check.files]
    assert sorted(files) == ["entry-of-key"] * 3 + [
        f"model-seed-{seed}.parquet" for seed in range(3)
    ]


def test_trial_without_outputs_is_not_counted_as_computed(checked):
    assert [check.made for check in checked({TRIALS[0]: record({}, None)})] == [False]


def test_damaged_record_is_reported_with_its_error(checked, tmp_path):
    class Unreadable(dict):
        def __getitem__(self, trial):
            raise Damaged(tmp_path / f"{trial_name(trial)}.parquet", "cut short")

    (check,) = checked(Unreadable({TRIALS[0]: None}))
    assert not check.same
    assert [path.name for path in check.files] == ["model-seed-0.parquet"]


def test_sample_draws_every_setting_before_any_twice():
    models = [SimpleNamespace(setting=SimpleNamespace(model=name)) for name in "aba"]
    settings = [
        SimpleNamespace(spec=one, trials=[*TRIALS, Coordinates(1, None, *[0] * 4)])
        for one in models
    ]
    spec = SimpleNamespace(settings=settings)
    drawn = verification.sample(spec, 7, seed=1)
    assert [sorted(n for n, _ in drawn[:3]), sorted(n for n, _ in drawn[3:6])] == [[0, 1, 2]] * 2
    assert len(set(drawn)) == 7
    assert drawn == verification.sample(spec, 7, seed=1)
    assert len(verification.sample(spec, None, seed=1)) == 12
    of_models = verification.sample(spec, None, seed=1, each_model=True)
    assert sorted(models[n].setting.model for n, _ in of_models) == ["a", "b"]


def test_outputs_that_do_not_match_the_fingerprint_are_found(checked):
    """Perfect outputs with the metrics that they give, under the fingerprint of others."""
    perfect = np.where(TRUTH == 1, 9.0, -9.0)
    forged = replace(
        record(evaluate("binary", TRUTH, perfect, [OWN]), perfect),
        fingerprint=compute_fingerprint(OUTPUTS),
    )
    (check,) = checked({TRIALS[0]: forged})
    assert (check.same, check.text) == (
        False,
        "data-seed-0/model-seed-0: its outputs do not match its fingerprint",
    )


def test_metrics_beside_those_of_the_outputs_are_found(checked):
    metrics = evaluate("binary", TRUTH, OUTPUTS, [OWN]) | {"made_up": 1.0}
    (check,) = checked({TRIALS[0]: record(metrics, OUTPUTS)})
    assert "made_up is 1.0, its outputs give None" in check.text


def test_validation_metrics_follow_from_validation_outputs(checked):
    metrics = evaluate("binary", TRUTH, OUTPUTS, [OWN])
    whole = replace(
        record(metrics, OUTPUTS), validation=OUTPUTS, validation_metrics=metrics | {"auc": 0.0}
    )
    (check,) = checked({TRIALS[0]: whole})
    assert check.text.startswith("data-seed-0/model-seed-0: validation auc is 0.0")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("metrics", {"auc": 0.5 + 1e-16 * 2}),
        ("validation_metrics", {"auc": 0.1}),
        ("test", OUTPUTS + 1e-12),
        ("curve", [{"epoch": 1, "train_loss": 0.25}]),
        ("converged", True),
        ("status", "failed"),
    ],
)
def test_retraining_compares_everything_that_a_record_holds(field, value):
    curve = [{"epoch": 1, "train_loss": np.float64(0.5)}]
    outcome = Outcome(
        "ok",
        outputs={"test": OUTPUTS, "validation": OUTPUTS},
        metrics={"auc": 0.5, "accuracy": float("nan")},
        curve=curve,
        train_seconds=1.0,
        fingerprint=compute_fingerprint(OUTPUTS),
    )
    kept = replace(
        record({"accuracy": float("nan"), "auc": 0.5}, OUTPUTS),
        curve=[{"epoch": 1, "train_loss": 0.5, "validation_loss": None}],
    )
    assert verification.list_differences(kept, outcome) == []
    whole = value if field != "metrics" else kept.metrics | value
    assert verification.list_differences(replace(kept, **{field: whole}), outcome) == [field]
