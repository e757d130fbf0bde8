"""A study's metrics are computed from stored outputs when its trials are collected."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from reseed.core.coordinates import Coordinates
from reseed.core.errors import ReseedError
from reseed.core.schemas import SETTING_COLUMNS, TRIAL_COLUMNS
from reseed.data.splits import Split
from reseed.data.store import Targets
from reseed.trials import collect_trials as trials
from reseed.trials.study import StudyTrial

ROWS = np.arange(6)
TRIAL = Coordinates(0, None, 0, 0, 0, 0)
CODE = """
import numpy as np
import pandas as pd
from reseed.metrics import Undefined
def some(y, p): return float((p > 0.5).mean())
def none(y, p): raise Undefined("one class")
def wrong(y, p): return None
def odd(y, p): return np.nan
def endless(y, p): return np.inf
for one in (odd, endless): one.greater_is_better = True
some.greater_is_better = none.greater_is_better = wrong.greater_is_better = True
"""


@pytest.fixture
def measure(tmp_path, monkeypatch):
    (tmp_path / "own_collected.py").write_text(CODE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(trials, "read_split", lambda path, data_seed, fold: Split(ROWS, ROWS, ROWS))
    monkeypatch.setattr(trials, "read_targets", lambda folder: Targets(ROWS % 2))
    cache = SimpleNamespace(
        data=SimpleNamespace(task="binary"),
        data_folder=tmp_path,
        split_path=lambda seed: tmp_path,
        trial_path=lambda trial: "trial.parquet",
        read=lambda trial, columns: SimpleNamespace(test=np.array([-1.0, 1, 1, -1, 1, 1])),
    )
    study = SimpleNamespace(spec=SimpleNamespace(study="small"))
    return lambda *names: trials._compute_metrics(
        study, StudyTrial({}, cache, TRIAL), [f"own_collected:{name}" for name in names]
    )


def test_undefined_metric_is_left_out(measure):
    assert measure("some", "none") == {"some": pytest.approx(4 / 6)}


@pytest.mark.parametrize("name", ["wrong", "odd", "endless"])
def test_metric_without_a_number_is_named_with_the_trial(name, measure):
    with pytest.raises(ReseedError, match=rf"own_collected:{name} failed on trial\.parquet"):
        measure(name)


def test_a_model_without_a_finished_trial_is_refused():
    study = SimpleNamespace(spec=SimpleNamespace(study="small"))
    frame = pd.DataFrame(
        {"model": ["a", "a", "b", "b"], "status": ["ok", "failed", "failed", "failed"]}
    ).assign(error=[None, "diverged", "ValueError: bad depth.", "ValueError: bad depth."])
    others = {name: range(4) for name in [*SETTING_COLUMNS, *TRIAL_COLUMNS] if name != "model"}
    frame = frame.assign(**others)
    trials._refuse_failed_models(study, frame[frame["model"] == "a"])
    words = "model b: none of 2 trials finished: ValueError: bad depth. Correct the model"
    with pytest.raises(ReseedError, match=words):
        trials._refuse_failed_models(study, frame)
