"""The seed-choice table shows what the analysis measured on constructed predictions."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from reseed.analyses import seed_choice
from reseed.analyses.shared.data import Data
from reseed.analyses.shared.predictions import Predictions
from reseed.report.exhibits import seed_choice_table
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.table_files import write_table
from run_kinds import draw, run_analysis
from scipy.special import expit
from study_frames import about, amended, frame, replaced, trial
from test_noise_analysis import write

MODELS = ("ffnn", "rf", "xgb")
SEEDS, ITEMS, OUTLIER = 12, 2000, 3


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Two binary datasets and a regression; one seed of the forest has its gaps moved."""
    rng = np.random.default_rng(0)
    facts = about(("magic", "home_mortgage_sim", "bike_sharing"), MODELS)
    parts, trials = [], []
    for dataset in facts.datasets:
        y = rng.integers(0, 2, ITEMS)
        signal = (2 * y - 1) * 1.2 + rng.normal(0, 1.5, ITEMS)
        for model in MODELS:
            gaps = signal + rng.normal(0, 0.8, (SEEDS, ITEMS))
            if model == "rf":
                gaps[OUTLIER, : ITEMS // 4] += 12
            folder = tmp_path_factory.mktemp(f"{dataset}-{model}")
            predictions = write(folder, dataset, y, list(expit(gaps)), model)
            read = Data(frame([trial(0.5)]), facts, None, Predictions(predictions.folder))
            options = {"n_bootstrap": 4, "n_halves": 50}
            parts.append(run_analysis(seed_choice, read, options))
            trials += [trial(0.5, dataset=dataset, model=model, seed=s) for s in range(SEEDS)]
    statistics = pd.concat(parts, ignore_index=True)
    return ExhibitData(statistics, frame(trials), facts, "kind", "Which seed")


def test_the_table_sums_up_each_cell(data, tmp_path):
    table = draw(seed_choice_table, data, {})
    assert len(table.shown) == 2 * len(MODELS)
    assert list(table.shown["", "Algorithm"]) == ["FFNN", "RF", "XGB"] * 2
    assert table.sections[0] == "Magic"
    assert table.sections[-1] == "Home Mortgage Sim*"
    rows = data.statistics.query("dataset == 'magic' and model == 'rf'")
    line = table.shown.iloc[1]
    assert line["", "n"] == "12"
    assert line["Accuracy", "Mean seed"] == f"{rows['accuracy'].mean():.3f}"
    assert line["", "α̂ ≤ 0.05"] == "92 %"  # 11 of 12
    optimism = line["Best seed by test score, points", "Optimism"]
    cells = data.statistics.drop_duplicates(["dataset", "model"])
    error = 100 * cells["optimism_mc_se"].max()
    places = max(1, -math.floor(math.log10(error)))  # one digit of the greatest error
    assert optimism.startswith(f"{100 * rows['optimism'].iloc[0]:.{places}f} ± ")
    assert line["", "ECE"] == f"{rows['ece'].min():.3f}–{rows['ece'].max():.3f}"
    assert "Left out: Bike Sharing (regression" in table.footnote
    assert "choose no model by these scores" in table.footnote
    write_table(table, tmp_path / "t")
    raw = pd.read_csv(tmp_path / "t.csv")
    assert raw["churn"].iloc[1] == pytest.approx(rows["churn"].mean())


def test_cells_of_several_splits_say_which(data):
    part = data.statistics.query("dataset == 'magic' and model == 'xgb'")
    both = pd.concat([part, part.assign(data_seed=1)])
    several = ExhibitData(both, data.metrics, data.info, "kind", "Which seed")
    shown = draw(seed_choice_table, several, {}).shown
    assert list(shown["", "Algorithm"]) == ["XGB, data seed 0", "XGB, data seed 1"]


def test_omitted_rows_are_named_by_what_distinguishes_them(data):
    part = data.statistics.query("dataset == 'magic' and model == 'rf'")
    why = "needs at least 4 model seeds"
    crossed = pd.concat([
        part.assign(experiment="grid", data_seed=d, reason=why) for d in range(3)
    ])  # fmt: skip
    arm = part.assign(model="other", arm="other", reason=why)
    facts = amended(data.info, models={"other": {"title": "Other"}})
    every = pd.concat([data.statistics, crossed, arm])
    note = draw(seed_choice_table, ExhibitData(every, data.metrics, facts), {}).footnote
    assert f"Magic, Model seeds × data seeds ({why})" in note
    assert f"Other on Magic, Model seeds varied ({why})" in note
    assert note.count(why) == 2
    assert "Bike Sharing (regression" in note


def test_own_studies_do_not_mention_a_paper(data):
    own = ExhibitData(data.statistics, data.metrics, replaced(data.info, citation=""), "kind", "T")
    assert "The paper" in draw(seed_choice_table, data, {}).footnote
    note = draw(seed_choice_table, own, {}).footnote
    assert "paper" not in note
    assert "Only test predictions are kept: choose no model by these scores." in note


def test_a_study_without_measurements_gives_the_reason(data):
    only = data.statistics.query("dataset == 'bike_sharing'")
    nothing = ExhibitData(only, data.metrics, data.info, "kind", "Which seed")
    assert "at this scale" in draw(seed_choice_table, nothing, {}).shown.iloc[0, 0]


def test_a_small_negative_gain_is_not_printed_as_minus_zero(data):
    rows = data.statistics.assign(optimism=-0.00001, gain=-0.00002)
    table = draw(seed_choice_table, replace(data, statistics=rows), {})
    cells = table.shown["Best seed by test score, points"].astype(str).to_numpy().ravel()
    assert {cell.partition(" ")[0] for cell in cells} == {"0.0"}


def test_a_rounding_error_widens_no_column(data):
    """Models of one accuracy: their optimism is zero but for the last bits."""
    rows = data.statistics
    is_flat = (rows["dataset"] == "magic") & (rows["model"] == "rf")
    flat = {"optimism": -4.6e-16, "optimism_mc_se": 1.7e-16, "gain": 2.8e-16, "gain_mc_se": 1e-16}
    rows = rows.assign(**{name: rows[name].mask(is_flat, value) for name, value in flat.items()})
    table = draw(seed_choice_table, replace(data, statistics=rows), {})
    cells = table.shown["Best seed by test score, points"]
    assert cells.map(len).max(axis=None) <= len("-0.000 ± 0.000")
    assert set("".join(cells.iloc[1])) <= set("0. ±")
