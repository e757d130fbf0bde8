"""Experiments that train until settled: rounds, blocks, decisions, and refused designs."""

import copy

import pytest
from reseed.config import Dataset, Main, Model, Study
from reseed.planning.build import make_plan
from reseed.planning.costs import format_page, study_costs
from reseed.planning.plan import blocks
from reseed.planning.project import Project
from reseed.planning.seed_grid import DecisionId, split_rounds
from reseed.planning.until import check_until

MODEL = {"name": "forest", "title": "Forest", "factory": "reseed.models.forest:random_forest"}
DATASET = {"name": "toy", "title": "Toy", "task": "binary", "target": "y"}
FACTS = dict.fromkeys(("scale", "command", "cpu", "gaps", "block"), "")
UNTIL = {"seeds": {"model": {"count": 11}}, "until": {"first": 4, "batch": 3}}
STUDY = {
    "name": "small",
    "title": "Small",
    "datasets": ["toy"],
    "models": ["forest", "other"],
    "splits": [{"kind": "holdout", "test": 0.25}],
    "experiments": {"one": UNTIL},
}


def study(**parts):
    return Study(**copy.deepcopy(STUDY) | parts)


def plan_of(*studies):
    models = {name: Model(**MODEL | {"name": name}) for name in ("forest", "other")}
    project = Project(
        main=Main(), datasets={"toy": Dataset(**DATASET)}, models=models, weights={},
        studies={one.name: one for one in studies},
    )  # fmt: skip
    return make_plan(project)


def decision(number, name="small", experiment="one"):
    return DecisionId(name, experiment, number)


def gates(plan, model="forest"):
    """Seeds of the trials of a model by the decisions they wait for."""
    (planned,) = (one for key, one in plan.settings.items() if key.model == model)
    parts = planned.parts(planned.trials)
    return {decisions: [trial.init for trial in trials] for decisions, trials in parts.items()}


def test_rounds_take_seeds_in_the_order_of_their_numbers():
    arm = study(experiments={"one": UNTIL | {"seeds": {"model": [9, 2, 7, 1, 5]}}})
    experiment = arm.experiments["one"]
    rounds = split_rounds(experiment.seeds, arm.splits[0], experiment.until)
    assert [[trial.init for trial in part] for part in rounds] == [[1, 2, 5, 7], [9]]
    assert [len(part) for part in split_rounds(experiment.seeds, arm.splits[0], None)] == [5]


def test_each_later_round_waits_for_the_decision_before():
    plan = plan_of(study())
    assert gates(plan) == {
        (): [0, 1, 2, 3],
        (decision(0),): [4, 5, 6],
        (decision(1),): [7, 8, 9],
        (decision(2),): [10],
    }
    assert plan.decisions() == [decision(0), decision(1), decision(2)]
    assert plan.decision_files(plan.decisions())[0] == (
        "results/studies/small/rounds/one/round-0.json"
    )


@pytest.mark.parametrize("size", [{"seeds_per_job": 2}, {"block_seconds": 1e6}])
def test_a_job_never_crosses_a_round(size):
    plan = plan_of(study())
    found = list(blocks(plan, **{"block_seconds": 60.0, **size}))
    for block in found:
        assert len({part for planned, trials in block for part in planned.parts(trials)}) == 1
    trials = [(p.setting, t) for block in found for p, members in block for t in members]
    assert len(set(trials)) == len(trials) == 22
    if "block_seconds" in size:
        assert len(found) == 4  # both models of a round in one job


def test_trials_that_others_always_need_wait_for_nothing():
    fixed = {"seeds": {"model": {"start": 3, "count": 3}}}
    plan = plan_of(study(experiments={"one": UNTIL, "two": fixed}))
    assert gates(plan)[()] == [0, 1, 2, 3, 4, 5]
    assert gates(plan)[decision(0),] == [6]
    for order in (("small", "late"), ("late", "small")):
        late = {"seeds": {"model": {"start": 3, "count": 6}}, "until": {"first": 2, "batch": 6}}
        found = plan_of(*(study(name=n, experiments={"one": late if n == "late" else UNTIL})
                          for n in order))  # fmt: skip
        both = gates(found)
        assert both[()] == [0, 1, 2, 3, 4]
        either = next(key for key in both if len(key) == 2 and both[key] == [5, 6])
        assert set(either) == {decision(0), decision(0, "late")}


def test_costs_are_a_maximum_and_count_jobs_by_round():
    costs = study_costs(plan_of(study()), {}, {"toy": 16_000}, 1e6)["small"]
    cost = costs["forest"]
    assert (cost.trials, cost.skippable, cost.jobs) == (11, 7, 4)
    page = format_page({"small": costs}, {"small": "Small"}, FACTS)
    assert "At most: 14 of the 22 trials are trained only as long as" in page


INVALID = {
    "data": ({"seeds": {"data": {"count": 3}, "model": {"count": 9}}}, "seeds.data: several"),
    "folds": ({"splits": [{"kind": "kfold"}]}, "splits: kfold"),
    "crossed": ({"seeds": {"init": {"count": 3}, "order": {"count": 3}}}, "seeds: init and order"),
    "constant": ({"seeds": {"model": 1}}, "seeds: no model seed"),
    "tuned": ({"hyperparameters": {"mode": "tuned"}}, "hyperparameters.mode: tuned"),
    "alone": ({"models": ["forest"]}, "models: one arm alone"),
    "arms": (
        {"arms": {"a": {"model": "forest", "seeds": {"model": 3}}, "b": {"model": "other"}}},
        "arms.a.seeds: an arm has seeds of its own",
    ),
}


@pytest.mark.parametrize("change", INVALID)
def test_invalid_designs_are_refused_with_the_valid_ones(change, tmp_path):
    fields, message = INVALID[change]
    (error,) = check_until("s.yaml", study(experiments={"one": UNTIL | fields}), tmp_path)
    assert error.startswith(f"s.yaml: experiments.one.{message}")
    assert "Valid designs have one split (holdout or official, one data seed)" in error


@pytest.mark.parametrize("seeds", [{"model": {"count": 9}}, {"init": [4, 1, 8]}])
def test_one_split_and_one_varying_seed_are_accepted(seeds, tmp_path):
    fixed = UNTIL | {"seeds": seeds, "hyperparameters": {"mode": "fixed"}}
    official = [{"kind": "official"}, {"kind": "holdout", "test": 0.2}]
    assert not list(check_until("s.yaml", study(experiments={"one": fixed}, splits=official),
                                tmp_path))  # fmt: skip
    many = UNTIL | {"seeds": {"model": {"count": 1204}}}
    (error,) = check_until("s.yaml", study(experiments={"one": many}), tmp_path)
    assert "400 rounds. Take batches of at least 12 seeds" in error


def test_analyses_for_a_fixed_number_of_seeds_are_refused(tmp_path):
    both = {"one": UNTIL, "two": {"seeds": {"model": {"count": 3}}}}

    def errors(**analysis):
        entry = study(experiments=both, analyses={"x": analysis})
        return list(check_until("s.yaml", entry, tmp_path))

    (error,) = errors(kind="pairs")
    assert error.startswith("s.yaml: analyses.x: pairs is not valid for 'one'")
    assert "experiments: [two]" in error
    assert not errors(kind="pairs", experiments=["two"])
    assert not errors(kind="stopping")
    (error,) = errors(kind="stopping", experiments=["one"], options={"rope": 0.1})
    assert "analyses.x.options.rope: 'one' has its own rule" in error


def test_default_analyses_are_valid_for_each_experiment(tmp_path):
    both = study(experiments={"one": UNTIL, "two": {"seeds": {"model": {"count": 3}}}})
    assert not list(check_until("s.yaml", both, tmp_path))
    assert both.analyses["settled"].experiments == ["one"]
    assert both.analyses["pairs"].experiments == ["two"]
    alone = study()
    assert set(alone.analyses) == {"settled"}
    assert not list(check_until("s.yaml", alone, tmp_path))
