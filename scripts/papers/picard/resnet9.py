"""The nine-layer residual network of Picard (2021) for CIFAR-10, trained as in his code.

C64 – pool – C128 – pool – R[C128 – C128] – C256 – pool – C256 – pool – R[C256 – C256] – global max
– linear without bias – × 0.1, where C is a 3 × 3 convolution, batch norm and CELU(0.1), and R adds
its input. (The formula in the paper omits the first pool and has ReLU.) It has 2,440,256 parameters
at width 64, with three channels and ten classes.

SGD with Nesterov momentum 0.9 and weight decay on all parameters. The learning rate is constant
within an epoch; it is `learning_rate` times a ramp up and a ramp down. The loss is the
cross-entropy plus twice the cross-entropy with label smoothing 0.2. Augmentation is drawn once for
each block of 500 consecutive images. Published settings: 22 epochs ("short"), or 45 ("long": the
last 23 epochs have the final rate).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from reseed.core.errors import ReseedError
from reseed.models.images import ImageClassifier, ImageRecipe
from reseed.models.networks import Dropout
from torch import Tensor, nn
from torch.nn import functional as F


@dataclass(frozen=True)
class Recipe(ImageRecipe):
    """Hyper-parameters.

    The factor on the learning rate is 0.01 + 0.5·e/`ramp_epochs` up to epoch e = `ramp_epochs`
    (epochs count from 0). Then it falls linearly to 0.01 at `decay_epochs`, and stays there.
    `decay_epochs: null` stands for `epochs`. width: channels of the first layer; the other layers
    have two and four times as many.
    """

    epochs: int = 22
    width: int = 64
    learning_rate: float = 0.2
    ramp_epochs: int = 3
    decay_epochs: int | None = None
    momentum: float = 0.9
    weight_decay: float = 0.001
    label_smoothing: float = 0.2
    smoothed_weight: float = 2.0
    crop: int = 4
    flip: bool = True
    cutout: int = 8
    augment_block: int = 500

    def __post_init__(self):
        super().__post_init__()
        if not 0 <= self.ramp_epochs < (self.decay_epochs or self.epochs):
            raise ReseedError(
                f"hyperparameters.ramp_epochs: {self.ramp_epochs} is not below the epoch "
                f"({self.decay_epochs or self.epochs}) at which the learning rate is lowest"
            )


class Block(nn.Module):
    """Convolution 3 × 3 without bias, batch norm, CELU(0.1)."""

    def __init__(self, inputs: int, outputs: int):
        super().__init__()
        self.convolution = nn.Conv2d(inputs, outputs, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(outputs, eps=1e-5, momentum=0.1)

    def forward(self, x: Tensor) -> Tensor:
        """Map (n, inputs, h, w) to (n, outputs, h, w)."""
        return F.celu(self.norm(self.convolution(x)), 0.1)


class ResNet9Network(nn.Module):
    """The network; a pool does not change images with a height or width of one pixel."""

    def __init__(self, channels: int, classes: int, width: int, dropout: Dropout):
        super().__init__()
        w = width
        self.first, self.second = Block(channels, w), Block(w, 2 * w)
        self.early = nn.Sequential(Block(2 * w, 2 * w), Block(2 * w, 2 * w))
        self.third, self.fourth = Block(2 * w, 4 * w), Block(4 * w, 4 * w)
        self.late = nn.Sequential(Block(4 * w, 4 * w), Block(4 * w, 4 * w))
        self.dropout = dropout
        self.head = nn.Linear(4 * w, classes, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Map images (n, channels, h, w) to logits (n, classes)."""
        x = _pool(self.second(_pool(self.first(x))))
        x = x + self.early(x)
        x = _pool(self.fourth(_pool(self.third(x))))
        x = x + self.late(x)
        # The same as adaptive max pooling, which has no deterministic gradient on a GPU.
        x = x.flatten(2).max(dim=-1).values
        return self.head(self.dropout(x)) * 0.1


def _pool(x: Tensor) -> Tensor:
    return F.max_pool2d(x, 2) if min(x.shape[-2:]) > 1 else x


class ResNet9(ImageClassifier):
    """The estimator."""

    recipe_class = Recipe

    def network(self, shape: tuple[int, int, int], dropout: np.random.Generator) -> ResNet9Network:
        """Return the network for images of a shape."""
        masks = Dropout(self.recipe.dropout, dropout)
        return ResNet9Network(shape[0], self.outputs, self.recipe.width, masks)

    def optimiser(self, network: nn.Module) -> torch.optim.Optimizer:
        """Return SGD with Nesterov momentum; weight decay on all parameters, also of batch norm."""
        recipe = self.recipe
        return torch.optim.SGD(
            network.parameters(),
            lr=recipe.learning_rate,
            momentum=recipe.momentum,
            nesterov=recipe.momentum > 0,
            weight_decay=recipe.weight_decay,
        )

    def rate_factor(self, epoch: int) -> float:
        """Return λ(epoch) of the published code, for any number of epochs."""
        ramp, end = self.recipe.ramp_epochs, self.recipe.decay_epochs or self.recipe.epochs
        if epoch <= ramp:
            return 0.01 + 0.5 * (epoch / ramp if ramp else 1.0)
        return 0.01 + 0.5 * max(0, end - epoch) / (end - ramp)

    def loss(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Return the cross-entropy plus twice the cross-entropy with smoothed labels."""
        recipe = self.recipe
        smoothed = F.cross_entropy(outputs, targets, label_smoothing=recipe.label_smoothing)
        return F.cross_entropy(outputs, targets) + recipe.smoothed_weight * smoothed


def resnet9(
    task: str,
    n_classes: int,
    hyperparameters: dict[str, Any],
    seeds: dict[str, int],
    device: str = "cpu",
    threads: int = 1,
) -> ResNet9:
    """Return a ResNet-9; hyper-parameters are the fields of `Recipe`. Raises ReseedError."""
    return ResNet9(task, n_classes, hyperparameters, seeds, device, threads)
