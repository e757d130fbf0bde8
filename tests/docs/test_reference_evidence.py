"""Committed reference results agree with the studies and with their own trials."""

import json
import runpy
import shutil
from pathlib import Path

import make_reference_pages
import numpy as np
import pandas as pd
import pytest
import reproduce_gpu_verdicts
import reproduce_more_verdicts
import yaml
from reference_evidence import read_references
from reseed.core.coordinates import base_name
from reseed.jobs.judge_references import is_same, judge_references
from reseed.jobs.verify import _check_evidence
from reseed.planning.read_plan import read_plan

ROOT = Path(__file__).parents[2]
FOLDERS = sorted((ROOT / "results" / "reference").glob("*/"))
ROWS = read_references()
WITH_OUTPUTS = [folder for folder in FOLDERS if (folder / "predictions.parquet").exists()]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_facts_are_those_of_the_trials(folder):
    about = json.loads((folder / "about.json").read_text())
    trials = pd.read_parquet(folder / "trials.parquet")
    assert about["trials"] <= len(trials)
    assert set(about["commits"]) == set(trials["commit"].dropna())
    assert sum(path.stat().st_size for path in folder.iterdir()) < 5e6


def test_trials_of_commits_with_edits_are_counted():
    text = " ".join((ROOT / "docs" / "findings.md").read_text("utf-8").split())
    for folder in FOLDERS:
        commits = pd.read_parquet(folder / "trials.parquet")["commit"].dropna()
        if edited := int(commits.str.endswith("-dirty").sum()):
            assert f"`{folder.name}` ({edited}, " in text


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_statements_are_those_of_the_study(folder):
    study = yaml.safe_load((ROOT / f"config/studies/{folder.name}.yaml").read_text("utf-8"))
    scale = json.loads((folder / "about.json").read_text())["scale"]
    changed = (study["scales"][scale] or {}).get("statements", {})
    stated = {
        (one["exhibit"], one["text"], one.get("above"), one.get("below"))
        for name, one in study["statements"].items()
        if name not in changed
    }
    found = {
        (exhibit, evidence.statement.text, evidence.statement.above, evidence.statement.below)
        for study, exhibit, evidence in ROWS
        if study == folder.name
    }
    assert found == stated


def test_committed_trials_give_their_evidence_again():
    """31 statements and more need trials alone; `reseed verify` compares all numbers."""
    found = list(judge_references(ROOT / "results" / "reference", ROOT / "config"))
    assert {path.parent for path, _, _ in found} == {*FOLDERS}
    assert sum(len(records) for _, _, records in found) >= 31
    for path, _, records in found:
        known = {one["name"]: one for one in json.loads(path.read_text())["statements"]}
        for one in records:
            assert is_same(known[one["name"]], one), (path, one["name"])


def test_numbers_that_trials_do_not_give_are_found(tmp_path):
    shutil.copytree(ROOT / "results/reference/kernels_gpu", tmp_path / "kernels_gpu")
    path = tmp_path / "kernels_gpu" / "evidence.json"
    assert not [*_check_evidence(tmp_path, ROOT / "config")]
    content = json.loads(path.read_text())
    content["statements"][0]["evidence"]["average"]["value"] *= 3
    path.write_text(json.dumps(content))
    [finding] = _check_evidence(tmp_path, ROOT / "config")
    assert finding.path == path
    assert "its committed trials give other numbers" in finding.text


def test_scale_paper_trains_what_no_reference_has_run():
    """The command beside such a statement."""
    _, plan, _ = read_plan(ROOT / "config", {"scale": "paper"})
    found = [(study, one.statement) for study, _, one in ROWS if one.verdict == "not run"]
    assert found
    for study, statement in found:
        arms = [arm for arms in plan.studies[study].values() for arm in arms]
        names = {base_name(name) for arm in arms for name in (arm.name, arm.setting.model)}
        wanted = {name for column in ("arm", "model") for name in statement.where.get(column, ())}
        assert wanted <= names, statement.text


@pytest.fixture(scope="module")
def script():
    return runpy.run_path(str(ROOT / "docs/examples/reproduce_verdicts.py"))


def test_a_script_without_reseed_gives_the_verdicts_again(script, monkeypatch):
    """23 statements from trials alone: equal values, and the verdicts of resampled seeds."""
    monkeypatch.setitem(script["judge"].__globals__, "DRAWS", 100)
    recorded = {evidence.statement.text: evidence for _, _, evidence in ROWS}
    found = script["statements"]()
    assert len(found) == 23
    for text, (measure, groups) in found.items():
        evidence = recorded[text]
        if evidence.verdict == "not run":
            continue
        one = script["judge"](measure, groups, evidence.record())
        assert one["value"] == pytest.approx(evidence.average.value, rel=1e-9), text
        if one["interval"]:
            assert one["verdict"] == evidence.verdict, text


SCRIPTS = reproduce_more_verdicts.STUDIES | reproduce_gpu_verdicts.STUDIES
TIMES = ["kernels_gpu", "protocol"]


@pytest.mark.parametrize("study", [*TIMES, *(folder.name for folder in WITH_OUTPUTS)])
def test_a_script_gives_verdicts_on_items_and_times_again(study, monkeypatch):
    """From other draws than Reseed's: the same verdicts, and intervals that overlap."""
    monkeypatch.setattr(reproduce_more_verdicts, "DRAWS", 60)
    # The draws of a study depend on no other test.
    monkeypatch.setattr(reproduce_more_verdicts, "RNG", np.random.default_rng(0))
    recorded = reproduce_more_verdicts.read_recorded()
    folder = reproduce_more_verdicts.Study(ROOT / "results" / "reference" / study)
    found = dict(SCRIPTS[study](folder))
    assert len(found) >= min(2, sum(study == one for one, _, _ in ROWS))
    for text, settings in found.items():
        one, known = reproduce_more_verdicts.judge(settings, recorded[text]), recorded[text]
        assert one["verdict"] == known["verdict"], text
        low, high = one["interval"]
        assert known["average"]["low"] <= high * (1 + 1e-9), text
        assert low <= known["average"]["high"] * (1 + 1e-9), text


@pytest.mark.parametrize("page", make_reference_pages.PAGES)
def test_pages_are_made_from_the_reference_results(page):
    """Run docs/tools/make_reference_pages.py after the reference results change."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert make_reference_pages.fill(page) == text
    assert "| **supported** |" in text or page == "measured.md"


@pytest.mark.parametrize(
    "folder",
    [one for one in FOLDERS if (one / "predictions.parquet").exists()],
    ids=lambda f: f.name,
)
def test_kept_predictions_give_the_scores_of_the_trials(folder):
    trials = pd.read_parquet(folder / "trials.parquet")
    shared = ["dataset", "scheme", "data_seed", "repeat", "fold"]
    rows = pd.read_parquet(folder / "predictions.parquet").merge(
        pd.read_parquet(folder / "targets.parquet").drop_duplicates(shared),
        on=shared,
        suffixes=("", "_true"),
    )
    key = ["experiment", "arm", *shared, "init", "order", "dropout", "augment"]
    both = trials.merge(rows, on=key, validate="one_to_one")
    assert len(both) == len(trials)
    found = [
        np.mean((row.test > 0 if row.classes < 3 else row.test) == row.test_true)
        for row in both.itertuples()
    ]
    assert found == pytest.approx(both["accuracy"].tolist())
