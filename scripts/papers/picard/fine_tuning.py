"""Fine-tuning of a pretrained network (Picard 2021, Sections 2.2 and 4.3).

The paper trains a fresh linear head on the frozen backbone for one epoch (`pretrained_head`), and
for the remaining time the entire network: SGD with momentum and weight decay, a cosine schedule of
the learning rate. It states no rates and no number of epochs, so `tuning_epochs`, `tuning_rate`,
`final_tuning_rate`, `tuning_batch_size` and `norm_momentum` were chosen here. Images are not
augmented. The seeds
decide the initial weights of the head (`init`) and the order of batches in both stages (`order`).
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from reseed.metrics.outputs import from_logits
from reseed.models.memory_format import choose_memory_format
from torch import Tensor, nn

from papers.picard import pretrained_head
from papers.picard.pretrained_head import ROWS_AT_ONCE, PretrainedHead, Stage


@dataclass(frozen=True)
class Recipe(pretrained_head.Recipe):
    """Hyper-parameters: those of the head, with one epoch, and those of the second stage."""

    epochs: int = 1
    tuning_epochs: int = 3
    tuning_rate: float = 0.01
    final_tuning_rate: float = 0.0001
    tuning_batch_size: int = 64
    norm_momentum: float = 0.1


class Network(nn.Module):
    """A backbone and its head: images of bytes (n, height, width, channels) → logits."""

    def __init__(self, backbone: nn.Module, head: nn.Module, size: int):
        super().__init__()
        self.backbone, self.head, self.size = backbone, head, size
        self.layout = choose_memory_format(backbone, next(head.parameters()).device)

    def forward(self, images: Tensor) -> Tensor:
        """Resize images to `size`, and map them to logits."""
        scaled = pretrained_head.scale_images(images, self.size)
        return self.head(self.backbone.features(scaled.contiguous(memory_format=self.layout)))


class FineTuned(PretrainedHead):
    """The `reseed.models.registry.Estimator`; see the module."""

    recipe: Recipe

    def watch(self, X_test: np.ndarray, y_test: np.ndarray) -> None:
        """Set the rows whose accuracy is measured after each epoch of the second stage."""
        if self.recipe.test_curve:
            self._test = np.asarray(X_test), self._targets(y_test)

    def fit(
        self,
        X: np.ndarray,
        y: np.ndarray,
        X_validation: np.ndarray | None = None,
        y_validation: np.ndarray | None = None,
    ) -> FineTuned:
        """Train the head, then all weights. Raises FloatingPointError if the loss is not finite."""
        super().fit(X, y)
        recipe = self.recipe
        backbone = copy.deepcopy(pretrained_head.load_backbone(recipe.backbone, self.weights))
        self.network = Network(backbone.to(self.device), self.head, recipe.resolution)
        self.network.requires_grad_(True)
        for module in self.network.modules():
            if isinstance(module, nn.BatchNorm2d):
                # A backbone's own momentum, such as 0.01, is for long trainings: after few batches
                # the running moments would still be those of the pretraining.
                module.momentum = recipe.norm_momentum
        stage = Stage(
            recipe.tuning_epochs,
            recipe.tuning_batch_size,
            recipe.tuning_rate,
            recipe.final_tuning_rate,
            "fine-tuning order",
        )
        evaluate = self._test_accuracy if hasattr(self, "_test") else None
        self._train(self.network, self._images(X), y, stage, evaluate)
        return self

    @torch.inference_mode()
    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return logits (n, classes), or the difference of two logits (n,), as float32."""
        return from_logits(self.task, self._logits(X).cpu()).numpy()

    def _images(self, X: np.ndarray) -> Tensor:
        return torch.from_numpy(np.require(X, requirements=["C", "W"])).to(self.device)

    def _logits(self, X: np.ndarray) -> Tensor:
        rows = ROWS_AT_ONCE[self.device.type]
        parts = range(0, len(X), rows)
        return torch.cat([self.network(self._images(X[i : i + rows])) for i in parts])

    def _test_accuracy(self, network: nn.Module) -> dict[str, Tensor]:
        images, targets = self._test
        return {"test_metric": (self._logits(images).argmax(dim=1) == targets).double().mean()}


def fine_tuned(
    task: str,
    n_classes: int,
    hyperparameters: dict[str, Any],
    seeds: dict[str, int],
    device: str = "cpu",
    threads: int = 1,
    weights: Path | None = None,
) -> FineTuned:
    """Return a network that is fine-tuned; hyper-parameters are the fields of `Recipe`."""
    recipe = Recipe.from_hyperparameters(hyperparameters)
    return FineTuned(task, n_classes, recipe, seeds, device, threads, weights)
