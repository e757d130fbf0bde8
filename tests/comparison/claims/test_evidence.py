"""Verdicts on statements, and averages over settings, against closed forms and simulations."""

import json
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from reseed.comparison.claims import phrases
from reseed.comparison.claims.averages import AverageOfEnds, MeanLogRatio, interval_at
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.estimates import Estimate, Sample, Test
from reseed.comparison.claims.evidence import judge, judge_all, read_evidence
from reseed.core.statement import Statement
from scipy import stats

RATIO = (0.0, math.inf)


def make(estimates, arms=None, **changes):
    rows = pd.DataFrame({"n": 12, "arm": arms or [f"a{i}" for i in range(len(estimates))]})
    given = {
        "statistic": "SD ratio", "null": "ratio 1", "estimates": estimates,
        "phrases": {"all": phrases.count(rows, "setting")},
    } | changes  # fmt: skip
    return Claim("ratio", "over {all}", rows, sample=Sample.of(rows, "n", "seed"), **given)


def ratios(*intervals):
    return [
        Estimate(f"s{i}", math.sqrt(low * high), low, high, 0.95, RATIO)
        for i, (low, high) in enumerate(intervals)
    ]


@pytest.mark.parametrize(
    ("intervals", "verdict"),
    [
        ([(1.2, 3.0)], "supported"),
        ([(0.2, 0.9)], "contradicted"),
        ([(0.5, 3.0)], "not yet"),
        ([(0.9, 4.0), (1.2, 3.0), (1.3, 4.0)], "supported"),  # the average, not each of them
        ([(2.0, 3.0), (0.2, 0.5)], "mixed"),
    ],
)
def test_the_average_over_settings_decides(intervals, verdict):
    evidence = judge(Statement("Splits dominate", "ratio", above=1), [make(ratios(*intervals))])
    assert evidence.verdict == verdict


def test_a_statement_about_each_setting_needs_every_interval():
    claim = make(ratios((0.9, 4.0), (1.2, 3.0), (1.3, 4.0)))
    each = Statement("Splits dominate everywhere", "ratio", above=1, each=True)
    assert judge(each, [claim]).verdict == "not yet"
    assert judge(each, [make(ratios((1.1, 4.0), (1.2, 3.0)))]).verdict == "supported"
    assert judge(each, [make(ratios((1.1, 4.0), (0.2, 0.5)))]).verdict == "contradicted"


def test_seeds_needed_are_those_of_the_least_certain_setting():
    alone = [make(ratios(one)) for one in ((0.9, 4.0), (0.95, 1.5))]
    single = Statement("Splits dominate", "ratio", above=1)
    needed = [judge(single, [claim]).needed for claim in alone]
    together = make(ratios((0.9, 4.0), (0.95, 1.5), (1.1, 2.0)))
    each = Statement("Splits dominate everywhere", "ratio", above=1, each=True)
    assert judge(each, [together]).needed == max(needed) > 12


def test_a_statement_speaks_about_some_rows_only():
    claim = make(ratios((2.0, 3.0), (0.2, 0.5)), arms=["rf", "net~1a2b"])
    for arm, verdict in (("rf", "supported"), ("net", "contradicted"), ("xgb", "not run")):
        only = (("arm", (arm,)),)
        assert judge(Statement("More", "ratio", above=1, only=only), [claim]).verdict == verdict


@pytest.mark.parametrize("each", [False, True])
def test_claims_of_one_name_speak_together(each):
    statement = Statement("More", "ratio", above=1, each=each, only=(("arm", ("a0", "a1")),))
    parts = [(0.9, 1.7), (0.8, 4.0)]
    whole = judge(statement, [make(ratios(*parts))])
    separate = [make(ratios(part)) for part in parts] + [make(ratios((0.1, 0.2)), arms=["b"])]
    found = judge(statement, separate)
    assert found.sentence.count("(12 seeds)") == 2
    assert replace(found, sentence=whole.sentence, settings=whole.settings) == whole
    assert [(one.low, one.high) for one in found.settings] == parts


def test_what_cannot_be_compared_or_was_not_run_is_not_judged():
    claim = make(ratios((2.0, 3.0)))
    other = Statement("More", "ratio", above=1, not_comparable="Other images.")
    evidence = judge(other, [claim])
    assert (evidence.verdict, evidence.reason) == ("not comparable", "Other images.")
    assert evidence.average.value == pytest.approx(math.sqrt(6))
    assert judge(other, []).verdict == "not run"
    bare = make([Estimate("s", 1.5, bounds=RATIO)])
    evidence = judge(Statement("More", "ratio", above=1), [bare])
    assert (evidence.verdict, evidence.needed) == ("not yet", None)


@pytest.mark.parametrize(("power", "verdict"), [(0.05, "not yet"), (0.9, "contradicted")])
def test_a_test_without_power_does_not_contradict_a_statement(power, verdict):
    test = Test("the draws are Gaussian", 0.98, power=power, alternative="t with 3 df")
    claim = make(ratios((0.7, 0.9)), tests=[test])
    assert judge(Statement("Black swans", "ratio", above=1), [claim]).verdict == verdict


def test_evidence_survives_json():
    claims = [make([*ratios((1.2, 3.0)), Estimate("bare", 2.0, bounds=RATIO)])]
    statement = Statement("More", "ratio", above=1, paper=(1.3, 16), only=(("arm", ("a0",)),))
    for given in (statement, Statement("Absent", "other", below=2)):
        [record] = judge_all([given], claims)
        again = read_evidence(json.loads(json.dumps(record, allow_nan=False)))
        assert again.record() == record
        assert again.statement == given


def test_an_interval_at_another_level_is_that_of_its_method():
    low, high = stats.binomtest(7, 30).proportion_ci(method="wilson")
    share = Estimate("s", 7 / 30, low, high, 0.95, (0, 1))
    wanted = stats.binomtest(7, 30).proportion_ci(0.99, method="wilson")
    assert interval_at(share, 0.99) == pytest.approx(tuple(wanted))
    z = stats.norm.isf([0.025, 0.005])
    ratio = Estimate("r", 2.0, 2 * math.exp(-0.3), 2 * math.exp(0.3), 0.95, RATIO)
    half = 0.3 * z[1] / z[0]
    assert interval_at(ratio, 0.99) == pytest.approx((2 * math.exp(-half), 2 * math.exp(half)))


def test_the_size_that_is_needed_has_the_power_that_is_stated():
    """Gaussian logarithms with the standard error 1/√n: at the size named, 80 % are decided."""
    estimate = Estimate("r", 1.4, 1.4 * math.exp(-0.8), 1.4 * math.exp(0.8), 0.95, RATIO)
    n = AverageOfEnds([estimate]).needed([0], 1.0, 20)
    error = 0.8 / stats.norm.isf(0.025) * math.sqrt(20 / n)
    assert stats.norm.sf(stats.norm.isf(0.025) - math.log(1.4) / error) == pytest.approx(
        0.8, abs=0.01
    )


def test_the_mean_ratio_is_the_geometric_mean_of_the_ratios():
    rng, seeds = np.random.default_rng(0), range(20)
    scores = rng.normal(size=(4, 20)) * np.array([[3.0], [1.0], [0.5], [2.0]])
    cells = [("d", "model", seeds, one) for one in scores]
    average = MeanLogRatio(cells, [(0, 1), (2, 3)])
    sds = scores.std(axis=1, ddof=1)
    expected = math.sqrt(sds[0] / sds[1] * sds[2] / sds[3])
    value, low, high = average.interval([0, 1], 0.95)
    assert value == pytest.approx(expected)
    assert low < value < high
    assert average.interval([0], 0.95)[0] == pytest.approx(sds[0] / sds[1])
