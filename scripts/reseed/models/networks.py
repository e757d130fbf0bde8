"""The one PyTorch loop: gradient steps, early stopping, and layers with streams of their own.

The loop knows nothing of the data: a network, an optimiser, a loss, and a function that gives an
epoch's batches. Nothing here draws from PyTorch's global generator.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np
import torch
from torch import Tensor, nn

Batches = Callable[[], Iterable[tuple[Tensor, Tensor]]]


def train_network(
    network: nn.Module,
    optimiser: torch.optim.Optimizer,
    loss: Callable[[Tensor, Tensor], Tensor],
    batches: Batches,
    evaluate: Callable[[nn.Module], tuple[float, float]] | None = None,
    *,
    max_epochs: int,
    patience: int | None = None,
    after_backward: Callable[[], None] | None = None,
) -> list[dict[str, float]]:
    """Train in place; return the curve, one dict an epoch.

    ``batches()`` gives one epoch's (inputs, targets). ``loss(outputs, targets)`` is a mean over
    rows. ``after_backward()`` may change the gradients before each step. ``evaluate(network)``
    returns (validation loss, validation metric), without gradients and in evaluation mode. With
    it, the weights of the epoch with the least validation loss are restored at the end, and
    training stops after ``patience`` epochs without a new least loss. Without it, the last
    weights stay.

    Raises FloatingPointError, naming the epoch, when a loss is not finite.
    """
    curve, best_loss, best_weights, best_epoch = [], math.inf, None, 0
    for epoch in range(1, max_epochs + 1):
        network.train()
        losses, sizes = [], []
        for inputs, targets in batches():
            optimiser.zero_grad()
            value = loss(network(inputs), targets)
            value.backward()
            if after_backward is not None:
                after_backward()
            optimiser.step()
            losses.append(value.detach())
            sizes.append(len(targets))
        # One transfer an epoch: reading each step's loss would make a GPU wait.
        train_loss = float(np.average(torch.stack(losses).tolist(), weights=sizes))
        _refuse_not_finite("training", train_loss, epoch)
        entry = {"epoch": epoch, "train_loss": train_loss}
        if evaluate is not None:
            network.eval()
            with torch.inference_mode():
                entry["validation_loss"], entry["validation_metric"] = evaluate(network)
            _refuse_not_finite("validation", entry["validation_loss"], epoch)
        curve.append(entry)
        if evaluate is None:
            continue
        if entry["validation_loss"] < best_loss:
            best_loss, best_epoch = entry["validation_loss"], epoch
            best_weights = {k: v.detach().clone() for k, v in network.state_dict().items()}
        elif patience is not None and epoch - best_epoch >= patience:
            break
    if best_weights is not None:
        network.load_state_dict(best_weights)
    network.eval()
    return curve


def _refuse_not_finite(part: str, value: float, epoch: int) -> None:
    if not math.isfinite(value):
        raise FloatingPointError(f"diverged: the {part} loss is {value} in epoch {epoch}")


def minibatches(
    inputs: Tensor, targets: Tensor, batch_size: int, order: np.random.Generator | None
) -> Batches:
    """Return the epoch function of tensors on a device; the last batch may be smaller.

    Rows are shuffled anew each epoch by ``order``, or stay as they are if it is None.
    """

    def epoch() -> Iterable[tuple[Tensor, Tensor]]:
        x, y = inputs, targets
        if order is not None:
            rows = torch.from_numpy(order.permutation(len(y))).to(y.device)
            x, y = x.index_select(0, rows), y.index_select(0, rows)
        return zip(x.split(batch_size), y.split(batch_size), strict=True)

    return epoch


def he_linear(inputs: int, outputs: int, stream: np.random.Generator) -> nn.Linear:
    """Return a linear layer with weights from N(0, 2/inputs) (He et al. 2015) and zero biases."""
    layer = nn.utils.skip_init(nn.Linear, inputs, outputs)
    weights = stream.standard_normal((outputs, inputs)) * math.sqrt(2 / inputs)
    with torch.no_grad():
        layer.weight.copy_(torch.from_numpy(weights))
        layer.bias.zero_()
    return layer


class Dropout(nn.Module):
    """Inverted dropout (Srivastava et al. 2014) that draws from a stream of its own.

    On a CPU sixteen random bits decide each entry (a rate is met to 2**-17): four times as fast
    as PyTorch's Bernoulli draws, which cost as much as the rest of a small network's step.
    """

    def __init__(self, rate: float, stream: np.random.Generator):
        super().__init__()
        if not 0 <= rate < 1:
            raise ValueError(f"dropout {rate!r}: a rate is at least 0 and below 1")
        self.rate, self.stream, self._on_device = rate, stream, None

    def forward(self, x: Tensor) -> Tensor:
        """Zero entries at the rate and scale the rest by 1/(1 - rate), in training mode only."""
        if not self.training or self.rate == 0:
            return x
        if x.device.type == "cpu":
            words = self.stream.bit_generator.random_raw(-(-x.numel() // 4))
            keep = words.view(np.uint16)[: x.numel()] >= round(self.rate * 2**16)
            # bool is read as uint8 because PyTorch converts that four times as fast.
            mask = torch.from_numpy(keep.view(np.uint8)).view(x.shape).to(x.dtype)
        else:
            if self._on_device is None:
                seed = int(self.stream.integers(2**62))
                self._on_device = torch.Generator(device=x.device).manual_seed(seed)
            mask = torch.empty_like(x).bernoulli_(1 - self.rate, generator=self._on_device)
        return x * mask.mul_(1 / (1 - self.rate))
