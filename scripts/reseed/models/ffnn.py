"""Feed-forward network for tables, as in Raste et al., Sections 2.1 and 3.1 and the appendix.

Hidden layers with ReLU and dropout, He initialisation, Adam, early stopping on the validation
rows, best weights restored. FFNN-Res is the same with ``dropout: 0`` and ``shuffle: false``.
What the paper leaves open is fixed here:

- L1 and L2 are penalties ``l1·Σ|w| + l2·Σw²`` on every weight matrix, not on biases, added to
  the loss (as Keras's kernel regularisers, not decoupled weight decay).
- Losses (mean cross-entropy; mean squared error) are reported, and watched by early stopping,
  without the penalty. ``validation_metric`` is accuracy for classes, else the mean squared error.
- A regression target is standardised on the training rows; predictions and losses are in its
  original units.
- Arithmetic is float32; features are expected to be scaled by the caller.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from reseed.models.networks import Dropout, he_linear, minibatches, train_network
from reseed.seeds import stream

_ROWS_AT_ONCE = 65_536


@dataclass(frozen=True)
class Recipe:
    """Hyper-parameters; a layer of 0 neurons is absent."""

    learning_rate: float = 0.001
    neurons_1: int = 64
    neurons_2: int = 64
    neurons_3: int = 32
    dropout: float = 0.1
    l1: float = 0.0
    l2: float = 0.0
    batch_size: int = 512
    max_epochs: int = 5000
    patience: int = 100
    shuffle: bool = True


class FeedForward:
    """The network with the `reseed.models.registry.Estimator` interface."""

    uses_validation = True

    def __init__(self, task, n_classes, recipe: Recipe, seeds, device="cpu", threads=1):
        self.task, self.recipe, self.seeds = task, recipe, seeds
        self.device, self.threads = torch.device(device), threads
        self.outputs = n_classes if task == "multiclass" else 1
        self.curve_: list[dict[str, float]] = []

    def fit(self, X, y, X_validation=None, y_validation=None) -> FeedForward:
        """Train until the validation loss has not fallen for ``patience`` epochs.

        Raises ValueError without validation rows, FloatingPointError if the loss diverges.
        """
        if X_validation is None or len(X_validation) == 0:
            raise ValueError("early stopping needs validation rows: none were given")
        torch.set_num_threads(self.threads)
        recipe = self.recipe
        self._centre, self._unit = 0.0, 1.0
        if self.task == "regression":
            self._centre, self._unit = float(np.mean(y)), float(np.std(y)) or 1.0
        self.network = self._network(X.shape[1]).to(self.device)
        kernels = [p for p in self.network.parameters() if p.ndim > 1]
        biases = [p for p in self.network.parameters() if p.ndim == 1]
        # Adam's weight_decay adds its value times w to the gradient: l2·Σw² has gradient 2·l2·w.
        optimiser = torch.optim.Adam(
            [{"params": kernels, "weight_decay": 2 * recipe.l2}, {"params": biases}],
            lr=recipe.learning_rate,
            fused=True,
        )

        @torch.no_grad()
        def add_l1_gradient() -> None:
            for w in kernels:
                w.grad.add_(w.sign(), alpha=recipe.l1)

        validation = self._inputs(X_validation), self._targets(y_validation)
        order = stream(self.seeds["order"], "order") if recipe.shuffle else None
        curve = train_network(
            self.network,
            optimiser,
            self._loss,
            minibatches(self._inputs(X), self._targets(y), recipe.batch_size, order),
            lambda network: self._evaluate(network, *validation),
            max_epochs=recipe.max_epochs,
            patience=recipe.patience,
            after_backward=add_l1_gradient if recipe.l1 else None,
        )
        self.curve_ = self._in_original_units(curve)
        return self

    @torch.inference_mode()
    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return predictions (n,), log-odds of class 1 (n,), or logits (n, k)."""
        output = self._outputs(self.network, self._inputs(X)).cpu().double()
        return (output * self._unit + self._centre).numpy()

    def _network(self, features: int) -> nn.Sequential:
        recipe = self.recipe
        init, dropout = stream(self.seeds["init"], "init"), stream(self.seeds["dropout"], "dropout")
        layers, width = [], features
        for neurons in (recipe.neurons_1, recipe.neurons_2, recipe.neurons_3):
            if neurons:
                layers += [he_linear(width, neurons, init), nn.ReLU(inplace=True)]
                layers += [Dropout(recipe.dropout, dropout)]
                width = neurons
        layers.append(he_linear(width, self.outputs, init))
        return nn.Sequential(*layers, *([] if self.outputs > 1 else [nn.Flatten(0)]))

    def _inputs(self, X: np.ndarray) -> Tensor:
        return torch.tensor(X, dtype=torch.float32, device=self.device)

    def _targets(self, y: np.ndarray) -> Tensor:
        y = (np.asarray(y) - self._centre) / self._unit if self.task == "regression" else y
        kind = torch.int64 if self.task == "multiclass" else torch.float32
        return torch.tensor(np.asarray(y), dtype=kind, device=self.device)

    def _loss(self, output: Tensor, target: Tensor) -> Tensor:
        if self.task == "regression":
            return F.mse_loss(output, target)
        if self.task == "binary":
            return F.binary_cross_entropy_with_logits(output, target)
        return F.cross_entropy(output, target)

    def _outputs(self, network: nn.Module, inputs: Tensor) -> Tensor:
        return torch.cat([network(part) for part in inputs.split(_ROWS_AT_ONCE)])

    def _evaluate(self, network: nn.Module, inputs: Tensor, target: Tensor) -> tuple[float, float]:
        output = self._outputs(network, inputs)
        loss = float(self._loss(output, target))
        if self.task == "regression":
            return loss, loss
        classes = output > 0 if self.task == "binary" else output.argmax(dim=1)
        return loss, float((classes == target).float().mean())

    def _in_original_units(self, curve: list[dict[str, float]]) -> list[dict[str, float]]:
        unit = self._unit**2
        return [{k: v if k == "epoch" else v * unit for k, v in entry.items()} for entry in curve]


def ffnn(task, n_classes, hyperparameters, seeds, device="cpu", threads=1):
    """Make a feed-forward network; hyper-parameters are the fields of `Recipe`.

    Raises TypeError for a hyper-parameter that it does not know.
    """
    return FeedForward(task, n_classes, Recipe(**hyperparameters), seeds, device, threads)
