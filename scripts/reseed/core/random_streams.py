"""Named random streams and the determinism switches.

A trial has one seed for each role. A stream depends on (seed, name) alone: not on the order in
which streams are made, not on the process, and not on the platform, because the pair is hashed
with SHA-256 and numpy's ``SeedSequence`` and ``PCG64`` are defined bit by bit.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import random
import sys
from collections.abc import Mapping

import numpy as np

_CUBLAS = ("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
# What PyTorch is set to wherever a trial is trained; part of what a trial's environment records.
DETERMINISM_SETTINGS = {
    "deterministic_algorithms": True,
    "cudnn_deterministic": True,
    "cudnn_benchmark": False,
    "allow_tf32": False,
    "cublas_workspace_config": _CUBLAS[1],
}


def _digest(seed: int, name: str) -> bytes:
    number = int(seed)
    if number != seed or number < 0:
        raise ValueError(f"seed {seed!r}: a seed is a whole number, 0 or greater")
    return hashlib.sha256(f"{number}:{name}".encode()).digest()


def stream(seed: int, name: str) -> np.random.Generator:
    """Return the random generator of the pair (seed, name); ValueError for a negative seed."""
    entropy = int.from_bytes(_digest(seed, name), "little")
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy)))


def derive_seed(seed: int, name: str) -> int:
    """Return a number in [0, 2**32) for libraries that are seeded by one."""
    return int.from_bytes(_digest(seed, name)[:4], "little")


class GlobalGenerators:
    """The generators of `random`, NumPy and (where it is loaded) PyTorch, as a trial finds them.

    A model may draw from them whatever its factory is told. Within the context they are those of
    the trial, seeded once: by its seed, or where its roles differ by all of theirs. Who called
    finds them afterwards as they were (on a GPU: seeded).
    """

    def __init__(self, seeds: Mapping[str, int]):
        different = set(seeds.values())
        roles = ",".join(f"{role}={seed}" for role, seed in sorted(seeds.items()))
        seed = (
            different.pop() if len(different) == 1 else derive_seed(0, f"global generators {roles}")
        )
        self._seed, self._states = seed % 2**32, {}

    def __enter__(self) -> None:
        self._around = {name: get() for name, (get, _, _) in _loaded_generators()}
        for name, (_, put, sow) in _loaded_generators():
            if name in self._states:
                put(self._states[name])
            else:
                sow(self._seed)

    def __exit__(self, *error: object) -> None:
        for name, (get, put, _) in _loaded_generators():
            self._states[name] = get()
            if name in self._around:
                put(self._around[name])


def _loaded_generators() -> list[tuple[str, tuple]]:
    """Name, and how to get its state, to put one back, and to seed it."""
    found = [
        ("random", (random.getstate, random.setstate, random.seed)),
        ("numpy", (np.random.get_state, np.random.set_state, np.random.seed)),
    ]
    if torch := sys.modules.get("torch"):
        found.append(("torch", (torch.get_rng_state, torch.set_rng_state, torch.manual_seed)))
    return found


def set_deterministic() -> None:
    """Set PyTorch's `DETERMINISM_SETTINGS`.

    An operation without a deterministic kernel raises an error from then on. cuBLAS reads its
    workspace setting when CUDA starts, so call this before the first CUDA operation.
    """
    import torch

    os.environ.setdefault(*_CUBLAS)
    torch.use_deterministic_algorithms(DETERMINISM_SETTINGS["deterministic_algorithms"])
    # Filling fresh memory would hide reads of it, which no operation here does, at a cost.
    torch.utils.deterministic.fill_uninitialized_memory = False
    torch.backends.cudnn.deterministic = DETERMINISM_SETTINGS["cudnn_deterministic"]
    torch.backends.cudnn.benchmark = DETERMINISM_SETTINGS["cudnn_benchmark"]
    torch.backends.cuda.matmul.allow_tf32 = DETERMINISM_SETTINGS["allow_tf32"]
    torch.backends.cudnn.allow_tf32 = DETERMINISM_SETTINGS["allow_tf32"]


def ensure_deterministic() -> None:
    """Set the switches now if PyTorch is loaded, else at the moment somebody imports it.

    A factory may import it late, even inside `fit`; whoever never does pays nothing.
    """
    os.environ.setdefault(*_CUBLAS)
    if "torch" in sys.modules:
        set_deterministic()
    elif not any(isinstance(finder, _WhenTorchLoads) for finder in sys.meta_path):
        sys.meta_path.insert(0, _WhenTorchLoads())


class _WhenTorchLoads:
    """An import hook that lets PyTorch load as always, and then sets the switches."""

    def find_spec(self, name, path=None, target=None):
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            set_deterministic()

        spec.loader.exec_module = exec_module
        return spec
