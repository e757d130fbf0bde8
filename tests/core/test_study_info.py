"""`about.json`: typed facts of a study, written with the fields that were set."""

import json

import pandas as pd
import pytest
from pydantic import ValidationError
from reseed.core.errors import Damaged
from reseed.core.study_info import StudyInfo, TrialCounts, read_study_info, write_study_info

FIELDS = {
    "study": "toy",
    "scale": "demo",
    "datasets": {
        "d": {"metric": "auc", "greater_is_better": True, "rows": 9, "attempts": ["url: ok"]}
    },
    "models": {"rf": {"title": "RF", "hyperparameters": {"depth": 3}}},
    "machines": [{"environment": "ab12", "threads": 1}],
}


def test_fields_survive_reading_and_writing(tmp_path):
    path = tmp_path / "about.json"
    write_study_info(path, StudyInfo(**FIELDS))
    assert json.loads(path.read_text()) == FIELDS
    info = read_study_info(path)
    assert info == StudyInfo(**FIELDS)
    assert info.datasets["d"].attempts == ["url: ok"]
    assert info.machines[0].cpu is None


@pytest.mark.parametrize("text", ["{", "[]", '{"study": "toy"}'])
def test_unreadable_facts_raise_damaged(tmp_path, text):
    path = tmp_path / "about.json"
    path.write_text(text)
    with pytest.raises(Damaged, match=r"about\.json"):
        read_study_info(path)


def test_facts_are_immutable():
    with pytest.raises(ValidationError, match="frozen"):
        StudyInfo(**FIELDS).title = "Other"


def test_trial_counts_of_a_table():
    trials = pd.DataFrame(
        {
            "experiment": "e", "dataset": "d", "model": "rf", "data_seed": [0, 1, 2], "init": 0,
            "status": ["ok", "failed", "ok"], "error": [None, "diverged", None],
            "converged": [False, None, True],
        }
    )  # fmt: skip
    counts = TrialCounts.of_trials(trials)
    assert (counts.planned, counts.ok, counts.failed, counts.not_converged) == (3, 2, 1, 1)
    assert [(one.data_seed, one.error) for one in counts.failures] == [(1, "diverged")]
