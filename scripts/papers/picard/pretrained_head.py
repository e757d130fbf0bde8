"""Transfer learning: a new linear head on a frozen, pretrained backbone (Picard 2021, Section 4.3).

This is the first stage of his code. The last layer is drawn at random and trained by SGD with
Nesterov momentum 0.9, weight decay 1e-4 and a cosine schedule from 0.1 to 0.001. The loss is the
cross-entropy plus the cross-entropy with label smoothing 0.1; batches have 128 images. The second
stage, which trains the whole network, is `fine_tuning`. So the backbone never changes, the features
of an image are computed once for all seeds, and images are not augmented. The seeds decide the
initial weights of the head (`init`) and the order of batches (`order`).

Backbones: the variants of `efficientnet_lite`, and `transformers`, which is a folder of weights
with the files of the Transformers library (`config.json`, `model.safetensors`): ResNet, ViT, DINO
and others.
Features are cached in `features/` in the folder of the weights, under a hash of everything that
decides them.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import weakref
from collections.abc import Callable
from dataclasses import dataclass, fields
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import torch
from reseed.core.errors import ReseedError
from reseed.core.random_streams import stream
from reseed.metrics.outputs import from_logits
from reseed.models.memory_format import choose_memory_format
from reseed.models.networks import Dropout, Learner, make_batch_iterator, train
from torch import Tensor, nn
from torch.nn import functional as F

from papers.picard import efficientnet_lite

Evaluate = Callable[[nn.Module], dict[str, Tensor]] | None
BACKBONES = (*efficientnet_lite.VARIANTS, "transformers")
#: Images in one pass without gradients, by the type of device: more are slower on a processor.
ROWS_AT_ONCE = {"cuda": 256, "cpu": 32}


@dataclass(frozen=True)
class Recipe:
    """Hyper-parameters; images are resized to `resolution` (bilinear) for the backbone."""

    backbone: str = "efficientnet_lite0"
    resolution: int = 224
    epochs: int = 20
    batch_size: int = 128
    learning_rate: float = 0.1
    final_rate: float = 0.001
    momentum: float = 0.9
    weight_decay: float = 0.0001
    label_smoothing: float = 0.1
    smoothed_weight: float = 1.0
    dropout: float = 0.0
    test_curve: bool = True

    def __post_init__(self):
        if self.backbone not in BACKBONES:
            raise ReseedError(
                f"hyperparameters.backbone: {self.backbone!r} is not one of {', '.join(BACKBONES)}"
            )

    @classmethod
    def from_hyperparameters(cls, hyperparameters: dict[str, Any]) -> Self:
        """Return a recipe. Raises ReseedError for an unknown hyper-parameter."""
        known = [field.name for field in fields(cls)]
        unknown = sorted(set(hyperparameters) - set(known))
        if unknown:
            raise ReseedError(f"hyperparameters.{unknown[0]}: unknown. Allowed: {', '.join(known)}")
        return cls(**hyperparameters)


class Stage(NamedTuple):
    """A part of a training: the learning rate falls from `rate` to `final_rate`.

    stream: name of the random stream of the order of batches.
    """

    epochs: int
    batch_size: int
    rate: float
    final_rate: float
    stream: str

    def rate_factor(self, fraction: float) -> float:
        """Return the factor on the learning rate after a fraction of all steps: half a cosine."""
        last = self.final_rate / self.rate
        return last + (1 - last) * (1 + math.cos(math.pi * fraction)) / 2


class Head(nn.Module):
    """Dropout and a linear layer: (n, features) → logits (n, classes)."""

    def __init__(self, features: int, classes: int, dropout: Dropout):
        super().__init__()
        self.dropout = dropout
        self.linear = nn.Linear(features, classes)

    def forward(self, x: Tensor) -> Tensor:
        """Map features to logits."""
        return self.linear(self.dropout(x))


class PretrainedHead:
    """The `reseed.models.registry.Estimator`; see the module."""

    uses_validation = False

    def __init__(
        self,
        task: str,
        n_classes: int,
        recipe: Recipe,
        seeds: dict[str, int],
        device: str,
        threads: int,
        weights: Path | None,
    ):
        if task == "regression":
            raise ReseedError("pretrained_head is a classifier: it needs a dataset with classes")
        if weights is None:
            raise ReseedError(
                "pretrained_head: weights are missing: name a file of config/weights/ under "
                "weights in the model's file, such as weights: efficientnet_lite0"
            )
        self.task, self.outputs, self.recipe = task, max(2, n_classes), recipe
        self.seeds, self.device, self.threads = seeds, torch.device(device), threads
        self.weights = Path(weights)
        self.curve_: list[dict[str, float]] = []
        self._watched: tuple[Tensor, Tensor] | None = None

    def watch(self, X_test: np.ndarray, y_test: np.ndarray) -> None:
        """Set the rows whose accuracy is measured after each epoch."""
        if self.recipe.test_curve:
            self._watched = self.features(X_test), self._targets(y_test)

    def fit(
        self,
        X: np.ndarray,
        y: np.ndarray,
        X_validation: np.ndarray | None = None,
        y_validation: np.ndarray | None = None,
    ) -> PretrainedHead:
        """Train the head. Raises FloatingPointError if the loss is not finite."""
        torch.set_num_threads(self.threads)
        features = self.features(X)
        self.head = self.initial_head(features.shape[1])
        evaluate = self._accuracy if self._watched else None
        self._train(self.head, features, y, self.head_stage, evaluate)
        return self

    @property
    def head_stage(self) -> Stage:
        """The training of the head."""
        recipe = self.recipe
        return Stage(
            recipe.epochs, recipe.batch_size, recipe.learning_rate, recipe.final_rate, "order"
        )

    def _train(
        self, network: nn.Module, inputs: Tensor, y: np.ndarray, stage: Stage, evaluate: Evaluate
    ) -> None:
        """Train all weights of a network by SGD; `curve_` is that of this stage."""
        recipe = self.recipe
        steps = -(-len(inputs) // stage.batch_size) * stage.epochs
        learner = Learner(
            network,
            torch.optim.SGD(
                network.parameters(),
                lr=stage.rate,
                momentum=recipe.momentum,
                nesterov=recipe.momentum > 0,
                weight_decay=recipe.weight_decay,
            ),
            self.loss,
            make_batch_iterator(
                inputs,
                self._targets(y),
                stage.batch_size,
                stream(self.seeds["order"], stage.stream),
            ),
            evaluate,
            schedule=lambda step: stage.rate_factor(step / steps),
        )
        (lane,) = train(learner, max_epochs=stage.epochs)
        self.curve_ = lane.curve
        if lane.error is not None:
            raise lane.error
        network.eval()

    @torch.inference_mode()
    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return logits (n, classes), or the difference of two logits (n,), as float32."""
        return from_logits(self.task, self.head(self.features(X)).cpu()).numpy()

    def loss(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Return the cross-entropy plus the cross-entropy with smoothed labels."""
        smoothed = F.cross_entropy(outputs, targets, label_smoothing=self.recipe.label_smoothing)
        return F.cross_entropy(outputs, targets) + self.recipe.smoothed_weight * smoothed

    def initial_head(self, features: int) -> Head:
        """Draw weights uniform within ±√(6/features) (He et al. 2015), biases standard normal."""
        init = stream(self.seeds["init"], "init")
        bound = math.sqrt(6 / features)
        dropout = Dropout(self.recipe.dropout, stream(self.seeds["dropout"], "dropout"))
        with torch.device("meta"):
            head = Head(features, self.outputs, dropout)
        head.to_empty(device=self.device)
        for parameter, drawn in (
            (head.linear.weight, init.uniform(-bound, bound, (self.outputs, features))),
            (head.linear.bias, init.standard_normal(self.outputs)),
        ):
            parameter.data.copy_(torch.from_numpy(drawn.astype(np.float32)))
        return head

    def features(self, X: np.ndarray) -> Tensor:
        """Return the features of images, computed once for all trials of the device."""
        torch.set_num_threads(self.threads)
        for images, settings, features in _CACHE:
            if images() is X and settings == self._settings:
                return features
        features = torch.from_numpy(self._load_features(X)).to(self.device)
        _CACHE[:] = [entry for entry in _CACHE if entry[0]() is not None]
        _CACHE.append((weakref.ref(X), self._settings, features))
        return features

    @property
    def _settings(self) -> tuple:
        """Everything except the images that decides features."""
        recipe = self.recipe
        return str(self.weights), recipe.backbone, recipe.resolution, str(self.device), self.threads

    def _load_features(self, X: np.ndarray) -> np.ndarray:
        path = self.weights / "features" / f"{self._compute_features_key(X)}.npy"
        try:
            return np.load(path, allow_pickle=False)
        except (OSError, ValueError, EOFError):
            features = self._compute_features(X)
        try:
            path.parent.mkdir(exist_ok=True)
            temporary = path.with_suffix(f".{os.getpid()}.tmp")
            with open(temporary, "wb") as file:
                np.save(file, features)
            os.replace(temporary, path)
        except OSError:  # a read-only folder: the features are computed again next time
            pass
        return features

    def _compute_features_key(self, X: np.ndarray) -> str:
        digest = hashlib.sha256()
        for source in (__file__, efficientnet_lite.__file__):
            digest.update(Path(source).read_bytes())
        for file in sorted(self.weights.glob("*")):
            if file.is_file() and file.name != "meta.json":
                digest.update(file.name.encode() + hashlib.sha256(file.read_bytes()).digest())
        machine = torch.__version__, torch.backends.cpu.get_cpu_capability(), self._settings[1:]
        if self.recipe.backbone == "transformers":
            machine += (metadata.version("transformers"),)
        if self.device.type == "cuda":
            machine += (torch.cuda.get_device_name(self.device),)
        digest.update(repr((machine, X.shape, str(X.dtype))).encode())
        digest.update(np.ascontiguousarray(X).data)
        return digest.hexdigest()

    @torch.inference_mode()
    def _compute_features(self, X: np.ndarray) -> np.ndarray:
        if X.dtype != np.uint8 or X.ndim != 4:
            raise ReseedError(
                "pretrained_head needs images (n, height, width, channels) of bytes, but the "
                f"inputs are {X.dtype} of shape {X.shape}: use a dataset of kind: images"
            )
        backbone, size = load_backbone(self.recipe.backbone, self.weights), self.recipe.resolution
        layout = choose_memory_format(backbone, self.device)
        backbone.to(self.device, memory_format=layout)
        parts = []
        for start in range(0, len(X), ROWS_AT_ONCE[self.device.type]):
            part = np.require(X[start:][: ROWS_AT_ONCE[self.device.type]], requirements=["C", "W"])
            images = scale_images(torch.from_numpy(part).to(self.device), size)
            parts.append(backbone.features(images.contiguous(memory_format=layout)))
        return torch.cat(parts).float().cpu().numpy()

    def _targets(self, y: np.ndarray) -> Tensor:
        return torch.tensor(np.asarray(y), dtype=torch.int64, device=self.device)

    def _accuracy(self, head: nn.Module) -> dict[str, Tensor]:
        features, targets = self._watched
        return {"test_metric": (head(features).argmax(dim=1) == targets).double().mean()}


#: Features in memory: (weak reference to the images, settings, features).
_CACHE: list[tuple[weakref.ref, tuple, Tensor]] = []


class TransformersBackbone(nn.Module):
    """A vision model of the Transformers library, with the normalisation from its files."""

    def __init__(self, folder: Path):
        super().__init__()
        from transformers import AutoModel

        try:
            self.model = AutoModel.from_pretrained(folder, local_files_only=True)
            # The processors of the library need torchvision; two numbers per channel do not.
            settings = json.loads((Path(folder) / "preprocessor_config.json").read_text("utf-8"))
            moments = [settings[f"image_{name}"] for name in ("mean", "std")]
        except (OSError, ValueError, KeyError) as error:
            raise ReseedError(
                f"{folder}: not a vision model of the Transformers library (it needs config.json, "
                f"preprocessor_config.json and model.safetensors): {error}"
            ) from None
        for name, values in zip(("mean", "std"), moments, strict=True):
            self.register_buffer(name, 255 * torch.tensor(values)[:, None, None])
        self.eval().requires_grad_(False)

    def features(self, images: Tensor) -> Tensor:
        """Map (n, 3, h, w), pixels 0 … 255, to (n, features): pooled output or class token."""
        outputs = self.model(pixel_values=(images - self.mean) / self.std)
        pooled = getattr(outputs, "pooler_output", None)
        return (outputs.last_hidden_state[:, 0] if pooled is None else pooled).flatten(1)


def scale_images(images: Tensor, size: int) -> Tensor:
    """Bytes (n, height, width, 1 or 3) → float (n, 3, size, size), pixels 0 … 255."""
    scaled = images.permute(0, 3, 1, 2).float()
    if scaled.shape[1] == 1:
        scaled = scaled.expand(-1, 3, -1, -1)
    if scaled.shape[2:] != (size, size):
        scaled = F.interpolate(scaled, (size, size), mode="bilinear", antialias=True)
    return scaled


def load_backbone(name: str, folder: Path) -> nn.Module:
    """The frozen backbone of a folder of weights; `features` maps images to (n, features)."""
    return (
        efficientnet_lite.load(name, folder)
        if name in efficientnet_lite.VARIANTS
        else TransformersBackbone(folder)
    )


def pretrained_head(
    task: str,
    n_classes: int,
    hyperparameters: dict[str, Any],
    seeds: dict[str, int],
    device: str = "cpu",
    threads: int = 1,
    weights: Path | None = None,
) -> PretrainedHead:
    """Return a head on a backbone; hyper-parameters are the fields of `Recipe`."""
    recipe = Recipe.from_hyperparameters(hyperparameters)
    return PretrainedHead(task, n_classes, recipe, seeds, device, threads, weights)
