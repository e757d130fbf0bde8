"""Small classifiers of images by their pixels."""

import numpy as np
import pytest
from reseed.models.pixels import flatten_images
from reseed.training.run import Problem, Recipe, run_trials
from synthetic_tables import Plain, trial

MODELS = {
    "random_forest": {"n_estimators": 20},
    "extra_trees": {"n_estimators": 20},
    "network": {"hidden_layer_sizes": [8], "max_iter": 40, "learning_rate_init": 0.02},
}


def test_pixels_are_flat_and_from_0_to_1():
    images = np.array([[[[0], [255]], [[51], [0]]]], dtype=np.uint8)
    assert np.allclose(flatten_images(images), [[0, 1, 0.2, 0]])


@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
@pytest.mark.parametrize("name", MODELS)
def test_model_learns_and_depends_on_its_init_seed(name):
    rng = np.random.default_rng(0)
    target = rng.integers(3, size=400)
    images = rng.integers(0, 100, size=(400, 4, 4, 1), dtype=np.uint8)
    images[np.arange(400), target, target, 0] = 220
    problem = Problem(Plain(images), target, "multiclass", 3)
    recipe = Recipe(f"reseed.models.pixels:{name}", MODELS[name])
    trials = [trial(0), trial(0), trial(0, init=1), trial(0, order=1)]
    found = list(run_trials(problem, recipe, trials))
    assert found[0].status == "ok", found[0].error
    assert found[0].metrics["accuracy"] > 0.9
    assert found[0].fingerprint == found[1].fingerprint == found[3].fingerprint
    assert found[0].fingerprint != found[2].fingerprint
