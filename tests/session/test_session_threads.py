"""`reseed.study(threads=…)`: pools of native libraries while models are trained and scored."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest
import reseed
from reseed.core.module_finder import SCRIPTS
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.ensemble import HistGradientBoostingRegressor
from threadpoolctl import threadpool_info, threadpool_limits

X = np.arange(60.0)[:, None]
Y = X[:, 0]
#: Threads of all pools before a study: more than one also where there is one core.
BEFORE = 3


def pool_sizes():
    return {pool["num_threads"] for pool in threadpool_info()}


class ThreadCounter(RegressorMixin, BaseEstimator):
    """Predicts the largest pool of `fit` or `predict`, for every row."""

    def __init__(self, error=None):
        self.error = error

    def fit(self, X, y):
        self.sizes_ = pool_sizes()
        if self.error:
            raise self.error
        return self

    def predict(self, X):
        return np.full(len(X), float(max(self.sizes_ | pool_sizes())))


@pytest.fixture(autouse=True)
def large_pools():
    with threadpool_limits(BEFORE):
        assert pool_sizes() == {BEFORE}
        yield


def mean_prediction(y_true, predicted):
    return predicted.mean()


def largest_pools(models=None, metric=mean_prediction, **options):
    models = models or {"counter": ThreadCounter()}
    options |= {"metric": metric, "greater_is_better": True, "splits": 2, "seeds": 2}
    found = reseed.study(models, X, Y, **options)
    return found.data.metrics[metric.__name__].unique().tolist()


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize(("options", "count"), [({}, 1), ({"threads": 2}, 2)])
def test_trainings_and_predictions_use_the_given_threads(options, count, n_jobs):
    assert largest_pools(n_jobs=n_jobs, **options) == [count]
    assert pool_sizes() == {BEFORE}


def test_metrics_of_users_are_computed_in_one_thread():
    sizes = []

    def score(y_true, predicted):
        sizes.append(pool_sizes())
        return 0.0

    largest_pools(metric=score)
    assert sizes == [{1}] * len(sizes) != []


@pytest.mark.parametrize("error", [ValueError("diverged"), KeyboardInterrupt()])
def test_threads_are_restored_after_an_exception(error):
    with pytest.raises((reseed.ReseedError, KeyboardInterrupt)):
        largest_pools({"counter": ThreadCounter(error)})
    assert pool_sizes() == {BEFORE}


@pytest.mark.parametrize("threads", [0, -1, "2", 1.5, True, None])
def test_invalid_number_of_threads_is_refused(threads):
    message = rf"^threads: give a whole number of at least 1, not {threads!r}$"
    with pytest.raises(reseed.ReseedError, match=message):
        largest_pools(threads=threads)


def test_factories_and_reports_receive_the_threads():
    received = []

    def factory(task, n_classes, hyperparameters, seeds, device, threads):
        received.append(threads)
        return HistGradientBoostingRegressor(max_iter=1, random_state=seeds["init"])

    for threads in (1, np.int64(2)):
        found = reseed.study({"m": factory}, X, Y, splits=1, seeds=1, threads=threads)
        assert received.pop() == threads
        assert [machine.threads for machine in found.data.info.machines] == [threads]


def test_resumed_trainings_have_the_same_number_of_threads(tmp_path):
    assert largest_pools(resume=tmp_path) == [1]
    assert largest_pools(resume=tmp_path, threads=2) == [2]
    assert largest_pools(resume=tmp_path) == [1]


def test_torch_has_one_thread_and_its_own_number_again():
    torch = pytest.importorskip("torch")
    counts, earlier = [], torch.get_num_threads()

    def torch_threads():
        """Those of PyTorch and, where it contains MKL, of MKL, which no other function limits."""
        text = torch.__config__.parallel_info()
        return set(re.findall(r"(?:at::get_num|get_max)_threads\(\) : (\d+)", text))

    class Network(ThreadCounter):
        def fit(self, X, y):
            counts.append(torch_threads())
            torch.set_num_threads(5)  # as models of users may do
            return super().fit(X, y)

    torch.set_num_threads(4)
    try:
        largest_pools({"network": Network()})
        assert counts == [{"1"}] * len(counts) != []
        assert torch_threads() == {"4"}
    finally:
        torch.set_num_threads(earlier)


@pytest.mark.nightly
def test_library_that_a_factory_imports_is_limited():
    pytest.importorskip("torch")
    code = """
import sys
import numpy as np
import reseed
from sklearn.dummy import DummyRegressor

counts = []

class Network(DummyRegressor):
    def fit(self, X, y):
        import torch

        counts.append(torch.get_num_threads())
        return super().fit(X, y)

def factory(task, n_classes, hyperparameters, seeds, device, threads):
    import torch

    torch.set_num_threads(3)
    return Network()

X = np.arange(60.0)[:, None]
reseed.study({"mean": DummyRegressor()}, X, X[:, 0], splits=2, seeds=1)
print("torch" in sys.modules)
reseed.study({"network": factory}, X, X[:, 0], splits=2, seeds=1)
print(counts, sys.modules["torch"].get_num_threads())
"""
    run = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(SCRIPTS)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.splitlines() == ["False", "[1, 1] 3"]
