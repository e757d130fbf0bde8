"""The memory layout in which a network of convolutions runs."""

import torch
from torch import nn

#: Least channels for a safe strided 1 × 1 convolution in `channels_last`: a vector register.
_SAFE_CHANNELS = 8


def choose_memory_format(network: nn.Module, device: torch.device) -> torch.memory_format:
    """Return the memory layout for a network: channels_last, unless that is unsafe.

    On processors with AVX2 and without AVX-512, PyTorch 2.13 (oneDNN) writes beyond the memory of
    a `channels_last` convolution with kernel 1, a stride and fewer than 8 input channels. The
    choice depends on the network only, so that every processor does the same arithmetic.
    """
    unsafe = device.type == "cpu" and any(map(_is_narrow_projection, network.modules()))
    return torch.contiguous_format if unsafe else torch.channels_last


def _is_narrow_projection(module: nn.Module) -> bool:
    if not isinstance(module, nn.Conv2d):
        return False
    is_strided_point = max(module.kernel_size) == 1 and max(module.stride) > 1
    return is_strided_point and module.in_channels < _SAFE_CHANNELS
