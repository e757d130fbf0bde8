"""Results of searches are validated, regenerated if damaged, and record their environment."""

import json
import os
import shutil
import signal
import time

import pandas as pd
import pytest

pytestmark = pytest.mark.workflow
SEARCH = {"mode": "fixed", "trials": 2, "folds": 2}


@pytest.fixture
def searched(project):
    experiments = {"fixed": {"hyperparameters": SEARCH, "seeds": {"model": {"count": 2}}}}
    project.change(models=["forest"], experiments=experiments, analyses={}, exhibits={})
    project.run()
    return project


def winner(project):
    (path,) = (project.folder / "results" / "tuning").rglob("model-seed-*.json")
    return path


def test_damaged_search_or_split_is_rebuilt_under_trials(searched):
    before = searched.metrics()["fingerprint"].tolist()
    for path in (winner(searched), *(searched.folder / "results/splits").rglob("*.parquet")):
        whole, times = path.read_bytes(), (path.stat().st_atime_ns, path.stat().st_mtime_ns)
        path.chmod(0o644)
        path.write_bytes(whole[: len(whole) // 2])  # a hard link: the cache entry is truncated too
        os.utime(path, ns=times)
        (searched.folder / "results/studies/small/metrics.parquet").unlink()
        assert path.name in searched.run(fails=True)
        searched.run()
        assert path.exists()
        assert searched.metrics()["fingerprint"].tolist() == before


def test_altered_values_of_a_search_train_nothing(searched):
    before, path = searched.trials(), winner(searched)
    result = json.loads(path.read_text())
    for lost in (path, searched.folder / "results/studies/small/metrics.parquet"):
        lost.unlink()
    path.write_text(json.dumps(result | {"best": {"max_depth": result["best"]["max_depth"] + 1}}))
    assert "its values do not match their checksum" in searched.run(fails=True)
    searched.run()
    assert json.loads(path.read_text()) == result
    assert searched.trials() == before


def test_searches_of_other_versions_rerun_on_request(searched):
    first = json.loads(winner(searched).read_text())["environment"]
    machine = searched.folder / "scripts/reseed/core/environment.py"
    text = machine.read_text()
    machine.write_text(
        text.replace("    versions = {}\n", '    versions = {"numpy ": "other"}\n', 1)
    )
    searched.run()
    assert json.loads(winner(searched).read_text())["environment"] == first
    searched.run("--config", "mixed=retrain")
    result = json.loads(winner(searched).read_text())
    assert result["environment"] != first
    assert set(searched.metrics()["environment"]) == {result["environment"]}


def test_search_of_another_environment_is_detected(searched):
    retrain = ("--config", "mixed=retrain")
    searched.run(*retrain)
    path = winner(searched)
    result = json.loads(path.read_text())
    path.unlink()  # a separate file instead of the link
    facts = result["environment_facts"] | {"cpu": "another processor"}
    elsewhere = {"environment": "elsewhere", "environment_facts": facts}
    path.write_text(json.dumps(result | elsewhere))
    (searched.folder / "results/studies/small/metrics.parquet").unlink()
    assert "the searches they use (1)" in searched.run(*retrain, fails=True)
    searched.run(*retrain)
    assert json.loads(winner(searched).read_text())["environment"] == result["environment"]


def search_outcome(project):
    """The winner and the log, without clocks."""
    path = winner(project)
    log = pd.read_parquet(path.with_suffix(".parquet")).drop(columns=["seconds", "environment"])
    result = json.loads(path.read_text())
    return {name: result[name] for name in ("best", "best_score", "fits", "key")}, log


def test_shards_and_kills_do_not_change_the_winner(project):
    # Three candidates are two rungs at most; this table has one.
    search = {"mode": "fixed", "trials": 3, "folds": 2, "method": "halving"}
    experiments = {"fixed": {"hyperparameters": search, "seeds": {"model": {"count": 1}}}}
    project.change(models=["forest"], experiments=experiments, analyses={}, exhibits={})
    project.run("--config", "block_seconds=1e6")
    expected, log = search_outcome(project)
    assert not list((project.folder / "results/tuning").rglob("shard-*"))
    for block_seconds, shards in (("0.05", 2), ("0.001", 3)):
        for folder in ("results", ".snakemake"):
            shutil.rmtree(project.folder / folder)
        options = ("--config", f"block_seconds={block_seconds}")
        process = project.start(*options)
        deadline = time.monotonic() + 120
        while not list((project.folder / "results/store").glob("??/*.fits/*.json")):
            assert process.poll() is None, process.communicate()[0]
            assert time.monotonic() < deadline
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        fits = {
            path: path.stat().st_mtime_ns
            for path in (project.folder / "results/store").glob("??/*.fits/*.json")
        }
        project.run("--unlock", *options)
        project.run(*options)
        found, found_log = search_outcome(project)
        assert found == expected
        pd.testing.assert_frame_equal(found_log, log)
        assert all(path.stat().st_mtime_ns == stamp for path, stamp in fits.items())
        files = list((project.folder / "results/tuning").rglob("rung-0/shard-*.json"))
        assert len(files) == shards
