"""Extremes over seeds, the growth of their range, and convergence."""

import numpy as np
import pandas as pd
import pytest
from curve_frames import RAGGED, curve_rows, data_of, seeds
from papers.picard import convergence, extremes, range_growth
from reseed.analyses import curves
from reseed.analyses.shared.data import Data
from reseed.core.errors import ReseedError
from reseed.core.schemas import SEED_COLUMNS
from run_kinds import run_analysis
from scipy import stats
from study_frames import about, amended, frame, trial


def test_extremes_are_named_and_set_against_a_gaussian():
    rows, x = seeds()
    row = run_analysis(extremes, data_of(rows), n_sim=500).iloc[0]
    assert (row["best_seed"], row["worst_seed"]) == (x.argmax(), x.argmin())
    assert row["range_in_sd"] == pytest.approx(np.ptp(x) / x.std(ddof=1))
    assert 4.5 < row["range_in_sd_expected"] < 4.8
    assert row["range_p"] > 0.01
    assert row["inside_expected"] == pytest.approx(59 / 61)
    loss, x = seeds(dataset="bike_sharing", metric="mse")
    row = run_analysis(extremes, data_of(loss), n_sim=100).iloc[0]
    assert row["best_seed"] == x.argmin()


@pytest.mark.parametrize(("varied", "column"), [("order", "order"), ("data", "data_seed")])
def test_the_best_and_worst_seed_are_those_that_vary(varied, column):
    rows, x = seeds(12, varied=varied)
    rows = [
        row | {role: 0 for role in SEED_COLUMNS} | {column: 40 + s} for s, row in enumerate(rows)
    ]
    row = run_analysis(extremes, data_of(rows), n_sim=100).iloc[0]
    assert (row["best_seed"], row["worst_seed"]) == (40 + x.argmax(), 40 + x.argmin())


def test_where_two_seeds_vary_none_is_the_best():
    rows, _ = seeds(12, varied="data+model")
    rows = [row | {"data_seed": s % 3} for s, row in enumerate(rows)]
    row = run_analysis(extremes, data_of(rows)).iloc[0]
    assert row["reason"].startswith("two seeds vary")
    assert row[["best_seed", "worst_seed"]].isna().all()


def test_a_non_default_metric_uses_its_own_direction():
    rows, x = seeds()
    loss = np.random.default_rng(9).permutation(x)
    rows = [row | {"log_loss": value} for row, value in zip(rows, loss, strict=True)]
    options = {"metric": "log_loss", "n_sim": 100}
    row = run_analysis(extremes, data_of(rows), options).iloc[0]
    assert (row["best_seed"], row["worst_seed"]) == (loss.argmin(), loss.argmax())


def test_missing_metric_skips_dataset_unknown_metric_raises():
    other, _ = seeds(dataset="bike_sharing", metric="mse")
    table = run_analysis(extremes, data_of(seeds()[0] + other), metric="auc", n_sim=100)
    assert list(table["dataset"]) == ["magic"]
    with pytest.raises(ReseedError, match=r"'acu' was not measured\. Did you mean 'auc'"):
        run_analysis(extremes, data_of(other), metric="acu")
    rows = [row | {"thing": 1.0} for row in other]
    with pytest.raises(ReseedError, match="'thing': its name does not say whether greater"):
        run_analysis(extremes, data_of(rows), metric="thing")


def test_a_black_swan_is_seen():
    rows, _ = seeds()
    rows.append(trial(0.85, seed=60, arm="rf", dataset="magic", metric="auc", model="rf"))
    row = run_analysis(extremes, data_of(rows), n_sim=500).iloc[0]
    assert row["tail"] == "heavier"
    assert row["range_p"] < 0.01
    assert row["worst_seed"] == 60


def test_arms_of_one_model_are_cells_of_their_own():
    both = seeds()[0] + seeds(20, "rf, long", seed=1)[0] + [trial(None, arm="rf, long",
        dataset="magic", metric="auc", model="rf", seed=99)]  # fmt: skip
    table = run_analysis(extremes, data_of(both), n_sim=100)
    assert table.set_index("arm")["n"].to_dict() == {"rf": 60, "rf, long": 20}
    assert table.set_index("arm").loc["rf, long", "failed"] == 1


def test_the_papers_numbers_stand_beside(tmp_path):
    pd.DataFrame(
        [["1", "cifar10", "long", 500, 90.7, 0.2, 90.1, 91.4],
         ["1", "cifar10", "short", 10000, 90.0, 0.23, 89.0, 90.8]],
        columns=["table", "dataset", "training", "seeds", "mean", "std", "min", "max"],
    ).to_csv(tmp_path / "picard_tables.csv", index=False)  # fmt: skip
    rows = seeds(dataset="cifar10~rows=500")[0] + seeds(dataset="magic")[0]
    facts = about(("cifar10~rows=500", "magic"))
    facts = amended(
        facts, datasets={"cifar10~rows=500": {"metric": "auc", "greater_is_better": True}}
    )
    data = Data(frame(rows), facts, tmp_path)

    def printed(**where):
        options = {"n_sim": 50, "published": {"rf": where}}
        return run_analysis(extremes, data, options).set_index("dataset").filter(like="published_")

    table = printed(training="short")
    assert table.loc["cifar10~rows=500", "published_min"] == pytest.approx(0.89)
    assert table.loc["cifar10~rows=500", "published_seeds"] == 10000
    assert table.loc["magic"].isna().all()  # the paper's numbers are of another dataset
    named = printed(training="short", dataset="cifar10")
    assert named.loc["magic", "published_seeds"] == 10000
    with pytest.raises(ReseedError, match="no column 'mode'"):
        printed(mode="short")


def test_few_or_equal_seeds_have_a_reason():
    for values in ([0.9], [0.9, 0.8], [0.9] * 6, [None, 0.9]):
        rows = [trial(v, seed=s, dataset="magic", metric="auc") for s, v in enumerate(values)]
        table = run_analysis(extremes, data_of(rows))
        assert table["reason"].item()
        assert np.isnan(table["range_p"].item())
        assert len(run_analysis(range_growth, data_of(rows), points=3)) >= 0


def test_the_range_grows_as_that_of_a_gaussian():
    rows, x = seeds(400)
    table = run_analysis(range_growth, data_of(rows), up_to=1000, points=8).set_index("seeds")
    assert table.loc[400, "range"] == pytest.approx(np.ptp(x))
    assert table.loc[1000, "beyond"]
    assert np.isnan(table.loc[1000, "range"])
    inside = table[~table["beyond"]]
    assert (np.diff(inside["range"]) > 0).all()
    assert inside["range"].between(inside["gaussian_low"], inside["gaussian_high"]).all()
    assert table["gaussian"].iloc[0] == pytest.approx(2 / np.sqrt(np.pi) * x.std(ddof=1))


def test_time_to_a_score_and_convergence(tmp_path):
    data = data_of(seeds(3)[0], curve_rows(RAGGED), tmp_path)
    table = run_analysis(convergence, data, target=0.8, tolerance=0.05)
    assert list(table["reached"]) == [3, np.inf, 3]
    assert list(table["converged"]) == [3, 2, 3]
    assert list(table["final"]) == [0.81, 0.7, 0.82]
    row = table.iloc[0]
    assert row["share"] == pytest.approx(2 / 3)
    assert row["restarts"] == pytest.approx((3 + 2 + 3) / 2)
    assert row["median"] == 3
    plain = run_analysis(convergence, data)
    assert plain["target"].iloc[0] == pytest.approx(0.81)
    assert plain["target_is"].iloc[0] == "median final value"


def test_diverged_run_never_reaches_and_has_no_final_value(tmp_path):
    """Its curve ends where its loss was NaN; what was measured there is the score of no model."""
    runs = [[0.5, 0.7, 0.8], [0.6, 0.7, 0.9], [0.85, 0.1, None], [0.1, None, None]]
    lost = [trial(None, seed=s, arm="rf", dataset="magic", metric="auc") for s in (2, 3)]
    # A split that the data came with has no test ratio.
    rows, points = ([row | {"test_ratio": np.nan} for row in given]
                    for given in (seeds(2)[0] + lost, curve_rows(runs)))  # fmt: skip
    data = data_of(rows, points, tmp_path)
    table = run_analysis(convergence, data, target=0.75)
    assert list(table["init"]) == [0, 1]
    assert list(table["final"]) == [0.8, 0.9]
    row = table.iloc[0]
    assert (row["n"], row["broken"], row["share"]) == (4, 2, 0.5)
    assert row["restarts"] == pytest.approx((3 + 3 + 2 + 1) / 2)
    assert run_analysis(convergence, data)["target"].iloc[0] == pytest.approx(0.85)
    band = run_analysis(curves, data)
    assert list(band["min"]) == [0.5, 0.7, 0.8]
    assert set(band["runs"]) == {2}
    broken = data_of([row | {"status": "failed"} for row in lost + seeds(2)[0]], curve_rows(runs),
                     tmp_path / "all")  # fmt: skip
    assert run_analysis(convergence, broken).empty
    assert run_analysis(curves, broken).empty


def test_a_loss_goes_down(tmp_path):
    rows = curve_rows([[3.0, 2.0, 1.0], [3.0, 2.5, 2.4]], column="train_loss")
    data = data_of(seeds(2)[0], rows, tmp_path)
    table = run_analysis(convergence, data, column="train_loss", target=1.5)
    assert list(table["reached"]) == [3, np.inf]
    assert list(table["best"]) == [1.0, 2.4]


@pytest.mark.parametrize("metric", ["accuracy", "log_loss"])
def test_classifier_curves_use_accuracy_for_any_dataset_metric(tmp_path, metric):
    facts = about(("magic",))
    facts = amended(
        facts, datasets={"magic": {"metric": metric, "greater_is_better": metric == "accuracy"}}
    )
    data = data_of(seeds(3)[0], curve_rows(RAGGED), tmp_path, facts)
    table = run_analysis(convergence, data, target=0.8)
    assert set(table["measure"]) == {"validation accuracy"}
    assert table["greater_is_better"].all()
    assert list(table["reached"]) == [3, np.inf, 3]
    assert list(table["best"]) == [0.81, 0.7, 0.82]


@pytest.mark.parametrize("metric", ["mse", "r2"])
def test_curves_of_a_regression_are_of_the_mean_squared_error(tmp_path, metric):
    facts = about(("bike_sharing",))
    facts = amended(
        facts, datasets={"bike_sharing": {"metric": metric, "greater_is_better": metric == "r2"}}
    )
    falling = curve_rows([[0.9, 0.5, 0.2], [0.8, 0.6, 0.4]], dataset="bike_sharing")
    table = run_analysis(convergence, data_of(seeds(2)[0], falling, tmp_path, facts), target=0.5)
    assert set(table["measure"]) == {"validation mse"}
    assert not table["greater_is_better"].any()
    assert list(table["reached"]) == [2, 3]
    assert list(table["best"]) == [0.2, 0.4]


def test_later_convergence_and_better_ends(tmp_path):
    rng = np.random.default_rng(0)
    when = rng.integers(2, 20, 30)
    runs = [np.minimum(np.arange(25) / w, 1) * (0.7 + w / 100) for w in when]
    data = data_of(seeds(30)[0], curve_rows(runs), tmp_path)
    table = run_analysis(convergence, data, tolerance=1e-6)
    assert list(table["converged"]) == list(when + 1)
    expected = stats.spearmanr(when, 0.7 + when / 100).statistic
    assert table["rho"].iloc[0] == pytest.approx(expected)


def test_epochs_are_those_at_which_runs_were_measured(tmp_path):
    """Measured every fifth epoch, and one run a last time where it stopped."""
    rows = curve_rows([[0.5, 0.6, 0.7], [0.5, 0.65, None]])
    rows = [row | {"epoch": 5 * row["epoch"] + 5} for row in rows]
    rows += [rows[-1] | {"epoch": 12, "validation_metric": 0.8}]
    data = data_of(seeds(2)[0], rows, tmp_path)
    band = run_analysis(curves, data)
    assert list(band["epoch"]) == [5, 10, 12, 15]
    assert band["mean"][2] == pytest.approx((0.6 + 0.8) / 2)
    table = run_analysis(convergence, data, target=0.7)
    assert list(table["reached"]) == [15, 12]
    assert list(table["epochs"]) == [15, 12]


def test_without_curves_there_is_nothing(tmp_path):
    table = run_analysis(curves, data_of(seeds(3)[0]))
    assert table.empty
    assert list(run_analysis(convergence, data_of(seeds(3)[0])).columns) == convergence.COLUMNS
