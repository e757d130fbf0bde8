"""Feed-forward network for tables, as in Raste et al., Sections 2.1 and 3.1 and the appendix.

Hidden layers with ReLU and dropout, He initialisation, Adam, early stopping on the validation
rows, best weights restored. FFNN-Res is the same with `dropout: 0` and `shuffle: false`. The paper
does not specify these choices:

- L1 and L2 are penalties `l1·Σ|w| + l2·Σw²` on weights, not on biases. They are added to the loss,
  like Keras's kernel regularisers, unlike decoupled weight decay.
- Losses (mean cross-entropy, mean squared error) are reported without the penalty, also for early
  stopping. `validation_metric` is the accuracy for classes, else the mean squared error.
- A regression target is standardised on the training rows. Predictions and losses are in the
  original units.
- Arithmetic is float32. The caller scales the features.

Many trials (lanes) train in one pass (`fit_many`): one batched product multiplies the matrices of
all slots, and one fused Adam updates the views of each lane. Each lane has its own weights, order,
dropout, rows, optimiser state and early stopping. At a fixed width, its bits do not depend on the
slot or on the other lanes. This requires the same memory alignment for every slot, because the last
digit of a product depends on the alignment of its matrices (observed with MKL at 13 × 7). Therefore
features, hidden layers and rows are padded with zeros to multiples of 16, which changes no sum.
Width 1 differs from other widths in the last digit, because a single product is another routine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from reseed.core.random_streams import stream
from reseed.models.networks import Dropout, Lane, Learner, draw_he_normal, train
from reseed.models.registry import SplitArrays

#: Training and validation inputs and targets.
Parts = tuple[np.ndarray, np.ndarray, np.ndarray | None, np.ndarray | None]
_ROWS_AT_ONCE = 65_536
#: Floats in 64 bytes.
_ALIGNMENT = 16
#: Bytes of shuffled rows that are copied at a time, for all slots together.
_SHUFFLED_BYTES = 2**27


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

    @property
    def hidden(self) -> list[int]:
        """Neurons of the layers that exist."""
        return [n for n in (self.neurons_1, self.neurons_2, self.neurons_3) if n]


class FeedForward:
    """The network with the `reseed.models.registry.Stackable` interface."""

    uses_validation = True

    def __init__(
        self,
        task: str,
        n_classes: int,
        recipe: Recipe,
        seeds: dict[str, int],
        device: str = "cpu",
        threads: int = 1,
    ):
        self.task, self.recipe, self.seeds = task, recipe, seeds
        self.device, self.threads = torch.device(device), threads
        self.outputs = n_classes if task == "multiclass" else 1
        self.curve_: list[dict[str, float]] = []
        self.converged_: bool | None = None
        self.centre, self.unit = 0.0, 1.0
        self.features = 0

    def fit(
        self,
        X: Any,
        y: np.ndarray,
        X_validation: Any = None,
        y_validation: np.ndarray | None = None,
    ) -> FeedForward:
        """Train until the validation loss has not fallen for `patience` epochs.

        Raises ValueError without validation rows, FloatingPointError if the loss diverges.
        """
        ((_, _, error),) = _train([self], [lambda: (X, y, X_validation, y_validation)], 1)
        if error is not None:
            raise error
        return self

    @classmethod
    def fit_many(
        cls, lanes: Sequence[FeedForward], data: Sequence[Callable[[], SplitArrays]], width: int
    ) -> Iterator[tuple[int, float, Exception | None]]:
        """Train lanes of one recipe on arrays of one shape (see `Stackable.fit_many`)."""

        def select_parts(get: Callable[[], SplitArrays]) -> Parts:
            arrays = get()
            return arrays.X_train, arrays.y_train, arrays.X_validation, arrays.y_validation

        return _train(lanes, [partial(select_parts, get) for get in data], width)

    @torch.inference_mode()
    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return predictions (n,), log-odds of class 1 (n,), or logits (n, k)."""
        parts = self.inputs(X).split(_ROWS_AT_ONCE)
        output = torch.cat([self.network(part[None])[0] for part in parts]).cpu().double()
        return (output * self.unit + self.centre).numpy()

    def shapes(self, features: int, multiple: int = 1) -> list[tuple[int, int]]:
        """Return the shapes of weights (inputs, outputs) and biases (1, outputs), layer by layer.

        Features and neurons are rounded up to a multiple.
        """
        widths = [-(-n // multiple) * multiple for n in (features, *self.recipe.hidden)]
        layers = zip(widths, [*widths[1:], self.outputs], strict=True)
        return [shape for inputs, outputs in layers for shape in ((inputs, outputs), (1, outputs))]

    def initial_weights(self, features: int) -> list[Tensor]:
        """Draw the weights of each layer; biases are 0."""
        init = stream(self.seeds["init"], "init")
        return [
            torch.zeros(shape) if number % 2 else draw_he_normal(shape, shape[0], init)
            for number, shape in enumerate(self.shapes(features))
        ]

    def inputs(self, X: Any) -> Tensor:
        """Return features on the device."""
        return torch.tensor(X, dtype=torch.float32, device=self.device)

    def targets(self, y: Any) -> Tensor:
        """Return targets on the device, standardised for regression."""
        y = (np.asarray(y) - self.centre) / self.unit if self.task == "regression" else y
        dtype = torch.int64 if self.task == "multiclass" else torch.float32
        return torch.tensor(np.asarray(y), dtype=dtype, device=self.device)

    def standardise(self, y: np.ndarray) -> None:
        """Fit the mean and SD of a regression target."""
        if self.task == "regression":
            self.centre, self.unit = float(np.mean(y)), float(np.std(y)) or 1.0

    def take(self, lane: Lane, tensors: list[Tensor]) -> None:
        """Copy the weights and the curve of a trained lane."""
        shapes = self.shapes(self.features)
        unpadded = [t[:rows, :columns] for t, (rows, columns) in zip(tensors, shapes, strict=True)]
        self.network = Layers(1, shapes).to(self.device).eval()
        for tensor, trained in zip(self.network.slot(0), unpadded, strict=True):
            tensor.copy_(trained)
        self.converged_, unit = lane.converged, self.unit**2
        self.curve_ = [
            {k: v if k == "epoch" else v * unit for k, v in entry.items()} for entry in lane.curve
        ]


class Layers(nn.Module):
    """Fully connected layers of `width` networks: (width, rows, features) → outputs of each."""

    def __init__(self, width: int, shapes: list[tuple[int, int]], rate: float = 0.0):
        super().__init__()
        self.weights = nn.ParameterList(torch.zeros(width, *shape) for shape in shapes[::2])
        self.biases = nn.ParameterList(torch.zeros(width, *shape) for shape in shapes[1::2])
        self.dropouts = nn.ModuleList(
            Dropout(rate, *[None] * width) for _ in range(len(self.weights) - 1)
        )

    def forward(self, x: Tensor) -> Tensor:
        """Return (width, rows), or (width, rows, classes) for more than one output."""
        last = len(self.weights) - 1
        for number, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            x = torch.baddbmm(bias, x, weight)
            if number < last:
                x = self.dropouts[number](F.relu_(x))
        return x.squeeze(-1) if x.shape[-1] == 1 else x

    def slot(self, slot: int) -> list[Tensor]:
        """Return the weights and biases of a slot, layer by layer, as views."""
        pairs = zip(self.weights, self.biases, strict=True)
        return [p.data[slot] for pair in pairs for p in pair]


class _Rows:
    """The rows of every slot, each in its own order, split into common batches."""

    def __init__(self, width: int, batch_size: int):
        self.batch_size = batch_size
        self.parts: list[Parts | None] = [None] * width
        self.tensors: list[tuple[Tensor, ...] | None] = [None] * width
        self.orders: list[np.random.Generator | None] = [None] * width

    def put(self, slot: int, model: FeedForward, parts: Parts) -> None:
        """Set the rows of a slot; slots with the same features share one tensor."""
        X, y, X_validation, y_validation = parts
        same = [s for s, p in enumerate(self.parts) if p is not None and p[0] is X]
        shared = self.tensors[same[0]] if same else None
        features = (
            (shared[0], shared[2])
            if shared
            else (_pad(model.inputs(X)), _pad(model.inputs(X_validation)))
        )
        targets = model.targets(y), model.targets(y_validation)
        self.parts[slot] = parts
        self.tensors[slot] = features[0], targets[0], features[1], targets[1]
        self.orders[slot] = stream(model.seeds["order"], "order") if model.recipe.shuffle else None
        if any(t is None for t in self.tensors):  # slots without a lane repeat this one
            self.tensors = [t or self.tensors[slot] for t in self.tensors]
        inputs, targets = (torch.stack([t[k] for t in self._filled]) for k in (2, 3))
        self.validation = _pad(inputs, dim=1), targets

    @property
    def _filled(self) -> list[tuple[Tensor, ...]]:
        """The tensors of every slot. After the first `put` no slot is empty."""
        return [one for one in self.tensors if one is not None]

    def epoch(self) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield batches (width, padded rows, features) and (width, rows)."""
        filled = self._filled
        X, y = filled[0][:2]
        drawn = [
            torch.arange(len(y)) if order is None else torch.from_numpy(order.permutation(len(y)))
            for order in self.orders
        ]
        orders = torch.stack(drawn).to(y.device)
        bytes_a_batch = max(1, len(filled) * self.batch_size * X.shape[1] * 4)
        ahead = self.batch_size * max(1, _SHUFFLED_BYTES // bytes_a_batch)
        for chunk in orders.split(ahead, dim=1):
            rows = list(zip(filled, chunk, strict=True))
            inputs = torch.stack([t[0].index_select(0, r) for t, r in rows])
            targets = torch.stack([t[1].index_select(0, r) for t, r in rows])
            batches = zip(
                inputs.split(self.batch_size, 1), targets.split(self.batch_size, 1), strict=True
            )
            yield from ((_pad(x, dim=1), y) for x, y in batches)


def _pad(x: Tensor, dim: int = -1) -> Tensor:
    """Pad a dimension (the last, or the one before) with zeros to a multiple of 16."""
    missing = -x.shape[dim] % _ALIGNMENT
    if not missing:
        return x
    return F.pad(x, (0, missing) if dim in (-1, x.ndim - 1) else (0, 0, 0, missing))


def _train(
    lanes: Sequence[FeedForward], data: Sequence[Callable[[], Parts]], width: int
) -> Iterator[tuple[int, float, Exception | None]]:
    model = lanes[0]
    recipe, features = model.recipe, data[0]()[0].shape[1]
    torch.set_num_threads(model.threads)
    layers = Layers(width, model.shapes(features, _ALIGNMENT), recipe.dropout).to(model.device)
    rows = _Rows(width, recipe.batch_size)
    slots = _slot_parameters(layers)
    optimiser = torch.optim.Adam(
        # Adam's weight_decay adds its value times w to the gradient; l2·Σw² has gradient 2·l2·w.
        [
            {"params": [p for s in slots for p in s[::2]], "weight_decay": 2 * recipe.l2},
            {"params": [p for s in slots for p in s[1::2]]},
        ],
        lr=recipe.learning_rate,
        fused=True,
    )

    @torch.no_grad()
    def add_l1_gradient() -> None:
        for weight in layers.weights:
            weight.grad.add_(weight.sign(), alpha=recipe.l1)

    @torch.no_grad()
    def start(slot: int, number: int) -> None:
        lane, parts = lanes[number], data[number]()
        if parts[2] is None or len(parts[2]) == 0:
            raise ValueError("early stopping needs validation rows, but the split has none")
        lane.standardise(parts[1])
        lane.features = features
        rows.put(slot, lane, parts)
        for tensor, initial in zip(layers.slot(slot), lane.initial_weights(features), strict=True):
            tensor.zero_()[: initial.shape[0], : initial.shape[1]] = initial
        draws = stream(lane.seeds["dropout"], "dropout")
        for layer in layers.dropouts:
            layer.restart(slot, draws)
        for parameter in slots[slot]:
            for value in optimiser.state[parameter].values():
                value.zero_()

    loss = _LOSSES[model.task]
    learner = Learner(
        layers,
        optimiser,
        lambda outputs, targets: loss(outputs[:, : targets.shape[1]], targets).mean(dim=1),
        rows.epoch,
        lambda network: _evaluate(network, model.task, *rows.validation),
        width=width,
        state=layers.slot,
        after_backward=add_l1_gradient if recipe.l1 else None,
        gradients_in_place=True,
    )
    limits = {"max_epochs": recipe.max_epochs, "patience": recipe.patience}
    for lane in train(learner, lanes=len(lanes), start=start, **limits):
        if lane.error is None:
            lanes[lane.number].take(lane, layers.slot(lane.slot))
        yield lane.number, lane.seconds, lane.error


def _slot_parameters(layers: Layers) -> list[list[nn.Parameter]]:
    """Parameters of each slot: views of the stacked parameters and of their gradients.

    The optimiser gets these views, so every lane has its own step count and state, and its
    arithmetic does not depend on the position of the slot in memory.
    """
    pairs = list(zip(layers.weights, layers.biases, strict=True))
    slots = []
    for slot in range(len(layers.weights[0])):
        views = []
        for stacked in (tensor for pair in pairs for tensor in pair):
            if stacked.grad is None:
                stacked.grad = torch.zeros_like(stacked)
            parameter = nn.Parameter(stacked.data[slot])
            parameter.grad = stacked.grad[slot]
            views.append(parameter)
        slots.append(views)
    return slots


def _cross_entropy(outputs: Tensor, targets: Tensor) -> Tensor:
    flat = F.cross_entropy(outputs.flatten(0, 1), targets.flatten(), reduction="none")
    return flat.view(targets.shape)


#: Task → loss of each row of each slot, (width, rows).
_LOSSES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "regression": lambda outputs, targets: (outputs - targets).square(),
    "binary": lambda outputs, targets: F.binary_cross_entropy_with_logits(
        outputs, targets, reduction="none"
    ),
    "multiclass": _cross_entropy,
}


def _evaluate(network: Layers, task: str, inputs: Tensor, targets: Tensor) -> dict[str, Tensor]:
    at_once = max(1, _ROWS_AT_ONCE // len(inputs) // _ALIGNMENT) * _ALIGNMENT
    outputs = torch.cat([network(part) for part in inputs.split(at_once, dim=1)], dim=1)
    outputs = outputs[:, : targets.shape[1]]
    loss = _LOSSES[task](outputs, targets).mean(dim=1)
    if task == "regression":
        return {"validation_loss": loss, "validation_metric": loss}
    classes = outputs > 0 if task == "binary" else outputs.argmax(dim=-1)
    hits = (classes == targets).float().mean(dim=1)
    return {"validation_loss": loss, "validation_metric": hits}


def ffnn(
    task: str,
    n_classes: int,
    hyperparameters: dict[str, Any],
    seeds: dict[str, int],
    device: str = "cpu",
    threads: int = 1,
) -> FeedForward:
    """Return a feed-forward network; hyper-parameters are the fields of `Recipe`.

    Raises TypeError for an unknown hyper-parameter.
    """
    return FeedForward(task, n_classes, Recipe(**hyperparameters), seeds, device, threads)
