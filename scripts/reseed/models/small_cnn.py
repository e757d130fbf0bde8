"""The small convolutional network of Banerjee et al., Section V.

Two convolutions, each with ReLU and a 2 × 2 max pool, one hidden layer of 64 units with ReLU, one
logit a class; Adam at a learning rate of 0.001, batches of 32, 50 epochs, no augmentation. The
convolutions' widths and kernel size are lost from the paper's text: 32 and 64 channels and 3 × 3
are this project's choice.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from reseed.models.images import ImageClassifier, ImageRecipe
from reseed.models.networks import Dropout


@dataclass(frozen=True)
class Recipe(ImageRecipe):
    """Hyper-parameters: channels of both convolutions, their kernel, units of the hidden layer."""

    epochs: int = 50
    batch_size: int = 32
    learning_rate: float = 0.001
    width_1: int = 32
    width_2: int = 64
    kernel: int = 3
    hidden: int = 64


class SmallCnnNetwork(nn.Module):
    """The network; ``points``: pixels that two pools leave of an image."""

    def __init__(self, channels: int, classes: int, points: int, recipe: Recipe, dropout: Dropout):
        super().__init__()
        margin = recipe.kernel // 2
        self.first = nn.Conv2d(channels, recipe.width_1, recipe.kernel, padding=margin)
        self.second = nn.Conv2d(recipe.width_1, recipe.width_2, recipe.kernel, padding=margin)
        self.hidden = nn.Linear(recipe.width_2 * points, recipe.hidden)
        self.dropout = dropout
        self.head = nn.Linear(recipe.hidden, classes)

    def forward(self, x: Tensor) -> Tensor:
        """(n, channels, h, w) → logits (n, classes)."""
        # ReLU after the pool is the same function, on a quarter of the points.
        x = F.relu(F.max_pool2d(self.first(x), 2))
        x = F.relu(F.max_pool2d(self.second(x), 2))
        x = F.relu(self.hidden(x.flatten(1)))
        return self.head(self.dropout(x))


class SmallCnn(ImageClassifier):
    """The estimator."""

    recipe_class = Recipe

    def network(self, shape, dropout) -> nn.Module:
        """See the module."""
        channels, height, width = shape
        points, masks = (height // 4) * (width // 4), Dropout(self.recipe.dropout, dropout)
        return SmallCnnNetwork(channels, self.outputs, points, self.recipe, masks)

    def optimiser(self, network) -> torch.optim.Optimizer:
        """Adam at a fixed rate."""
        return torch.optim.Adam(network.parameters(), lr=self.recipe.learning_rate, fused=True)


def small_cnn(task, n_classes, hyperparameters, seeds, device="cpu", threads=1):
    """Make a small CNN; hyper-parameters are the fields of `Recipe`. Raises ReseedError."""
    return SmallCnn(task, n_classes, hyperparameters, seeds, device, threads)
