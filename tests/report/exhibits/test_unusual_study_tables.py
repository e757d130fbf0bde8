"""Tables of unusual studies: no row is lost, pooled or repeated; names with markup are shown."""

import re
from zlib import crc32

import numpy as np
import pandas as pd
import pytest
from papers.picard import extremes, extremes_table
from papers.protocol import training_time, training_time_table
from reseed.readers import import_results
from reseed.report.analyses import (
    over_datasets,
    pairs,
    protocol,
    spread,
    standing,
    stochastic_order,
)
from reseed.report.exhibits import (
    checklist,
    datasets_table,
    interval_table,
    leaderboard_table,
    over_datasets_table,
    protocol_table,
    spread_table,
    standing_table,
    stochastic_order_table,
    verdicts_table,
    win_tie_loss_table,
)
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.footnotes import explain_marks, shorten
from reseed.report.rendering.latex import escape_latex, latex
from reseed.report.rendering.numbers import decimals, fixed, ratio, times
from reseed.report.rendering.table_files import markdown
from run_kinds import claims_of, draw
from study_frames import about, amended, frame, replaced, trial
from test_exhibits_of_arms import shown as shown_by
from tex import HAS_TEX, complaints

GAINS = {"rf": 0.0, "xgb": 0.01}
TWO = {
    "a": {"title": "First", "arms": {"x": "Small", "big": "Big"}},
    "b": {"title": "Second", "arms": {"y": "Small", "big2": "Big"}},
}


def shown(kind, analysis, metrics, facts, options=None, **measured):
    fast = {"n_boot": 50, "n_sim": 50, "n_draws": 50, "n_simulations": 100, "n_experiments": 50}
    known = {k: v for k, v in fast.items() if k in analysis.Options.model_fields}
    return shown_by(kind, analysis, metrics, facts, options, known | measured)


def seeds(gains=GAINS, n=6, sd=0.003, base=0.8, **place):
    """`n` trials of each model, its mean `base` and a gain; AUC on one table."""
    place = {"dataset": "magic", "metric": "auc"} | place
    rng = np.random.default_rng(crc32(repr(sorted(place.items())).encode()))
    return [
        trial(base + gain + rng.normal(0, sd), seed=s, **({"model": m} | place))
        for m, gain in gains.items()
        for s in range(n)
    ]


def namesakes(datasets=("magic",)):
    """Two experiments whose arms, of one model, bear the same titles; the second is told apart."""
    rows = [
        row
        for dataset in datasets
        for experiment, entry in TWO.items()
        for arm, gain in zip(entry["arms"], (0.0, 0.02 if experiment == "a" else -0.02),
                             strict=True)
        for row in seeds({"rf": gain}, dataset=dataset, experiment=experiment, arm=arm)
    ]  # fmt: skip
    facts = about(datasets, ("rf",))
    return frame(rows), replaced(facts, experiments=TWO)


def test_arms_of_one_title_are_told_apart_by_their_experiment():
    metrics, facts = namesakes()
    table = shown(extremes_table, extremes, metrics, facts)
    assert list(table.shown["Arm"]) == [
        "Small, First",
        "Big, First",
        "Small, Second",
        "Big, Second",
    ]
    both = {"experiments": ["a", "b"]}
    table = shown(interval_table, spread, metrics, facts, both)
    assert list(table.shown["Varied"]) == ["model seeds (First)"] * 2 + ["model seeds (Second)"] * 2


def test_a_square_of_arms_has_columns_for_its_own_arms_only():
    table = shown(stochastic_order_table, stochastic_order, *namesakes())
    assert list(table.shown.columns) == ["Lies above", "Small", "Big"]
    assert list(table.sections) == ["Magic · First, AUC"] * 2 + ["Magic · Second, AUC"] * 2


def test_wins_are_counted_for_each_experiment():
    metrics, facts = namesakes(("magic", "magic~rows=500"))
    table = shown(win_tie_loss_table, pairs, metrics, facts)
    assert list(table.sections) == ["First"] * 2 + ["Second"] * 2
    assert list(table.shown["Model"]) == ["Big", "Small", "Small", "Big"]
    assert list(table.shown["Wins"]) == [2, 0, 2, 0]
    assert table.headline == ""
    assert set(table.raw["over"]) == {"First", "Second"}


def test_wins_are_counted_for_each_split_scheme():
    rows = [
        row
        for dataset in ("magic", "magic~rows=500")
        for share in (0.2, 0.4)
        for row in seeds(sd=1e-4, dataset=dataset, scheme=f"holdout-{share}", test_ratio=share)
    ]
    facts = about(("magic", "magic~rows=500"), tuple(GAINS))
    table = shown(win_tie_loss_table, pairs, frame(rows), facts)
    assert list(table.sections) == ["holdout-0.2"] * 2 + ["holdout-0.4"] * 2
    assert list(table.shown["Wins"]) == [2, 0, 2, 0]


@pytest.mark.parametrize(
    ("second", "headline"),
    [(0.81, "XGB wins both comparisons"), (0.79, "RF and XGB win 1 of the 2 comparisons each")],
)
def test_models_that_share_the_most_wins_are_all_named(second, headline):
    rows = seeds({"rf": 0, "xgb": 0.01}, sd=1e-4)
    rows += seeds({"rf": 0, "xgb": second - 0.8}, sd=1e-4, dataset="magic~rows=500")
    facts = about(("magic", "magic~rows=500"), tuple(GAINS))
    assert shown(win_tie_loss_table, pairs, frame(rows), facts).headline == headline


def test_the_verdicts_of_many_models_of_which_one_finished():
    models = tuple(f"m{i}" for i in range(12))
    rows = [trial(None if m != "m0" else 0.8, model=m, dataset="magic", metric="auc", seed=s)
            for m in models for s in range(3)]  # fmt: skip
    table = shown(verdicts_table, pairs, frame(rows), about(("magic",), models))
    assert len(table.shown) == 66
    assert set(table.shown["Outcome"]) == {"too few runs"}


def test_extremes_of_the_spread_are_counted_by_setting():
    """Each model has the smallest SD at one test ratio of either dataset, and the largest too."""
    step = {("rf", 0.2): 1, ("xgb", 0.2): 2, ("rf", 0.4): 2, ("xgb", 0.4): 0.2}
    datasets = ("magic", "magic~rows=500")
    rows = [
        trial(0.8 + size * s / 1000, seed=s, dataset=d, model=m, metric="auc",
              scheme=f"holdout-{share}", test_ratio=share)
        for d in datasets for (m, share), size in step.items() for s in range(6)
    ]  # fmt: skip
    facts = about(datasets, ("rf", "xgb"))
    found = shown(spread_table, spread, frame(rows), facts, {"experiments": ["model_seeds"]})
    assert found.findings == [
        "The SD over model seeds (6 seeds each) is smallest for RF (2 of 4 settings) and XGB (2 of"
        " 4 settings) and largest for XGB (2 of 4 settings) and RF (2 of 4 settings)."
    ]


def test_a_cell_whose_seeds_two_experiments_vary_counts_once():
    rows = []
    for experiment, varied in (("model_seeds", "model"), ("m2", "model"),
                               ("data_seeds", "data"), ("d2", "data")):  # fmt: skip
        wide = 1 if varied == "model" else 4
        rows += [
            trial(0.8 + wide * s / 1000, dataset="magic", metric="auc", experiment=experiment,
                  varied=varied, **({"seed": s} if wide == 1 else {"data_seed": s}))
            for s in range(6)
        ]  # fmt: skip
    facts = about(("magic",), ("rf",))
    facts = amended(facts, experiments={"m2": {"title": "Again"}, "d2": {"title": "Once more"}})
    options = {"experiments": ["model_seeds", "m2", "data_seeds", "d2"]}
    found = shown(spread_table, spread, frame(rows), facts, options)
    assert found.headline == "Splits move the score 4 times as much as model seeds"
    assert found.findings[0].endswith(
        "in the only pair of dataset and algorithm: the SD over data seeds divided by that over"
        " model seeds is 4.00 (1 pair), with 6 seeds a side. The 95 % interval of the ratio of the"
        " SDs lies above one for the only setting and below one for no setting."
    )


def test_score_is_ranked_among_seeds_of_a_named_experiment():
    rows = seeds({"rf": 0}) + seeds({"rf": 0.01}, experiment="grid")
    table = shown(standing_table, standing, frame(rows), about(("magic",), ("rf",)),
                  scores=[{"arm": "rf", "score": 0.81}])  # fmt: skip
    assert list(table.shown["Arm"]) == ["RF, Model seeds varied", "RF, Model seeds × data seeds"]
    said = claims_of(table)["percentile_1"]
    assert said.startswith("RF, Model seeds varied, given: 0.81 beats")


@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
def test_unmeasured_parts_of_a_protocol_are_left_out():
    rng = np.random.default_rng(0)
    rows = [
        trial(0.8 + gain + rng.normal(0, 0.003), data_seed=r, fold=f, model=m, metric="auc",
              dataset="magic", scheme="kfold-5", varied="none", train_seconds=np.nan)
        for m, gain in GAINS.items() for r in range(2) for f in range(5)
    ]  # fmt: skip
    table = shown(protocol_table, protocol, frame(rows), about(("magic",), tuple(GAINS)))
    assert [claim.name for claim in table.claims] == ["error_as_written", "cost"]
    assert not any("–" in claim.text for claim in table.claims)


def test_datasets_that_are_left_out_may_be_named_anything():
    whole, few = ("magic", "bike", "ok"), ("Boston, MA", "a: b", "c; d")
    facts = about((*whole, *few), tuple(GAINS))
    judged = {"task": "binary", "metric": "auc", "greater_is_better": True}
    facts = amended(facts, datasets={name: judged | {"title": name} for name in facts.datasets})
    rows = [row for d in whole for row in seeds(dataset=d)]
    rows += [row for d in few for row in seeds(dataset=d, n=2)]
    table = shown(over_datasets_table, over_datasets, frame(rows), facts)
    why = "fewer than 4 comparable runs of both"
    assert f"Left out: Boston, MA, a: b and c; d ({why})." in table.footnote


def test_tiny_scores_are_not_printed_as_zero():
    rows = seeds({"rf": 0, "xgb": 1e-10}, base=1e-9, sd=1e-11, metric="mse", dataset="bike_sharing")
    facts = about(("bike_sharing",), tuple(GAINS))
    table = shown(leaderboard_table, pairs, frame(rows), facts)
    mean = np.mean([row["mse"] for row in rows[:6]])
    assert float(table.shown["Mean MSE ↓"].iloc[0]) == pytest.approx(mean, rel=0.01)
    for kind, analysis in ((verdicts_table, pairs), (extremes_table, extremes)):
        cells = shown(kind, analysis, frame(rows), facts).shown.astype(str)
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


def test_a_training_time_of_next_to_nothing_has_a_ratio():
    rows = [trial(0.8, seed=s, dataset="magic", metric="auc", model=m, train_seconds=x)
            for m, x in (("rf", 4000.0), ("xgb", 0.001)) for s in range(6)]  # fmt: skip
    facts = about(("magic",), tuple(GAINS))
    table = shown(training_time_table, training_time, frame(rows), facts)
    headline = table.claims[0].heading
    found = re.fullmatch(r"XGB: (\S+) \[.*\] times the training time", headline)
    assert float(found[1]) == pytest.approx(0.001 / 4000, rel=0.01)


NAMES = ["[CLS] pooled", "*best* <b>x</b>", "--lr ?`x", "x\x00\r\x0cy", "_a_ [b](c)"]


@pytest.fixture(scope="module")
def oddly_named():
    models = tuple(f"m{i}" for i in range(len(NAMES)))
    facts = about(("magic",), models)
    for model, name in zip(models, NAMES, strict=True):
        facts = amended(facts, models={model: {"title": name}})
    rows = seeds({m: 0.01 * i for i, m in enumerate(models)}, converged=False)
    return shown(leaderboard_table, pairs, frame(rows), facts)


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
    facts = about(("home_mortgage_sim", "bike_sharing"), tuple(GAINS))
    facts = amended(
        facts, datasets={"home_mortgage_sim": {"stand_in": "a bank's loans (U.S. only, No. 5)."}}
    )
    facts = amended(
        facts, datasets={"bike_sharing": {"title": "Bikes of St. Louis: all", "unit": "approx. kW"}}
    )
    rows = seeds(dataset="home_mortgage_sim")
    rows += seeds(dataset="bike_sharing", metric="mse", converged=False)
    note = shown(leaderboard_table, pairs, frame(rows), facts).footnote
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
    runs = [{"model": m, "seed": s, "auc": 0.8 + 0.01 * s} for m in "ab" for s in range(3)]
    data = ExhibitData(None, *import_results(pd.DataFrame(runs), {}, {"name": "m"}), title="T")
    listed = draw(datasets_table, data, {})
    assert not listed.claims
    assert listed.shown.iloc[0].tolist()[1:6] == ["–"] * 5
    recorded = draw(checklist, data, {}).shown.set_index("Item")["As recorded"]
    assert {recorded[name] for name in ("a", "b", "Machine", "Outputs")} == {"not recorded"}
