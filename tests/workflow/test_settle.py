"""`reseed settle` adds seeds until every pair is decided, or the budget is spent."""

import os
from pathlib import Path

import pandas as pd
import pytest
import yaml
from projects import FOREST
from reseed.cli.settle import settle
from reseed.core.errors import ReseedError
from reseed.core.layout import ResultsLayout
from reseed.pipeline.jobs.settle import count_pairs

pytestmark = pytest.mark.workflow
METRICS = "results/studies/small/metrics.parquet"


def change(project, until, **seeds):
    """One experiment with a rule, of two models of which the second is the better one."""
    project.write("models/stump", FOREST | {"name": "stump", "hyperparameters": {"max_depth": 1}})
    experiments = {"one": {"seeds": seeds or {"model": {"count": 30}}, "until": until}}
    project.change(
        models=["stump", "forest"], experiments=experiments, analyses={}, exhibits={}
    )  # fmt: skip


def settle_small(project, most=None):
    runs = []

    def run(words):
        runs.append(words)
        project.run(*words)
        return 0

    folder = Path.cwd()
    os.chdir(project.folder)
    try:
        counts = settle(Path("config"), "small", most, ["--config", "scale=smoke"], run)
    finally:
        os.chdir(folder)
    return counts, runs


def seeds_of(project):
    return pd.read_parquet(project.folder / METRICS).groupby("model")["init"].nunique().to_dict()


@pytest.mark.nightly
def test_seeds_are_added_until_pairs_are_decided_or_spent(project):
    change(project, {"first": 4, "batch": 3, "rope": 0.9})
    counts, runs = settle_small(project)
    assert counts == {"one": 7}  # equivalent within a region as wide as the scores
    assert len(runs) == 3  # 4 and 7 seeds, and the page
    assert seeds_of(project) == {"stump": 7, "forest": 7}
    layout = ResultsLayout(str(project.folder / "results"))
    assert count_pairs(layout.study("small"), "one") == (0, 1)
    overlay = project.folder / "config/seeds/small.yaml"
    seeds = {"model": {"start": 0, "count": 7}}
    assert yaml.safe_load(overlay.read_text()) == {
        "scale": "smoke",
        "experiments": {"one": {"seeds": seeds}},
    }
    # Without a region, a pair that differs by little stays open: it uses the budget.
    change(project, {"first": 4, "batch": 3, "alpha": 1e-9})
    project.forget_logs()
    counts, runs = settle_small(project, most=9)
    assert counts == {"one": 9}
    assert len(runs) == 4  # 4, 7, 9 seeds, and the page
    assert seeds_of(project) == {"stump": 9, "forest": 9}
    assert project.trained() == 2 * 2  # seeds 7 and 8: the others are in the cache
    assert count_pairs(layout.study("small"), "one") == (1, 1)
    overlay.unlink()
    project.train()
    assert seeds_of(project) == {"stump": 30, "forest": 30}


def test_a_list_of_seeds_is_used_in_its_order(project):
    change(project, {"first": 2, "batch": 2, "rope": 0.9}, model=[7, 3, 11])
    assert settle_small(project, most=2)[0] == {"one": 2}
    assert set(pd.read_parquet(project.folder / METRICS)["init"]) == {3, 7}


def test_a_study_without_the_rule_or_a_failed_run_is_refused(project):
    with pytest.raises(ReseedError, match="no experiment has `until`"):
        settle_small(project)
    with pytest.raises(ReseedError, match="there is no study 'smal'"):
        settle(project.folder / "config", "smal", None, [], lambda words: 0)
    change(project, "settled")
    with pytest.raises(ReseedError, match="snakemake failed on small"):
        settle(project.folder / "config", "small", None, [], lambda words: 1)
