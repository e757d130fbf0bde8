"""Runs needed, against independent computations."""

import numpy as np
import pytest
from pair_frames import data, frame, one_split, over_splits
from reseed.analyses import seeds_needed
from reseed.stats.comparison import nadeau_bengio
from reseed.stats.planning import seeds_for_difference
from run_kinds import run_analysis
from scipy import stats


@pytest.fixture
def rng():
    return np.random.default_rng(2)


def test_seeds_on_one_split_agree_with_the_plans(rng):
    x, y = rng.normal(0.805, 0.01, 10), rng.normal(0.8, 0.01, 10)
    d = x - y
    options = {"difference": 0.004, "half_width": 0.003}
    row = run_analysis(seeds_needed, data(one_split({"x": x, "y": y})), options).iloc[0]
    sd = d.std(ddof=1)
    assert row["runs_for_power"] == seeds_for_difference(0.004, sd)
    widths = {n: stats.t.isf(0.025, n - 1) * sd / n**0.5 for n in range(2, 200)}
    assert row["runs_for_half_width"] == min(n for n, width in widths.items() if width <= 0.003)
    assert row["target_is"] == "given"


def test_unpaired_seeds(rng):
    x, y = rng.normal(0.81, 0.01, 10), rng.normal(0.8, 0.02, 10)
    metrics = one_split({"x": x, "y": y}, {"x": 0, "y": 50})
    table = run_analysis(seeds_needed, data(metrics), difference=0.01, half_width=0.0115)
    row = table[table["runs"] == 10].iloc[0]
    sds = x.std(ddof=1), y.std(ddof=1)
    assert row["runs_for_power"] == seeds_for_difference(0.01, sds[0], paired=False, sd_b=sds[1])
    ends = stats.ttest_ind(x, y, equal_var=False).confidence_interval(0.95)
    # The degrees of freedom are rounded down by at most 5 %.
    assert row["half_width"] == pytest.approx((ends.high - ends.low) / 2, rel=0.005)
    assert row["half_width"] >= (ends.high - ends.low) / 2


def test_runs_are_planned_for_holms_strictest_step(rng):
    samples = {name: rng.normal(0.8, 0.01, 10) for name in "wxyz"}
    metrics = data(one_split(samples))
    table = run_analysis(seeds_needed, metrics, difference=0.01)
    each = table.drop_duplicates(["model_a", "model_b"])
    assert (each["pairs"] == 6).all()
    for row in each.itertuples():
        sd = (samples[row.model_a] - samples[row.model_b]).std(ddof=1)
        assert row.runs_for_power == seeds_for_difference(0.01, sd, alpha=0.05 / 6)
    at_ten = table[table["runs"] == 10].iloc[0]
    assert at_ten["detectable"] == pytest.approx(
        run_analysis("pairs", metrics).set_index(["model_a", "model_b"])["detectable"][
            at_ten["model_a"], at_ten["model_b"]
        ]
    )
    alone = run_analysis(seeds_needed, metrics, difference=0.01, adjust=False)
    sd = (samples["w"] - samples["x"]).std(ddof=1)
    pair = alone[alone["model_a"].isin(["w", "x"]) & alone["model_b"].isin(["w", "x"])].iloc[0]
    assert pair["runs_for_power"] == seeds_for_difference(0.01, sd)


def test_overlapping_splits_have_a_floor(rng):
    metrics = frame(over_splits(rng, {"x": 0.003, "y": 0.0}, 10))
    table = run_analysis(seeds_needed, data(metrics), half_width=1e-4)
    wide = metrics.pivot(index="data_seed", columns="model", values="accuracy")
    d = (wide["x"] - wide["y"]).to_numpy()
    corrected = nadeau_bengio(d, 1.5 * 0.25)
    at_pilot = table[table["runs"] == 10]["half_width"].iloc[0]
    assert at_pilot == pytest.approx(float(corrected.high - corrected.low) / 2)
    floor = stats.norm.ppf(0.975) * d.std(ddof=1) * np.sqrt(1.5 * 0.25)
    assert table["smallest_half_width"].iloc[0] == pytest.approx(floor, rel=1e-3)
    assert (table["half_width"] > floor).all()
    assert np.isnan(table["runs_for_half_width"].iloc[0])


def test_nothing_to_plan_from():
    table = run_analysis(seeds_needed, data(one_split({"x": [0.9] * 4, "y": [0.8] * 4})))
    assert len(table) == 1
    assert np.isnan(table["sd"].iloc[0])


def test_no_number_of_overlapping_splits_gets_below_the_floor(rng):
    metrics = frame(over_splits(rng, {"x": 0.0005, "y": 0.0}, 10))
    row = run_analysis(seeds_needed, data(metrics), difference=0.001).iloc[-1]
    # Power as the runs go on without end, from the t test's own with a billion of them.
    error = row["sd"] * np.sqrt(1.5 * 0.25)
    limit = stats.norm.sf(1.96 - 0.001 / error) + stats.norm.cdf(-1.96 - 0.001 / error)
    assert row["power_limit"] == pytest.approx(limit, abs=1e-4)
    assert row["power"] == pytest.approx(limit, abs=5e-3)
    assert row["power_limit"] < row["target_power"]
    assert np.isnan(row["runs_for_power"])
    one = run_analysis(seeds_needed, data(one_split({"x": [1, 2, 3], "y": [1, 1, 1]}))).iloc[0]
    assert one["power_limit"] == 1


def test_detectable_difference_has_the_planned_power(rng):
    x, y = rng.normal(0.805, 0.01, 10), rng.normal(0.8, 0.01, 10)
    table = run_analysis(seeds_needed, data(one_split({"x": x, "y": y})))
    row = table[table["runs"] == 10].iloc[0]
    assert seeds_for_difference(row["detectable"] * 1.0001, row["sd"]) == 10


def test_pairs_beyond_the_last_curve_point_use_observed_runs(rng):
    metrics = frame(over_splits(rng, {"x": 0.01, "y": 0.004, "z": 0.0}, 10))
    whole = run_analysis(seeds_needed, data(metrics))
    short = run_analysis(seeds_needed, data(metrics), curves=1)
    best = short["model_a"].iloc[short["runs_for_power"].argmin()]
    counts = short.groupby(["model_a", "model_b"], sort=False).size()
    assert sorted(counts) == [1, 1, whole["runs"].nunique()]
    assert counts.idxmax() == ("x", "z")
    assert best == "x"
    alone = short[short.groupby(["model_a", "model_b"])["runs"].transform("size") == 1]
    assert (alone["runs"] == 10).all()
    columns = ["model_a", "model_b", "runs"]
    both = short.merge(whole, on=columns, suffixes=("", "_whole"))
    assert len(both) == len(short)
    for name in ("half_width", "power", "detectable", "runs_for_power"):
        assert both[name].to_numpy() == pytest.approx(both[f"{name}_whole"], nan_ok=True)
