"""Experiments are never pooled in silence, ties are no firsts, and no two lines look alike."""

from reseed.report.rendering import style
from reseed.report.rendering.panels import colours


def test_no_two_models_or_arms_look_alike():
    variants = ["ffnn~lr=0.1", "ffnn~lr=0.01", "ffnn_res", "rf"]
    assert len(set(colours(variants).values())) == 4
    assert style.colour_of("ffnn~lr=0.1", variants) == style.MODELS["ffnn"]
    models = ["ffnn", "svm", "knn", "logit", "nb"]
    assert len({style.colour_of(model, models) for model in models}) == 5
