"""How a trial fails: by its model, by the machine, and by errors without a text."""

from concurrent.futures.process import BrokenProcessPool

import numpy as np
import pytest
from joblib.externals.loky.process_executor import TerminatedWorkerError
from reseed.core.errors import ReseedError
from reseed.training import run
from reseed.training.failures import InfrastructureError
from reseed.training.run import Recipe, Trial
from reseed.training.unprintable import train_trials
from synthetic_tables import Rows, problem, run_one, split, trial

RECIPE = Recipe("somewhere:spy")


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
def test_a_machine_failure_that_is_its_own_cause_is_raised(spy):
    error = MemoryError("no room")
    error.__cause__ = error
    spy(predict=raising(error))
    with pytest.raises(InfrastructureError, match="no room"):
        list(train_trials(problem("regression"), RECIPE, [trial()]))


class Mute(Exception):
    def __str__(self):
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (Mute(), "Mute, whose text raises RuntimeError"),
        (after(Mute(), "loss is NaN"), "ValueError: loss is NaN"),
    ],
)
def test_an_error_without_text_fails_its_trial_alone(error, text, spy):
    trials = [trial(0, data_seed=s) for s in (3, 1, 2)]
    seen = []
    spy(predict=lambda X: seen.append(X.sum()) or X[:, 0])
    whole = list(train_trials(problem("regression"), RECIPE, trials))

    def predict(X):
        if X.sum() == seen[1]:
            raise error
        return X[:, 0]

    spy(predict=predict)
    found = list(train_trials(problem("regression"), RECIPE, trials))
    assert [one.fingerprint for one in found] == [whole[0].fingerprint, None, whole[2].fingerprint]
    assert (found[1].status, found[1].error) == ("failed", text)


@pytest.mark.parametrize("kind", [OSError, MemoryError])
def test_the_machine_may_fail_without_text(kind, spy):
    spy(predict=raising(type("Silent", (Mute, kind), {})()))
    with pytest.raises(InfrastructureError, match="the model is not the cause: Silent, whose"):
        list(train_trials(problem("regression"), RECIPE, [trial()]))


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
