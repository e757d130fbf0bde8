"""Rows of an analysis and a statement as a study's file has it → verdict and numbers."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from reseed.core.errors import ReseedError
from reseed.core.statement import Statement
from reseed.verdicts.evidence import judge, read_evidence
from scipy import stats


def rows(*values, **columns):
    """Rows of (value, low, high) in `x`, `x_low`, `x_high`, of 12 runs each."""
    frame = pd.DataFrame(values, columns=["x", "x_low", "x_high"]).assign(n=12, level=0.95)
    return frame.assign(arm=[f"a{i}" for i in range(len(values))], **columns)


def ratios(*ends):
    return rows(*((math.sqrt(low * high), low, high) for low, high in ends))


def judged(frame, reasons=(), **entry):
    given = {"scale": "linear", "value": "x", "title": "x", "exhibit": "e"} | entry
    statement = Statement(text="A statement", **given)
    return judge(
        statement,
        frame,
        lambda chosen: [*chosen["arm"]],
        lambda _: None,
        lambda chosen: [*reasons, *[""] * (len(chosen) - len(reasons))],
    )


def wilson(k, n, level=0.95):
    ends = stats.binomtest(k, n).proportion_ci(level, method="wilson")
    return k / n, ends.low, ends.high


@pytest.mark.parametrize(
    ("ends", "verdict"),
    [
        ([(1.2, 3.0)], "supported"),
        ([(0.2, 0.9)], "contradicted"),
        ([(0.5, 3.0)], "not yet"),
        # The average, not each of them: geometric means of values and ends.
        ([(0.9, 4.0), (1.2, 3.0), (1.3, 4.0)], "supported"),
        ([(2.0, 3.0), (0.2, 0.5)], "mixed"),
    ],
)
def test_the_average_over_rows_decides(ends, verdict):
    found = judged(ratios(*ends), above=1, scale="log")
    assert found.verdict == verdict
    lows, highs = zip(*ends, strict=True)
    expected = [math.prod(lows) ** (1 / len(ends)), math.prod(highs) ** (1 / len(ends))]
    assert [found.average.low, found.average.high] == pytest.approx(expected)
    assert found.average.value == pytest.approx(math.sqrt(math.prod(expected)))


LINEAR = rows((0.2, -0.1, 0.5), (0.4, 0.3, 0.5))
SHARES = rows(wilson(24, 30), wilson(7, 30))
CORRELATIONS = rows(*((math.tanh(z), math.tanh(z - 0.3), math.tanh(z + 0.3)) for z in (0.2, 0.6)))
EXACT = rows((10.0, 10.0, 10.0))
OPPOSITE = rows((3.0, 2.5, 3.5), (-3.0, -3.5, -2.5))
BARE = rows((2.0, np.nan, np.nan))


@pytest.mark.parametrize(
    ("frame", "entry", "verdict", "value", "ends"),
    [
        (LINEAR, {"above": 0}, "supported", 0.3, (0.1, 0.5)),
        (LINEAR, {"above": -1, "below": 0.45}, "not yet", 0.3, (0.1, 0.5)),
        # A region with two ends is about each setting: two that are shown outside do not average.
        (OPPOSITE, {"above": -1, "below": 1}, "contradicted", 0, None),
        (SHARES, {"above": 0.5, "scale": "share"}, "mixed", 31 / 60, None),
        (CORRELATIONS, {"above": 0, "scale": "fisher"}, "supported", None, None),
        (EXACT, {"below": 1.5, "ends": ["x", "x"]}, "contradicted", 10, (10, 10)),
        (BARE, {"above": 1, "scale": "log"}, "not yet", 2, None),
    ],
)  # fmt: skip
def test_each_scale_has_its_average(frame, entry, verdict, value, ends):
    found = judged(frame, **entry)
    assert found.verdict == verdict
    assert value is None or found.average.value == pytest.approx(value)
    assert ends is None or (found.average.low, found.average.high) == pytest.approx(ends)


def test_without_an_interval_no_size_would_decide():
    assert judged(BARE, above=1, scale="log").needed is None
    assert judged(ratios((0.5, 3.0)), above=1, scale="log").needed > 12


def test_only_some_rows_are_meant():
    """By name, whatever the variant after `~`; by number; by a least value; by what is known."""
    frame = ratios((2, 3), (0.2, 0.5), (0.9, 1.1)).assign(arm=["rf", "net~1a2b", "xgb"])
    frame["size"] = [3.0, 5.0, np.nan]
    for entry, verdict in (
        ({"where": {"arm": ["rf"]}}, "supported"),
        ({"where": {"arm": ["net"]}}, "contradicted"),
        ({"where": {"arm": ["gbm"]}}, "not run"),
        ({"where": {"size": ["3"]}}, "supported"),
        ({"where": {"size": ["3", "5"]}}, "mixed"),
        ({"least": {"size": 4}}, "contradicted"),
    ):
        assert judged(frame, above=1, scale="log", **entry).verdict == verdict


def test_a_value_that_rows_repeat_counts_once():
    frame = pd.concat([ratios((0.9, 4.0)), ratios((0.95, 1.5))] * 3)
    frame["arm"] = ["a", "b"] * 3
    found = judged(frame, above=1, scale="log", per=["arm"])
    assert [one.subject for one in found.settings] == ["a", "b"]


def test_rows_are_divided_by_those_that_share_columns():
    frame = rows((4.0, 3.0, 6.0), (2.0, 1.0, 3.0), (9.0, 8.0, 11.0), (1e-16, 0, 0))
    frame = frame.assign(arm=["a", "base", "a", "base"], dataset=["d", "d", "e", "e"], mean=0.5)
    found = judged(
        frame, above=1, scale="log", where={"arm": ["a"]}, over={"arm": ["base"]},
        within=["dataset"],
    )  # fmt: skip
    assert found.average.value == 2  # nothing is divided by a rounding error
    assert found.average.low == pytest.approx(
        2 * math.exp(-math.hypot(math.log(4 / 3), math.log(1.5)))
    )
    assert found.average.high == pytest.approx(2 * math.exp(math.hypot(math.log(1.5), math.log(2))))


def test_a_statement_about_each_row_needs_every_interval():
    for ends, verdict in (
        ([(0.9, 4.0), (1.2, 3.0), (1.3, 4.0)], "not yet"),
        ([(1.1, 4.0), (1.2, 3.0)], "supported"),
        ([(1.1, 4.0), (0.2, 0.5)], "mixed"),
        ([(0.9, 4.0), (0.2, 0.5)], "contradicted"),
    ):
        assert judged(ratios(*ends), above=1, scale="log", each=True).verdict == verdict
    alone = [judged(ratios(one), above=1, scale="log") for one in ((0.9, 4.0), (0.95, 1.5))]
    together = judged(ratios((0.9, 4.0), (0.95, 1.5), (1.1, 2.0)), above=1, scale="log", each=True)
    assert together.needed == max(one.needed for one in alone) > 12


def test_shares_of_dependent_cases_have_the_n_that_is_given():
    """The interval at another level is that of so many independent cases."""
    one = SHARES.iloc[1:]  # its side is decided at a level of 90 %
    few = judged(one.assign(k=5), above=0.4, scale="share", cases="k", each=True)
    many = judged(one.assign(k=500), above=0.4, scale="share", cases="k", each=True)
    assert (few.outside, many.outside) == (0, 1)


@pytest.mark.parametrize(("power", "verdict"), [(0.05, "not yet"), (0.9, "contradicted")])
def test_a_test_without_power_contradicts_nothing(power, verdict):
    frame = ratios((0.7, 0.9)).assign(p=0.98, power=power)
    found = judged(frame, above=1, scale="log", p="p", power="power")
    assert (found.verdict, found.needed) == (verdict, None)


def test_what_is_not_the_papers_is_measured_but_has_no_vote():
    found = judged(ratios((2.0, 3.0)), ["dataset mnist"], scale="log", above=1)
    assert (found.verdict, found.reason) == ("not comparable", "dataset mnist")
    assert found.average.value == pytest.approx(math.sqrt(6))
    two = judged(ratios((0.1, 0.2), (2.0, 3.0)), ["dataset mnist"], scale="log", above=1)
    assert (two.verdict, two.inside, two.outside) == ("supported", 1, 0)
    assert two.average.value == pytest.approx(math.sqrt(6))
    assert [one.reason for one in two.settings] == ["dataset mnist", ""]


def test_independent_settings_are_combined_by_variances():
    """m independent means with half-width h each: their mean has h / √m, dependent ones h."""
    frame = rows(*[(0.3, 0.1, 0.5)] * 4)
    one = judged(frame.assign(dataset="d"), above=0)
    four = judged(frame.assign(dataset=[*"abcd"]), above=0)
    two = judged(frame.assign(dataset=[*"aabb"]), above=0)
    assert (one.average.low, one.average.high) == pytest.approx((0.1, 0.5))
    assert (four.average.low, four.average.high) == pytest.approx((0.2, 0.4))
    assert two.average.high - 0.3 == pytest.approx(0.2 / math.sqrt(2))


def test_a_size_above_500_is_not_given():
    found = judged(ratios((0.9, 1.15)), above=1, scale="log")
    assert found.needed is None
    assert "up to 500" in found.reason


def test_samples_are_counted_over_the_rows_that_are_meant():
    frame = ratios((2, 3), (2, 3), (2, 3)).assign(n=[20, 5, 1], k=[3, 3, 9])
    assert judged(frame, above=1, scale="log").n == "5 to 20 seeds"
    assert judged(frame, above=1, scale="log", least={}, n=["k"], noun="run").n == "3 to 9 runs"


def test_shares_are_shown_in_points():
    found = judged(rows((0.002, 0.001, 0.004)), below=0.003, scale="log", unit="points")
    average = found.average
    assert (average.value, average.low, average.high) == pytest.approx((0.2, 0.1, 0.4))
    assert not found.ratio


def test_a_column_that_the_analysis_lacks_is_named():
    for entry in ({"where": {"model": ["rf"]}}, {"least": {"size": 1}}, {"per": ["metric"]}):
        with pytest.raises(ReseedError, match=r"has no column (model|size|metric)"):
            judged(ratios((2, 3)), above=1, scale="log", **entry)


def test_evidence_survives_json():
    entry = {"above": 1, "scale": "log", "paper": [1.3, 16], "where": {"arm": ["a0", "a1"]}}
    for frame in (ratios((1.2, 3.0), (2, 3)), BARE, BARE.iloc[:0]):
        found = judged(frame, **entry)
        again = read_evidence(json.loads(json.dumps(found.record(), allow_nan=False)))
        assert again.record() == found.record()
        assert again.statement == found.statement
