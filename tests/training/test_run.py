"""A trial: which rows it trains on, what it leaves, and how it fails."""

import hashlib
import pickle
from dataclasses import replace

import numpy as np
import pytest
from reseed.metrics import registry as metrics
from reseed.training import run
from reseed.training.encoder import Preparation
from reseed.training.holdout import hold_out
from reseed.training.run import PreparedTrial, Recipe, Trial, run_trials
from reseed.trials.trial_records import TrialRecord, read_trial, write_trial
from synthetic_tables import Plain, Rows, Spy, problem, run_one, split, table, trial

RECIPE = Recipe("somewhere:spy")


def test_validation_rows_are_used_to_stop_or_to_train(spy):
    _, target, _, _ = table("regression")
    rows = split()
    stopping = spy(uses_validation=True)
    outcome = run_one("regression", RECIPE)
    assert stopping.y.tolist() == target[rows.train].tolist()
    assert stopping.y_validation.tolist() == target[rows.validation].tolist()
    assert outcome.validation_rows.tolist() == rows.validation.tolist()
    training = spy(uses_validation=False)
    outcome = run_one("regression", RECIPE)
    assert sorted(training.y) == sorted(target[[*rows.train, *rows.validation]])
    assert outcome.outputs.keys() == {"test"}
    assert outcome.validation_metrics == {}
    # A recipe may keep them out of training, so that every model has validation scores.
    outcome = run_one("regression", replace(RECIPE, hold_validation=True))
    assert training.y.tolist() == target[rows.train].tolist()
    assert outcome.outputs["validation"].shape == (80,)
    # Without validation rows, a fifth of the training rows is held out, none of the test rows.
    alone = spy(uses_validation=True)
    whole = Rows(np.concatenate([rows.train, rows.validation]), rows.test[:0], rows.test)
    outcome = run_one("regression", RECIPE, Trial(whole, {}))
    assert (len(alone.y), len(alone.y_validation)) == (256, 64)
    assert not set(outcome.validation_rows) & set(rows.test)
    assert target[outcome.validation_rows].tolist() == alone.y_validation.tolist()


def test_rows_held_out_for_stopping_are_whole_groups(spy):
    groups = np.arange(400) // 8
    rows = split()
    whole = Rows(np.concatenate([rows.train, rows.validation]), rows.test[:0], rows.test)
    spy(uses_validation=True)
    outcome = run_one("regression", RECIPE, Trial(whole, {}), groups=groups)
    kept = np.setdiff1d(whole.train, outcome.validation_rows)
    assert len(kept) < len(whole.train)
    assert not set(groups[kept]) & set(groups[outcome.validation_rows])


def test_stored_outputs_give_metrics_and_fingerprint(spy):
    spy(uses_validation=True)
    data = problem("regression")
    outcome = run_one("regression", RECIPE)
    outputs, rows = outcome.outputs, split()
    assert all(part.dtype == np.float64 for part in outputs.values())
    assert outcome.fingerprint == hashlib.sha256(outputs["test"].tobytes()).hexdigest()
    expected = metrics.evaluate("regression", data.target[rows.test], outputs["test"])
    assert outcome.metrics == expected
    expected = metrics.evaluate("regression", data.target[rows.validation], outputs["validation"])
    assert outcome.validation_metrics == expected
    scores = np.arange(6.0, dtype=np.float32).reshape(2, 3)
    assert run.compute_fingerprint(scores) == run.compute_fingerprint(np.asfortranarray(scores))
    assert run.compute_fingerprint(scores) != run.compute_fingerprint(
        np.nextafter(scores, np.float32(9))
    )


def _store_and_read(outcome, path):
    """The test outputs of an outcome after a write and a read of its trial record."""
    record = TrialRecord("key", {}, "{}", outcome.status, "here", "none", **outcome.outputs)
    write_trial(path, record)
    return read_trial(path, ["test"]).test


def test_error_small_relative_to_target_is_measured_and_stored(spy, tmp_path):
    spy(predict=lambda X: 1e6 + X[:, 0] + 0.01)
    plain = replace(RECIPE, encoder={"scaling": "none"})
    target = 1e6 + table("regression")[0]["a"].to_numpy()
    outcome = run_one("regression", plain, target=target)
    assert outcome.metrics["mse"] == pytest.approx(1e-4, rel=1e-6)
    stored = _store_and_read(outcome, tmp_path / "trial")
    assert run.compute_fingerprint(stored) == outcome.fingerprint
    assert metrics.evaluate("regression", target[split().test], stored) == outcome.metrics


@pytest.mark.parametrize("task", ["binary", "multiclass"])
def test_outputs_of_a_classifier_are_stored_as_float32(task, spy, tmp_path):
    spy(predict=lambda X: X[:, :3].astype(float) if task == "multiclass" else X[:, 0])
    outcome = run_one(task, RECIPE)
    stored = _store_and_read(outcome, tmp_path / "trial")
    assert stored.dtype == outcome.outputs["test"].dtype == np.float32
    assert (stored == outcome.outputs["test"]).all()


def test_outcomes_have_the_order_of_the_trials(spy):
    spy(predict=lambda X: X[:, 0])
    trials = [trial(0, data_seed=s) for s in (3, 1, 2, 1)]
    outcomes = list(run_trials(problem("regression"), RECIPE, trials))
    alone = [run_one("regression", RECIPE, t) for t in trials]
    assert [o.fingerprint for o in outcomes] == [o.fingerprint for o in alone]
    assert outcomes[1].fingerprint == outcomes[3].fingerprint != outcomes[0].fingerprint


def test_texts_train_by_the_same_function(spy):
    """A model of texts: its prediction is the number of words."""
    model = spy(predict=lambda X: np.array([len(text.split()) for text in X]))
    texts = ["word " * (row % 7) for row in range(400)]
    (outcome,) = run_trials(
        problem("regression", inputs=Plain(texts), features=None), RECIPE, [trial()]
    )
    assert len(model.y) == 320
    assert outcome.outputs["test"].tolist() == [row % 7 for row in split().test]


def test_a_model_may_watch_the_test_rows(spy):
    model = spy()
    model.watch = lambda X, y: setattr(model, "watched", y)
    model.curve_, model.converged_ = [{"epoch": 1, "test_metric": 0.5}], False
    outcome = run_one("regression", RECIPE)
    assert model.watched.tolist() == problem("regression").target[split().test].tolist()
    assert outcome.curve == [{"epoch": 1, "test_metric": 0.5}]
    assert outcome.converged is False


class Writer(Spy):
    """Writes to what it is given, of which `part` is one."""

    def __init__(self, part):
        super().__init__(uses_validation=True, predict=self.write)
        self.part = part

    def fit(self, *given):
        if self.part < len(given):
            given[self.part][:] = 0

    def write(self, X):
        X *= 2
        return X[:, 0]


@pytest.mark.parametrize("part", range(5))
def test_model_that_writes_to_rows_fails_without_side_effects(part, monkeypatch):
    def factory(task, n_classes, hyperparameters, seeds, *rest):
        return Writer(part) if seeds["init"] else Spy(uses_validation=True)

    monkeypatch.setattr(run, "load_factory", lambda path: factory)
    alone = run_one("regression", RECIPE)
    writer, other = run_trials(problem("regression"), RECIPE, [trial(1), trial(0)])
    assert writer.status == "failed"
    assert "read-only" in writer.error
    assert writer.error.endswith("copy an array before a change")
    assert other.fingerprint == alone.fingerprint
    assert other.metrics == alone.metrics


def test_model_that_edits_its_texts_affects_no_other_seed(monkeypatch):
    def factory(task, n_classes, hyperparameters, seeds, *rest):
        model = Spy(predict=lambda X: np.array([len(text) for text in X]))
        if seeds["init"]:
            model.fit = lambda X, *others: X.clear()
            model.predict = lambda X: np.array([len(X.pop()) for _ in range(len(X))])
        return model

    monkeypatch.setattr(run, "load_factory", lambda path: factory)
    data = problem("regression", inputs=Plain(["x" * row for row in range(400)]), features=None)
    _, other = run_trials(data, RECIPE, [trial(1), trial(0)])
    assert other.status == "ok"
    assert other.outputs["test"].tolist() == split().test.tolist()


@pytest.mark.parametrize("columns", [2, 4])
def test_logits_of_another_number_of_classes_are_refused(columns, spy):
    spy(predict=lambda X: np.zeros((len(X), columns)))
    outcome = run_one("multiclass", RECIPE)
    assert outcome.status == "failed"
    assert f"(80, {columns}); expected (80, 3)" in outcome.error


def test_rows_are_read_only_in_a_worker_process(spy):
    model, data, rows = spy(), problem("regression"), split()
    model.fit = lambda X, y, *held: setattr(model, "given", [X, y, *held])
    arrays = Preparation(data.inputs, data.target, data.features, {}).arrays(*vars(rows).values())
    prepared = PreparedTrial(pickle.loads(pickle.dumps(arrays)), {})
    list(run_trials(data, RECIPE, [prepared]))
    assert not any(part.flags.writeable for part in model.given)


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


def test_hold_out_works_with_fewer_rows_than_classes():
    labels = np.repeat(np.arange(4), 3)  # a fifth of 12 rows: 3, for 4 classes
    kept, held = hold_out(np.arange(12), 0.2, labels, "multiclass", 0)
    assert len(held) == 3
    assert sorted([*kept, *held]) == list(range(12))
