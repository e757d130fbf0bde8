"""A trial: which rows it trains on, and how it fails."""

import hashlib

import numpy as np
import pytest
from reseed.training.trial import fingerprint, hold_out, run_trial
from synthetic_tables import table


class Spy:
    """Records the rows it is given; predicts by a function."""

    curve_ = ()

    def __init__(self, uses_validation=False, predict=lambda X: X[:, 0]):
        self.uses_validation, self.predict_score = uses_validation, predict

    def fit(self, X, y, X_validation=None, y_validation=None):
        self.y, self.y_validation = y, y_validation
        return self


def run(model, split, task="regression"):
    features, target, meta, classes = table(task)
    return run_trial(features, target, meta, task, classes, *split, lambda *_: model, {}, {})


def test_a_model_gets_the_validation_rows_for_stopping_or_for_training(split):
    _, target, _, _ = table("regression")
    train, validation, test = split
    stopping = Spy(uses_validation=True)
    run(stopping, split)
    assert stopping.y.tolist() == target[train].tolist()
    assert stopping.y_validation.tolist() == target[validation].tolist()
    training = Spy(uses_validation=False)
    run(training, split)
    assert sorted(training.y) == sorted(target[np.concatenate([train, validation])])
    assert len(training.y_validation) == 0
    # Without validation rows, a fifth of the training rows is held out, none of the test rows.
    alone = Spy(uses_validation=True)
    run(alone, (np.concatenate([train, validation]), validation[:0], test))
    assert (len(alone.y), len(alone.y_validation)) == (256, 64)
    assert sorted([*alone.y, *alone.y_validation]) == sorted(training.y)


def test_the_fingerprint_is_the_sha256_of_the_prediction_bytes(split):
    outcome = run(Spy(), split)
    assert outcome.fingerprint == hashlib.sha256(outcome.y_score.tobytes()).hexdigest()
    scores = np.arange(6.0).reshape(2, 3)
    assert fingerprint(scores) == fingerprint(np.asfortranarray(scores))
    assert fingerprint(scores) != fingerprint(np.nextafter(scores, 9))


def raising(error):
    def predict(X):
        raise error

    return predict


@pytest.mark.parametrize(
    ("predict", "reason"),
    [
        (raising(MemoryError("no room")), "MemoryError: no room"),
        (raising(FloatingPointError("diverged in epoch 3")), "FloatingPointError: diverged in"),
        (lambda X: np.full(len(X), np.nan), "ValueError: diverged: 80 of 80"),
        (lambda X: np.zeros((len(X), 2)), "ValueError: regression scores have shape"),
    ],
)
def test_a_failure_is_an_outcome_with_its_reason(predict, reason, split):
    outcome = run(Spy(predict=predict), split)
    assert outcome.status == "failed"
    assert outcome.error.startswith(reason)
    assert (outcome.metrics, outcome.y_score, outcome.fingerprint) == ({}, None, None)


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_a_request_to_stop_is_not_a_failed_trial(stop, split):
    with pytest.raises(stop):
        run(Spy(predict=raising(stop())), split)


def test_hold_out_is_stratified_or_keeps_groups_whole():
    rng = np.random.default_rng(0)
    rows = rng.permutation(1000)[:600]
    target = (np.arange(1000) % 10 == 0).astype(int)
    kept, held = hold_out(rows, 0.2, target, "binary", seed=0)
    assert sorted([*kept, *held]) == sorted(rows)
    assert len(held) == 120
    assert target[held].mean() == pytest.approx(target[rows].mean(), abs=0.01)
    assert hold_out(rows, 0.2, target, "binary", seed=0)[1].tolist() == held.tolist()
    assert hold_out(rows, 0.2, target, "binary", seed=1)[1].tolist() != held.tolist()
    groups = np.arange(1000) // 7
    kept, held = hold_out(rows, 0.2, target, "binary", seed=0, groups=groups)
    assert not set(groups[kept]) & set(groups[held])
    assert sorted([*kept, *held]) == sorted(rows)
    # One row of a class cannot be stratified; it is still split.
    lone = np.zeros(1000, dtype=int)
    lone[rows[0]] = 1
    assert len(hold_out(rows, 0.2, lone, "binary", seed=0)[1]) == 120
