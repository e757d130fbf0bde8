"""Stops of pairs: what later runs change, the planned number of pairs, failed runs."""

import numpy as np
import pytest
from reseed.core.study_info import UntilInfo
from reseed.report.analyses import stopping
from reseed.report.analyses.shared.data import Data
from reseed.report.analyses.shared.settling import judge_pairs
from reseed.stats.sequential import stopping_point
from run_kinds import run_analysis
from study_frames import about, amended, frame, trial

RULE = UntilInfo(alpha=0.05, scale=1.0)
INFO = amended(about(), experiments={"model_seeds": {"until": RULE.model_dump()}})
OTHER = stopping.Options(alpha=0.5, scale=3.0, rope=0.3)


def scores(n=40, models=4, seed=0):
    rng = np.random.default_rng(seed)
    return {f"m{i}": 0.8 + 0.03 * (i == 0) + rng.normal(0, 0.01, n) for i in range(models)}


def data(found, runs, failed=()):
    """A study in which each model has the first `runs` seeds; `failed`: (model, seed)."""
    rows = [
        trial(None if (m, s) in failed else v, seed=s, dataset="magic", metric="auc", model=m)
        for m, values in found.items()
        for s, v in enumerate(values[: runs[m]])
    ]
    return Data(frame(rows), INFO)


def stops(study):
    return {
        frozenset((pair.a, pair.b)): (pair.stop.n, pair.stop.reason)
        for pair in judge_pairs(study, OTHER)
    }


@pytest.mark.parametrize("seed", range(5))
def test_more_runs_of_one_model_move_no_stop(seed):
    found = scores(seed=seed)
    failed = {("m1", 3), ("m2", 7), ("m0", 25)}
    early = stops(data(found, dict.fromkeys(found, 15), failed))
    later = stops(data(found, {"m0": 15, "m1": 40, "m2": 40, "m3": 15}, failed))
    settled = {pair: stop for pair, stop in early.items() if stop[0] is not None}
    assert settled
    assert {pair: later[pair] for pair in settled} == settled
    for pair in early.keys() - settled.keys():
        assert pair == {"m1", "m2"} or later[pair] == early[pair]


def test_failed_runs_are_missing_from_their_pairs_alone():
    found = scores()
    failed = {("m0", 0), ("m0", 5)}
    study = data(found, dict.fromkeys(found, 20), failed)
    (pair,) = (p for p in judge_pairs(study, OTHER) if {p.a, p.b} == {"m0", "m1"})
    kept = np.delete(np.arange(20), [0, 5])
    d = found["m0"][kept] - found["m1"][kept]
    np.testing.assert_allclose(pair.differences, d if pair.a == "m0" else -d)
    expected = stopping_point(d, 0.05 / 6)
    assert (pair.stop.n, pair.stop.reason) == (expected.n, expected.reason)


def test_the_number_of_pairs_is_that_of_the_plan():
    found = scores()
    failed = {("m3", seed) for seed in range(40)}
    judged = list(judge_pairs(data(found, dict.fromkeys(found, 20), failed), OTHER))
    assert len(judged) == 3
    assert {pair.pairs for pair in judged} == {6}
    assert {pair.alpha for pair in judged} == {0.05 / 6}


def test_an_experiment_that_trains_in_rounds_has_its_own_rule():
    found = scores()
    study = data(found, {"m0": 12, "m1": 40, "m2": 40, "m3": 12})
    table = run_analysis(stopping, study, OTHER.explicit()).drop_duplicates(["model_a", "model_b"])
    assert set(table["alpha"]) == {0.05}
    assert set(table["scale"]) == {1.0}
    assert table["rope"].isna().all()
    assert set(table["design"]) == {"seeds"}
    assert sorted(table["n"]) == [12] * 5 + [40]
