"""Decisions after rounds, for two schemes and arms of one model: each is judged by its own runs."""

import random
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from reseed.cache.rounds import Decision, Decisions, write_decision
from reseed.cache.trial_cache import TrialCache
from reseed.jobs import make_splits, prepare_data, settle, train
from reseed.pipeline.runner import Granted
from reseed.pipeline.spec_files import SpecFiles
from reseed.planning.plan import blocks
from reseed.planning.specs import DataSpec, SettleSpec, SplitSpec
from reseed.planning.study_specs import build_study_spec, narrow_to_experiment, without_texts
from reseed.planning.training_specs import build_train_spec
from reseed.stats.sequential import stopping_point
from toy_project import load_toy_project

ARMS = {
    "good": {"n_estimators": 40},
    "poor": {"n_estimators": 1, "max_depth": 1},
    "same": {"n_estimators": 1, "max_depth": 1, "min_samples_leaf": 2},
}
SCHEMES = [{"kind": "holdout", "test": 0.3}, {"kind": "holdout", "test": 0.5}]
UNTIL = {"first": 6, "batch": 3, "alpha": 0.3}
CHANGES = {
    "studies/first": {
        "splits": SCHEMES,
        "experiments": {
            "runs": {
                "arms": {
                    name: {"model": {"name": "forest", "hyperparameters": values}}
                    for name, values in ARMS.items()
                },
                "seeds": {"model": {"count": 15}},
                "until": UNTIL,
            }
        },
    }
}
BORDERS = [6, 9, 12, 15]


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """The plan, and the spec of a decision by its round; data and splits exist."""
    folder = tmp_path_factory.mktemp("settle")
    draw = random.Random(0)
    points = [(draw.gauss(0, 1), draw.gauss(0, 1), draw.gauss(0, 1)) for _ in range(240)]
    rows = [f"{'yes' if a + noise > 0 else 'no'},{a:.4f},{b:.4f}" for a, b, noise in points]
    (folder / "toy.csv").write_text("\n".join(["y,a,b", *rows, ""]))
    source = {"kind": "file", "path": str(folder / "toy.csv")}
    project, plan = load_toy_project(folder, CHANGES | {"datasets/toy": {"sources": [source]}})
    results = plan.layout.root
    prepare_data.run(DataSpec(results, "toy", plan.datasets["toy"]), Granted())
    for dataset, scheme, seeds in plan.split_jobs():
        schemes = plan.schemes()
        make_splits.run(SplitSpec(results, dataset, scheme, schemes[scheme], seeds), Granted())
    return project, plan


def train_round(project, plan, gate):
    """Run the training jobs that wait for a decision."""
    for block in blocks(plan, 60):
        if all(gate in one.parts(trials) for one, trials in block):
            spec = build_train_spec(project, block, SpecFiles(plan.layout).write_sources)
            train.run(spec, Granted())


def decide(project, plan, decision):
    study = build_study_spec(project, plan, "first")
    spec = without_texts(narrow_to_experiment(study, "runs"))
    settle.run(SettleSpec(spec, decision.round), Granted())
    return Decisions(plan.layout.root).read(decision)


def scores(plan, runs):
    """AUC by scheme and arm, of the seeds that the arm has."""
    found = {}
    for arm in plan.studies["first"]["runs"]:
        planned = plan.settings[arm.setting]
        cache, count = TrialCache(plan.layout.root, planned.spec), runs[arm.setting.folder]
        values = [cache.read(trial).metrics["auc"] for trial in planned.trials[:count]]
        found[arm.setting.scheme, arm.name] = values
    return found


def expected_open(plan, runs, stopped):
    """Folders of the settings that the rule needs; adds pairs to those that stopped."""
    values = scores(plan, runs)
    for scheme in {scheme for scheme, _ in values}:
        for a, b in combinations(ARMS, 2):
            one, other = values[scheme, a], values[scheme, b]
            n = min(len(one), len(other))
            d = [one[i] - other[i] for i in range(n)]
            if stopping_point(d, UNTIL["alpha"] / 3).n is not None:
                stopped.add((scheme, frozenset((a, b))))
    return {
        arm.setting.folder
        for arm in plan.studies["first"]["runs"]
        for other in ARMS
        if other != arm.name and (arm.setting.scheme, frozenset((arm.name, other))) not in stopped
    }


def test_each_scheme_is_decided_by_its_own_trials(project):
    project, plan = project
    runs = {arm.setting.folder: BORDERS[0] for arm in plan.studies["first"]["runs"]}
    gate, stopped, history = (), set(), []
    for decision in plan.decisions():
        train_round(project, plan, gate)
        found = decide(project, plan, decision)
        needed = expected_open(plan, runs, stopped)
        assert set(found.needed) == needed
        assert len(found.pairs) == 2 * 3
        runs |= dict.fromkeys(needed, BORDERS[decision.round + 1])
        gate = (decision,)
        history.append(needed)
    assert 0 < len(history[-1]) < 6, "some settings must be settled, and some open"


def test_a_pair_that_stopped_stays_stopped(project):
    project, plan = project
    first, second = plan.decisions()[:2]
    train_round(project, plan, ())
    before = decide(project, plan, first)
    train_round(project, plan, (first,))
    pairs = tuple(replace(pair, state="precise", runs=5) for pair in before.pairs)
    path = Path(Decisions(plan.layout.root).path(first))
    write_decision(path, Decision(pairs, before.needed))
    assert decide(project, plan, second) == Decision(pairs, ())
