"""ResNet-18, EfficientNet-B0 and ViT-Tiny for small images, untrained, from `transformers`.

The published networks are made for 224 pixels and halve an image five times (a ViT cuts it into
14 × 14 patches). Here they are sized for 32 and 64 pixels, as is usual for CIFAR-10 and
Tiny-ImageNet:

- ResNet-18 (He et al. 2016): the stem is a 3 × 3 convolution without a pool;
- EfficientNet-B0 (Tan and Le 2019): the stem's stride is 1 at 32 pixels; padding is symmetric;
  stochastic depth is left out, for the library drops single activations instead of blocks;
- ViT-Tiny (Touvron et al. 2021: 12 layers of 192 units, 3 heads): 8 × 8 patches in all.

The stems' stride grows with the image, so that 64 pixels cost what 32 do. Weights are drawn here
and not by the library, which draws EfficientNet's scales of batch norm about 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from transformers import (
    AutoModelForImageClassification,
    EfficientNetConfig,
    PretrainedConfig,
    ResNetConfig,
    ViTConfig,
)
from transformers.models.efficientnet.modeling_efficientnet import round_filters

from reseed.core.errors import ReseedError
from reseed.core.random_streams import set_deterministic, stream
from reseed.models.images import ImageClassifier, ImageRecipe
from reseed.models.networks import Dropout

#: Blocks of the deepest EfficientNet: each is padded alike on both sides.
_BLOCKS = 100
#: SD of a ViT's initial weights.
_VIT_SD = 0.02


@dataclass(frozen=True)
class VisionRecipe(ImageRecipe):
    """Hyper-parameters of all three.

    ``optimiser``: ``sgd`` with ``momentum``, or ``adamw``.
    The rate rises in a line over ``warmup_epochs`` and falls by a cosine to 0, epoch by epoch.
    ``deterministic: false`` lets PyTorch take its fastest kernels while it trains: to measure what
    determinism costs, and what it buys.
    """

    epochs: int = 200
    batch_size: int = 128
    optimiser: str = "sgd"
    learning_rate: float = 0.1
    momentum: float = 0.9
    weight_decay: float = 0.0005
    warmup_epochs: int = 0
    deterministic: bool = True

    def __post_init__(self):
        super().__post_init__()
        if self.optimiser not in ("sgd", "adamw"):
            raise ReseedError(f"hyperparameters.optimiser: {self.optimiser!r}: sgd or adamw")
        if not 0 <= self.warmup_epochs < self.epochs:
            raise ReseedError(
                f"hyperparameters.warmup_epochs: {self.warmup_epochs} is not below the number of"
                f" epochs, {self.epochs}"
            )


@dataclass(frozen=True)
class ResNetRecipe(VisionRecipe):
    """``widths``: channels of each stage; ``depths``: its blocks of two convolutions."""

    widths: tuple[int, ...] = (64, 128, 256, 512)
    depths: tuple[int, ...] = (2, 2, 2, 2)


@dataclass(frozen=True)
class EfficientNetRecipe(VisionRecipe):
    """``width``, ``depth``: factors on B0's channels and blocks; ``dropout``: before the head."""

    width: float = 1.0
    depth: float = 1.0
    dropout: float = 0.2


@dataclass(frozen=True)
class ViTRecipe(VisionRecipe):
    """``width``: units of a token; ``patch``: pixels of a patch's side, None: an eighth of the
    image's.
    """

    optimiser: str = "adamw"
    learning_rate: float = 0.0005
    weight_decay: float = 0.01
    width: int = 192
    depth: int = 12
    heads: int = 3
    patch: int | None = None


class Logits(nn.Module):
    """A classifier of the library that returns its logits, its dropout drawn by our own stream."""

    def __init__(self, model: nn.Module, dropout: np.random.Generator):
        super().__init__()
        self.model = model
        for parent in list(model.modules()):
            for name, module in parent.named_children():
                if isinstance(module, nn.Dropout):
                    setattr(parent, name, Dropout(module.p, dropout))

    def forward(self, x: Tensor) -> Tensor:
        """(n, channels, h, w) → logits (n, classes)."""
        return self.model(pixel_values=x).logits


class Vision(ImageClassifier):
    """The estimator; a subclass says which network."""

    recipe_class = VisionRecipe

    def optimiser(self, network) -> torch.optim.Optimizer:
        """SGD or AdamW; weight decay on every parameter."""
        recipe = self.recipe
        shared = {"lr": recipe.learning_rate, "weight_decay": recipe.weight_decay}
        if recipe.optimiser == "adamw":
            return torch.optim.AdamW(network.parameters(), **shared, fused=True)
        return torch.optim.SGD(network.parameters(), **shared, momentum=recipe.momentum)

    def rate_factor(self, epoch: int) -> float:
        """A line up, then a cosine down."""
        rise, epochs = self.recipe.warmup_epochs, self.recipe.epochs
        if epoch < rise:
            return (epoch + 1) / (rise + 1)
        return 0.5 + 0.5 * math.cos(math.pi * (epoch - rise) / (epochs - rise))

    def fit(self, X, y, X_validation=None, y_validation=None) -> Vision:
        """Train for the recipe's epochs. Raises FloatingPointError if the loss is not finite."""
        if self.recipe.deterministic:
            return super().fit(X, y)
        with allow_nondeterministic_kernels():
            return super().fit(X, y)

    def from_config(self, config: PretrainedConfig, shape: tuple[int, int, int]) -> nn.Module:
        """The library's classifier of a configuration, its weights as yet nothing."""
        config.num_channels, config.num_labels = shape[0], self.outputs
        # Eager attention: its backward pass is deterministic on every device.
        return AutoModelForImageClassification.from_config(config, attn_implementation="eager")


class ResNet(Vision):
    """ResNet of basic blocks."""

    recipe_class = ResNetRecipe

    def network(self, shape, dropout) -> nn.Module:
        """See the module."""
        recipe = self.recipe
        config = ResNetConfig(
            embedding_size=recipe.widths[0],
            hidden_sizes=list(recipe.widths),
            depths=list(recipe.depths),
            layer_type="basic",
        )
        model = self.from_config(config, shape)
        stem = model.resnet.embedder
        stem.embedder.convolution = nn.Conv2d(
            *(shape[0], recipe.widths[0], 3), stride=choose_stride(shape), padding=1, bias=False
        )
        stem.pooler = nn.Identity()
        return Logits(model, dropout)


class EfficientNet(Vision):
    """EfficientNet of any width and depth."""

    recipe_class = EfficientNetRecipe

    def network(self, shape, dropout) -> nn.Module:
        """See the module."""
        recipe = self.recipe
        config = EfficientNetConfig(
            width_coefficient=recipe.width,
            depth_coefficient=recipe.depth,
            depthwise_padding=tuple(range(_BLOCKS)),
            batch_norm_momentum=0.1,  # the library's 0.99 is TensorFlow's, and means 0.01
            dropout_rate=recipe.dropout,
            drop_connect_rate=0.0,
        )
        config.hidden_dim = round_filters(config, 1280)
        model = self.from_config(config, shape)
        body = model.efficientnet
        stem = body.embeddings
        stem.padding, stem.convolution.stride = nn.ZeroPad2d(1), (choose_stride(shape),) * 2
        body.pooler = nn.AdaptiveAvgPool2d(1)  # the same mean, whose gradient is deterministic
        return Logits(model, dropout)


class ViT(Vision):
    """Vision transformer with a class token."""

    recipe_class = ViTRecipe

    def network(self, shape, dropout) -> nn.Module:
        """See the module. Raises ReseedError where patches do not tile the image."""
        recipe = self.recipe
        _, height, width = shape
        patch = recipe.patch or max(1, height // 8)
        if height != width or height % patch:
            raise ReseedError(
                f"hyperparameters.patch: {patch} × {patch} pixels do not tile images of"
                f" {height} × {width}; a ViT takes square images"
            )
        config = ViTConfig(
            hidden_size=recipe.width,
            num_hidden_layers=recipe.depth,
            num_attention_heads=recipe.heads,
            intermediate_size=4 * recipe.width,
            hidden_dropout_prob=recipe.dropout,
            attention_probs_dropout_prob=0.0,
            image_size=height,
            patch_size=patch,
        )
        return Logits(self.from_config(config, shape), dropout)

    def _initial(self, shape) -> nn.Module:
        self._order = stream(self.seeds["order"], "order")
        self._augment = stream(self.seeds["augment"], "augment")
        with torch.device("meta"):
            network = self.network(shape, stream(self.seeds["dropout"], "dropout"))
        initialise_vit_weights(network.to_empty(device="cpu"), stream(self.seeds["init"], "init"))
        return network.to(self.device)


def choose_stride(shape: tuple[int, int, int]) -> int:
    """The stem's stride, by which a larger image is brought to about 32 pixels."""
    return max(1, min(shape[1:]) // 32)


def initialise_vit_weights(network: nn.Module, init: np.random.Generator) -> None:
    """Draw a ViT's weights, tokens and positions from N(0, 0.02²); biases 0, norms 1 and 0."""
    for module in network.modules():
        if isinstance(module, nn.LayerNorm):
            module.reset_parameters()
            continue
        for name, parameter in module.named_parameters(recurse=False):
            if name == "bias":
                nn.init.zeros_(parameter)
            else:
                values = init.normal(0, _VIT_SD, tuple(parameter.shape)).astype(np.float32)
                parameter.data.copy_(torch.from_numpy(values))


@contextmanager
def allow_nondeterministic_kernels() -> Iterator[None]:
    """Let PyTorch choose any kernel, deterministic or not; the switches are set again after."""
    torch.use_deterministic_algorithms(False)
    torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark = False, True
    try:
        yield
    finally:
        set_deterministic()


def resnet18(task, n_classes, hyperparameters, seeds, device="cpu", threads=1):
    """Make a ResNet-18; hyper-parameters are the fields of `ResNetRecipe`. Raises ReseedError."""
    return ResNet(task, n_classes, hyperparameters, seeds, device, threads)


def efficientnet_b0(task, n_classes, hyperparameters, seeds, device="cpu", threads=1):
    """Make an EfficientNet-B0; see `EfficientNetRecipe`. Raises ReseedError."""
    return EfficientNet(task, n_classes, hyperparameters, seeds, device, threads)


def vit_tiny(task, n_classes, hyperparameters, seeds, device="cpu", threads=1):
    """Make a ViT-Tiny; hyper-parameters are the fields of `ViTRecipe`. Raises ReseedError."""
    return ViT(task, n_classes, hyperparameters, seeds, device, threads)
