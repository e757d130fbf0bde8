"""What every kind of exhibit shows, and what its figures say is seen."""

import numpy as np
import pytest
from curve_study import make as curve_study
from curve_study import read
from papers.banerjee import (
    gap_distribution,
    role_components,
    trimming,
    trimming_ensembles,
    trimming_information,
    trimming_pairs,
    trimming_summary,
)
from papers.picard import convergence, extremes, range_growth
from papers.protocol import decision_rules
from reseed.analyses import curves, fold_scores, pairs, sd_ratios, spread
from reseed.analyses.shared.data import Data
from reseed.report.rendering.data import ExhibitData
from run_kinds import draw, exhibit_kinds, is_table, run_analysis, table_options
from study_frames import about, frame, trial
from test_fold_exhibits import folds
from test_ir_exhibits import scores
from test_item_pairs_exhibits import data as item_study
from test_role_components import study as crossed_roles
from text_of import text_of
from trimmed_study import make as output_study

__all__ = ["curve_study", "item_study", "output_study", "read", "scores"]

TITLE = "A title that says nothing of the result"
#: Trials of several models on four datasets, over twelve seeds.
COMPARED = {"critical_difference_figure": pairs}
#: Exhibits of curves and extremes, of outputs, of the protocol, with what each is drawn from.
CURVES = {
    "curves_figure": curves,
    "papers.picard.convergence_figure:figure": convergence,
    "papers.picard.histogram_figure:figure": extremes,
    "papers.picard.range_growth_figure:figure": range_growth,
}
OUTPUTS = {
    "papers.banerjee.ensembles_figure:figure": trimming_ensembles,
    "papers.banerjee.gap_figure:figure": gap_distribution,
    "papers.banerjee.pairs_plot_figure:figure": trimming,
    "papers.banerjee.trimming_figure:figure": trimming,
    "papers.banerjee.trimming_pairs_figure:figure": trimming_pairs,
}
#: Tables of studies by their columns, with what each is drawn from.
CONFIGURED = {
    ("training_variability", "table1"): trimming_ensembles,
    ("training_variability", "table2_3"): trimming_summary,
    ("training_variability", "table4"): trimming,
    ("training_variability", "information"): trimming_information,
    ("training_variability", "roles"): "roles",
    ("seed_3407", "table1"): extremes,
    ("seed_3407", "reach"): convergence,
    ("inherent_randomness", "table4"): "ratios",
    **{("inherent_randomness", name): "exhibit" for name in ("table5", "published", "variance")},
    ("protocol", "table3"): decision_rules,
    ("protocol", "tables1and2"): fold_scores,
    **{("ir_consistency", name): "scores" for name in ("tables5to7", "table4", "table2", "table3")},
}
SCORES = ("papers.ir.seed_boxes:figure",)
ITEMS = ("item_pairs_table",)
ALONE = ("table",)
#: Kinds that the study of the tests does not draw, and the exhibit whose analysis they show.
OTHERS = {"interval_table": "table3", "pairs_figure": "verdicts"}
FAST = {"n_boot": 200, "n_sim": 100, "n_draws": 100, "n_experiments": 50, "n_simulations": 100}


def analysed(analysis, metrics, facts, **options):
    table = run_analysis(analysis, Data(metrics, facts), FAST | options)
    return ExhibitData(table, metrics, facts, "k", TITLE)


@pytest.fixture(scope="module")
def compared():
    """Three models on four tables; twelve seeds each, one model clearly the best."""
    rng = np.random.default_rng(0)
    datasets = tuple(f"magic~rows={i}00" for i in range(1, 5))
    rows = [
        trial(0.8 + gain + rng.normal(0, 0.005), seed=s, dataset=d, model=m, arm=m, metric="auc")
        for d in datasets
        for m, gain in (("ffnn", 0.0), ("rf", 0.01), ("xgb", 0.05))
        for s in range(12)
    ]
    return frame(rows), about(datasets)


def alone(kind):
    rng = np.random.default_rng(1)
    here = {"dataset": "magic", "metric": "auc"}
    if kind == "roles":
        data = crossed_roles()
        return ExhibitData(run_analysis(role_components, data), data.metrics, data.info, "k", TITLE)
    if kind == "ratios":
        rows = [
            trial(0.8 + rng.normal(0, 0.01), seed=s, model=m, test_ratio=r, scheme=f"holdout-{r}",
                  experiment="ratios", **here)
            for m in ("rf", "xgb") for r in (0.1, 0.2, 0.3) for s in range(8)
        ]  # fmt: skip
        return analysed(spread, frame(rows), about())
    rows = [
        trial(0.8 + rng.normal(0, sd), seed=s, model=m, **here)
        for m, sd in (("rf", 0.01), ("xgb", 0.02)) for s in range(8)
    ]  # fmt: skip
    return analysed(sd_ratios, frame(rows), about(), baselines=["rf"])


@pytest.fixture
def shown(request, configured, exhibit):
    """What an exhibit of a kind is drawn from, and its options; None for a kind without a case."""

    def of(kind):
        if kind in COMPARED:
            return analysed(COMPARED[kind], *request.getfixturevalue("compared")), {}
        if kind in CURVES:
            return request.getfixturevalue("curve_study")(CURVES[kind]), {}
        if kind in OUTPUTS:
            return request.getfixturevalue("output_study")(OUTPUTS[kind]), {"arms": ["rf:both"]}
        if kind in SCORES:
            return request.getfixturevalue("scores"), {}
        if kind in ITEMS:
            return request.getfixturevalue("item_study"), {}
        if kind == "checklist":
            return ExhibitData(None, *folds(), "k", TITLE), {}
        if kind in ALONE:
            return alone(kind), {
                "table": table_options("inherent_randomness", "networks_against_trees")
            }.get(kind, {})
        if kind in OTHERS:
            options = {"experiments": ["data_seeds", "model_seeds"]} if is_table(kind) else {}
            return exhibit(OTHERS[kind])[0], options
        names = [name for name, entry in configured["exhibits"].items() if entry["kind"] == kind]
        return exhibit(names[0]) if names else None

    return of


@pytest.mark.parametrize("kind", exhibit_kinds())
def test_what_it_shows(kind, shown, snapshot):
    case = shown(kind)
    assert case is not None, f"{kind}: no case here draws it"
    data, options = case
    drawn = draw(kind, data, options)
    made = drawn if is_table(kind) else drawn[1]
    assert not made.empty
    assert text_of(drawn, made.definitions, getattr(made, "alt", "")) == snapshot
    if not is_table(kind):
        assert len(made.alt) >= 40


@pytest.mark.parametrize("name", CONFIGURED, ids=".".join)
def test_what_a_configured_table_shows(name, request, snapshot):
    source, make = CONFIGURED[name], request.getfixturevalue
    if source == "scores":
        data = make("scores")
    elif source == "exhibit":
        data = make("exhibit")(name[1])[0]
    elif name[0] == "protocol":
        data = analysed(source, *folds())
    elif isinstance(source, str):
        data = alone(source)
    else:
        data = make("curve_study" if source in CURVES.values() else "output_study")(source)
    everywhere = {} if source == "exhibit" else {"where": {}}
    drawn = draw("table", data, table_options(*name) | everywhere)
    assert not drawn.empty
    assert text_of(drawn, drawn.definitions) == snapshot


def test_the_cases_are_of_kinds_that_there_are():
    named = {*COMPARED, *CURVES, *OUTPUTS, *SCORES, *ITEMS, *ALONE}
    assert named <= set(exhibit_kinds())
