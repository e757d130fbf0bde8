"""The small convolutional network of Banerjee et al., Section V.

Two convolutions, each with ReLU and a 2 × 2 max pool, one hidden layer of 64 units with ReLU, and
one logit for each class. Adam with a learning rate of 0.001, batches of 32, 50 epochs, no
augmentation. The paper does not state the widths and the kernel size of the convolutions; this
project uses 32 and 64 channels and 3 × 3.

A step of this network is too small for a GPU, so many trials (lanes) train in one pass there
(`fit_many`): a convolution of all lanes is one batched product of their weights with the patches of
the images. On a CPU, one trial after the other is faster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from reseed.models.images import ImageClassifier, ImageRecipe, Pixels
from reseed.models.networks import Dropout, Learner, train
from reseed.models.registry import SplitArrays
from torch import Tensor, nn
from torch.nn import functional as F

#: Test images of all lanes in one forward pass.
_ROWS_AT_ONCE = 4000


@dataclass(frozen=True)
class Recipe(ImageRecipe):
    """Hyper-parameters: channels of the convolutions, their kernel, units of the hidden layer."""

    epochs: int = 50
    batch_size: int = 32
    learning_rate: float = 0.001
    width_1: int = 32
    width_2: int = 64
    kernel: int = 3
    hidden: int = 64


class SmallCnnNetwork(nn.Module):
    """The network; `points` is the number of pixels of an image after two pools."""

    def __init__(self, channels: int, classes: int, points: int, recipe: Recipe, dropout: Dropout):
        super().__init__()
        margin = recipe.kernel // 2
        self.first = nn.Conv2d(channels, recipe.width_1, recipe.kernel, padding=margin)
        self.second = nn.Conv2d(recipe.width_1, recipe.width_2, recipe.kernel, padding=margin)
        self.hidden = nn.Linear(recipe.width_2 * points, recipe.hidden)
        self.dropout = dropout
        self.head = nn.Linear(recipe.hidden, classes)

    def forward(self, x: Tensor) -> Tensor:
        """Map images (n, channels, h, w) to logits (n, classes)."""
        # ReLU after the pool gives the same values from a quarter of the points.
        x = F.relu(F.max_pool2d(self.first(x), 2))
        x = F.relu(F.max_pool2d(self.second(x), 2))
        x = F.relu(self.hidden(x.flatten(1)))
        return self.head(self.dropout(x))


class SmallCnn(ImageClassifier):
    """The estimator, with the `reseed.models.registry.Stackable` interface."""

    recipe_class = Recipe

    def network(self, shape: tuple[int, int, int], dropout: np.random.Generator) -> SmallCnnNetwork:
        """Return the network for images of a shape."""
        channels, height, width = shape
        points, masks = (height // 4) * (width // 4), Dropout(self.recipe.dropout, dropout)
        return SmallCnnNetwork(channels, self.outputs, points, self.recipe, masks)

    def optimiser(self, network: nn.Module) -> torch.optim.Optimizer:
        """Return Adam with a fixed rate."""
        return torch.optim.Adam(network.parameters(), lr=self.recipe.learning_rate, fused=True)

    @classmethod
    def fit_many(
        cls, lanes: Sequence[SmallCnn], data: Sequence[Callable[[], SplitArrays]], width: int
    ) -> Iterator[tuple[int, float, Exception | None]]:
        """Train lanes of one recipe on images of one shape (see `Stackable.fit_many`)."""
        torch.set_num_threads(lanes[0].threads)
        stack = _Stack(lanes, data, width)
        for lane in train(
            stack.learner(), max_epochs=lanes[0].recipe.epochs, lanes=len(lanes), start=stack.start
        ):
            lanes[lane.number].curve_ = lane.curve
            if lane.error is None:
                stack.copy_weights(lane.slot, lane.number)
            yield lane.number, lane.seconds, lane.error


class StackedCnn(nn.Module):
    """`width` small CNNs: (width, n, channels, h, w) → logits (width, n, classes)."""

    def __init__(self, single: SmallCnnNetwork, width: int):
        super().__init__()
        self.stacked = nn.ParameterList(
            torch.zeros(width, *p.shape, dtype=p.dtype, device=p.device)
            for p in single.parameters()
        )
        self.kernel = single.first.kernel_size[0]
        self.dropout = Dropout(single.dropout.rate, *[None] * width)

    def forward(self, x: Tensor) -> Tensor:
        """Map images to logits (see the class)."""
        first, first_bias, second, second_bias, hidden, hidden_bias, head, head_bias = self.stacked
        x = self._convolve(x, first, first_bias)
        x = self._convolve(x, second, second_bias).flatten(2)
        x = F.relu(torch.baddbmm(hidden_bias[:, None], x, hidden.transpose(1, 2)))
        return torch.baddbmm(head_bias[:, None], self.dropout(x), head.transpose(1, 2))

    def _convolve(self, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        """Apply convolution, 2 × 2 max pool and ReLU: (width, n, channels, h/2, w/2)."""
        lanes, n, _, height, width = x.shape
        patches = F.unfold(x.flatten(0, 1), self.kernel, padding=self.kernel // 2)
        patches = patches.view(lanes, n, *patches.shape[1:]).transpose(1, 2).flatten(2)
        y = torch.baddbmm(bias[:, :, None], weight.flatten(2), patches)
        y = F.relu(F.max_pool2d(y.view(-1, n, height, width), 2))
        return y.view(lanes, -1, *y.shape[1:]).transpose(1, 2)


class _Stack:
    """Slots, each with the weights, images and streams of one lane."""

    def __init__(self, lanes: Sequence[SmallCnn], data: Sequence[Callable], width: int):
        self.lanes, self.data, self.width = lanes, data, width
        self.model = lanes[0]
        self._pixels: dict[int, tuple[np.ndarray, Pixels]] = {}
        self.rows: list[tuple | None] = [None] * width
        self.network = StackedCnn(self.model.begin(self._get_pixels(data[0]().X_train)), width)
        # Views of the stacked tensors, so that each lane has its own state and step count in Adam.
        self.slots = [[self._view(p, slot) for p in self.network.stacked] for slot in range(width)]
        self.optimiser = self.model.optimiser(_Parameters(self.slots))

    def learner(self) -> Learner:
        """Return the stacked network with its optimiser, loss and batches."""
        has_curve = self.model.recipe.test_curve and len(self.data[0]().X_test)
        bfloat16 = self.model.recipe.precision == "bfloat16"
        return Learner(
            self.network,
            self.optimiser,
            self._loss,
            self.epoch,
            self._accuracy if has_curve else None,
            width=self.width,
            state=lambda slot: [p.data for p in self.slots[slot]],
            autocast=torch.bfloat16 if bfloat16 else None,
            gradients_in_place=True,
        )

    @torch.no_grad()
    def start(self, slot: int, number: int) -> None:
        """Start a lane in a slot."""
        lane, arrays = self.lanes[number], self.data[number]()
        pixels = self._get_pixels(arrays.X_train)
        single = lane.begin(pixels)
        for tensor, initial in zip(self.slots[slot], single.parameters(), strict=True):
            tensor.copy_(initial)
            for value in self.optimiser.state[tensor].values():
                value.zero_()
        self.network.dropout.restart(slot, single.dropout.streams[0])
        test = self._get_pixels(arrays.X_test), lane.targets(arrays.y_test)
        self.rows[slot] = lane, pixels, lane.targets(arrays.y_train), *test

    @torch.no_grad()
    def copy_weights(self, slot: int, number: int) -> None:
        """Copy the weights of a slot to the network of its lane."""
        single = self.lanes[number]._trained.eval()
        for tensor, trained in zip(single.parameters(), self.slots[slot], strict=True):
            tensor.copy_(trained)

    def epoch(self) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield batches (width, n, channels, h, w) and (width, n); empty slots repeat another."""
        parts = [row and row[0].epoch(row[1], row[2], share=self.width) for row in self.rows]
        filled = [slot for slot, part in enumerate(parts) if part]
        used = [slot if parts[slot] else filled[0] for slot in range(self.width)]
        for batches in zip(*(parts[slot] for slot in filled), strict=True):
            by_slot = dict(zip(filled, batches, strict=True))
            yield tuple(torch.stack([by_slot[slot][k] for slot in used]) for k in (0, 1))

    def _loss(self, outputs: Tensor, targets: Tensor) -> Tensor:
        flat = F.cross_entropy(outputs.float().flatten(0, 1), targets.flatten(), reduction="none")
        return flat.view(targets.shape).mean(dim=1)

    def _accuracy(self, network: nn.Module) -> dict[str, Tensor]:
        filled = next(row for row in self.rows if row)
        rows = [row or filled for row in self.rows]
        hits = torch.zeros(self.width, dtype=torch.float64, device=self.model.device)
        for part in torch.arange(len(filled[3])).split(max(1, _ROWS_AT_ONCE // self.width)):
            inputs = torch.stack([lane.normalise(test.take(part)) for lane, _, _, test, _ in rows])
            targets = torch.stack([y[part] for *_, y in rows])
            hits += (network(inputs).argmax(dim=2) == targets).double().sum(dim=1)
        return {"test_metric": hits / len(filled[3])}

    def _get_pixels(self, images: np.ndarray) -> Pixels:
        """Return images on the device; slots with the same images share them."""
        if id(images) not in self._pixels:
            used = {id(pixels) for row in self.rows if row for pixels in (row[1], row[3])}
            self._pixels = {k: v for k, v in self._pixels.items() if id(v[1]) in used}
            self._pixels[id(images)] = images, Pixels(images, self.model.device)
        return self._pixels[id(images)][1]

    @staticmethod
    def _view(stacked: nn.Parameter, slot: int) -> nn.Parameter:
        if stacked.grad is None:
            stacked.grad = torch.zeros_like(stacked)
        view = nn.Parameter(stacked.data[slot])
        view.grad = stacked.grad[slot]
        return view


class _Parameters:
    """The parameters of all slots, with the interface that an optimiser needs."""

    def __init__(self, slots: list[list[nn.Parameter]]):
        self.slots = slots

    def parameters(self) -> list[nn.Parameter]:
        return [parameter for slot in self.slots for parameter in slot]


def small_cnn(
    task: str,
    n_classes: int,
    hyperparameters: dict[str, Any],
    seeds: dict[str, int],
    device: str = "cpu",
    threads: int = 1,
) -> SmallCnn:
    """Return a small CNN; hyper-parameters are the fields of `Recipe`. Raises ReseedError."""
    return SmallCnn(task, n_classes, hyperparameters, seeds, device, threads)
