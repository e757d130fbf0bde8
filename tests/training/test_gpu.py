"""On a GPU each network repeats its bits, agrees with the CPU, and shares the device politely."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from image_sets import blobs
from reseed.training.run import Problem, Recipe, Trial, run_trials
from synthetic_tables import Plain, Rows, problem, same_seeds, split
from synthetic_texts import labelled_texts
from tiny_transformers import FAMILIES, folder

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs an NVIDIA GPU")

AUGMENTED = {"epochs": 2, "batch_size": 32, "crop": 2, "flip": True, "augment_block": 8}
#: Factory and small hyper-parameters of every network of images.
IMAGES = {
    "small_cnn": ("papers.banerjee.small_cnn:small_cnn", {"dropout": 0.2}),
    "resnet9": ("papers.picard.resnet9:resnet9", {"width": 8, "ramp_epochs": 1, "cutout": 4}),
    "resnet18": ("reseed.models.vision:resnet18", {"widths": [8, 16], "depths": [1, 1]}),
    "efficientnet_b0": ("reseed.models.vision:efficientnet_b0", {"width": 0.25, "depth": 0.25}),
    "vit_tiny": ("reseed.models.vision:vit_tiny", {"width": 24, "depth": 2}),
}
#: Distance of a GPU's outputs from a CPU's after a few steps, in SDs of the outputs.
ROUNDING = 0.02


def train(data, recipe, trials):
    outcomes = list(run_trials(data, recipe, trials))
    assert [outcome.error for outcome in outcomes] == [None] * len(outcomes)
    return outcomes


def prints(*of):
    return [outcome.fingerprint for outcome in train(*of)]


def image_trials(name, seeds=(0, 1), **changes):
    images, y = blobs(160, size=32)
    factory, own = IMAGES[name]
    rows = Rows(*np.split(np.arange(160), [96, 96]))
    recipe = Recipe(factory, AUGMENTED | own | changes, device="cuda")
    trials = [Trial(rows, same_seeds(seed)) for seed in seeds]
    return Problem(Plain(images), y, "multiclass", 3), recipe, trials


def text_trials(factory, options, place=None):
    texts, target = labelled_texts(64)
    rows = Rows(*np.split(np.arange(64), [32, 48]))
    recipe = Recipe(factory, options, device="cuda", weights=place)
    trials = [Trial(rows, same_seeds(seed)) for seed in (0, 1)]
    return Problem(Plain(texts), target, "multiclass", 3), recipe, trials


def assert_repeats(data, recipe, trials):
    """Seeds matter, the order of trials and what others draw do not."""
    first = prints(data, recipe, trials)
    torch.rand(3, device="cuda")
    assert prints(data, recipe, trials[::-1]) == first[::-1]
    assert len(set(first)) == len(first)


def assert_near_the_cpu(data, recipe, trials):
    """Without dropout, whose masks a GPU draws in another way."""
    recipe = replace(recipe, hyperparameters=recipe.hyperparameters | {"dropout": 0.0})
    (here,), (there,) = (
        train(data, replace(recipe, device=device), trials[:1]) for device in ("cuda", "cpu")
    )
    expected = there.outputs["test"]
    gap = np.abs(here.outputs["test"] - expected).max()
    assert gap < ROUNDING * expected.std()


@pytest.mark.parametrize("precision", ["single", "bfloat16"])
@pytest.mark.parametrize("name", IMAGES)
def test_networks_of_images_repeat_bitwise(name, precision):
    assert_repeats(*image_trials(name, precision=precision))


def test_the_published_resnet9_repeats_in_half_precision():
    # At full width, with the batches and blocks of the paper: the kernels of real trainings.
    published = {"width": 64, "precision": "half", "batch_size": 96, "augment_block": 500}
    assert_repeats(*image_trials("resnet9", **published))


@pytest.mark.parametrize("name", IMAGES)
def test_a_gpu_takes_the_steps_of_a_cpu(name):
    changes = {"ramp_epochs": 0} if name == "resnet9" else {}
    assert_near_the_cpu(*image_trials(name, epochs=1, **changes))


@pytest.mark.parametrize("task", ["regression", "binary", "multiclass"])
@pytest.mark.parametrize("stack", [1, 4])
def test_networks_of_tables_repeat_bitwise(task, stack):
    options = {"neurons_1": 16, "neurons_2": 8, "batch_size": 64, "max_epochs": 8, "dropout": 0.2}
    recipe = Recipe("reseed.models.ffnn:ffnn", options, device="cuda", stack=stack)
    assert_repeats(problem(task), recipe, [Trial(split(1), same_seeds(s)) for s in range(5)])


@pytest.mark.parametrize("task", ["regression", "binary", "multiclass"])
@pytest.mark.parametrize("stack", [1, 4])
def test_networks_of_tables_take_the_steps_of_a_cpu(task, stack):
    options = {"neurons_1": 16, "neurons_2": 8, "batch_size": 64, "max_epochs": 8}
    recipe = Recipe("reseed.models.ffnn:ffnn", options, device="cuda", stack=stack)
    assert_near_the_cpu(problem(task), recipe, [Trial(split(1), same_seeds(0))])


def test_a_stack_of_networks_of_images_repeats_bitwise():
    data, recipe, trials = image_trials("small_cnn", seeds=range(5))
    assert_repeats(data, replace(recipe, stack=4), trials)


def test_recurrent_networks_repeat_bitwise():
    options = {"embedding": 8, "hidden": 8, "max_epochs": 2, "batch_size": 8}
    assert_repeats(*text_trials("papers.protocol.bilstm:bilstm", options))


@pytest.mark.parametrize("family", FAMILIES)
def test_transformers_repeat_bitwise(family, tmp_path):
    torch.manual_seed(0)
    options = {"max_epochs": 1, "learning_rate": 1e-3, "max_tokens": 20}
    options |= {"text_to_text": True} if family.startswith("t5") else {}
    place = folder(family, tmp_path)
    assert_repeats(*text_trials("reseed.models.transformer:transformer", options, place))
