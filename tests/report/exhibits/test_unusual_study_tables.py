"""Tables of unusual studies: no row is lost, pooled or repeated; names with markup are shown."""

import re
from dataclasses import replace

import pandas as pd
import pytest
from reseed.readers import import_results
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.footnotes import explain_marks, shorten
from reseed.report.rendering.latex import escape_latex, latex
from reseed.report.rendering.numbers import decimals, fixed, ratio, times
from reseed.report.rendering.table_files import markdown
from run_kinds import draw
from study_frames import Study, replaced, runs, trial
from tex import HAS_TEX, complaints
from text_of import text_of

PAIR = {"rf": 0.8, "xgb": 0.81}
BOTH = ("magic", "magic~rows=500")


TWO = {
    "a": {"title": "First", "arms": {"x": "Small", "big": "Big"}},
    "b": {"title": "Second", "arms": {"y": "Small", "big2": "Big"}},
}


def namesakes(datasets=("magic",)):
    """Two experiments whose arms, of one model, bear the same titles; the second is told apart."""
    gains = {"x": 0.0, "big": 0.02, "y": 0.0, "big2": -0.02}
    study = Study.of([
        row
        for experiment, entry in TWO.items()
        for number, arm in enumerate(entry["arms"])
        for row in runs({"rf": 0.8 + gains[arm]}, datasets, experiment=experiment, arm=arm,
                        rng=number)
    ])  # fmt: skip
    return replace(study, info=replaced(study.info, experiments=TWO))


@pytest.mark.parametrize(("kind", "options"), [("interval_table", {"experiments": ["a", "b"]})])
def test_arms_of_one_title_are_told_apart_by_their_experiment(kind, options, snapshot):
    assert text_of(namesakes().show(kind, options)) == snapshot


def test_the_verdicts_of_many_models_of_which_one_finished():
    models = tuple(f"m{i}" for i in range(12))
    rows = [trial(None if m != "m0" else 0.8, model=m, dataset="magic", metric="auc", seed=s)
            for m in models for s in range(3)]  # fmt: skip
    table = Study.of(rows).show("verdicts_table")
    assert len(table.shown) == 66
    assert set(table.shown["Verdict"]) == {"not tested: too few runs"}


def of_four_settings():
    """Each model has the smallest SD at one test ratio of either dataset, and the largest too."""
    step = {("rf", 0.2): 1, ("xgb", 0.2): 2, ("rf", 0.4): 2, ("xgb", 0.4): 0.2}
    return Study.of([
        row
        for (m, share), size in step.items()
        for row in runs({m: 0.8}, BOTH, sd=0, step=size / 1000, scheme=f"holdout-{share}",
                        test_ratio=share)
    ])  # fmt: skip


def of_cells_that_two_experiments_vary():
    rows = [
        row
        for experiment, varied, step in (("model_seeds", "model", 0.001), ("m2", "model", 0.001),
                                         ("data_seeds", "data", 0.004), ("d2", "data", 0.004))
        for row in runs({"rf": 0.8}, sd=0, step=step, experiment=experiment, varied=varied)
    ]  # fmt: skip
    return Study.of(rows, experiments={"m2": {"title": "Again"}, "d2": {"title": "Once more"}})


@pytest.mark.parametrize(
    ("study", "experiments"),
    [
        pytest.param(of_four_settings(), ["model_seeds"], id="extremes by setting"),
        pytest.param(
            of_cells_that_two_experiments_vary(),
            ["model_seeds", "m2", "data_seeds", "d2"],
            id="a cell whose seeds two experiments vary counts once",
        ),
    ],
)
def test_what_the_table_of_spreads_counts(study, experiments, snapshot):
    assert text_of(study.show("spread_table", {"experiments": experiments})) == snapshot


def test_tiny_scores_are_not_printed_as_zero():
    rows = runs({"rf": 1e-9, "xgb": 1.1e-9}, ("bike_sharing",), sd=1e-11, metric="mse")
    study = Study.of(rows)
    mean = study.metrics.query("model == 'rf'")["mse"].mean()
    shown = study.show("leaderboard_table").shown
    assert float(shown["Mean MSE ↓"].iloc[0]) == pytest.approx(mean, rel=0.01)
    cells = study.show("verdicts_table").shown.astype(str)
    assert not cells.apply(lambda column: column.str.contains(r"0\.0{6}")).any(axis=None)


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (fixed(5.1e-7, 8), "5.1e-07"), (fixed(5.1e-7, 7), "5e-07"), (fixed(0.0, 9), "0"),
        (fixed(0.9, 8), "0.90000000"),
        (fixed(1.03e-9, 6), "1.03e-09"), (fixed(-2e-10, 6), "-2.00e-10"), (fixed(0.0, 4), "0.0000"),
        (fixed(0.00001, 4), "0.0000"), (ratio(0.0), "0.00"), (ratio(0.0012), "0.001"),
        (ratio(0.52), "0.52"), (ratio(-1.5), "-1.50"), (times(0.02), "0.02"), (times(0.0), "0"),
        (decimals([8e9], 2, 4), 0), (decimals([12.0], 2, 4), 4), (decimals([0.0012], 2, 3), 4),
    ],
)  # fmt: skip
def test_numbers_of_any_size(made, text):
    assert made == text


NAMES = ["[CLS] pooled", "*best* <b>x</b>", "--lr ?`x", "x\x00\r\x0cy", "_a_ [b](c)"]


@pytest.fixture(scope="module")
def oddly_named():
    titles = {f"m{i}": {"title": name} for i, name in enumerate(NAMES)}
    means = {model: 0.8 + 0.01 * i for i, model in enumerate(titles)}
    return Study.of(runs(means, converged=False), models=titles).show("leaderboard_table")


def test_no_name_begins_a_row_as_an_option_of_the_last(oddly_named):
    ends = latex(oddly_named).split("\\\\\n")
    assert not any(re.match(r"\s*[\[*]", row) for row in ends)
    assert not re.search(r"rule\s*[\[*]", latex(oddly_named))
    assert escape_latex("a--b---c") == "a-{}-b-{}-{}-c"
    assert escape_latex("a–b") == "a--b"


@pytest.mark.skipif(not HAS_TEX, reason="no TeX here")
def test_any_name_compiles(oddly_named, tmp_path):
    assert complaints([("odd", latex(oddly_named))], tmp_path) == []


def test_names_in_a_note_are_no_markdown(oddly_named):
    note = markdown(oddly_named).strip().split("\n\n")[-1]
    assert r"\*best\* \<b>x\</b>" in note
    assert r"\_a\_ \[b](c)" in note


def test_sentences_with_full_stops_in_them_are_kept_whole():
    datasets = {
        "home_mortgage_sim": {"stand_in": "a bank's loans (U.S. only, No. 5)."},
        "bike_sharing": {"title": "Bikes of St. Louis: all", "unit": "approx. kW"},
    }
    rows = runs(PAIR, ("home_mortgage_sim",))
    rows += runs(PAIR, ("bike_sharing",), metric="mse", converged=False)
    note = Study.of(rows, datasets=datasets).show("leaderboard_table").footnote
    kept = shorten(note, "demo").replace("\u00a0", " ")
    assert "Failed trials (left out): 0 of 24. " in note
    assert kept.startswith("Runs per model and dataset: 6.")  # the page says once that none failed
    assert not re.search("bank|Louis|kW|converged", kept)
    message = {k: [s.replace("\u00a0", " ") for s in texts] for k, texts in explain_marks([note])}
    assert message["*"] == ["Home Mortgage Sim stands in for a bank's loans (U.S. only, No. 5)."]
    assert message["Units"] == ["Bikes of St. Louis: all: MSE in the squared unit of approx. kW."]
    assert len(message["‡"]) == 1


def test_a_marked_name_in_a_sentence_is_no_mark_of_its_own():
    text = "Scale: demo. Left out: RF† on Magic (too few), XGB‡ (failed). † RF: n=3."
    assert shorten(text, "demo") == "Left out: RF† on Magic (too few), XGB‡ (failed)."
    assert explain_marks([text]) == [("†", ["RF: n=3."])]


def test_lists_of_what_was_used_claim_nothing_of_given_results():
    given = [{"model": m, "seed": s, "auc": 0.8 + 0.01 * s} for m in "ab" for s in range(3)]
    told = {"seed_draws": "training"}
    data = ExhibitData(None, *import_results(pd.DataFrame(given), told, {"name": "m"}), title="T")
    listed = draw("datasets_table", data, {})
    assert listed.shown.iloc[0].tolist()[1:6] == ["–"] * 5
    recorded = draw("checklist", data, {}).shown.set_index("Item")["As recorded"]
    assert {recorded[name] for name in ("a", "b", "Machine", "Outputs")} == {"not recorded"}
