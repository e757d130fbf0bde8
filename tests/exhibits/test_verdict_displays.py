"""Letters and the opening figure: rules that are checked by brute force."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from reseed.exhibits import letters_table, same_splits
from reseed.exhibits.data import ExhibitData
from reseed.exhibits.letters import letters
from reseed.exhibits.panels import MOST_HEIGHT, panel_grid, undrawn
from reseed.exhibits.same_splits import choose
from study_frames import about, frame, trial


@pytest.mark.parametrize("seed", range(8))
def test_models_share_a_letter_exactly_where_no_difference_is_shown(seed):
    rng = np.random.default_rng(seed)
    models = [f"m{i}" for i in range(7)]
    differ = [pair for pair in combinations(models, 2) if rng.random() < rng.random()]
    found = letters(models, differ)
    for a, b in combinations(models, 2):
        assert bool(set(found[a]) & set(found[b])) == ((a, b) not in differ)


def test_letters_of_a_textbook_case():
    """Four means in a row of which only neighbours are alike: a, ab, bc, c."""
    differ = [("A", "C"), ("A", "D"), ("B", "D")]
    assert letters(list("ABCD"), differ) == {"A": "a", "B": "ab", "C": "bc", "D": "c"}
    assert letters(["A"], []) == {"A": "a"}
    assert set(letters([str(i) for i in range(30)], combinations(map(str, range(30)), 2))[
        "29"]) <= set("abcdefghijklmnopqrstuvwxyz")  # fmt: skip


def trials(scores):
    """Trials of {dataset: {model: scores over splits}}."""
    return frame(
        [
            trial(score, dataset=dataset, model=model, data_seed=split, metric="auc",
                  experiment="data_seeds", varied="data")
            for dataset, models in scores.items()
            for model, values in models.items()
            for split, score in enumerate(values)
        ]
    )  # fmt: skip


SPLITS = np.array([0.00, 0.03, -0.04, 0.02, -0.01])
TOGETHER = {"rf": 0.80 + SPLITS, "xgb": 0.81 + SPLITS + [0, 0.001, 0, -0.001, 0]}
LOOSE = {"rf": 0.70 + SPLITS, "xgb": 0.90 + SPLITS[::-1]}
CROSSING = {"rf": [0.8, 0.7, 0.8, 0.7, 0.8], "xgb": [0.7, 0.8, 0.7, 0.8, 0.7]}


def drawn(scores):
    facts = about(("magic", "home_mortgage_sim", "magic~rows=9"), ("rf", "xgb"))
    data = ExhibitData(None, trials(scores), facts, title="T")
    return same_splits.figure(data, {"experiment": "data_seeds"})


def test_the_opening_figure_chooses_its_panels_by_rule():
    """Left where pairing helps most of those always won by one; right where nobody leads."""
    figure, shown = drawn({"magic": LOOSE, "magic~rows=9": TOGETHER, "home_mortgage_sim": CROSSING})
    titles = [axis.get_title(loc="left") for axis in figure.axes]
    assert titles[0].startswith("Magic, 9 rows")
    assert "XGB wins 5 of 5" in titles[0].replace("\n", " ")
    assert titles[1].startswith("Home Mortgage Sim")
    assert "RF wins 3 of 5" in titles[1].replace("\n", " ")
    assert shown.headline == "Same splits, opposite answers"
    assert "1 other dataset not drawn" in shown.footnote


def test_the_opening_figure_tells_paired_from_unpaired():
    _, shown = drawn({"magic": TOGETHER})
    paired = np.std(TOGETHER["xgb"] - TOGETHER["rf"], ddof=1)
    apart = np.sqrt(np.var(TOGETHER["xgb"], ddof=1) + np.var(TOGETHER["rf"], ddof=1))
    assert f"{paired:.5f} paired against {apart:.5f} unpaired" in shown.findings[0]
    assert "In every dataset at hand the best model wins every split." in shown.caption


def test_no_opening_figure_without_shared_splits():
    assert drawn({"magic": {"rf": [0.5, 0.6], "xgb": [0.4, 0.5]}})[1].empty
    assert choose([]) == []


def pair(a, b, shown, mean_a=0.9, mean_b=0.8, dataset="magic"):
    return {
        "experiment": "e", "varied": "data", "dataset": dataset, "scheme": "s", "test_ratio": 0.2,
        "hyperparameters_source": "d", "model_a": a, "model_b": b, "mean_a": mean_a,
        "mean_b": mean_b, "difference": mean_a - mean_b, "design": "splits", "n": 6,
        "greater_is_better": True, "sd_difference": 0.004,
        "outcome": "difference" if shown else "no difference shown",
    }  # fmt: skip


def test_the_letters_table_counts_what_was_shown():
    rows = pd.DataFrame(
        [pair("xgb", "rf", True), pair("xgb", "ffnn", True, 0.9, 0.7),
         pair("rf", "ffnn", False, 0.8, 0.7)]
    )  # fmt: skip
    facts = about(("magic",), ("ffnn", "rf", "xgb"))
    metrics = frame([trial(0.5, dataset="magic", experiment="e")])
    table = letters_table.table(ExhibitData(rows, metrics, facts), {})
    assert list(table.shown["Model"]) == ["XGB", "RF", "FFNN"]
    assert list(table.shown["Magic"]) == ["0.900 a", "0.800 b", "0.700 b"]
    assert list(table.shown["Won, open, lost"]) == ["2 / 0 / 0", "0 / 1 / 1", "0 / 1 / 1"]
    assert table.headline == "XGB has the best mean on 1 of 1 dataset; told from all others on 1"


def test_a_model_that_did_not_converge_is_marked_wherever_it_is_named():
    metrics = frame([trial(0.5, model=m, seed=s) for m in ("rf", "ffnn") for s in range(10)])
    limit = metrics["model"] == "ffnn"
    metrics["converged"] = pd.Series([None] * 10 + [False, False] + [True] * 8, dtype="boolean")
    data = ExhibitData(None, metrics, about())
    assert limit.sum() == 10
    assert (data.model("rf"), data.model("ffnn")) == ("RF", "FFNN‡")
    assert data.limits(["rf", "ffnn"]) == ["FFNN: 2 of 10 trials"]
    one = metrics.assign(converged=metrics["converged"].where(metrics.index != 11, True))
    assert ExhibitData(None, one, about()).model("ffnn") == "FFNN"  # one in ten is not many


def test_no_grid_is_higher_than_a_page():
    canvas, axes = panel_grid([2.0] * 20)
    assert canvas.get_figheight() <= MOST_HEIGHT
    assert len(axes) == 8
    assert undrawn([str(i) for i in range(10)], axes) == (
        "Not drawn for want of room, but in the CSV: 8, 9."
    )
    assert undrawn(["a"], axes) == ""
    assert len(panel_grid([20.0, 1.0], 1)[1]) == 1
