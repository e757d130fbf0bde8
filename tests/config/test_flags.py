"""Remarks of the report: seeds that change nothing, rows that were left out."""

from dataclasses import replace

import pandas as pd
from reseed.core.study_info import RepeatedOutputs, StudyInfo
from reseed.planning.specs import DatasetText
from reseed.report.pages.studies import StudyReport
from reseed.trials.about import find_repeated_outputs, with_texts

PLACE = {"dataset": "d", "scheme": "kfold-2", "hyperparameters_source": "default", "repeat": 0}


def trials(rows):
    named = [
        dict(zip(("model", "data_seed", "fold", "fingerprint"), row, strict=True)) for row in rows
    ]
    return pd.DataFrame([PLACE | row for row in named])


def test_seeds_that_change_nothing_are_counted_split_by_split():
    frame = trials(
        [
            *(("bayes", 0, fold, f"b{fold}") for fold in (0, 1) for _ in range(3)),
            *(("forest", 0, 0, f"f{seed}") for seed in range(3)),
            ("forest", 0, 1, "f0"),  # on another split: no repeat
            ("svm", 0, 0, "s"),
            ("svm", 0, 0, "s"),
            ("svm", 0, 0, "t"),
            ("svm", 0, 0, None),  # failed
        ]
    )
    assert find_repeated_outputs(frame) == [
        RepeatedOutputs(dataset="d", model="bayes", trials=6, repeats=4),
        RepeatedOutputs(dataset="d", model="svm", trials=3, repeats=1),
    ]


def test_report_names_repeated_outputs():
    info = StudyInfo(
        scale="demo",
        datasets={"d": {"title": "Digits", "metric": "accuracy", "greater_is_better": True}},
        models={"bayes": {"title": "Naive Bayes"}},
        trials={"same_outputs": [{"dataset": "d", "model": "bayes", "trials": 6, "repeats": 4}]},
    )
    (sentence,) = StudyReport("s", info, []).same_outputs
    assert sentence == "Naive Bayes on Digits: 4 of 6 trials have the same outputs as another seed"
    assert StudyReport("s", StudyInfo(scale="demo"), []).same_outputs == []


def test_rows_left_out_are_reported_next_to_file_totals():
    meta = {"title": "Old", "rows": 9, "notes": ["3 rows left out"]}
    text = DatasetText("New", "", "", "", ["Tweets."], None, None)
    merged = with_texts(meta, text)
    assert merged["title"] == "New"
    assert merged["rows"] == 9
    assert merged["notes"] == ["Tweets.", "3 rows left out"]
    assert with_texts(meta, replace(text, notes=[]))["notes"] == ["3 rows left out"]
