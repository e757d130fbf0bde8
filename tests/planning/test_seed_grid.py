"""Trials of an arm, against brute force."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reseed.config.studies import Holdout, KFold, Seeds
from reseed.core.coordinates import ROLES
from reseed.planning.seed_grid import (
    count_trials,
    expand_seeds,
    list_folds,
    seed_values,
    varied_seeds,
)

HOLDOUT = Holdout(kind="holdout", test=0.2)
SEED_LISTS = st.one_of(
    st.integers(0, 9),
    st.lists(st.integers(0, 9), min_size=1, max_size=3, unique=True),
    st.builds(lambda count, start: {"count": count, "start": start}, st.integers(1, 3), st.just(4)),
)
SCHEMES = st.one_of(
    st.just(HOLDOUT), st.builds(lambda n: KFold(kind="kfold", folds=n), st.integers(2, 4))
)


def values(seeds):
    """Return the seeds of a configured value."""
    if isinstance(seeds, dict):
        return [seeds["start"] + number for number in range(seeds["count"])]
    return seeds if isinstance(seeds, list) else [seeds]


def brute_force(fields, scheme):
    """Return every combination of data seed, fold and role seeds by nested products."""
    folds = range(scheme.folds) if scheme.kind == "kfold" else [None]
    if "model" in fields:
        roles = [[seed] * len(ROLES) for seed in values(fields["model"])]
    else:
        roles = product(*(values(fields.get(role, 0)) for role in ROLES))
    return [(d, f, *r) for d, f, r in product(values(fields.get("data", 0)), folds, list(roles))]


@given(data=SEED_LISTS, model=SEED_LISTS, scheme=SCHEMES)
def test_model_seeds_match_brute_force(data, model, scheme):
    fields = {"data": data, "model": model}
    trials = expand_seeds(Seeds(**fields), scheme)
    assert [tuple(trial) for trial in trials] == brute_force(fields, scheme)
    assert count_trials(Seeds(**fields), scheme) == len(trials)


@given(fields=st.dictionaries(st.sampled_from(("data", *ROLES)), SEED_LISTS), scheme=SCHEMES)
def test_role_seeds_match_brute_force(fields, scheme):
    trials = expand_seeds(Seeds(**fields), scheme)
    assert [tuple(trial) for trial in trials] == brute_force(fields, scheme)
    assert count_trials(Seeds(**fields), scheme) == len(trials) == len(set(trials))


@given(seeds=SEED_LISTS)
def test_seed_values_are_the_configured_seeds(seeds):
    assert list(seed_values(Seeds(data=seeds).data)) == values(seeds)
    assert list(seed_values(None)) == [0]


def test_folds_of_a_scheme():
    assert list_folds(HOLDOUT) == [None]
    assert list_folds(KFold(kind="kfold", folds=3)) == [0, 1, 2]


@pytest.mark.parametrize(
    ("seeds", "varied"),
    [
        ({}, "none"),
        ({"model": 3}, "none"),
        ({"data": [5]}, "none"),
        ({"model": {"count": 2}}, "model"),
        ({"data": [1, 2], "model": {"count": 2}}, "data+model"),
        ({"order": [1, 2], "init": {"count": 2}}, "init+order"),
    ],
)
def test_names_of_varied_seeds(seeds, varied):
    assert varied_seeds(Seeds(**seeds)) == varied
