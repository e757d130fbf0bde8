"""A trial: which rows it trains on, what it leaves, and how it fails."""

import hashlib
import pickle
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace

import numpy as np
import pytest
from joblib.externals.loky.process_executor import TerminatedWorkerError
from reseed.core.errors import ReseedError
from reseed.metrics import registry as metrics
from reseed.training import run
from reseed.training.encoder import Preparation
from reseed.training.failures import InfrastructureError
from reseed.training.holdout import hold_out
from reseed.training.run import PreparedTrial, Recipe, Trial, run_trials
from reseed.trials.trial_records import TrialRecord, read_trial, write_trial
from synthetic_tables import Plain, Rows, problem, run_one, split, table, trial

RECIPE = Recipe("somewhere:spy")


class Spy:
    """Records the rows it is given; predicts by a function."""

    def __init__(self, uses_validation=False, predict=lambda X: X[:, 0]):
        self.uses_validation, self.predict = uses_validation, predict

    def fit(self, X, y, X_validation=None, y_validation=None):
        self.y, self.y_validation = y, y_validation


@pytest.fixture
def spy(monkeypatch):
    """Let a recipe's factory return a given spy."""

    def use(**options):
        model = Spy(**options)
        monkeypatch.setattr(run, "load_factory", lambda path: lambda *_: model)
        return model

    return use


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


def raising(error):
    def predict(X):
        raise error

    return predict


@pytest.mark.parametrize(
    ("predict", "reason"),
    [
        (raising(FloatingPointError("diverged in epoch 3")), "FloatingPointError: diverged in"),
        (raising(RuntimeError("no deterministic kernel")), "RuntimeError: no deterministic"),
        (lambda X: np.full(len(X), np.nan), "ValueError: diverged: 80 of 80"),
        (lambda X: np.full(len(X), 1e200), "ValueError: mse is inf: must be a finite number"),
        (lambda X: np.zeros((len(X), 2)), "ValueError: predict gave raw outputs of shape (80, 2)"),
    ],
)
def test_a_failure_of_the_model_is_an_outcome_with_its_reason(predict, reason, spy):
    spy(predict=predict)
    outcome = run_one("regression", RECIPE)
    assert outcome.status == "failed"
    assert outcome.error.startswith(reason)
    assert (outcome.metrics, outcome.outputs, outcome.fingerprint) == ({}, {}, None)


def wrapped(inner):
    error = ValueError("could not train")
    error.__cause__ = inner
    return error


def after(inner, text="could not train"):
    """As raised while `inner` was handled."""
    error = ValueError(text)
    error.__context__ = inner
    return error


@pytest.mark.parametrize(
    "error",
    [
        MemoryError("no room"),
        ImportError("No module named 'xgboost'"),
        OSError(28, "No space left on device"),
        RuntimeError("CUDA error: device-side assert triggered"),
        RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes"),
        type("OutOfMemoryError", (RuntimeError,), {})("CUDA out of memory. Tried to allocate"),
        wrapped(MemoryError("inside")),
        wrapped(FileNotFoundError("weights.pth")),
        after(RuntimeError("CUDA out of memory")),
        after(wrapped(MemoryError("inside"))),
        RuntimeError("cuDNN error: CUDNN_STATUS_NOT_INITIALIZED"),
        RuntimeError("cuDNN error: CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED"),
        RuntimeError("No CUDA GPUs are available"),
        RuntimeError("CUDA unknown error - this may be due to an incorrectly set up environment"),
        RuntimeError("Found no NVIDIA driver on your system."),
        RuntimeError("DataLoader worker (pid 42) is killed by signal: Killed."),
        RuntimeError("DataLoader worker (pid(s) 42) exited unexpectedly"),
        RuntimeError("unable to write to file </torch_1>: No space left on device (28)"),
        BrokenProcessPool("A process in the process pool was terminated abruptly"),
        TerminatedWorkerError("A worker process managed by the executor was unexpectedly ended"),
    ],
)
def test_a_failure_of_the_machine_is_raised_and_never_recorded(error, spy):
    spy(predict=raising(error))
    with pytest.raises(InfrastructureError, match="the model is not the cause"):
        run_one("regression", RECIPE)


@pytest.mark.parametrize(
    "error",
    [
        # It looked for a package or a file, went on without, and diverged by itself.
        after(ImportError("No module named 'cupy'"), "loss is NaN"),
        after(FileNotFoundError("cache.npy"), "loss is NaN"),
        after(wrapped(FileNotFoundError("cache.npy")), "loss is NaN"),
        RuntimeError("cuDNN error: CUDNN_STATUS_NOT_SUPPORTED"),
        ValueError("the signal has 3 rows, the device 4"),
    ],
)
def test_model_failure_is_recorded_after_chained_errors(error, spy):
    spy(predict=raising(error))
    outcome = run_one("regression", RECIPE)
    assert outcome.status == "failed"
    assert outcome.error == f"{type(error).__name__}: {error}"


@pytest.mark.timeout(20)
def test_an_error_that_is_its_own_cause_is_recorded(spy):
    error = ValueError("no convergence")
    error.__cause__ = error
    spy(predict=raising(error))
    assert run_one("regression", RECIPE).error == "ValueError: no convergence"


@pytest.mark.timeout(20)
def test_an_error_of_the_factory_is_raised_unchanged(monkeypatch):
    error = ValueError("only odd seeds")

    def factory(*_):
        raise error

    monkeypatch.setattr(run, "load_factory", lambda path: factory)
    assert run_one("regression", RECIPE).error == "ValueError: only odd seeds"
    assert error.__cause__ is None


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_a_request_to_stop_is_not_a_failed_trial(stop, spy):
    spy(predict=raising(stop()))
    with pytest.raises(stop):
        run_one("regression", RECIPE)


def test_user_error_is_raised_at_once(monkeypatch):
    monkeypatch.setattr(run, "load_factory", lambda path: lambda *_: 3)
    with pytest.raises(ReseedError, match="returned int"):
        run_one("regression", RECIPE)


def test_undefined_primary_metric_fails_the_trial(spy):
    spy()
    same_rows = Rows(*split().__dict__.values())
    target = problem("binary").target.copy()
    target[same_rows.test] = 1
    outcome = run_one("binary", RECIPE, Trial(same_rows, {}), target=target)
    assert outcome.status == "failed"
    assert "AUC is undefined on these test rows" in outcome.error
    outcome = run_one("binary", RECIPE, Trial(same_rows, {}), target=target, metric="accuracy")
    assert outcome.status == "ok"


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
