"""ResNet-18, EfficientNet-B0 and ViT-Tiny: known sizes, draws by role, the same bits again."""

import math

import numpy as np
import pytest
import torch
from image_sets import blobs, seeds
from reseed.core.coordinates import ROLES
from reseed.core.errors import ReseedError
from reseed.models.vision import efficientnet_b0, resnet18, vit_tiny
from torch import nn

TINY = {
    resnet18: {"widths": [4, 6], "depths": [1, 1], "dropout": 0.0, "learning_rate": 0.05},
    efficientnet_b0: {"width": 0.1, "depth": 0.1, "dropout": 0.3, "learning_rate": 0.05},
    vit_tiny: {"width": 8, "depth": 2, "heads": 2, "dropout": 0.2, "learning_rate": 0.01},
}
#: A ResNet has no dropout layer, so its dropout role has nothing to draw.
DRAWS = {resnet18: set(ROLES) - {"dropout"}, efficientnet_b0: set(ROLES), vit_tiny: set(ROLES)}


@pytest.fixture(params=list(TINY), ids=lambda factory: factory.__name__)
def factory(request):
    return request.param


def tiny(factory, classes=3, changes=None, **roles):
    recipe = TINY[factory] | {"epochs": 1, "batch_size": 12, "flip": True} | (changes or {})
    task = "binary" if classes == 2 else "multiclass"
    return factory(task, classes, recipe, seeds(1, **roles))


def outputs(factory, changes=None, **roles):
    images, y = blobs(24)
    return tiny(factory, changes=changes, **roles).fit(images, y).predict(images)


def test_same_seeds_repeat_bitwise_and_roles_are_separate(factory):
    first = outputs(factory)
    torch.rand(3)  # what others draw from the global generator is of no account
    assert np.array_equal(outputs(factory), first)
    for role in ROLES:
        moved = not np.array_equal(outputs(factory, **{role: 2}), first)
        assert moved == (role in DRAWS[factory]), role


def test_only_the_init_role_decides_the_initial_weights(factory):
    def weights(**roles):
        return tiny(factory, **roles)._build_network((3, 12, 12)).state_dict()

    first, others = weights(), weights(order=2, dropout=2, augment=2)
    assert all(torch.equal(v, others[n]) for n, v in first.items())
    drawn = {n for n, v in weights(init=2).items() if not torch.equal(v, first[n])}
    assert drawn == {
        n for n, v in first.items() if v.is_floating_point() and v.unique().numel() > 1
    }


# 18 layers without the 7 × 7 stem: as in public CIFAR-10 trainings; the others as their papers'
# own releases have them at 224 pixels and 1,000 classes.
@pytest.mark.parametrize(
    ("factory", "classes", "pixels", "changes", "count"),
    [
        (resnet18, 10, 32, {}, 11_173_962),
        (efficientnet_b0, 1000, 224, {}, 5_288_548),
        (vit_tiny, 1000, 224, {"patch": 16}, 5_717_416),
    ],
)
def test_the_networks_have_the_known_number_of_parameters(factory, classes, pixels, changes, count):
    with torch.device("meta"):
        network = factory("multiclass", classes, changes, seeds()).network(
            (3, pixels, pixels), np.random.default_rng(0)
        )
    assert sum(p.numel() for p in network.parameters()) == count


@pytest.mark.parametrize("pixels", [32, 64])
def test_body_has_equal_resolution_for_32_and_64_pixels(factory, pixels):
    network = tiny(factory)._build_network((3, pixels, pixels)).eval()
    stem, seen = next(m for m in network.modules() if isinstance(m, nn.Conv2d)), []
    stem.register_forward_hook(lambda module, given, got: seen.append(tuple(got.shape[2:])))
    network(torch.zeros(1, 3, pixels, pixels))
    assert seen == [(8, 8) if factory is vit_tiny else (32, 32)]


@pytest.mark.parametrize("pixels", [9, 16])
def test_smaller_images_and_one_channel_are_accepted(factory, pixels):
    images, y = blobs(20, size=pixels, channels=1)
    changes = {"patch": 3} if factory is vit_tiny and pixels == 9 else {}
    assert np.isfinite(tiny(factory, changes=changes).fit(images, y).predict(images)).all()


def test_each_network_learns(factory):
    images, y = blobs(72)
    model = tiny(factory, changes={"epochs": 5, "dropout": 0.0, "flip": False}).fit(images, y)
    assert model.curve_[-1]["train_loss"] < 0.8 * np.log(3)


def test_two_classes_give_log_odds(factory):
    images, y = blobs(20, classes=2)
    assert tiny(factory, classes=2).fit(images, y).predict(images).shape == (20,)


def test_rate_rises_linearly_and_falls_as_a_cosine():
    model = resnet18("multiclass", 3, {"epochs": 10, "warmup_epochs": 2}, seeds())
    factors = [model.rate_factor(epoch) for epoch in range(10)]
    assert factors[:3] == pytest.approx([1 / 3, 2 / 3, 1])
    assert factors[6] == pytest.approx(0.5)
    assert factors[9] == pytest.approx((1 + math.cos(7 / 8 * math.pi)) / 2)


def test_optimisers_are_as_the_recipe_says():
    def optimiser(recipe):
        return resnet18("multiclass", 3, recipe, seeds()).optimiser(nn.Linear(2, 2))

    sgd, adamw = optimiser({}), optimiser({"optimiser": "adamw", "weight_decay": 0.01})
    assert isinstance(sgd, torch.optim.SGD)
    wanted = {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.0005, "nesterov": False}
    assert wanted.items() <= sgd.param_groups[0].items()
    assert isinstance(adamw, torch.optim.AdamW)
    assert adamw.param_groups[0]["weight_decay"] == 0.01


def test_fast_kernels_last_as_long_as_the_training():
    images, y = blobs(20)
    model = tiny(resnet18, changes={"deterministic": False})
    during = []
    loss = model.loss
    model.loss = lambda *given: (
        during.append(torch.are_deterministic_algorithms_enabled()), loss(*given)
    )[1]  # fmt: skip
    model.fit(images, y)
    assert not any(during)
    assert torch.are_deterministic_algorithms_enabled()
    assert torch.backends.cudnn.deterministic


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"optimiser": "adam"}, "sgd or adamw"),
        ({"warmup_epochs": 1}, "warmup_epochs: 1"),
        ({"widht": 3}, "widht: unknown"),
    ],
)
def test_bad_hyperparameters_are_refused(factory, changes, words):
    with pytest.raises(ReseedError, match=words):
        tiny(factory, changes=changes)


def test_patches_that_do_not_tile_are_refused():
    images, y = blobs(20, size=9)
    with pytest.raises(ReseedError, match="do not tile"):
        tiny(vit_tiny, changes={"patch": 2}).fit(images, y)
