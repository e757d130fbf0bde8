"""What verdicts of pairs state beyond the test: what to add, unstable learners, spreads, limits."""

import numpy as np
import pytest
from pair_frames import OPTIONS, data, frame, over_splits
from reseed.comparison.claims.pair_row import PairRow
from reseed.comparison.claims.pair_verdicts import label_pair_outcome
from reseed.report.analyses import pairs
from run_kinds import run_analysis
from scipy import stats


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def test_open_verdicts_name_what_to_add(rng):
    table = run_analysis(pairs, data(frame(over_splits(rng, {"x": 0.0, "y": 0.0}))), OPTIONS)
    (row,) = table.itertuples()
    assert (row.outcome, row.add) == ("no difference shown", "rows")
    assert row.detectable_add == pytest.approx(row.detectable / np.sqrt(2))
    assert "with twice the rows" in row.verdict


def test_a_difference_states_whether_it_needs_stable_learners(rng):
    wide = {"x": 0.0, "y": -0.1}
    sure = run_analysis(pairs, data(frame(over_splits(rng, wide))), OPTIONS)
    assert sure["conservative_p_holm"].iloc[0] < 0.05
    assert "1-nearest neighbour" not in sure["verdict"].iloc[0]
    # The best p-value between the two corrections: shown with the first, not with the second.
    d = np.resize([1.0, -1.0], 12)
    d = (d - d.mean()) / d.std(ddof=1)
    se, larger = np.sqrt(1 / 12 + 0.25), np.sqrt(1 / 12 + 0.375)
    shift = stats.t.ppf(0.975, 11) * (se + larger) / 2
    rows = [("d", "x", s, 0, 0, 0.8 + 0.01 * (shift + d[s])) for s in range(12)]
    rows += [("d", "y", s, 0, 0, 0.8) for s in range(12)]
    (row,) = run_analysis(pairs, data(frame(rows)), OPTIONS).itertuples()
    assert row.outcome == "difference"
    assert row.conservative_p == pytest.approx(2 * stats.t.sf(shift / larger, 11))
    assert row.verdict.startswith("x beats y, by one correction only: ")
    assert label_pair_outcome(PairRow.of(row._asdict())) == "difference, by one correction only"
    assert "Not shown for learners that depend on single training rows" in row.verdict
    assert label_pair_outcome(PairRow.of(sure.iloc[0])) == "difference"


def test_baseline_and_spreads_of_seeds_that_are_not_shared(rng):
    sds = {"base": 0.001, "x": 0.001, "wide": 0.02}
    rows = [
        ("d", model, 0, 0, 10 * k + seed, 0.8 + rng.normal(0, sd))
        for k, (model, sd) in enumerate(sds.items())
        for seed in range(8)
    ]
    table = run_analysis(pairs, data(frame(rows)), OPTIONS | {"baseline": "base"})
    scores = {name: np.array([r[5] for r in rows if r[1] == name]) for name in sds}
    theirs = stats.dunnett(scores["x"], scores["wide"], control=scores["base"])
    ends = theirs.confidence_interval(0.95)
    for row in table.itertuples():
        other = row.model_b if row.model_a == "base" else row.model_a
        k = ["x", "wide"].index(other)
        assert row.dunnett_p == pytest.approx(theirs.pvalue[k], abs=0.01)
        sign = 1 if row.model_a == other else -1
        bounds = sorted((sign * ends.low[k], sign * ends.high[k]))
        assert (row.dunnett_low, row.dunnett_high) == pytest.approx(bounds, rel=0.02, abs=1e-4)
        p = stats.levene(scores["base"], scores[other], center="median").pvalue
        assert row.spread_p == pytest.approx(p)
        assert ("spreads over seeds differ" in row.verdict) == (other == "wide")
        assert "Dunnett's interval" in row.verdict
    every = run_analysis(pairs, data(frame(rows)), OPTIONS)
    assert every["dunnett_p"].isna().all()


def test_intervals_of_shares_end_at_the_largest_difference(rng):
    rows = [("d", m, 0, 0, s, v) for m, vs in {"x": (0.9, 0.1, 0.8), "y": (0.2, 0.3, 0.2)}.items()
            for s, v in enumerate(vs)]  # fmt: skip
    table = run_analysis(pairs, data(frame(rows)), OPTIONS | {"min_runs": 2})
    (row,) = table.itertuples()
    d = np.array([0.7, -0.2, 0.6])
    half = stats.t.isf(0.025, 2) * d.std(ddof=1) / np.sqrt(3)
    assert d.mean() + half > 1
    assert (row.low, row.high) == pytest.approx((d.mean() - half, 1))
    assert "cut at the largest possible difference" in row.verdict
