"""Experiments are never pooled in silence, ties are no firsts, and no two lines look alike."""

import pytest
from reseed.report.rendering import style
from reseed.report.rendering.panels import colours, line_styles
from study_frames import Study, runs
from text_of import text_of

TABLES = tuple(f"magic~rows={i}00" for i in range(1, 4))


def seeds(means, datasets=TABLES, noise=0.002, **place):
    return runs(means, datasets, sd=noise, step=0.01, **place)


@pytest.fixture(scope="module")
def two():
    """XGB is the better in one experiment, RF in the other."""
    better, worse = {"rf": 0.8, "xgb": 0.83}, {"rf": 0.83, "xgb": 0.8}
    return Study.of(seeds(better) + seeds(worse, experiment="retuned"))


def test_every_experiment_is_told_for_itself(two, snapshot):
    options = {"experiments": ["model_seeds", "retuned"]}
    drawn = two.draw("aggregates_figure", options)
    improvement = two.show("improvement_table")
    assert text_of(drawn, improvement, two.show("over_datasets_table")) == snapshot
    figure, _ = two.draw("aggregates_figure", options | {"show": "profiles"})
    assert sum(axis.get_visible() for axis in figure.axes) == 4
    assert int(improvement.shown["RF"].iloc[1].split()[0]) > 80
    assert int(improvement.shown["XGB"].iloc[2].split()[0]) > 80


def test_tied_arms_share_the_first_place(snapshot):
    tied = Study.of(seeds({"rf": 0.8, "xgb": 0.8, "ffnn": 0.7}, noise=0))
    even = Study.of(seeds({"rf": 0.8, "xgb": 0.8}, noise=0))
    apart = Study.of(seeds({"rf": 0.6, "xgb": 0.7, "ffnn": 0.8}, noise=0))
    made = [one.show("improvement_table") for one in (even, apart)]
    assert text_of(tied.show("aggregates_figure"), made) == snapshot


def test_a_dataset_left_out_is_named_with_the_reason(snapshot):
    rows = seeds({"rf": 0.8, "xgb": 0.83})
    rows += seeds({"rf": 0.8, "xgb": 0.83}, ("home_mortgage_sim",), n=3)
    assert text_of(Study.of(rows).show("over_datasets_table")) == snapshot


def test_a_given_difference_is_told_in_the_unit_of_each_metric(snapshot):
    rows = seeds({"rf": 0.8, "xgb": 0.82}, ("magic",))
    rows += seeds({"rf": 0.12, "xgb": 0.13}, ("bike_sharing",), metric="mse")
    study = Study.of(rows, datasets={"bike_sharing": {"metric_unit": "kW²"}})
    given = study.show("seeds_figure", difference=0.005)
    assert text_of(given, given.definitions, study.show("seeds_figure")) == snapshot


def test_the_ranking_counts_test_ratios_as_settings(snapshot):
    rows = [
        row
        for ratio in (0.1, 0.4)
        for row in seeds({"rf": 0.8, "xgb": 0.801}, ("magic",), scheme=f"holdout-{ratio}",
                         test_ratio=ratio)
    ]  # fmt: skip
    assert text_of(Study.of(rows).show("ranking_figure")) == snapshot


def test_no_two_models_or_arms_look_alike():
    variants = ["ffnn~lr=0.1", "ffnn~lr=0.01", "ffnn_res", "rf"]
    assert len(set(colours(variants).values())) == 4
    assert style.colour_of("ffnn~lr=0.1", variants) == style.MODELS["ffnn"]
    models = ["ffnn", "svm", "knn", "logit", "nb"]
    assert len({style.colour_of(model, models) for model in models}) == 5
    for names in ([f"a{i}" for i in range(20)], [f"rf~n={i}" for i in range(20)]):
        assert len({tuple(look.values()) for look in line_styles(names).values()}) == 20


def equal(datasets, models, n=5):
    """Models of one mean on so many datasets."""
    names = [f"d{i}" for i in range(datasets)]
    rows = runs(dict.fromkeys(models, 0.8), names, n, sd=0.01)
    return Study.of(rows, datasets={name: {"metric": "auc"} for name in names})


@pytest.mark.parametrize(("count", "models", "sds"), [(6, 6, "2.6"), (12, 3, "1.0")])
def test_claims_over_datasets_state_what_they_could_find(count, models, sds):
    study = equal(count, [f"m{i}" for i in range(models)])
    limits = f"detectable with a power of 80 %: a mean difference of {sds} SD between datasets"
    over = {c.name: c for c in study.show("verdicts_table").claims}["shown_over_datasets"]
    drawn = study.show("critical_difference_figure")
    assert (over.limits, drawn.claims[0].limits) == (limits, limits)


def test_mean_over_datasets_states_what_it_could_find():
    study = equal(6, ("rf", "xgb"), 8)
    rows = study.data("over_datasets_table").statistics
    [pair] = rows[rows["statistic"] == "pair"].to_dict("records")
    half = (pair["high"] - pair["low"]) / 2 * pair["factor"]
    assert study.show("over_datasets_table").claims[0].limits == (
        f"detectable with a power of 80 %, about: {half * (1.96 + 0.8416) / 1.96:.2g} points"
    )
