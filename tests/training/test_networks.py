"""The PyTorch loop against hand-written numpy training and closed forms."""

import numpy as np
import pytest
import torch
from reseed.models.ffnn import FeedForward, Recipe
from reseed.models.networks import Dropout, he_linear, minibatches, train_network
from synthetic_tables import table
from torch import nn


def numpy_adam_training(X, y, W, b, V, c, recipe, epochs):
    """Full-batch training of relu(XW+b)V+c on the mean squared error with explicit penalties."""
    weights = [W, b, V, c]
    first, second = [np.zeros_like(w) for w in weights], [np.zeros_like(w) for w in weights]
    for step in range(1, epochs + 1):
        W, b, V, c = weights
        z = X @ W + b
        h = np.maximum(z, 0)
        d = 2 * (h @ V + c - y[:, None]) / len(y)
        dz = (d @ V.T) * (z > 0)
        gradients = [X.T @ dz, dz.sum(0), h.T @ d, d.sum(0)]
        for k in (0, 2):
            gradients[k] = (
                gradients[k] + recipe.l1 * np.sign(weights[k]) + 2 * recipe.l2 * weights[k]
            )
        for k, g in enumerate(gradients):
            first[k] = 0.9 * first[k] + 0.1 * g
            second[k] = 0.999 * second[k] + 0.001 * g**2
            m, v = first[k] / (1 - 0.9**step), second[k] / (1 - 0.999**step)
            weights[k] = weights[k] - recipe.learning_rate * m / (np.sqrt(v) + 1e-8)
    W, b, V, c = weights
    return lambda X: (np.maximum(X @ W + b, 0) @ V + c)[:, 0]


@pytest.mark.parametrize(("l1", "l2"), [(0, 0), (0.01, 0), (0, 0.02), (0.003, 0.01)])
def test_training_is_adam_on_the_loss_plus_the_penalties(l1, l2, same_seeds):
    features, target, _, _ = table("regression")
    X, y = features.to_numpy(), target
    recipe = Recipe(
        *(0.01, 8, 0, 0),
        **{"dropout": 0, "l1": l1, "l2": l2, "batch_size": 400, "max_epochs": 80},
    )
    model = FeedForward("regression", 0, recipe, same_seeds(1))
    start = model._network(4)
    W, b, V, c = (p.detach().double().numpy().T.copy() for p in start.parameters())
    # Validating on the training rows makes the restored epoch the one of least training loss.
    model.fit(X, y, X, y)
    losses = [entry["validation_loss"] for entry in model.curve_]
    best = int(np.argmin(losses)) + 1
    mean, unit = y.mean(), y.std()
    predict = numpy_adam_training(X, (y - mean) / unit, W, b, V, c, recipe, best)
    expected = predict(X) * unit + mean
    assert model.predict_score(X) == pytest.approx(expected, abs=2e-3 * unit)
    assert min(losses) == pytest.approx(np.mean((expected - y) ** 2), rel=1e-2)


def test_he_initialisation_has_its_variance_and_leaves_torch_alone():
    before = torch.random.get_rng_state()
    layer = he_linear(50, 2000, np.random.default_rng(0))
    assert torch.equal(before, torch.random.get_rng_state())
    weights = layer.weight.detach().double()
    # The SD of a variance estimate from 100,000 normal draws is sqrt(2/1e5) of it.
    assert float(weights.var()) == pytest.approx(2 / 50, rel=5 * np.sqrt(2 / 1e5))
    assert (layer.bias == 0).all()


@pytest.mark.parametrize("rate", [0.1, 0.3, 0.5])
def test_dropout_has_its_rate_keeps_the_mean_and_passes_the_gradient(rate):
    layer = Dropout(rate, np.random.default_rng(0))
    x = torch.ones(1001, 199, requires_grad=True)
    y = layer(x)
    kept = y > 0
    n = x.numel()
    assert float(kept.double().mean()) == pytest.approx(
        1 - rate, abs=5 * np.sqrt(rate * (1 - rate) / n)
    )
    assert torch.allclose(y[kept], torch.tensor(1 / (1 - rate)))
    y.sum().backward()
    assert torch.equal(x.grad, y.detach())
    assert not torch.equal(layer(x) > 0, kept)
    layer.eval()
    assert torch.equal(layer(x), x)


def test_minibatches_visit_each_row_once_in_a_new_order_each_epoch():
    x = torch.arange(10.0)[:, None]
    epochs = minibatches(x, x[:, 0], 4, np.random.default_rng(0))
    orders = []
    for _ in range(2):
        pairs = list(epochs())
        assert [len(t) for _, t in pairs] == [4, 4, 2]
        assert all(torch.equal(a[:, 0], t) for a, t in pairs)
        orders.append(torch.cat([t for _, t in pairs]).tolist())
    assert sorted(orders[0]) == sorted(orders[1]) == list(range(10))
    assert orders[0] != orders[1]
    fixed = minibatches(x, x[:, 0], 4, None)
    assert torch.cat([t for _, t in fixed()]).tolist() == list(range(10))


def scripted(validation_losses, **options):
    """Train a one-weight network whose validation losses are given; weight = epochs trained."""
    network = nn.Linear(1, 1, bias=False)
    nn.init.zeros_(network.weight)
    optimiser = torch.optim.SGD(network.parameters(), lr=1.0)
    losses = iter(validation_losses)
    batch = [(torch.ones(1, 1), torch.zeros(1))]
    curve = train_network(
        network,
        optimiser,
        lambda output, target: -output.mean(),
        lambda: batch,
        lambda net: (next(losses), 0.5),
        **options,
    )
    return curve, network.weight.item()


def test_early_stopping_waits_for_its_patience_and_restores_the_best_epoch():
    curve, weight = scripted([5, 4, 3, 4, 4, 2, 9, 9, 9, 1], max_epochs=10, patience=3)
    assert len(curve) == 9  # the best is epoch 6; epochs 7, 8 and 9 bring nothing better
    assert weight == 6
    curve, weight = scripted([5, 4, 3], max_epochs=3, patience=100)
    assert (len(curve), weight) == (3, 3)
    assert curve[1] == {
        "epoch": 2,
        "train_loss": -1.0,
        "validation_loss": 4,
        "validation_metric": 0.5,
    }


def test_a_loss_that_is_not_finite_names_the_epoch():
    with pytest.raises(FloatingPointError, match="validation loss is nan in epoch 2"):
        scripted([1, float("nan"), 1], max_epochs=3, patience=2)


def test_a_network_draws_nothing_from_the_global_generators(same_seeds):
    features, target, _, _ = table("binary")
    recipe = Recipe(max_epochs=3, dropout=0.2)
    scores = []
    for global_seed in (0, 1):
        torch.manual_seed(global_seed)
        np.random.seed(global_seed)
        model = FeedForward("binary", 2, recipe, same_seeds(0))
        model.fit(features.to_numpy(), target, features.to_numpy(), target)
        scores.append(model.predict_score(features.to_numpy()))
    assert (scores[0] == scores[1]).all()
