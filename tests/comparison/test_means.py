"""Tables of means and spreads: read as papers print them, tested as scipy does."""

import numpy as np
import pandas as pd
import pytest
from reseed.cli import main
from reseed.comparison import means
from reseed.core.errors import ReseedError
from reseed.readers.paper_tables import read_means
from reseed.readers.sources import open_source
from scipy.stats import ttest_ind, ttest_ind_from_stats


def read_table(source, *arguments, **options):
    return read_means(open_source(source), *arguments, **options)


def compare_means(*arguments, **options):
    return means.compare_means(*arguments, **options).verdicts


PAPER = pd.DataFrame(
    {
        "Method": ["BERT", "Ours", "Distil (6 layers)"],
        "Backbone": ["ResNet-50 (2015)"] * 3,  # no mean with its spread
        "CoLA": ["52.10 ± 0.90", "$54.00_{\\pm 1.10}$", "\\textbf{51.30} (0.80)"],
        "SST-2": ["93.50 +- 0.30", "93.90 ± 0.20", "–"],
        "Params": ["110M", "110M", "66M"],
    }
)


def test_cells_are_read_in_every_way_papers_write_them():
    wording = read_table(PAPER, runs=5).set_index(["dataset", "model"])
    assert wording.loc[("CoLA", "BERT"), ["mean", "sd", "n"]].tolist() == [52.1, 0.9, 5]
    assert wording.loc[("CoLA", "Ours"), ["mean", "sd"]].tolist() == [54.0, 1.1]
    assert wording.loc[("CoLA", "Distil (6 layers)"), ["mean", "sd"]].tolist() == [51.3, 0.8]
    assert ("SST-2", "Distil (6 layers)") not in wording.index
    assert set(wording["half_mean"]) == {0.005}
    tiny = pd.DataFrame({"model": ["a"], "mean": [1.25e-5], "sd": [1e-6], "n": [5]})
    assert read_table(tiny)[["mean", "sd", "half_mean"]].to_numpy()[0] == pytest.approx(
        [1.25e-5, 1e-6, 5e-8]
    )
    coarse = read_table(PAPER.assign(CoLA=["52 ± 0.9", "54 ± 1.1", "51 ± 0.8"]), runs=5)
    halves = coarse.groupby("dataset")[["half_mean", "half_sd"]].first()
    assert halves.loc["CoLA"].tolist() == pytest.approx([0.5, 0.05])
    assert halves.loc["SST-2"].tolist() == pytest.approx([0.005, 0.005])


@pytest.mark.parametrize(
    ("cell", "mean", "sd"),
    [
        ("\u2212 0.40 ± 0.10", -0.4, 0.1),
        ("\u20130.40 ± 0.10", -0.4, 0.1),  # a dash set for a minus
        ("$-$0.40 $\\pm$ 0.10", -0.4, 0.1),
        ("{-}0.40 ± 0.10", -0.4, 0.1),
        ("\\textbf{-0.40}$_{\\pm .10}$", -0.4, 0.1),
        ("**91.20** (0.30)", 91.2, 0.3),
        ("91.20% +/- 0.30%*", 91.2, 0.3),
        ("91,20 ± 0,30", 91.2, 0.3),
        ("0,912 (0,003)", 0.912, 0.003),
        ("9.12e-1 ± 3e-3", 0.912, 0.003),
        *((missing, None, None) for missing in ("--", "---", "\u2014", "n/a", "nan ± nan", "")),
    ],
)
def test_signs_of_cells_are_kept(cell, mean, sd):
    wording = read_table(pd.DataFrame({"model": ["a", "b"], "x": ["90.0 ± 0.1", cell]}), 5)
    assert wording.iloc[1:][["mean", "sd"]].to_numpy().tolist() == (
        [] if mean is None else [[mean, sd]]
    )


@pytest.mark.parametrize(
    "cell",
    ["91.2 (+0.3)", "91.2 (\u22120.3)", "91.2 (\u21910.3)", "0.912(3)", "91.2 (3)", "91.2 [0.3]",
     "91.2 (90.9, 91.5)", "91 (90,92)", "91.2 (90.9\u201391.5)", "1,234 ± 30", "5 - (0.3)",
     "91.2 ± 0.3 ± 0.1"],
)  # fmt: skip
def test_a_change_a_rank_or_an_interval_is_no_spread(cell):
    table = pd.DataFrame({"model": ["a", "b"], "x": ["90.0 ± 0.1", cell]})
    with pytest.raises(
        ReseedError, match=r"\(row 1\): column 'x' holds .* no mean with its spread"
    ):
        read_table(table, 5)


def test_rows_may_be_datasets_and_repeat_a_model():
    cells = [["52.1 ± 0.9", "54.0 ± 1.1"], ["92.1 ± 0.9", "94.0 ± 1.1"]]
    across = pd.DataFrame(cells, columns=["a", "b"]).assign(Dataset=["x", "y"])[
        ["Dataset", "a", "b"]
    ]
    wording = read_table(across, 5).set_index(["dataset", "model"])["mean"]
    assert wording.to_dict() == {
        ("x", "a"): 52.1,
        ("y", "a"): 92.1,
        ("x", "b"): 54.0,
        ("y", "b"): 94.0,
    }
    long = pd.DataFrame({"Backbone": ["r50"] * 4, "Dataset": ["x", "x", "y", "y"],
                         "Method": ["a", "b"] * 2, "acc": [*cells[0], *cells[1]]})  # fmt: skip
    wording = read_table(long, 5).set_index(["dataset", "model"])["mean"]
    assert wording[("y, acc", "b")] == 94.0
    assert set(read_table(PAPER.rename(columns={"CoLA": "Task"}), 5)["dataset"]) == {
        "Task",
        "SST-2",
    }
    pretraining = pd.DataFrame({"Method": ["a", "b"], "Data": ["1k", "22k"], "acc": cells[0]})
    assert set(read_table(pretraining, 5)["dataset"]) == {"acc"}  # says nothing of the scores


def test_columns_as_pandas_names_them():
    runs = pd.DataFrame({"model": ["a"] * 5 + ["b"] * 5, "Acc": range(10), "F1": range(0, 20, 2)})
    wording = read_table(runs.groupby("model")["Acc"].agg(["mean", "std", "count"]))
    assert wording[["model", "mean", "n"]].to_numpy().tolist() == [["a", 2, 5], ["b", 7, 5]]
    wide = runs.groupby("model").agg(["mean", "sem"])
    wide.columns = ["_".join(names) for names in wide.columns]
    wording = read_table(wide, 5).set_index(["dataset", "model"])
    assert wording.loc[("F1", "b"), "mean"] == 14
    assert wording.loc[("F1", "b"), "sd"] == pytest.approx(np.std([10, 12, 14, 16, 18], ddof=1))
    named = pd.DataFrame({"model": ["a", "b"], "acc": [1, 2.5], "acc Std. Dev.": [0.1, 0.2]})
    assert read_table(named, 5)["sd"].tolist() == [0.1, 0.2]
    gap = pd.DataFrame({"model": ["a", "b"], "mean": [1, None], "sd": [1, None], "n": [5, None]})
    assert read_table(gap)["model"].tolist() == ["a"]


def test_agrees_with_scipy_for_all_pairs_at_once():
    exact = PAPER.assign(CoLA=["52.1000001 ± 0.9000001", "54.0000001 ± 1.1000001",
                               "51.3000001 ± 0.8000001"])  # fmt: skip
    found = compare_means(exact, runs=5, metric="accuracy", spread="sd")
    cola = found[found["dataset"] == "CoLA"]
    for row in cola.to_dict("records"):
        sides = [row[f"{name}_{side}"] for side in "ab" for name in ("mean", "sd", "n")]
        test = ttest_ind_from_stats(*sides, equal_var=False)
        assert row["p"] == pytest.approx(test.pvalue, rel=1e-4)
        assert row["p_adjusted"] == pytest.approx(min(1, 3 * row["p"]))
        assert row["difference"] > 0
    assert set(found["pairs"]) == {3, 1}


def test_it_agrees_with_the_runs_themselves():
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.9, 0.01, 12), rng.normal(0.88, 0.03, 7)
    table = pd.DataFrame({"model": ["a", "b"], "mean": [a.mean(), b.mean()],
                          "std": [a.std(ddof=1), b.std(ddof=1)], "seeds": [12, 7]})  # fmt: skip
    (row,) = compare_means(table, metric="auc").to_dict("records")
    test = ttest_ind(a, b, equal_var=False)
    assert row["p"] == pytest.approx(test.pvalue, rel=1e-6)
    interval = test.confidence_interval(0.95)
    assert (row["low"], row["high"]) == pytest.approx((interval.low, interval.high), rel=1e-6)


def test_a_standard_error_is_no_deviation():
    table = PAPER[["Method", "CoLA"]]
    deviations = compare_means(table, runs=5, spread="sd", metric="mcc")["p"]
    errors = compare_means(table, runs=5, spread="se", metric="mcc")["p"]
    assert (errors > deviations).all()
    named = pd.DataFrame({"model": ["a", "b"], "mean": [1.0, 2.0], "se": [0.1, 0.1], "n": [4, 4]})
    assert compare_means(named, metric="auc")["sd_a"].tolist() == pytest.approx([0.2])


def test_one_row_for_each_model_dataset_and_metric():
    table = pd.DataFrame(
        {"dataset": ["d"] * 4, "metric": ["mse", "mse", "auc", "auc"], "model": ["a", "b"] * 2,
         "mean": [1.0, 2.0, 0.7, 0.9], "std": [0.1] * 4, "n": [5] * 4}
    )  # fmt: skip
    found = compare_means(table)
    assert found["dataset"].tolist() == ["d, mse", "d, auc"]
    assert found["model_a"].tolist() == ["a", "b"]  # less error, greater area


def test_difference_within_rounding_is_not_claimed():
    table = pd.DataFrame({"model": ["a", "b"], "x": ["0.9 ± 0.0", "0.8 ± 0.1"]})
    (row,) = compare_means(table, runs=5, metric="auc", spread="sd").to_dict("records")
    exact = [0.85, 0.05, 5, 0.85, 0.15, 5]  # the least favourable digits
    least = ttest_ind_from_stats(*exact, equal_var=False).pvalue
    assert row["p"] == pytest.approx(least)
    table = pd.DataFrame({"model": ["a", "b"], "x": ["93.9 ± 0.2", "93.5 ± 0.3"]})
    (row,) = compare_means(table, 5, "accuracy", spread="sd").to_dict("records")
    assert ttest_ind_from_stats(93.9, 0.2, 5, 93.5, 0.3, 5, equal_var=False).pvalue < 0.05
    assert row["p"] > 0.05
    assert row["outcome"] == "undecided"
    assert row["low"] < 0


def test_least_favourable_digits_may_come_from_a_smaller_sd():
    """A grid of all that may be printed so; a smaller SD may leave fewer degrees of freedom."""
    for (sd_a, n_a), (sd_b, n_b), digits in (
        ((0.5, 6), (0.3, 9), "1.00"),
        ((0.2, 5), (0.5, 12), "0.80"),
        ((0.3, 8), (0.3, 8), "0.50"),
        ((0.0, 5), (0.4, 6), "0.90"),
    ):
        table = pd.DataFrame({"model": ["a", "b"], "mean": [digits, "0.00"],
                              "sd": [sd_a, sd_b], "n": [n_a, n_b]})  # fmt: skip
        (row,) = compare_means(table, spread="sd", greater_is_better=True).to_dict("records")
        a, b = (np.linspace(max(0, sd - 0.05), sd + 0.05, 21) for sd in (sd_a, sd_b))
        mean = float(digits) - 0.01
        grid = ttest_ind_from_stats(mean, a[:, None], n_a, 0, b, n_b, equal_var=False).pvalue
        assert row["p"] == pytest.approx(np.nanmax(grid), rel=1e-9)


def test_each_cell_has_its_own_digits():
    table = pd.DataFrame({"model": ["a", "b"], "x": ["91 ± 1", "89.53 ± 0.24"]})
    (row,) = compare_means(table, runs=5, metric="auc", spread="sd").to_dict("records")
    exact = [90.5, 1.5, 5, 89.535, 0.245, 5]  # the least favourable digits
    assert row["p"] == pytest.approx(ttest_ind_from_stats(*exact, equal_var=False).pvalue)
    assert row["outcome"] == "undecided"


def test_floats_have_lost_their_trailing_zeros():
    floats = pd.DataFrame({"model": ["a", "b"], "mean": [93.0, 92.1], "sd": [0.5, 0.0]})
    wording = read_table(floats, 5)
    assert wording["half_mean"].tolist() == pytest.approx([0.5, 0.05])
    assert wording["half_sd"].tolist() == pytest.approx(
        [0.05, 0.05]
    )  # a 0 has no digits of its own
    wording = read_table(floats, 5, decimals=2)
    assert (
        wording["half_mean"].tolist() == wording["half_sd"].tolist() == pytest.approx([0.005] * 2)
    )
    exact = floats.assign(mean=[93.123456789012, 92.5])
    assert (read_table(exact, 5)["half_mean"] < 1e-11).all()
    text = floats.assign(mean=["93.0", "92.1"])
    assert read_table(text, 5)["half_mean"].tolist() == pytest.approx([0.05, 0.05])
    whole = floats.assign(mean=["93.0", "92.0"])  # a CSV of floats that were whole numbers
    assert read_table(whole, 5)["half_mean"].tolist() == pytest.approx([0.5, 0.5])
    with pytest.raises(ReseedError, match="decimals is -1"):
        read_table(floats, 5, decimals=-1)


def test_both_readings_of_a_spread_are_shown():
    cells = ["90.00 ± 0.30", "90.90 ± 0.30"]
    table = pd.DataFrame({"model": ["a", "b"], "accuracy": cells})
    (row,) = compare_means(table, 5).to_dict("records")
    assert row["outcome"] == "undecided"
    root = 5**0.5
    as_error = [90.895, 0.305 * root, 5, 90.005, 0.305 * root, 5]
    expected = ttest_ind_from_stats(*as_error, equal_var=False).pvalue
    assert row["p"] == row["p_adjusted"] == pytest.approx(expected)
    comparison = means.compare_means(table, 5)
    assert "State it (`spread`)" in str(comparison)
    (stated,) = compare_means(table, 5, spread="sd").to_dict("records")
    assert stated["outcome"] == "better"
    assert stated["low"] > 0 > row["low"]
    by_heading = table.rename(columns={"accuracy": "accuracy (mean ± std)"})
    assert compare_means(by_heading, 5)["outcome"][0] == "better"


def test_a_spread_may_be_half_of_an_interval():
    table = pd.DataFrame({"model": ["a", "b"], "x": ["90.0 ± 0.5", "90.9 ± 0.5"]})
    found = read_table(table, 9, spread="ci95")
    assert found["sd"].tolist() == pytest.approx([0.5 / 1.959964 * 3] * 2)
    assert found["half_sd"].tolist() == pytest.approx([0.05 / 1.959964 * 3] * 2)


@pytest.mark.nightly
def test_detectable_difference_has_the_stated_power():
    rng = np.random.default_rng(2)
    wording = pd.DataFrame({"model": ["a", "b"], "x": ["90.0 ± 0.3", "90.0 ± 0.3"]})
    size = compare_means(wording, 10, "auc", spread="sd")["detectable"][0]
    runs = rng.normal(90, 0.3, (150, 2, 10)) + rng.uniform(0, 1, (150, 1, 1))
    runs[:, 0] += size
    cells = {f"x{i}": [f"{x.mean():.1f} ± {x.std(ddof=1):.1f}" for x in pair]
             for i, pair in enumerate(runs)}  # fmt: skip
    found = compare_means(pd.DataFrame({"model": ["a", "b"]} | cells), 10, "auc", spread="sd")
    assert (found["outcome"] == "better").mean() == pytest.approx(0.8, abs=0.07)


def test_signs_are_literal_and_intervals_agree_with_verdicts():
    cells = ["90.00 ± 0.50", "90.90 ± 0.50", "90.10 ± 0.50", "95.00 ± 0.50"]
    table = pd.DataFrame({"model": ["a", "b", "c", "d"], "x": cells})
    found = compare_means(table, 5, metric="error", spread="sd")
    assert (found["difference"] < 0).all()  # the better model has the lower error
    shown = found["outcome"] == "better"
    assert ((found["high"] < 0) == shown).all()
    assert set(shown) == {True, False}


def test_which_is_better():
    table = pd.DataFrame({"model": ["a", "b"], "x": ["0.100 ± 0.001", "0.200 ± 0.001"]})
    with pytest.raises(ReseedError, match="more or less of 'x' is better is not known"):
        compare_means(table, 5)


def test_no_verdict_without_variation_or_runs():
    table = pd.DataFrame({"model": ["a", "b"], "x": ["1.0 ± 0.1", "2.0 ± 0.1"]})
    few = compare_means(table, runs=3, metric="auc")
    assert few[["outcome", "reason"]].to_numpy().tolist() == [["not tested", "too few runs"]]
    assert few["p"].isna().all()
    still = pd.DataFrame({"model": ["a", "b"], "x": ["1.0 ± 0.0", "2.0 ± 0.0"]})
    equal = compare_means(still, runs=5, metric="auc")
    assert equal["reason"].tolist() == ["no variation"]
    assert equal[["low", "high", "p", "p_adjusted"]].isna().all(axis=None)


@pytest.mark.nightly
def test_false_claims_are_rare_for_rounded_digits():
    rng = np.random.default_rng(1)
    runs = rng.normal(90, 0.5, (120, 2, 5))
    cells = {f"x{i}": [f"{x.mean():.1f} ± {x.std(ddof=1):.1f}" for x in pair]
             for i, pair in enumerate(runs)}  # fmt: skip
    found = compare_means(pd.DataFrame({"model": ["a", "b"]} | cells), 5, "auc")
    assert len(found) == 120
    assert (found["outcome"] == "better").mean() <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 120)


def test_command(tmp_path, capsys):
    path = tmp_path / "table.csv"
    PAPER[["Method", "CoLA"]].to_csv(path, index=False)
    main(["compare", str(path), "--runs", "5", "--metric", "mcc", "--baseline", "BERT",
          "--csv", str(tmp_path / "found.csv")])  # fmt: skip
    said = capsys.readouterr().out
    assert said.count("BERT") >= 2
    assert "Distil (6 layers) and Ours" not in said
    assert "independent runs on one test set, which did not vary" in said
    assert "n − 1 in the denominator" in said
    assert len(pd.read_csv(tmp_path / "found.csv")) == 2
    with pytest.raises(SystemExit, match="over how many runs"):
        main(["compare", str(path), "--spread", "sd"])


def test_roles_are_read_as_in_other_tables():
    cells = ["88.1 ± 0.5", "90.4 ± 0.4", "61.1 ± 0.5", "62.4 ± 0.4"]
    names = {"Net": ["base", "ours"] * 2, "Corpus": ["MRPC", "MRPC", "RTE", "RTE"]}
    printed = pd.DataFrame(names | {"F1": cells})
    columns = {"model": "Net", "dataset": "Corpus"}
    found = means.compare_means(printed, 5, "F1", spread="sd", columns=columns).verdicts
    assert found["dataset"].tolist() == ["MRPC, F1", "RTE, F1"]
    with pytest.raises(ReseedError, match="no column 'Nett'"):
        means.compare_means(printed, 5, "F1", columns={"model": "Nett"})
