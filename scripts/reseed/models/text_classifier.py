"""Base class of networks that classify texts: early stopping, batches, prediction."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from reseed.core.random_streams import stream
from reseed.metrics.outputs import from_logits
from reseed.models.networks import Learner, make_batch_iterator, train_one


class TextRecipe(Protocol):
    """Hyper-parameters that every network on texts has.

    clip: largest norm of the gradient. patience: epochs without a lower validation loss before
    training stops; None trains all epochs.
    """

    @property
    def batch_size(self) -> int: ...  # noqa: D102
    @property
    def clip(self) -> float: ...  # noqa: D102
    @property
    def max_epochs(self) -> int: ...  # noqa: D102
    @property
    def patience(self) -> int | None: ...  # noqa: D102


class TextClassifier(ABC):
    """A network on texts with the `reseed.models.registry.Estimator` interface.

    `fit` of a subclass builds `network` and calls `train`.
    """

    #: Texts in one forward pass without gradients.
    rows_at_once = 256
    #: Data type of mixed precision; None for full precision.
    autocast: torch.dtype | None = None
    network: nn.Module

    def __init__(
        self,
        task: str,
        n_classes: int,
        recipe: TextRecipe,
        seeds: dict[str, int],
        device: str,
        threads: int,
    ):
        if task == "regression":
            name = type(self).__name__
            raise ValueError(f"{name} is a classifier: regression is not supported")
        self.task, self.n_classes, self.recipe, self.seeds = task, n_classes, recipe, seeds
        self.device, self.threads = torch.device(device), threads
        self.uses_validation = recipe.patience is not None
        self.curve_: list[dict[str, float]] = []
        self.converged_: bool | None = None

    @abstractmethod
    def tokens(self, texts: list) -> Tensor:
        """Return the token numbers of texts; the first axis is that of the texts."""

    @abstractmethod
    def lengths(self, tokens: Tensor) -> Tensor:
        """Return the number of tokens of each text."""

    def class_logits(self, logits: Tensor) -> Tensor:
        """Return the logits of the classes, (n, classes), from the outputs of the network."""
        return logits

    def targets(self, y: np.ndarray) -> Tensor:
        """Return the targets of the loss (class numbers), on the device."""
        return torch.tensor(np.asarray(y), dtype=torch.int64, device=self.device)

    def train(
        self,
        X: list,
        y: np.ndarray,
        X_validation: list | None,
        y_validation: np.ndarray | None,
        optimiser: torch.optim.Optimizer,
        parameters: list[nn.Parameter],
        **learner_fields: Any,
    ) -> None:
        """Train `network` until the validation loss has not fallen for `patience` epochs.

        Without patience it is trained to the last epoch, and keeps the last weights.
        parameters: those whose gradients are clipped. learner_fields: further fields of `Learner`.
        Raises ValueError for patience without validation rows, FloatingPointError if the loss
        diverges.
        """
        if self.uses_validation and not len(X_validation or ()):
            raise ValueError("early stopping needs validation rows, but the split has none")
        recipe = self.recipe
        batches = make_batch_iterator(
            self.tokens(X).to(self.device),
            self.targets(y),
            recipe.batch_size,
            stream(self.seeds["order"], "order"),
        )

        def evaluate(network: nn.Module) -> dict[str, Tensor]:
            assert X_validation is not None
            assert y_validation is not None
            logits = self.logits(X_validation)
            classes = torch.tensor(y_validation, device=self.device)
            hits = self.class_logits(logits).argmax(1) == classes
            return {
                "validation_loss": F.cross_entropy(logits, self.targets(y_validation)),
                "validation_metric": hits.float().mean(),
            }

        learner = Learner(
            self.network,
            optimiser,
            F.cross_entropy,
            batches,
            evaluate if self.uses_validation else None,
            after_backward=lambda: nn.utils.clip_grad_norm_(parameters, recipe.clip),
            autocast=self.autocast,
            **learner_fields,
        )
        lane = train_one(learner, max_epochs=recipe.max_epochs, patience=recipe.patience)
        self.curve_, self.converged_ = lane.curve, lane.converged

    @torch.inference_mode()
    def predict(self, X: list) -> np.ndarray:
        """Return log-odds of class 1 (n,), or logits (n, k)."""
        self.network.eval()
        return from_logits(self.task, self.class_logits(self.logits(X)).cpu().double().numpy())

    def logits(self, X: list) -> Tensor:
        """Return the outputs of the network; texts of similar length share a forward pass."""
        tokens = self.tokens(X)
        order = torch.argsort(self.lengths(tokens), stable=True)
        dtype = self.autocast or torch.bfloat16
        with torch.autocast(self.device.type, dtype, enabled=self.autocast is not None):
            parts = [
                self.network(tokens[rows].to(self.device))
                for rows in order.split(self.rows_at_once)
            ]
        return torch.cat(parts)[torch.argsort(order).to(self.device)]
