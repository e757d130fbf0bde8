"""Results of searches are validated, regenerated if damaged, and record their environment."""

import json
import os
import shutil

import numpy as np
import pandas as pd
import pytest
from fault_harness.workspace import FOREST, METRICS, Workspace

pytestmark = pytest.mark.workflow
SEARCH = {"mode": "fixed", "trials": 2, "folds": 2}


@pytest.fixture(scope="module")
def _searched_once(tmp_path_factory):
    project = Workspace(tmp_path_factory.mktemp("searched")).write_study({"forest": FOREST})
    experiments = {"fixed": {"hyperparameters": SEARCH, "seeds": {"model": {"count": 2}}}}
    project.change(experiments=experiments, analyses={}, exhibits={})
    project.train()
    return project


@pytest.fixture
def searched(_searched_once, tmp_path):
    return _searched_once.copy(tmp_path)


def winner(project):
    (path,) = (project.folder / "results" / "tuning").rglob("model-seed-*.json")
    return path


def test_damaged_search_or_split_is_rebuilt_under_trials(searched):
    before = searched.metrics()["fingerprint"].tolist()
    for path in (winner(searched), *(searched.folder / "results/splits").rglob("*.parquet")):
        whole, times = path.read_bytes(), (path.stat().st_atime_ns, path.stat().st_mtime_ns)
        path.chmod(0o644)
        path.write_bytes(whole[: len(whole) // 2])
        os.utime(path, ns=times)
        (searched.folder / METRICS).unlink()
        assert path.name in searched.train(fails=True)
        searched.train()
        assert path.exists()
        assert searched.metrics()["fingerprint"].tolist() == before


def test_altered_values_of_a_search_train_nothing(searched):
    before, path = searched.trials(), winner(searched)
    result = json.loads(path.read_text())
    for lost in (path, searched.folder / METRICS):
        lost.unlink()
    path.write_text(json.dumps(result | {"best": {"max_depth": result["best"]["max_depth"] + 1}}))
    assert "its values do not match their checksum" in searched.train(fails=True)
    searched.train()
    assert json.loads(path.read_text()) == result
    assert searched.trials() == before


def test_searches_of_other_versions_rerun_on_request(searched):
    first = json.loads(winner(searched).read_text())["environment"]
    machine = searched.folder / "scripts/reseed/core/environment.py"
    text = machine.read_text()
    machine.write_text(
        text.replace("    versions = {}\n", '    versions = {"numpy ": "other"}\n', 1)
    )
    searched.train()
    assert json.loads(winner(searched).read_text())["environment"] == first
    searched.train("--config", "mixed=retrain")
    result = json.loads(winner(searched).read_text())
    assert result["environment"] != first
    assert set(searched.metrics()["environment"]) == {result["environment"]}


def test_search_of_another_environment_is_detected(searched):
    retrain = ("--config", "mixed=retrain")
    searched.train(*retrain)
    path = winner(searched)
    result = json.loads(path.read_text())
    path.unlink()  # a separate file instead of the link
    facts = result["environment_facts"] | {"cpu": "another processor"}
    elsewhere = {"environment": "elsewhere", "environment_facts": facts}
    path.write_text(json.dumps(result | elsewhere))
    (searched.folder / METRICS).unlink()
    assert "the searches they use (1)" in searched.train(*retrain, fails=True)
    searched.train(*retrain)
    assert json.loads(winner(searched).read_text())["environment"] == result["environment"]


def search_outcome(project):
    """The winner and the log, without clocks."""
    path = winner(project)
    log = pd.read_parquet(path.with_suffix(".parquet")).drop(columns=["seconds", "environment"])
    result = json.loads(path.read_text())
    return {name: result[name] for name in ("best", "best_score", "fits", "key")}, log


def fits_of(project):
    """Time of each finished fit."""
    files = (project.folder / "results/store").glob("??/*.fits/*.json")
    return {path: path.stat().st_mtime_ns for path in files}


@pytest.fixture
def halving(project):
    """A search of nine candidates in two folds: 18 fits on 536 rows, then 6 on 1,610 rows."""
    search = {"mode": "fixed", "trials": 9, "folds": 2, "method": "halving"}
    experiments = {"fixed": {"hyperparameters": search, "seeds": {"model": {"count": 1}}}}
    project.change(models=["forest"], experiments=experiments, analyses={}, exhibits={})
    project.write("models/forest", FOREST | {"search_space": {"max_depth": {"low": 2, "high": 12}}})
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(4600, 3)), columns=["a", "b", "c"])
    frame["y"] = np.where(frame.a * frame.b + rng.normal(size=4600) > 0, "yes", "no")
    project.table(frame)
    return project


@pytest.mark.nightly
def test_shards_and_kills_do_not_change_the_winner(halving):
    halving.train("--config", "block_seconds=1e6")
    expected, log = search_outcome(halving)
    assert log.groupby("rung").size().tolist() == [18, 6]
    assert not list((halving.folder / "results/tuning").rglob("shard-*"))
    target = str(winner(halving).relative_to(halving.folder))
    # Shards of each rung, by the model's hint. The third rung does not exist.
    for block_seconds, shards in ((1e6, []), (0.032, [7, 3, 2]), (1e-5, [18, 6, 2])):
        for folder in ("results", ".snakemake"):
            shutil.rmtree(halving.folder / folder)
        arguments = (target, "--config", f"block_seconds={block_seconds}")
        halving.kill_once(lambda: fits_of(halving), *arguments)
        fits = fits_of(halving)
        halving.kill_once(lambda: len(fits_of(halving)) >= 19, *arguments)  # in the second rung
        fits |= fits_of(halving)
        halving.run(*arguments)
        found, found_log = search_outcome(halving)
        assert found == expected
        pd.testing.assert_frame_equal(found_log, log)
        finished = fits_of(halving)
        assert len(finished) == 24
        assert fits.items() <= finished.items()  # none was made twice
        folder = winner(halving).with_suffix("")
        for rung, count in enumerate(shards):
            files = list(folder.glob(f"rung-{rung}/shard-*-of-{count}.json"))
            assert len(files) == count
            made = sum(json.loads(file.read_text())["fits"] for file in files)
            assert made == (log.rung == rung).sum()
