"""Named random streams and the determinism switches.

A trial has one seed for each role. A stream depends on (seed, name) alone: not on the order in
which streams are made, not on the process, and not on the platform, because the pair is hashed
with SHA-256 and numpy's ``SeedSequence`` and ``PCG64`` are defined bit by bit.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import torch


def _digest(seed: int, name: str) -> bytes:
    number = int(seed)
    if number != seed or number < 0:
        raise ValueError(f"seed {seed!r}: a seed is a whole number, 0 or greater")
    return hashlib.sha256(f"{number}:{name}".encode()).digest()


def stream(seed: int, name: str) -> np.random.Generator:
    """Return the random generator of the pair (seed, name); ValueError for a negative seed."""
    entropy = int.from_bytes(_digest(seed, name), "little")
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy)))


def integer(seed: int, name: str) -> int:
    """Return a number in [0, 2**32) for libraries that are seeded by one."""
    return int.from_bytes(_digest(seed, name)[:4], "little")


def torch_generator(seed: int, name: str, device: str = "cpu") -> torch.Generator:
    """Return a PyTorch generator on a device, independent of PyTorch's global one."""
    import torch

    return torch.Generator(device=device).manual_seed(integer(seed, name))


def make_deterministic() -> dict[str, Any]:
    """Ask PyTorch for deterministic algorithms only; return the flags, for the trial's record.

    An operation without a deterministic kernel raises an error from then on. cuBLAS reads its
    workspace setting when CUDA starts, so call this before the first CUDA operation.
    """
    import os

    import torch

    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.use_deterministic_algorithms(True)
    # Filling fresh memory would hide reads of it, which no operation here does, at a cost.
    torch.utils.deterministic.fill_uninitialized_memory = False
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = False
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    return {
        "deterministic_algorithms": torch.are_deterministic_algorithms_enabled(),
        "cudnn_deterministic": torch.backends.cudnn.deterministic,
        "cudnn_benchmark": torch.backends.cudnn.benchmark,
        "allow_tf32": torch.backends.cuda.matmul.allow_tf32,
        "cublas_workspace_config": os.environ["CUBLAS_WORKSPACE_CONFIG"],
    }
