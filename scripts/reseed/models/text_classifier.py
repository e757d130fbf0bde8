"""What all networks that classify texts share: early stopping, batches, prediction."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from reseed.core.random_streams import stream
from reseed.metrics.outputs import from_logits
from reseed.models.networks import Learner, make_batch_iterator, train_one


class TextClassifier(ABC):
    """A network on texts with the `reseed.models.registry.Estimator` interface.

    Its recipe says at least ``batch_size``, ``clip``, ``max_epochs`` and ``patience``; `fit` makes
    `network` and calls `train`.
    """

    #: Texts that pass at once without gradients.
    rows_at_once = 256
    #: Data type of mixed precision; None for full precision.
    autocast: torch.dtype | None = None
    network: nn.Module

    def __init__(self, task, n_classes, recipe, seeds, device, threads):
        if task == "regression":
            name = type(self).__name__
            raise ValueError(f"{name} classifies texts: regression is not offered")
        self.task, self.n_classes, self.recipe, self.seeds = task, n_classes, recipe, seeds
        self.device, self.threads = torch.device(device), threads
        self.uses_validation = recipe.patience is not None
        self.curve_: list[dict[str, float]] = []
        self.converged_: bool | None = None

    @abstractmethod
    def tokens(self, texts: list) -> Tensor:
        """What the network reads of texts: numbers, the first axis theirs."""

    @abstractmethod
    def lengths(self, tokens: Tensor) -> Tensor:
        """How many tokens each text has."""

    def chosen(self, logits: Tensor) -> Tensor:
        """Of the network's outputs, those that stand for classes (n, classes)."""
        return logits

    def targets(self, y) -> Tensor:
        """What the outputs are to name, on the device: class numbers."""
        return torch.tensor(np.asarray(y), dtype=torch.int64, device=self.device)

    def train(self, X, y, X_validation, y_validation, optimiser, trained, **how) -> None:
        """Train `network` until the validation loss has not fallen for ``patience`` epochs.

        Without patience it trains to the last epoch, whose weights stay.
        ``trained``: the parameters, whose gradients are clipped. ``how``: fields of `Learner`.
        Raises ValueError without validation rows where there is patience, FloatingPointError if
        the loss diverges.
        """
        if self.uses_validation and not len(X_validation or ()):
            raise ValueError("early stopping needs validation rows: none were given")
        recipe = self.recipe
        batches = make_batch_iterator(
            self.tokens(X).to(self.device),
            self.targets(y),
            recipe.batch_size,
            stream(self.seeds["order"], "order"),
        )

        def evaluate(network: nn.Module) -> dict[str, Tensor]:
            logits = self.logits(X_validation)
            classes = torch.tensor(y_validation, device=self.device)
            hits = self.chosen(logits).argmax(1) == classes
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
            after_backward=lambda: nn.utils.clip_grad_norm_(trained, recipe.clip),
            autocast=self.autocast,
            **how,
        )
        lane = train_one(learner, max_epochs=recipe.max_epochs, patience=recipe.patience)
        self.curve_, self.converged_ = lane.curve, lane.converged

    @torch.inference_mode()
    def predict(self, X) -> np.ndarray:
        """Return log-odds of class 1 (n,), or logits (n, k)."""
        self.network.eval()
        return from_logits(self.task, self.chosen(self.logits(X)).cpu().double().numpy())

    def logits(self, X) -> Tensor:
        """The network's outputs; texts of like lengths pass together."""
        tokens = self.tokens(X)
        order = torch.argsort(self.lengths(tokens), stable=True)
        half = self.autocast or torch.bfloat16
        with torch.autocast(self.device.type, half, enabled=self.autocast is not None):
            parts = [
                self.network(tokens[rows].to(self.device))
                for rows in order.split(self.rows_at_once)
            ]
        return torch.cat(parts)[torch.argsort(order).to(self.device)]
