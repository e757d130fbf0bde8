"""EfficientNet-Lite as a backbone for Picard (2021), Section 4.3: 1,280 features of an image.

EfficientNet without squeeze-and-excitation and with ReLU6 (Tan and Le 2019; the Lite variants of
TensorFlow's model repository) in plain PyTorch, with weights trained on ImageNet. A variant has
more channels and layers than Lite0, but for its stem, its top and its first and last stages, whose
numbers of layers are those of Lite0. Weights are read
from a state dict with the names of the common PyTorch ports (`_blocks.0._depthwise_conv.weight`).
Strided convolutions have TensorFlow's "SAME" padding: an odd pixel is added at the bottom and at
the right.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

import torch
from reseed.core.errors import ReseedError
from torch import Tensor, nn
from torch.nn import functional as F

FEATURES = 1280
#: Name of a variant → factors on the channels and on the layers of a stage.
VARIANTS = {"efficientnet_lite0": (1.0, 1.0), "efficientnet_lite2": (1.1, 1.2)}
#: (expansion, kernel, stride, channels, repeats) of each stage.
_STAGES = (
    (1, 3, 1, 16, 1), (6, 3, 2, 24, 2), (6, 5, 2, 40, 2), (6, 3, 2, 80, 3),
    (6, 5, 1, 112, 3), (6, 5, 2, 192, 4), (6, 3, 1, 320, 1),
)  # fmt: skip
#: Name in a state dict → name here, for modules outside and inside blocks.
_OUTSIDE = {
    "_conv_stem": "stem.convolution", "_bn0": "stem.norm", "_conv_head": "top.convolution",
    "_bn1": "top.norm", "_fc": "classifier",
}  # fmt: skip
_INSIDE = {
    "_expand_conv": "expand.convolution", "_bn0": "expand.norm",
    "_depthwise_conv": "depthwise.convolution", "_bn1": "depthwise.norm",
    "_project_conv": "project.convolution", "_bn2": "project.norm",
}  # fmt: skip


class Unit(nn.Module):
    """Convolution without bias, batch norm and optionally ReLU6."""

    def __init__(
        self,
        inputs: int,
        outputs: int,
        kernel: int,
        stride: int = 1,
        groups: int = 1,
        has_relu: bool = True,
    ):
        super().__init__()
        self.convolution = nn.Conv2d(
            *(inputs, outputs, kernel, stride), padding=0, groups=groups, bias=False
        )
        self.norm = nn.BatchNorm2d(outputs, eps=1e-3, momentum=0.01)
        self.has_relu = has_relu

    def forward(self, x: Tensor) -> Tensor:
        """Map (n, inputs, h, w) to (n, outputs, ⌈h/stride⌉, ⌈w/stride⌉)."""
        kernel, stride = self.convolution.kernel_size[0], self.convolution.stride[0]
        # -(-h // s) outputs need (outputs - 1)·s + k pixels; half of the padding is on top.
        missing = [max(0, (-(-n // stride) - 1) * stride + kernel - n) for n in x.shape[2:]]
        if any(missing):
            (above, left), (all_y, all_x) = (m // 2 for m in missing), missing
            x = F.pad(x, (left, all_x - left, above, all_y - above))
        x = self.norm(self.convolution(x))
        return F.relu6(x) if self.has_relu else x


class Block(nn.Module):
    """Inverted residual: expand, depth-wise convolution, project; add the input if shapes match."""

    def __init__(self, inputs: int, outputs: int, expansion: int, kernel: int, stride: int):
        super().__init__()
        inner = inputs * expansion
        self.expand = Unit(inputs, inner, 1) if expansion > 1 else nn.Identity()
        self.depthwise = Unit(inner, inner, kernel, stride, groups=inner)
        self.project = Unit(inner, outputs, 1, has_relu=False)
        self.residual = stride == 1 and inputs == outputs

    def forward(self, x: Tensor) -> Tensor:
        """Map (n, inputs, h, w) to (n, outputs, …)."""
        y = self.project(self.depthwise(self.expand(x)))
        return x + y if self.residual else y


def scale_channels(channels: int, factor: float) -> int:
    """The multiple of 8 that is nearest to `channels * factor`, and at least 0.9 times it."""
    scaled = channels * factor
    nearest = max(8, int(scaled + 4) // 8 * 8)
    return nearest if nearest >= 0.9 * scaled else nearest + 8


class EfficientNetLite(nn.Module):
    """The network of a variant; `features` is everything except the classifier."""

    def __init__(self, variant: str, classes: int = 1000):
        super().__init__()
        width, depth = VARIANTS[variant]
        self.stem, channels, blocks = Unit(3, 32, 3, 2), 32, []
        for stage in _STAGES:
            expansion, kernel, stride, outputs, repeats = stage
            outputs = scale_channels(outputs, width)
            if stage not in (_STAGES[0], _STAGES[-1]):
                repeats = math.ceil(repeats * depth)
            for number in range(repeats):
                step = stride if number == 0 else 1
                blocks.append(Block(channels, outputs, expansion, kernel, step))
                channels = outputs
        self.blocks = nn.Sequential(*blocks)
        self.top = Unit(channels, FEATURES, 1)
        self.classifier = nn.Linear(FEATURES, classes)

    def features(self, images: Tensor) -> Tensor:
        """Map (n, 3, h, w), pixels 0 … 255, to (n, 1280)."""
        x = self.top(self.blocks(self.stem((images - 127) / 128)))
        return x.mean(dim=(2, 3))

    def forward(self, images: Tensor) -> Tensor:
        """Map (n, 3, h, w), pixels 0 … 255, to logits of the classes of ImageNet."""
        return self.classifier(self.features(images))


def load(variant: str, folder: Path) -> EfficientNetLite:
    """Return the network with the weights of the only `.pth` file in a folder."""
    files = sorted(Path(folder).glob("*.pth"))
    if len(files) != 1:
        raise ReseedError(
            f"{folder}: {len(files)} .pth files: set weights: {variant} in the model's "
            "file, or weights that hold one such file"
        )
    with torch.device("meta"):
        network = EfficientNetLite(variant)
    state = torch.load(files[0], map_location="cpu", weights_only=True)
    try:
        network.load_state_dict({_convert_name(k): v for k, v in state.items()}, assign=True)
    except (RuntimeError, KeyError, AttributeError) as error:
        raise ReseedError(f"{files[0]}: not the weights of {variant}: {error}") from None
    return network.eval().requires_grad_(False)


def _convert_name(name: str) -> str:
    module, _, tensor = name.rpartition(".")
    inside = re.fullmatch(r"_blocks\.(\d+)\.(\w+)", module)
    if inside:
        return f"blocks.{inside[1]}.{_INSIDE[inside[2]]}.{tensor}"
    return f"{_OUTSIDE[module]}.{tensor}"
