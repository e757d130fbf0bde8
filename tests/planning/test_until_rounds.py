"""Experiments with a rule by which their pairs are settled: refused designs."""

import copy

import pytest
from reseed.config.studies import Study
from reseed.planning.until import check_until

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
