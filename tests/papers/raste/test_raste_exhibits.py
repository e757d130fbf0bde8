"""Exhibits and analyses of the study of Raste et al."""

import numpy as np
import pandas as pd
import pytest
import yaml
from papers.raste import gaps, repeated_fits, same_splits, split_order
from papers.raste.same_splits import choose_cases
from reseed.analyses import pairs
from reseed.analyses.shared.data import Data
from reseed.core.module_finder import SCRIPTS
from reseed.core.statement import Statement
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.judged import judge_statement
from run_kinds import draw, run_analysis, table_options
from scipy import stats
from study_frames import Study, runs, trial
from text_of import text_of

CONFIG = SCRIPTS.parent / "config" / "studies" / "inherent_randomness.yaml"
OVER_SPLITS = {"experiment": "data_seeds"}
SPLITS = np.array([0.00, 0.03, -0.04, 0.02, -0.01])
TOGETHER = {"rf": 0.80 + SPLITS, "xgb": 0.81 + SPLITS + [0, 0.001, 0, -0.001, 0]}
LOOSE = {"rf": 0.70 + SPLITS, "xgb": 0.90 + SPLITS[::-1]}
CROSSING = {"rf": [0.8, 0.7, 0.8, 0.7, 0.8], "xgb": [0.7, 0.8, 0.7, 0.8, 0.7]}


def trials(scores, **place):
    """A study of {dataset: {model: scores over splits}}."""
    return Study.of([
        trial(score, dataset=dataset, model=model, data_seed=split, metric="auc",
              experiment="data_seeds", varied="data", **place)
        for dataset, models in scores.items()
        for model, values in models.items()
        for split, score in enumerate(values)
    ])  # fmt: skip


def of_arms(scores, titles):
    """A study of {arm of one model: scores over splits}."""
    rows = trials({"magic": scores}).metrics
    rows = rows.assign(arm=rows["model"], model="rf")
    return Study.of(rows, experiments={"data_seeds": {"arms": titles}})


def with_folds(whole, lost):
    """Scores over splits of two folds each; fold 0 is hard."""
    found = trials({"magic": {"rf": whole, "xgb": lost}}).metrics
    return Study.of(found.assign(data_seed=found["data_seed"] // 2, fold=found["data_seed"] % 2))


SAME = [0.90, 0.91, 0.92, 0.93]
#: Left is where pairing helps most of those always won by one; right is where nobody leads.
STUDIES = {
    "chosen by rule": trials(
        {"magic": LOOSE, "magic~rows=9": TOGETHER, "home_mortgage_sim": CROSSING}
    ),
    "ties are no wins": trials({"magic": {"rf": SAME, "xgb": SAME}}),
    "all are won": trials({"magic": {"rf": [0.80, 0.79, 0.78, 0.77], "xgb": SAME}}),
    # Without its hard fold the model that lost it would look the better one.
    "a failed fold": with_folds(
        [0.71, 0.91, 0.72, 0.92, 0.70, 0.93, 0.74, 0.90, 0.71, 0.92],
        [None, 0.90, None, 0.90, 0.69, 0.92, 0.71, 0.89, 0.70, 0.90],
    ),
    "arms of one model": of_arms(
        {"one": SAME[:3], "two": [0.80, 0.82, 0.81]},
        {"one": "First recipe", "two": "Second recipe"},
    ),
    "not shown": trials({"magic": CROSSING}),
    "no shared splits": trials({"magic": {"rf": [0.5, 0.6], "xgb": [0.4, 0.5]}}),
}


@pytest.mark.parametrize("name", STUDIES)
def test_scores_over_the_same_splits(name, snapshot):
    figure, drawn = STUDIES[name].draw(same_splits, OVER_SPLITS)
    assert text_of(figure, drawn) == snapshot
    assert choose_cases([]) == []
    if name == "a failed fold":
        assert sorted(drawn.frame["data_seed"].unique()) == [2, 3, 4]


def test_agreement_of_models_on_the_order_of_splits():
    study = trials({"magic": CROSSING, "home_mortgage_sim": TOGETHER})
    rows = run_analysis(split_order, Data(study.metrics, study.info))
    tau = stats.kendalltau(TOGETHER["rf"], TOGETHER["xgb"]).statistic
    assert rows["tau"].tolist() == pytest.approx([-1, tau])
    assert rows["n"].tolist() == [5, 5]


def test_gaps_are_in_sds_of_a_score():
    rng = np.random.default_rng(0)
    first, second = rng.normal(0.8, 0.02, (2, 9))
    study = trials({"magic": {"rf~1f3a": first, "xgb": second}})
    data = Data(study.metrics, study.info)
    rows = run_analysis(gaps, data, pairs=[["rf", "xgb"], ["xgb", "rf"]])
    one, other = rows[["gap", "gap_low", "gap_high"]].to_numpy()
    sd = np.sqrt((first.var(ddof=1) + second.var(ddof=1)) / 2)
    assert one[0] == pytest.approx((first.mean() - second.mean()) / sd)
    assert list(one) == [-other[0], -other[2], -other[1]]
    pair = run_analysis(pairs, data).iloc[0]
    assert one[2] - one[1] == pytest.approx((pair["high"] - pair["low"]) / sd)


def test_repeated_fits_are_counted(snapshot):
    entries = [
        {"dataset": "magic", "model": m, "same": m != "rf" or s > 0, "text": "metrics differ"}
        for m in ("rf", "xgb")
        for s in range(3)
    ]
    study = Study.of(runs({"rf": 0.8, "xgb": 0.8}))
    again = pd.DataFrame(entries)
    data, whole = (
        run_analysis(repeated_fits, Data(study.metrics, study.info, repeats=rows))
        for rows in (again, again.assign(same=True))
    )
    shown = table_options("inherent_randomness", "repeated_fits")
    facts = study.metrics, study.info
    drawn = [draw("table", ExhibitData(rows, *facts), shown) for rows in (data, whole)]
    assert text_of(*drawn) == snapshot
    entry = yaml.safe_load(CONFIG.read_text("utf-8"))["statements"]["equal_seeds"]
    evidence = judge_statement(ExhibitData(whole, *facts), Statement(**entry))
    assert (evidence.verdict, evidence.n, evidence.settings) == ("not yet", "6 repeats", ())
    assert evidence.average.low == pytest.approx(6 / (6 + stats.norm.isf(0.025) ** 2))
    assert evidence.needed > 35  # so many equal ones have Wilson's limit above 0.9
