"""Committed reference results agree with the studies and with their own trials."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from reference_evidence import read_references

ROOT = Path(__file__).parents[2]
FOLDERS = sorted((ROOT / "results" / "reference").glob("*/"))
ROWS = read_references()


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_facts_are_those_of_the_trials(folder):
    about = json.loads((folder / "about.json").read_text())
    trials = pd.read_parquet(folder / "trials.parquet")
    assert about["trials"] <= len(trials)
    assert set(about["commits"]) == set(trials["commit"].dropna())
    assert sum(path.stat().st_size for path in folder.iterdir()) < 5e6


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_statements_are_those_of_the_study(folder):
    exhibits = yaml.safe_load((ROOT / f"config/studies/{folder.name}.yaml").read_text("utf-8"))
    stated = {
        (name, one["text"], one.get("above"), one.get("below"))
        for name, exhibit in exhibits["exhibits"].items()
        for one in exhibit.get("statements", ())
    }
    found = {
        (exhibit, evidence.statement.text, evidence.statement.above, evidence.statement.below)
        for study, exhibit, evidence in ROWS
        if study == folder.name
    }
    assert found == stated


@pytest.mark.skipif(
    not (ROOT / "results/reference/inherent_randomness").is_dir(), reason="no such reference"
)
@pytest.mark.parametrize(
    ("text", "arms"),
    [
        ("Data seeds change the scores of trees more than model seeds do.", ["rf", "gbm", "xgb"]),
        ("Data seeds change the scores of networks more than model seeds do.",
         ["ffnn", "ffnn_res"]),
    ],
)  # fmt: skip
def test_a_few_lines_give_the_average_again(text, arms):
    """The geometric mean of SD over data seeds / SD over model seeds, from the trials alone."""
    trials = pd.read_parquet(ROOT / "results/reference/inherent_randomness/trials.parquet")
    trials = trials[trials["experiment"].isin(["data_seeds", "model_seeds"])]
    trials = trials.assign(
        arm=trials["arm"].str.partition("~")[0], score=trials["mse"].fillna(trials["auc"])
    )
    sds = trials[trials["arm"].isin(arms)].groupby(["dataset", "arm", "experiment"])["score"].std()
    ratios = sds.unstack()["data_seeds"] / sds.unstack()["model_seeds"]
    [evidence] = [one for _, _, one in ROWS if one.statement.text == text]
    assert evidence.average.value == pytest.approx(np.exp(np.log(ratios).mean()), rel=1e-9)
    assert len(evidence.settings) == len(ratios)
