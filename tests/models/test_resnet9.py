"""ResNet-9 and the small CNN against what the papers and their code say."""

import numpy as np
import pytest
import torch
from image_sets import blobs, seeds
from papers.banerjee.small_cnn import SmallCnn, small_cnn
from papers.picard.resnet9 import Recipe, ResNet9, resnet9
from reseed.core.errors import ReseedError
from torch import nn


def parameters(network):
    return sum(p.numel() for p in network.parameters())


def test_the_published_network_has_its_number_of_parameters():
    model = ResNet9("multiclass", 10, {}, seeds())
    network = model._build_network((3, 32, 32))
    assert parameters(network) == 2_440_256
    # Eight convolutions 3 × 3 with batch norm, and a linear layer without bias.
    maps = [(3, 64), (64, 128), (128, 128), (128, 128), (128, 256), (256, 256), (256, 256),
            (256, 256)]  # fmt: skip
    assert parameters(network) == sum(9 * i * o + 2 * o for i, o in maps) + 256 * 10


def test_the_network_is_the_published_chain_of_layers():
    """The same function from PyTorch's own building blocks, weights copied over in order."""

    def unit(i, o):
        return nn.Sequential(
            nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.CELU(0.1)
        )

    class Residual(nn.Module):
        def __init__(self, channels):
            super().__init__()
            self.inner = nn.Sequential(unit(channels, channels), unit(channels, channels))

        def forward(self, x):
            return x + self.inner(x)

    network = ResNet9("multiclass", 10, {"width": 4}, seeds())._build_network((3, 32, 32))
    chain = nn.Sequential(
        unit(3, 4), nn.MaxPool2d(2), unit(4, 8), nn.MaxPool2d(2), Residual(8),
        unit(8, 16), nn.MaxPool2d(2), unit(16, 16), nn.MaxPool2d(2), Residual(16),
        nn.AdaptiveMaxPool2d(1), nn.Flatten(), nn.Linear(16, 10, bias=False),
    )  # fmt: skip
    chain.load_state_dict(dict(zip(chain.state_dict(), network.state_dict().values(), strict=True)))
    x = torch.randn(6, 3, 32, 32, generator=torch.Generator().manual_seed(0))
    for mode in (True, False):
        network.train(mode), chain.train(mode)
        assert torch.allclose(network(x), 0.1 * chain(x), atol=1e-5)
    norms = [m for m in network.modules() if isinstance(m, nn.BatchNorm2d)]
    assert {(m.eps, m.momentum) for m in norms} == {(1e-5, 0.1)}


@pytest.mark.parametrize(("epochs", "decay"), [(22, 22), (45, 22), (22, None)])
def test_the_schedule_is_the_published_one(epochs, decay):
    model = ResNet9("multiclass", 10, {"epochs": epochs, "decay_epochs": decay}, seeds())

    def published(e):
        if e < 4:
            return 0.5 * e / 3 + 0.01
        return 0.5 * (22 - e) / 19 + 0.01 if e < 22 else 0.01

    factors = [model.rate_factor(e) for e in range(epochs)]
    assert factors == pytest.approx([published(e) for e in range(epochs)])


def test_the_learning_rate_follows_the_schedule_epoch_by_epoch():
    images, y = blobs(40)
    model = resnet9("multiclass", 3, {"width": 2, "epochs": 4, "ramp_epochs": 1, "batch_size": 10},
                    seeds())  # fmt: skip
    learner = model.learner(images, y)
    rates = []
    step = learner.optimiser.step
    learner.optimiser.step = lambda: (rates.append(learner.optimiser.param_groups[0]["lr"]), step())
    for _ in range(4):
        learner.train_epoch()
    expected = np.repeat([0.2 * model.rate_factor(e) for e in range(4)], 4)
    assert rates == pytest.approx(expected)
    assert learner.optimiser.param_groups[0]["weight_decay"] == 0.001
    assert learner.optimiser.param_groups[0]["nesterov"]


def test_loss_is_cross_entropy_plus_twice_the_smoothed_one():
    rng = np.random.default_rng(0)
    logits, targets = rng.normal(size=(7, 10)), rng.integers(0, 10, 7)
    log_p = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    plain = -log_p[np.arange(7), targets].mean()
    smoothed = (0.8 * -log_p[np.arange(7), targets] + 0.2 * -log_p.mean(axis=1)).mean()
    model = ResNet9("multiclass", 10, {}, seeds())
    loss = model.loss(torch.tensor(logits), torch.tensor(targets))
    assert float(loss) == pytest.approx(plain + 2 * smoothed)


def test_one_step_is_nesterov_sgd_with_weight_decay():
    images, y = blobs(30)
    recipe = {"width": 2, "epochs": 1, "ramp_epochs": 0, "batch_size": 30, "crop": 0,
              "flip": False, "cutout": 0}  # fmt: skip
    model = resnet9("multiclass", 3, recipe, seeds())
    learner = model.learner(images, y)
    before = [p.detach().double().clone() for p in learner.network.parameters()]
    learner.train_epoch()
    rate = 0.2 * model.rate_factor(0)
    for start, p in zip(before, learner.network.parameters(), strict=True):
        # First step: the velocity is the gradient, and Nesterov's step is (1 + 0.9) times it.
        gradient = p.grad.double() + 0.001 * start
        expected = start - rate * 1.9 * gradient
        assert torch.allclose(p.double(), expected, atol=1e-6)


@pytest.mark.parametrize("size", [8, 28, 32, 5])
def test_images_of_any_size_are_accepted(size):
    images, y = blobs(20, size=size, channels=1)
    recipe = {"width": 2, "epochs": 1, "ramp_epochs": 0, "batch_size": 10}
    assert resnet9("multiclass", 3, recipe, seeds()).fit(images, y).predict(images).shape == (20, 3)


def test_a_ramp_longer_than_the_training_is_refused():
    with pytest.raises(ReseedError, match="ramp_epochs: 3 is not below"):
        Recipe(epochs=2)


def test_small_cnn_has_the_layers_of_the_paper():
    network = SmallCnn("binary", 2, {}, seeds())._build_network((3, 32, 32))
    layers = [m for m in network.modules() if isinstance(m, (nn.Conv2d, nn.Linear))]
    assert [type(m) for m in layers] == [nn.Conv2d, nn.Conv2d, nn.Linear, nn.Linear]
    assert layers[2].out_features == 64
    assert layers[3].out_features == 2
    x = torch.randn(4, 3, 32, 32, generator=torch.Generator().manual_seed(0))
    first, second, hidden, head = layers
    plain = nn.Sequential(
        first, nn.ReLU(), nn.MaxPool2d(2), second, nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        hidden, nn.ReLU(), head,
    )  # fmt: skip
    assert torch.allclose(network(x), plain(x), atol=1e-6)
    optimiser = SmallCnn("binary", 2, {}, seeds()).optimiser(network)
    assert isinstance(optimiser, torch.optim.Adam)
    assert optimiser.param_groups[0]["lr"] == 0.001
    recipe = SmallCnn("binary", 2, {}, seeds()).recipe
    assert (recipe.epochs, recipe.batch_size, recipe.crop, recipe.flip) == (50, 32, 0, False)


def test_the_small_cnn_learns():
    images, y = blobs(300, classes=2)
    recipe = {"width_1": 4, "width_2": 4, "hidden": 8, "epochs": 4, "batch_size": 16}
    model = small_cnn("binary", 2, recipe, seeds()).fit(images[:200], y[:200])
    assert ((model.predict(images[200:]) > 0) == y[200:]).mean() > 0.8
