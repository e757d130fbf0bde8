"""ResNet-18, EfficientNet-B0 and ViT-Tiny for small images, untrained, from `transformers`.

The published networks are for 224 pixels and halve an image five times (a ViT has 14 × 14
patches). Here they are adapted to 32 and 64 pixels, as is common for CIFAR-10 and Tiny-ImageNet:

- ResNet-18 (He et al. 2016): the stem is a 3 × 3 convolution without pooling;
- EfficientNet-B0 (Tan and Le 2019): the stride of the stem is 1 at 32 pixels; padding is symmetric;
  there is no stochastic depth, because the library drops single activations instead of blocks;
- ViT-Tiny (Touvron et al. 2021: 12 layers of 192 units, 3 heads): 8 × 8 patches.

The stride of the stem grows with the image, so that 64 pixels cost as much as 32. Weights are drawn
here, because the library draws the batch norm scales of EfficientNet around 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

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

#: Largest number of blocks of an EfficientNet; each has symmetric padding.
_BLOCKS = 100
#: SD of a ViT's initial weights.
_VIT_SD = 0.02


@dataclass(frozen=True)
class VisionRecipe(ImageRecipe):
    """Hyper-parameters of all three networks.

    optimiser: `sgd` with `momentum`, or `adamw`. The learning rate rises linearly over
        `warmup_epochs` and falls to 0 as a cosine; it is constant within an epoch.
    deterministic: false lets PyTorch use its fastest kernels in training, to measure the cost and
        effect of determinism.
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
    """widths: channels of each stage. depths: number of its blocks of two convolutions."""

    widths: tuple[int, ...] = (64, 128, 256, 512)
    depths: tuple[int, ...] = (2, 2, 2, 2)


@dataclass(frozen=True)
class EfficientNetRecipe(VisionRecipe):
    """width, depth: factors on the channels and blocks of B0. dropout: before the head."""

    width: float = 1.0
    depth: float = 1.0
    dropout: float = 0.2


@dataclass(frozen=True)
class ViTRecipe(VisionRecipe):
    """width: units of a token. patch: side of a patch in pixels; None: an eighth of the image."""

    optimiser: str = "adamw"
    learning_rate: float = 0.0005
    weight_decay: float = 0.01
    width: int = 192
    depth: int = 12
    heads: int = 3
    patch: int | None = None


class Logits(nn.Module):
    """A classifier of the library that returns logits and draws dropout from a stream."""

    def __init__(self, model: nn.Module, dropout: np.random.Generator):
        super().__init__()
        self.model = model
        for parent in list(model.modules()):
            for name, module in parent.named_children():
                if isinstance(module, nn.Dropout):
                    setattr(parent, name, Dropout(module.p, dropout))

    def forward(self, x: Tensor) -> Tensor:
        """Map images (n, channels, h, w) to logits (n, classes)."""
        return self.model(pixel_values=x).logits


class Vision(ImageClassifier):
    """The estimator; a subclass has the network."""

    recipe: VisionRecipe
    recipe_class = VisionRecipe

    def optimiser(self, network: nn.Module) -> torch.optim.Optimizer:
        """Return SGD or AdamW with weight decay on every parameter."""
        recipe = self.recipe
        shared = {"lr": recipe.learning_rate, "weight_decay": recipe.weight_decay}
        if recipe.optimiser == "adamw":
            return torch.optim.AdamW(network.parameters(), **shared, fused=True)
        return torch.optim.SGD(network.parameters(), **shared, momentum=recipe.momentum)

    def rate_factor(self, epoch: int) -> float:
        """Return the factor: a linear rise, then a cosine."""
        rise, epochs = self.recipe.warmup_epochs, self.recipe.epochs
        if epoch < rise:
            return (epoch + 1) / (rise + 1)
        return 0.5 + 0.5 * math.cos(math.pi * (epoch - rise) / (epochs - rise))

    def fit(
        self,
        X: Any,
        y: np.ndarray,
        X_validation: Any = None,
        y_validation: np.ndarray | None = None,
    ) -> Self:
        """Train for all epochs. Raises FloatingPointError if the loss is not finite."""
        if self.recipe.deterministic:
            return super().fit(X, y)
        with allow_nondeterministic_kernels():
            return super().fit(X, y)

    def from_config(self, config: PretrainedConfig, shape: tuple[int, int, int]) -> nn.Module:
        """Return the library's classifier for a configuration, without initial weights."""
        config.num_channels, config.num_labels = shape[0], self.outputs
        # Eager attention: its backward pass is deterministic on every device.
        return AutoModelForImageClassification.from_config(config, attn_implementation="eager")


class ResNet(Vision):
    """ResNet of basic blocks."""

    recipe: ResNetRecipe
    recipe_class = ResNetRecipe

    def network(self, shape: tuple[int, int, int], dropout: np.random.Generator) -> nn.Module:
        """Return a ResNet for small images."""
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

    recipe: EfficientNetRecipe
    recipe_class = EfficientNetRecipe

    def network(self, shape: tuple[int, int, int], dropout: np.random.Generator) -> nn.Module:
        """Return an EfficientNet for small images."""
        recipe = self.recipe
        config = EfficientNetConfig(
            width_coefficient=recipe.width,
            depth_coefficient=recipe.depth,
            depthwise_padding=tuple(range(_BLOCKS)),
            batch_norm_momentum=0.1,  # the library's 0.99 is in TensorFlow's convention (0.01 here)
            dropout_rate=recipe.dropout,
            drop_connect_rate=0.0,
        )
        config.hidden_dim = round_filters(config, 1280)
        model = self.from_config(config, shape)
        body = model.efficientnet
        stem = body.embeddings
        stem.padding, stem.convolution.stride = nn.ZeroPad2d(1), (choose_stride(shape),) * 2
        body.pooler = nn.AdaptiveAvgPool2d(1)  # the same mean, with a deterministic gradient
        return Logits(model, dropout)


class ViT(Vision):
    """Vision transformer with a class token."""

    recipe: ViTRecipe
    recipe_class = ViTRecipe

    def network(self, shape: tuple[int, int, int], dropout: np.random.Generator) -> nn.Module:
        """Return a ViT. Raises ReseedError if patches do not tile the image."""
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

    def _build_network(self, shape: tuple[int, int, int]) -> nn.Module:
        self._order = stream(self.seeds["order"], "order")
        self._augment = stream(self.seeds["augment"], "augment")
        with torch.device("meta"):
            network = self.network(shape, stream(self.seeds["dropout"], "dropout"))
        initialise_vit_weights(network.to_empty(device="cpu"), stream(self.seeds["init"], "init"))
        return network.to(self.device)


def choose_stride(shape: tuple[int, int, int]) -> int:
    """Return the stride of the stem that reduces a larger image to about 32 pixels."""
    return max(1, min(shape[1:]) // 32)


def initialise_vit_weights(network: nn.Module, init: np.random.Generator) -> None:
    """Draw the weights, tokens and positions of a ViT from N(0, 0.02²); biases 0, norms 1 and 0."""
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
    """Let PyTorch choose any kernel; restore the deterministic settings afterwards."""
    torch.use_deterministic_algorithms(False)
    torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark = False, True
    try:
        yield
    finally:
        set_deterministic()


def resnet18(
    task: str,
    n_classes: int,
    hyperparameters: dict[str, Any],
    seeds: dict[str, int],
    device: str = "cpu",
    threads: int = 1,
) -> ResNet:
    """Return a ResNet-18; hyper-parameters are the fields of `ResNetRecipe`."""
    return ResNet(task, n_classes, hyperparameters, seeds, device, threads)


def efficientnet_b0(
    task: str,
    n_classes: int,
    hyperparameters: dict[str, Any],
    seeds: dict[str, int],
    device: str = "cpu",
    threads: int = 1,
) -> EfficientNet:
    """Return an EfficientNet-B0; hyper-parameters are the fields of `EfficientNetRecipe`."""
    return EfficientNet(task, n_classes, hyperparameters, seeds, device, threads)


def vit_tiny(
    task: str,
    n_classes: int,
    hyperparameters: dict[str, Any],
    seeds: dict[str, int],
    device: str = "cpu",
    threads: int = 1,
) -> ViT:
    """Return a ViT-Tiny; hyper-parameters are the fields of `ViTRecipe`."""
    return ViT(task, n_classes, hyperparameters, seeds, device, threads)
