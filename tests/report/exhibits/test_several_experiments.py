"""Experiments are never pooled in silence, ties are no firsts, and no two lines look alike."""

import pytest
from reseed.report.rendering import style
from reseed.report.rendering.panels import colours
from study_frames import Study, runs

TABLES = tuple(f"magic~rows={i}00" for i in range(1, 4))


def test_no_two_models_or_arms_look_alike():
    variants = ["ffnn~lr=0.1", "ffnn~lr=0.01", "ffnn_res", "rf"]
    assert len(set(colours(variants).values())) == 4
    assert style.colour_of("ffnn~lr=0.1", variants) == style.MODELS["ffnn"]
    models = ["ffnn", "svm", "knn", "logit", "nb"]
    assert len({style.colour_of(model, models) for model in models}) == 5


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
