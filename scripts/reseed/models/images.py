"""Base class of image classifiers: pixels on the device, augmentation, initial weights, training.

Every role has its own stream (`reseed.core.random_streams`): `init` draws the weights, `order` the
permutation of each epoch, `augment` crops, flips and cut-outs, `dropout` the masks. The draws of a
role depend neither on another role nor on the batch size. PyTorch's global generator is not used.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np
import torch
from torch import Tensor, nn

from reseed.core.errors import ReseedError
from reseed.core.random_streams import stream
from reseed.metrics.outputs import from_logits
from reseed.models.memory_format import choose_memory_format
from reseed.models.networks import Learner, train

PRECISIONS = ("single", "half", "bfloat16")
#: Bytes of images that are augmented together: large kernels on a GPU, cache size on a CPU.
_AUGMENTED_BYTES = {"cuda": 2**28, "cpu": 2**23}
#: Rows of one forward pass without gradients.
_ROWS_AT_ONCE = {"cuda": 5000, "cpu": 250}


@dataclass(frozen=True)
class ImageRecipe:
    """Hyper-parameters of every image classifier.

    mean, std: of each channel, for pixels in [0, 1]; None: those of the training images.
    crop: largest shift in pixels.
    flip: whether to flip images horizontally with probability 1/2.
    cutout: side of a blank square. Points outside the image and in the square are the mean of the
        channel. Augmentation is drawn once in each epoch for every `augment_block` consecutive
        training images, before they are shuffled.
    precision: `half` (float16 except batch norm; GPU only), `bfloat16` (mixed, by autocast) or
        `single`.
    compile: a mode of `torch.compile`, or None; it changes the last digits.
    channels_last: whether to use this memory layout if it is safe (`choose_memory_format`).
    test_curve: whether to measure the test accuracy after each epoch.
    """

    epochs: int = 10
    batch_size: int = 500
    mean: list | None = None
    std: list | None = None
    crop: int = 0
    flip: bool = False
    cutout: int = 0
    augment_block: int = 1
    dropout: float = 0.0
    precision: str = "single"
    channels_last: bool = True
    compile: str | None = None
    test_curve: bool = True

    def __post_init__(self):
        if self.precision not in PRECISIONS:
            raise ReseedError(
                f"hyperparameters.precision: {self.precision!r} is not in {', '.join(PRECISIONS)}"
            )
        for name in ("epochs", "batch_size", "augment_block"):
            if getattr(self, name) < 1:
                raise ReseedError(f"hyperparameters.{name}: {getattr(self, name)} is below 1")
        if (self.mean is None) != (self.std is None):
            raise ReseedError("hyperparameters: set both mean and std of the channels, or neither")

    @classmethod
    def from_hyperparameters(cls, hyperparameters: dict[str, Any]) -> Self:
        """Return a recipe. Raises ReseedError for an unknown hyper-parameter."""
        known = [field.name for field in fields(cls)]
        unknown = sorted(set(hyperparameters) - set(known))
        if unknown:
            raise ReseedError(f"hyperparameters.{unknown[0]}: unknown. Allowed: {', '.join(known)}")
        return cls(**hyperparameters)


class Pixels:
    """Images (n, height, width, channels) of bytes, in the memory of the device if they fit.

    They fit if they need at most half of the free memory of a GPU. Otherwise they stay in host
    memory, and batches are transferred one at a time.
    """

    def __init__(self, images: np.ndarray, device: torch.device):
        if images.dtype != np.uint8 or images.ndim != 4:
            raise ReseedError(
                "this model needs images (n, height, width, channels) of bytes, but the inputs "
                f"are {images.dtype} of shape {images.shape}: use a dataset of kind: images"
            )
        self.device = device
        self.count, self.height, self.width, self.channels = images.shape
        fits = device.type == "cpu" or images.nbytes <= torch.cuda.mem_get_info(device)[0] // 2
        with warnings.catch_warnings():
            # PyTorch has no read-only memory; nothing here writes to this array.
            warnings.filterwarnings("ignore", message="The given NumPy array is not writ")
            host = torch.from_numpy(np.ascontiguousarray(images))
        self._bytes = host.to(device) if fits else host
        self._points = self._bytes.view(-1, self.channels)

    def __len__(self) -> int:
        return self.count

    def channel_moments(self) -> tuple[list[float], list[float]]:
        """Return the mean and SD of each channel, for pixels in [0, 1]; an SD of 0 becomes 1."""
        counts = [
            torch.bincount(self._points[:, c].flatten().int(), minlength=256).double().cpu()
            for c in range(self.channels)
        ]
        level = torch.arange(256, dtype=torch.float64) / 255
        means = [float((n * level).sum() / n.sum()) for n in counts]
        variances = [
            float((n * (level - m) ** 2).sum() / n.sum())
            for n, m in zip(counts, means, strict=True)
        ]
        return means, [math.sqrt(v) or 1.0 for v in variances]

    def take(self, rows: Tensor) -> Tensor:
        """Return rows as bytes (rows, height, width, channels), on the device."""
        return self._bytes.index_select(0, rows.to(self._bytes.device)).to(self.device)

    def take_points(self, rows: Tensor, y: Tensor, x: Tensor) -> Tensor:
        """Return the points of each row at heights `y` (rows, h) and widths `x` (rows, w)."""
        line = rows[:, None] * self.height + y
        point = line[:, :, None] * self.width + x[:, None, :]
        values = self._points.index_select(0, point.flatten().to(self._points.device))
        return values.view(*point.shape, self.channels).to(self.device)


@dataclass(frozen=True)
class Transforms:
    """Augmentation of one epoch, with one entry for each block of images, on the device.

    dy, dx: shift of the window on the padded image.
    flip: whether it is mirrored afterwards.
    cut_y, cut_x: centre of the blank square, in the window.
    """

    dy: Tensor
    dx: Tensor
    flip: Tensor
    cut_y: Tensor
    cut_x: Tensor

    @classmethod
    def draw(
        cls, recipe: ImageRecipe, pixels: Pixels, augment: np.random.Generator
    ) -> Transforms | None:
        """Draw for every block of images; return None if the recipe has no augmentation."""
        if not (recipe.crop or recipe.flip or recipe.cutout):
            return None
        blocks = -(-len(pixels) // recipe.augment_block)
        drawn = (
            *augment.integers(-recipe.crop, recipe.crop + 1, (2, blocks)),
            augment.integers(0, 2, blocks) * recipe.flip,
            augment.integers(0, pixels.height, blocks),
            augment.integers(0, pixels.width, blocks),
        )
        return cls(*(torch.from_numpy(d.astype(np.int64)).to(pixels.device) for d in drawn))

    def apply(self, recipe: ImageRecipe, pixels: Pixels, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Return bytes (rows, height, width, channels), and a mask of the visible points."""
        block = rows // recipe.augment_block
        row = torch.arange(pixels.height, device=rows.device)
        column = torch.arange(pixels.width, device=rows.device)
        mirrored = torch.where(self.flip[block, None] > 0, pixels.width - 1 - column, column)
        y, x = row + self.dy[block, None], mirrored + self.dx[block, None]
        inside_y = (y >= 0) & (y < pixels.height)
        inside_x = (x >= 0) & (x < pixels.width)
        visible = inside_y[:, :, None] & inside_x[:, None, :]
        if recipe.cutout:
            centres = self.cut_y[block, None], self.cut_x[block, None]
            top, left = (centre - recipe.cutout // 2 for centre in centres)
            cut_y = (row >= top) & (row < top + recipe.cutout)
            cut_x = (column >= left) & (column < left + recipe.cutout)
            visible &= ~(cut_y[:, :, None] & cut_x[:, None, :])
        return pixels.take_points(rows, y.clamp(0, pixels.height - 1),
                                  x.clamp(0, pixels.width - 1)), visible  # fmt: skip


class ImageClassifier:
    """The `reseed.models.registry.Estimator` of networks on images; a subclass has the network.

    A binary task has two logits; the raw output is their difference, the log-odds of class 1.
    """

    uses_validation = False
    recipe_class: ClassVar[type[ImageRecipe]] = ImageRecipe

    def __init__(
        self,
        task: str,
        n_classes: int,
        hyperparameters: dict[str, Any],
        seeds: dict[str, int],
        device: str = "cpu",
        threads: int = 1,
    ):
        if task == "regression":
            raise ReseedError(
                f"{type(self).__name__} is a classifier: it needs a dataset with classes"
            )
        self.recipe = self.recipe_class.from_hyperparameters(hyperparameters)
        if self.recipe.precision == "half" and torch.device(device).type == "cpu":
            raise ReseedError(
                "hyperparameters.precision: half needs a GPU; on a CPU set precision: single"
            )
        self.task, self.outputs = task, max(2, n_classes)
        self.seeds, self.device, self.threads = seeds, torch.device(device), threads
        self.curve_: list[dict[str, float]] = []
        self._watched: tuple[Pixels, Tensor] | None = None

    def network(self, shape: tuple[int, int, int], dropout: np.random.Generator) -> nn.Module:
        """Return the network for images (channels, height, width), without initial weights."""
        raise NotImplementedError

    def optimiser(self, network: nn.Module) -> torch.optim.Optimizer:
        """Return the optimiser, with the rates that `rate_factor` multiplies."""
        raise NotImplementedError

    def rate_factor(self, epoch: int) -> float:
        """Return the factor on the learning rate in an epoch (from 0)."""
        return 1.0

    def loss(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Return the mean loss of a batch; outputs (rows, classes) are in single precision."""
        return nn.functional.cross_entropy(outputs, targets)

    def watch(self, X_test: np.ndarray, y_test: np.ndarray) -> None:
        """Set the rows whose accuracy is measured after each epoch."""
        if self.recipe.test_curve:
            self._watched = Pixels(X_test, self.device), self.targets(y_test)

    def fit(
        self, X: np.ndarray, y: np.ndarray, X_validation: Any = None, y_validation: Any = None
    ) -> Self:
        """Train for all epochs. Raises FloatingPointError if the loss is not finite."""
        torch.set_num_threads(self.threads)
        (lane,) = train(self.learner(X, y), max_epochs=self.recipe.epochs)
        self.curve_, self._watched = lane.curve, None
        if lane.error is not None:
            raise lane.error
        self._trained.eval()
        return self

    def learner(self, X: np.ndarray, y: np.ndarray) -> Learner:
        """Return the network with its optimiser, loss, batches and schedule."""
        recipe, pixels, targets = self.recipe, Pixels(X, self.device), self.targets(y)
        network = self.begin(pixels)
        steps = -(-self._count_used(pixels) // recipe.batch_size)
        if recipe.compile is not None:
            network.compile(mode=recipe.compile)
        return Learner(
            network,
            self.optimiser(network),
            lambda outputs, y: self.loss(outputs.float(), y),
            lambda: self.epoch(pixels, targets),
            self._accuracy if self._watched else None,
            schedule=lambda step: self.rate_factor(step // steps),
            autocast=torch.bfloat16 if recipe.precision == "bfloat16" else None,
        )

    def begin(self, pixels: Pixels) -> nn.Module:
        """Restart the streams; return the network with its initial weights, on the device."""
        self._normalisation = self._read_moments(pixels)
        self._trained = self._build_network((pixels.channels, pixels.height, pixels.width))
        self._layout = self._memory_format(self._trained)
        return self._trained

    def epoch(
        self, pixels: Pixels, targets: Tensor, share: int = 1
    ) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield the batches of one epoch, shuffled and augmented by the next draws of the streams.

        share: number of lanes that share the memory for augmented images.
        """
        transforms = Transforms.draw(self.recipe, pixels, self._augment)
        order = torch.from_numpy(self._order.permutation(len(pixels))).to(self.device)
        size = self.recipe.batch_size
        image = 4 * pixels.height * pixels.width * pixels.channels
        ahead = size * max(1, _AUGMENTED_BYTES[self.device.type] // (size * image * share))
        for rows in order[: self._count_used(pixels)].split(ahead):
            if transforms is None:
                inputs = self.normalise(pixels.take(rows))
            else:
                values, visible = transforms.apply(self.recipe, pixels, rows)
                inputs = self.normalise(values, visible)
            yield from zip(inputs.split(size), targets[rows].split(size), strict=True)

    def _count_used(self, pixels: Pixels) -> int:
        """Number of rows in an epoch; batch norm excludes a last batch of one row."""
        is_single = len(pixels) % self.recipe.batch_size == 1 and len(pixels) > 1
        return len(pixels) - int(is_single and any(map(_is_batch_norm, self._trained.modules())))

    @torch.inference_mode()
    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return logits (n, classes), or the difference of two logits (n,), as float32."""
        logits = self._logits(self._trained, Pixels(X, self.device)).cpu()
        return from_logits(self.task, logits).numpy()

    def _build_network(self, shape: tuple[int, int, int]) -> nn.Module:
        self._order = stream(self.seeds["order"], "order")
        self._augment = stream(self.seeds["augment"], "augment")
        with torch.device("meta"):
            network = self.network(shape, stream(self.seeds["dropout"], "dropout"))
        initialise_weights(network.to_empty(device="cpu"), stream(self.seeds["init"], "init"))
        if self.recipe.precision == "half":
            network.half()
            for module in network.modules():
                if _is_batch_norm(module):
                    module.float()
        return network.to(self.device, memory_format=self._memory_format(network))

    def _memory_format(self, network: nn.Module) -> torch.memory_format:
        if self.recipe.channels_last:
            return choose_memory_format(network, self.device)
        return torch.contiguous_format

    def _read_moments(self, pixels: Pixels) -> tuple[Tensor, Tensor]:
        recipe = self.recipe
        mean, std = recipe.mean, recipe.std
        if mean is None or std is None:
            mean, std = pixels.channel_moments()
        if len(mean) != pixels.channels or len(std) != pixels.channels:
            raise ReseedError(
                f"hyperparameters.mean and std: {len(mean)} and {len(std)} numbers for images of "
                f"{pixels.channels} channels; set one for each channel, or null for both"
            )
        kind = {"dtype": torch.float32, "device": self.device}
        return torch.tensor(mean, **kind), torch.tensor(std, **kind)

    def normalise(self, values: Tensor, visible: Tensor | None = None) -> Tensor:
        """Convert bytes (n, h, w, c) to inputs (n, c, h, w); blank points become the mean, 0."""
        mean, std = self._normalisation
        inputs = values.float().mul_(1 / 255).sub_(mean).div_(std)
        if visible is not None:
            inputs.mul_(visible[..., None])
        inputs = inputs.permute(0, 3, 1, 2)  # this is the memory layout channels_last
        if self.recipe.precision == "half":
            inputs = inputs.half()
        # With one channel, `contiguous` would keep strides that count as channels_last.
        contiguous = self._layout == torch.contiguous_format
        return inputs.clone(memory_format=self._layout) if contiguous else inputs

    def targets(self, y: np.ndarray) -> Tensor:
        """Return class numbers on the device."""
        return torch.tensor(np.asarray(y), dtype=torch.int64, device=self.device)

    def _logits(self, network: nn.Module, pixels: Pixels) -> Tensor:
        parts = torch.arange(len(pixels)).split(_ROWS_AT_ONCE[self.device.type])
        logits = [network(self.normalise(pixels.take(rows))).float() for rows in parts]
        return torch.cat(logits) if logits else torch.zeros(0, self.outputs)

    def _accuracy(self, network: nn.Module) -> dict[str, Tensor]:
        assert self._watched is not None  # `watch` was called
        pixels, targets = self._watched
        hits = self._logits(network, pixels).argmax(dim=1) == targets
        return {"test_metric": hits.double().mean()}


def _is_batch_norm(module: nn.Module) -> bool:
    return isinstance(module, nn.modules.batchnorm._BatchNorm)


def initialise_weights(network: nn.Module, init: np.random.Generator) -> None:
    """Draw the weights of a network, layer by layer, from the distributions of PyTorch.

    Convolutions and linear layers: weights and biases are uniform within ±1/√(inputs of a unit).
    Batch norm: scale 1, shift 0.
    """
    for module in network.modules():
        if isinstance(module, (nn.Conv2d, nn.Linear)):
            bound = 1 / math.sqrt(module.weight[0].numel())
            for parameter in module.parameters(recurse=False):
                values = init.uniform(-bound, bound, tuple(parameter.shape))
                parameter.data.copy_(torch.from_numpy(values.astype(np.float32)))
        elif _is_batch_norm(module):
            module.reset_running_stats()
            nn.init.ones_(module.weight)
            nn.init.zeros_(module.bias)
        elif next(module.parameters(recurse=False), None) is not None:
            raise ReseedError(f"{type(module).__name__}: there is no rule for its initial weights")
