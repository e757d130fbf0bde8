"""Order of models and runs needed, against independent computations."""

import numpy as np
import pytest
from pair_frames import OPTIONS, data, frame, one_split, over_splits
from reseed.report.analyses import ranking, seeds_needed
from reseed.stats.comparison import nadeau_bengio
from reseed.stats.planning import seeds_for_difference
from run_kinds import run_analysis
from scipy import stats


@pytest.fixture
def rng():
    return np.random.default_rng(2)


def test_kendall_between_runs(rng):
    metrics = frame(over_splits(rng, {"w": 0, "x": 0.004, "y": 0.008, "z": 0.009}, 8))
    table = run_analysis(ranking, data(metrics))
    wide = metrics.pivot(index="data_seed", columns="model", values="accuracy").to_numpy()
    taus = [stats.kendalltau(wide[i], wide[j]).statistic for i in range(8) for j in range(i)]
    found = table.set_index("statistic")["value"]
    assert found["mean_tau"] == pytest.approx(np.mean(taus))
    assert found["identical_orders"] == pytest.approx(np.mean(np.isclose(taus, 1)))
    assert (table["n"] == 8).all()


@pytest.mark.parametrize("runs", [4, 12])
def test_p_values_are_those_of_the_verdicts(rng, runs):
    """One page must not count shown differences in two ways."""
    effects = {"v": 0, "w": 0.003, "x": 0.004, "y": 0.008, "z": 0.009}
    found = data(frame(over_splits(rng, effects, runs)))
    table = run_analysis(ranking, found, n_draws=500)
    first = table[(table["statistic"] == "reversal") & (table["m"] == 1)]
    verdicts = run_analysis("pairs", found, OPTIONS)
    known = {frozenset((r.model_a, r.model_b)): r.p_adjusted for r in verdicts.itertuples()}
    assert len(first) == len(known) == 10
    for row in first.itertuples():
        p = known[frozenset((row.model_a, row.model_b))]
        assert row.p_adjusted == pytest.approx(p, nan_ok=True)
    assert np.isnan(first["p_adjusted"]).all() == (runs == 4)


def test_order_settles_with_more_runs(rng):
    metrics = one_split({"x": rng.normal(0.8, 0.01, 60), "y": rng.normal(0.808, 0.01, 60)})
    table = run_analysis(ranking, data(metrics), n_draws=1000)
    curve = table[table["statistic"] == "mean_reversal"].set_index("m")["value"]
    assert curve.index.max() == 20
    # d ~ N(0.008, 2·0.01²): a single run is wrong with probability Φ(−0.57) ≈ 0.29.
    assert curve[1] == pytest.approx(stats.norm.cdf(-0.8 / np.sqrt(2)), abs=0.2)
    assert curve[20] < curve[5] < curve[1]


def test_runs_without_a_counterpart_and_no_common_run(rng):
    metrics = frame(over_splits(rng, {"x": 0, "y": 0.1}))
    table = run_analysis(ranking, data(metrics.drop(index=[0, 1])))
    assert (table["n"] == 10).all()
    assert (table["left_out"] == 2).all()
    metrics.loc[metrics["model"] == "y", "data_seed"] += 50
    table = run_analysis(ranking, data(metrics))
    assert len(table) == 1
    assert np.isnan(table["value"].iloc[0])


@pytest.mark.parametrize("seeds", [1, 3])
def test_independent_seeds_are_compared_split_by_split(rng, seeds):
    rows = [
        (*row[:4], seed, row[5] + rng.normal(0, 0.004))
        for row in over_splits(rng, {"x": 0, "y": 0.004}, 6)
        for seed in range(seeds)
    ]
    metrics = frame(rows)
    shared = run_analysis(ranking, data(metrics))
    metrics.loc[metrics["model"] == "y", "init"] += 50
    own = run_analysis(ranking, data(metrics))
    assert (own["n"] == 6 * seeds).all()
    assert own["value"].to_numpy() == pytest.approx(shared["value"].to_numpy())


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
        run_analysis("pairs", metrics, OPTIONS).set_index(["model_a", "model_b"])["detectable"][
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
    corrected = nadeau_bengio(d, 0.25)
    at_pilot = table[table["runs"] == 10]["half_width"].iloc[0]
    assert at_pilot == pytest.approx(float(corrected.high - corrected.low) / 2)
    floor = stats.norm.ppf(0.975) * d.std(ddof=1) * np.sqrt(0.25)
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
    error = row["sd"] * np.sqrt(0.25)
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


def test_tied_models_are_reversed_half_of_the_time():
    """Six runs whose differences sum to about nothing, so that any part opposes the rest."""
    d = np.array([0.004, -0.003, 0.002, -0.004, 0.003, -0.0019])
    table = run_analysis(ranking, data(one_split({"x": 0.8 + d, "y": np.full(6, 0.8)})))
    curve = table[table["statistic"] == "reversal"].set_index("m")["value"]
    assert curve.to_numpy() == pytest.approx(0.5, abs=0.03)


def test_unpaired_seed_comparison_ignores_row_order(rng):
    scores = 0.8 + 0.05 * rng.standard_normal((3, 8))
    samples = dict(zip("abc", scores, strict=True))
    metrics = one_split(samples, first={"a": 0, "b": 100, "c": 200})
    pairs = [(i, j) for i in range(8) for j in range(i)]
    tau = np.mean([stats.kendalltau(scores[:, i], scores[:, j]).statistic for i, j in pairs])
    for rows in (metrics, metrics.sample(frac=1, random_state=2, ignore_index=True)):
        table = run_analysis(ranking, data(rows)).set_index("statistic")
        assert table.loc["mean_tau", "value"] == pytest.approx(tau)
