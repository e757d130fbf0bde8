"""`reseed.study(resume=…)`: a killed study continues, with the bits of an undisturbed one."""

import errno
import importlib
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
import reseed
from reseed.core.module_finder import SCRIPTS
from reseed.session.kept_trials import _describe
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

X, Y = make_classification(300, 6, random_state=0)
TEST = X[200:], Y[200:]
TREES = ExtraTreesClassifier(10, max_depth=4)
MODELS = {
    "trees": TREES,
    "stump": DecisionTreeClassifier(max_depth=1, max_features=1),
    "bayes": GaussianNB(),
}
ONE_TEST_SET = {"test": TEST, "seeds": 20}
CROSSED = {"splits": 4, "seeds": 3}
CLOCKS = ["train_seconds"]


class Counted(ExtraTreesClassifier):
    """Counts its trainings, and stops one by Ctrl-C."""

    trainings, stop_at = 0, None

    def fit(self, X, y, sample_weight=None):
        Counted.trainings += 1
        if Counted.trainings == Counted.stop_at:
            raise KeyboardInterrupt
        return super().fit(X, y, sample_weight)


def study(models=MODELS, **options):
    rows = slice(200) if "test" in options else slice(None)
    return reseed.study(models, X[rows], Y[rows], progress=False, **options)


def assert_same(one, other):
    frames = [found.data.metrics.drop(columns=CLOCKS) for found in (one, other)]
    pd.testing.assert_frame_equal(*frames, check_exact=True)
    for name in ("scores", "targets", "curves"):
        files = [
            next(found.data.predictions.folder.rglob(f"{name}.parquet")) for found in (one, other)
        ]
        # `repr` has all digits of a number, and NaN equals NaN.
        rows = [repr(pq.read_table(file).to_pylist()) for file in files]
        assert rows[0] == rows[1]


@pytest.fixture
def counted(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Counted, "trainings", 0)
    monkeypatch.setattr(Counted, "stop_at", None)
    return {**MODELS, "trees": Counted(10, max_depth=4)}


@pytest.mark.parametrize(("options", "stop_at"), [(ONE_TEST_SET, 9), (CROSSED, 2)])
def test_interrupted_study_resumes_with_the_same_bits(counted, monkeypatch, options, stop_at):
    whole = study(counted, **options)
    needed = Counted.trainings
    assert needed > 9
    monkeypatch.setattr(Counted, "trainings", 0)
    monkeypatch.setattr(Counted, "stop_at", stop_at)
    with pytest.raises(KeyboardInterrupt, match="The same call continues from the trainings in k"):
        study(counted, resume="kept", **options)
    again = study(counted, resume="kept", **options)
    # One training was interrupted and started again.
    assert Counted.trainings == needed + 1
    assert_same(again, whole)
    assert_same(study(counted, resume="kept", **options), whole)
    assert Counted.trainings == needed + 1


def test_study_killed_in_another_process_resumes(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import reseed\n"
        "from sklearn.datasets import make_classification\n"
        "from sklearn.ensemble import ExtraTreesClassifier\n"
        "X, Y = make_classification(300, 6, random_state=0)\n"
        "models = {'trees': ExtraTreesClassifier(10, max_depth=4)}\n"
        "reseed.study(models, X, Y, splits=8, seeds=20, resume='kept', progress=False)\n"
    )
    environment = os.environ | {"PYTHONPATH": str(SCRIPTS)}
    command = [sys.executable, script]
    process = subprocess.Popen(command, cwd=tmp_path, env=environment, start_new_session=True)
    deadline = time.monotonic() + 200
    while len(list(tmp_path.glob("kept/*.npz"))) < 5:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    files = {path: path.stat().st_mtime_ns for path in tmp_path.glob("kept/*.npz")}
    models, options = {"trees": TREES}, {"splits": 8, "seeds": [0, 1]}
    again = study(models, resume=tmp_path / "kept", **options)
    assert_same(again, study(models, **options))
    # The first split has the first two seeds, so at least two trainings were taken over.
    assert len(list(tmp_path.glob("kept/*.npz"))) <= len(files) + 16 - 2
    assert all(path.stat().st_mtime_ns == stamp for path, stamp in files.items())


@pytest.mark.parametrize("change", ["model", "data", "target", "seeds", "metric"])
def test_another_study_takes_nothing_over(counted, change):
    options = {"splits": 2, "seeds": [0, 1]}
    study(counted, resume="kept", **options)
    before = Counted.trainings
    models, x, y = dict(counted), X, Y
    if change == "model":
        models["trees"] = clone(counted["trees"]).set_params(max_depth=5)
    elif change == "data":
        x = X + np.eye(*X.shape) * 1e-9
    elif change == "target":
        y = np.where(np.arange(len(Y)) == 0, 1 - Y, Y)
    else:
        options |= {"seeds": [2, 3]} if change == "seeds" else {"metric": "brier"}
    reseed.study(models, x, y, resume="kept", progress=False, **options)
    assert Counted.trainings == 2 * before


def test_damaged_file_is_trained_again(counted, tmp_path):
    whole = study(counted, resume="kept", splits=2, seeds=2)
    before = Counted.trainings
    for path in (tmp_path / "kept").iterdir():
        content = path.read_bytes()
        path.write_bytes(content[: len(content) // 2])
    assert_same(study(counted, resume="kept", splits=2, seeds=2), whole)
    assert Counted.trainings == 2 * before


def test_an_error_of_the_file_system_trains_nothing_again(counted, tmp_path, monkeypatch):
    study(counted, resume="kept", splits=2, seeds=2)
    files = {path: path.read_bytes() for path in (tmp_path / "kept").iterdir()}
    before = Counted.trainings

    def fail(*_, **__):
        raise OSError(errno.ESTALE, "Stale file handle")

    with monkeypatch.context() as patch:
        patch.setattr(np, "load", fail)
        with pytest.raises(OSError, match="Stale file handle"):
            study(counted, resume="kept", splits=2, seeds=2)
    assert {path: path.read_bytes() for path in (tmp_path / "kept").iterdir()} == files
    assert Counted.trainings == before


def test_user_metric_is_computed_from_kept_trainings(counted):
    def score(y, p):
        return float(np.mean((p > 0.5) == y))

    options = {"splits": 2, "seeds": 2, "metric": score, "greater_is_better": True}
    whole = study(counted, resume="kept", **options)
    before = Counted.trainings
    assert_same(study(counted, resume="kept", **options), whole)
    assert Counted.trainings == before


def test_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(reseed.ReseedError, match=r"resume: .* is no folder"):
        study(resume=tmp_path / "file", splits=2)


HELPERS = """
from sklearn.tree import DecisionTreeClassifier
DEPTH = 2
def depth():
    return DEPTH + 0
def make(seed):
    return DecisionTreeClassifier(max_depth=depth(), random_state=seed)
"""


@pytest.mark.parametrize("edit", [("DEPTH = 2", "DEPTH = 3"), ("+ 0", "+ 1"), ("+ 0", "+ 0")])
def test_edited_globals_and_helpers_of_a_model_are_noticed(tmp_path, monkeypatch, edit):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    described = []
    for name, text in (("mine_a", HELPERS), ("mine_b", HELPERS.replace(*edit))):
        (tmp_path / f"{name}.py").write_text(text)
        sys.modules.pop(name, None)
        importlib.invalidate_caches()
        described.append(list(_describe(importlib.import_module(name).make, set())))
    assert (described[0] == described[1]) is (edit[0] == edit[1])
