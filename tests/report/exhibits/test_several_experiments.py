"""Experiments are never pooled in silence, ties are no firsts, and no two lines look alike."""

import numpy as np
import pytest
from reseed.report.analyses import aggregates, over_datasets, pairs, ranking, seeds_needed
from reseed.report.analyses.shared.data import Data
from reseed.report.exhibits import (
    aggregates_figure,
    critical_difference_figure,
    improvement_table,
    over_datasets_table,
    ranking_figure,
    seeds_figure,
    verdicts_table,
)
from reseed.report.rendering import style
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.panels import colours, line_styles
from run_kinds import draw, run_analysis
from study_frames import about, amended, frame, trial

TABLES = tuple(f"magic~rows={i}00" for i in range(1, 4))
FAST = {"n_boot": 50, "points": 5, "n_draws": 50, "max_runs": 50}


def exhibit(analysis, rows, facts, **options):
    metrics = frame(rows)
    fast = {name: value for name, value in FAST.items() if name in analysis.Options.model_fields}
    found = run_analysis(analysis, Data(metrics, facts), fast | options)
    return ExhibitData(found, metrics, facts, title="T")


def seeds(means, datasets=TABLES, n=6, noise=0.002, **place):
    rng = np.random.default_rng(0)
    place = {"metric": "auc"} | place
    return [
        trial(mean + 0.01 * s + rng.normal(0, noise), seed=s, dataset=d, model=m, **place)
        for d in datasets
        for s in range(n)
        for m, mean in means.items()
    ]


@pytest.fixture(scope="module")
def two():
    """XGB is the better in one experiment, RF in the other."""
    rows = seeds({"rf": 0.8, "xgb": 0.83}) + seeds({"rf": 0.83, "xgb": 0.8}, experiment="retuned")
    return rows, about(TABLES, ("rf", "xgb"))


def test_aggregates_draw_every_experiment(two):
    data = exhibit(aggregates, *two)
    figure, drawn = draw(aggregates_figure, data, {"experiments": ["model_seeds", "retuned"]})
    titles = {axis.get_title(loc="left").replace("\n", " ") for axis in figure.axes}
    lead = ("Model seeds varied", "Tuned for each pair")
    assert {f"{name} · Interquartile mean" for name in lead} <= titles
    assert drawn.headline == ""
    assert drawn.findings[0].startswith("Model seeds varied: XGB has the greatest")
    assert drawn.findings[1].startswith("Tuned for each pair: RF has the greatest")
    figure, _ = draw(aggregates_figure, data, {"show": "profiles"})
    assert sum(axis.get_visible() for axis in figure.axes) == 4


def test_improvement_has_a_section_an_experiment(two):
    table = draw(improvement_table, exhibit(aggregates, *two), {})
    assert list(table.sections) == ["Model seeds varied"] * 2 + ["Tuned for each pair"] * 2
    assert int(table.shown["RF"].iloc[1].split()[0]) > 80
    assert int(table.shown["XGB"].iloc[2].split()[0]) > 80
    assert [text.partition(" beats")[0] for text in table.findings] == [
        "Model seeds varied: A run of XGB", "Tuned for each pair: A run of RF",
    ]  # fmt: skip


def test_over_datasets_tells_experiments_apart(two):
    data = exhibit(over_datasets, *two)
    table = draw(over_datasets_table, data, {})
    assert list(table.sections) == ["Model seeds varied", "Tuned for each pair"]
    assert table.headline == ""


def test_tied_arms_share_the_first_place():
    data = exhibit(aggregates, seeds({"rf": 0.8, "xgb": 0.8, "ffnn": 0.7}, noise=0), about(TABLES))
    drawn = draw(aggregates_figure, data, {})[1]
    assert drawn.headline == "Greatest interquartile mean: shared by RF and XGB"
    assert drawn.findings[0].startswith("RF and XGB share the greatest interquartile mean")
    even = seeds({"rf": 0.8, "xgb": 0.8}, noise=0)
    data = exhibit(aggregates, even, about(TABLES, ("rf", "xgb")))
    assert draw(improvement_table, data, {}).headline == (
        "No arm beats another in more than half of cases"
    )
    apart = {"rf": 0.6, "xgb": 0.7, "ffnn": 0.8}
    table = draw(improvement_table, exhibit(aggregates, seeds(apart, noise=0), about(TABLES)), {})
    assert table.headline == (
        "XGB beats RF, FFNN beats RF and FFNN beats XGB, in 100 % of cases each"
    )


def test_a_dataset_left_out_is_named_with_the_reason():
    rows = [
        *seeds({"rf": 0.8, "xgb": 0.83}),
        *seeds({"rf": 0.8, "xgb": 0.83}, ("home_mortgage_sim",), n=3),
    ]
    facts = about((*TABLES, "home_mortgage_sim"), ("rf", "xgb"))
    table = draw(over_datasets_table, exhibit(over_datasets, rows, facts), {})
    why = "fewer than 4 comparable runs of both"
    assert f"Left out: Home Mortgage Sim* ({why}). * Home Mortgage Sim stands" in table.footnote


def test_a_given_difference_is_told_in_the_unit_of_each_metric():
    facts = about(("magic", "bike_sharing"), ("rf", "xgb"))
    facts = amended(facts, datasets={"bike_sharing": {"metric_unit": "kW²"}})
    rows = seeds({"rf": 0.8, "xgb": 0.82}, ("magic",))
    rows += seeds({"rf": 0.12, "xgb": 0.13}, ("bike_sharing",), metric="mse")
    drawn = draw(seeds_figure, exhibit(seeds_needed, rows, facts, difference=0.005), {})[1]
    message = "a difference of 0.5 points of AUC or 0.005 MSE (kW²)"
    assert message in drawn.definitions[0]
    assert f"show {message} with" in drawn.findings[0]
    drawn = draw(seeds_figure, exhibit(seeds_needed, rows, facts), {})[1]
    assert "show the observed difference with" in drawn.findings[0]


def test_the_ranking_counts_test_ratios_as_settings():
    rows = [
        row
        for ratio in (0.1, 0.4)
        for row in seeds({"rf": 0.8, "xgb": 0.801}, ("magic",), scheme=f"holdout-{ratio}",
                         test_ratio=ratio)
    ]  # fmt: skip
    data = exhibit(ranking, rows, about(("magic",), ("rf", "xgb")))
    assert draw(ranking_figure, data, {})[1].findings[0].endswith("2 settings, 6 runs each).")


def test_no_two_models_or_arms_look_alike():
    variants = ["ffnn~lr=0.1", "ffnn~lr=0.01", "ffnn_res", "rf"]
    assert len(set(colours(variants).values())) == 4
    assert style.colour_of("ffnn~lr=0.1", variants) == style.MODELS["ffnn"]
    models = ["ffnn", "svm", "knn", "logit", "nb"]
    assert len({style.colour_of(model, models) for model in models}) == 5
    for names in ([f"a{i}" for i in range(20)], [f"rf~n={i}" for i in range(20)]):
        assert len({tuple(look.values()) for look in line_styles(names).values()}) == 20


@pytest.mark.parametrize(
    ("count", "models", "limits"),
    [
        (6, 6, "detectable with a power of 80 %: a mean difference of 2.6 SD between datasets"),
        (12, 3, "detectable with a power of 80 %: a mean difference of 1.0 SD between datasets"),
    ],
)
def test_claims_over_datasets_state_what_they_could_find(count, models, limits):
    models = tuple(f"m{i}" for i in range(models))
    names = tuple(f"d{i}" for i in range(count))
    rng = np.random.default_rng(0)
    rows = [
        trial(0.8 + rng.normal(0, 0.01), seed=s, dataset=name, metric="auc", model=model)
        for name in names
        for model in models
        for s in range(5)
    ]
    facts = about(names, models)
    facts = amended(facts, datasets={key: {"metric": "auc"} for key in names})
    data = exhibit(pairs, rows, facts)
    over = {c.name: c for c in draw(verdicts_table, data, {}).claims}["shown_over_datasets"]
    assert over.limits == limits
    drawn = draw(critical_difference_figure, data, {})[1]
    assert drawn.claims[0].limits == limits


def test_mean_over_datasets_states_what_it_could_find():
    names = tuple(f"d{i}" for i in range(6))
    rng = np.random.default_rng(1)
    rows = [
        trial(0.8 + rng.normal(0, 0.01), seed=s, dataset=name, metric="auc", model=model)
        for name in names
        for model in ("rf", "xgb")
        for s in range(8)
    ]
    facts = amended(about(names, ("rf", "xgb")), datasets={key: {"metric": "auc"} for key in names})
    data = exhibit(over_datasets, rows, facts)
    [pair] = data.statistics[data.statistics["statistic"] == "pair"].to_dict("records")
    half = (pair["high"] - pair["low"]) / 2 * pair["factor"]
    limits = draw(over_datasets_table, data, {}).claims[0].limits
    assert limits == (
        f"detectable with a power of 80 %, about: {half * (1.96 + 0.8416) / 1.96:.2g} points"
    )
