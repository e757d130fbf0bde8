"""The PyTorch loop against hand-written numpy training and closed forms."""

import numpy as np
import pytest
import torch
from reseed.core.random_streams import stream
from reseed.models.ffnn import FeedForward, Recipe
from reseed.models.networks import (
    Dropout,
    Learner,
    draw_he_normal,
    make_batch_iterator,
    train,
    train_one,
)
from synthetic_tables import same_seeds, table
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
def test_training_is_adam_on_the_loss_plus_the_penalties(l1, l2):
    features, target, _, _ = table("regression")
    X, y = features.to_numpy(), target
    recipe = Recipe(
        *(0.01, 8, 0, 0), **{"dropout": 0, "l1": l1, "l2": l2, "batch_size": 400, "max_epochs": 80}
    )
    model = FeedForward("regression", 0, recipe, same_seeds(1))
    W, b, V, c = (p.double().numpy() for p in model.initial_weights(4))
    b, c = b[0], c[0]
    # Validating on the training rows makes the restored epoch the one of least training loss.
    model.fit(X, y, X, y)
    losses = [entry["validation_loss"] for entry in model.curve_]
    best = int(np.argmin(losses)) + 1
    mean, unit = y.mean(), y.std()
    predict = numpy_adam_training(X, (y - mean) / unit, W, b, V, c, recipe, best)
    expected = predict(X) * unit + mean
    assert model.predict(X) == pytest.approx(expected, abs=2e-3 * unit)
    assert min(losses) == pytest.approx(np.mean((expected - y) ** 2), rel=1e-2)


def test_he_init_has_its_variance_and_leaves_torch_unchanged():
    before = torch.random.get_rng_state()
    weights = draw_he_normal((50, 2000), 50, np.random.default_rng(0))
    assert torch.equal(before, torch.random.get_rng_state())
    assert weights.dtype == torch.float32
    # The SD of a variance estimate from 100,000 normal draws is sqrt(2/1e5) of it.
    assert float(weights.double().var()) == pytest.approx(2 / 50, rel=5 * np.sqrt(2 / 1e5))


@pytest.mark.parametrize("rate", [0.1, 0.3, 0.5])
def test_dropout_has_its_rate_mean_and_gradient(rate):
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


def test_each_slot_of_a_dropout_draws_from_its_own_stream():
    x = torch.ones(3, 50, 7)
    alone = [Dropout(0.4, stream(seed, "dropout"))(x[:1]) for seed in (1, 2, 3)]
    together = Dropout(0.4, *(stream(seed, "dropout") for seed in (1, 2, 3)))
    assert torch.equal(together(x), torch.cat(alone))
    together.restart(1, stream(3, "dropout"))
    assert torch.equal(together(x)[1], alone[2][0])


def test_minibatches_visit_each_row_once_in_new_orders():
    x = torch.arange(10.0)[:, None]
    epochs = make_batch_iterator(x, x[:, 0], 4, np.random.default_rng(0))
    orders = []
    for _ in range(2):
        pairs = list(epochs())
        assert [len(t) for _, t in pairs] == [4, 4, 2]
        assert all(torch.equal(a[:, 0], t) for a, t in pairs)
        orders.append(torch.cat([t for _, t in pairs]).tolist())
    assert sorted(orders[0]) == sorted(orders[1]) == list(range(10))
    assert orders[0] != orders[1]
    fixed = make_batch_iterator(x, x[:, 0], 4, None, augment=lambda batch: -batch)
    pairs = list(fixed())
    assert torch.cat([t for _, t in pairs]).tolist() == list(range(10))
    assert torch.cat([a for a, _ in pairs])[:, 0].tolist() == [-k for k in range(10)]


def counting(width=1, rate=1.0, **parts):
    """A learner of one weight a slot, whose weight is the number of steps it has taken.

    Returns the learner and the weights, (width,).
    """
    network = nn.Linear(1, width, bias=False)
    nn.init.zeros_(network.weight)
    weights = network.weight.detach()[:, 0]
    learner = Learner(
        network,
        torch.optim.SGD(network.parameters(), lr=rate),
        lambda output, target: -output.mean(dim=0),
        lambda: [(torch.ones(1, 1), torch.zeros(width, 1) if width > 1 else torch.zeros(1))],
        width=width,
        state=lambda slot: [weights[slot]],
        **parts,
    )
    return learner, weights


def scripted(validation_losses, **limits):
    """Train one network whose validation losses are given; return lane and weight."""
    losses = iter(validation_losses)
    learner, weights = counting(
        evaluate=lambda network: {"validation_loss": next(losses), "validation_metric": 0.5}
    )
    return train_one(learner, **limits), weights.item()


def test_early_stopping_restores_the_best_epoch():
    lane, weight = scripted([5, 4, 3, 4, 4, 2, 9, 9, 9, 1], max_epochs=10, patience=3)
    assert len(lane.curve) == 9  # the best is epoch 6; epochs 7, 8 and 9 bring nothing better
    assert weight == 6
    assert lane.converged is True
    lane, weight = scripted([5, 4, 3], max_epochs=3, patience=100)
    assert (len(lane.curve), weight) == (3, 3)
    assert lane.converged is False
    assert lane.curve[1] == {
        "epoch": 2,
        "train_loss": -1.0,
        "validation_loss": 4,
        "validation_metric": 0.5,
    }
    lane, weight = scripted([5, 4, 5], max_epochs=3)
    assert (weight, lane.converged) == (2, None)  # nobody asked it to stop early


def test_without_a_validation_loss_the_last_weights_stay():
    learner, weights = counting(evaluate=lambda network: {"test_metric": 0.25})
    lane = train_one(learner, max_epochs=4, patience=1)
    assert (weights.item(), lane.converged) == (4, None)
    assert [entry["test_metric"] for entry in lane.curve] == [0.25] * 4


def test_error_for_non_finite_loss_names_the_epoch():
    with pytest.raises(FloatingPointError, match="validation loss is nan in epoch 2"):
        scripted([1, float("nan"), 1], max_epochs=3, patience=2)


def test_a_schedule_scales_the_rate_of_every_step():
    learner, weights = counting(rate=0.5, schedule=lambda step: 1 / 2**step)
    train_one(learner, max_epochs=3)
    assert weights.item() == pytest.approx(0.5 * (1 + 1 / 2 + 1 / 4))


def lanes_of(losses_of, width, **limits):
    """Train lanes whose validation losses are given by lane; weights begin at 100 a lane."""
    running = [None] * width
    learner, weights = counting(
        width,
        evaluate=lambda network: {
            "validation_loss": torch.tensor(
                [next(lane, float("nan")) if lane else float("nan") for lane in running]
            )
        },
    )

    def start(slot, lane):
        if losses_of[lane] is None:
            raise ValueError("no rows")
        running[slot] = iter(losses_of[lane])
        weights[slot] = 100 * lane

    return [
        (lane, weights[lane.slot].item())
        for lane in train(learner, lanes=len(losses_of), start=start, **limits)
    ]


def test_next_lane_gets_the_slot_of_a_stopped_lane():
    losses = [[3, 2, 1, 2, 2], [3, 4, 4], None, [1, float("inf")], [5, 4, 3, 2, 1, 1, 1], [2, 3, 3]]
    ended = lanes_of(losses, 2, max_epochs=6, patience=2)
    found = {
        lane.number: (len(lane.curve), weight, lane.converged)
        for lane, weight in ended
        if lane.error is None
    }
    # (epochs, start + best epoch, stopped by patience?)
    assert found == {0: (5, 3, True), 1: (3, 101, True), 4: (6, 405, False), 5: (3, 501, True)}
    errors = {lane.number: str(lane.error) for lane, _ in ended if lane.error}
    assert errors == {2: "no rows", 3: "diverged: the validation loss is inf in epoch 2"}
    assert [lane.number for lane, _ in ended] == [1, 2, 0, 3, 5, 4]


def test_with_a_schedule_lanes_start_together():
    learner, weights = counting(2, schedule=lambda step: [1.0, 0.1][step])
    lanes = list(train(learner, max_epochs=2, lanes=3, start=lambda s, _: weights[s].zero_()))
    assert [lane.number for lane in lanes] == [0, 1, 2]
    assert weights[0].item() == pytest.approx(1.1)


def test_a_network_draws_nothing_from_the_global_generators():
    features, target, _, _ = table("binary")
    recipe = Recipe(max_epochs=3, dropout=0.2)
    outputs = []
    for global_seed in (0, 1):
        torch.manual_seed(global_seed)
        np.random.seed(global_seed)
        model = FeedForward("binary", 2, recipe, same_seeds(0))
        model.fit(features.to_numpy(), target, features.to_numpy(), target)
        outputs.append(model.predict(features.to_numpy()))
    assert (outputs[0] == outputs[1]).all()
