"""Named random streams and the determinism switches.

A trial has one seed for each role. A stream depends on (seed, name) only. The order of streams, the
process and the platform have no effect, because the pair is hashed with SHA-256, and NumPy defines
`SeedSequence` and `PCG64` bit by bit.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import random
import sys
from collections.abc import Callable, Mapping
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import numpy as np

_CUBLAS = ("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
#: Settings of PyTorch for every trial; they are part of the environment record.
DETERMINISM_SETTINGS: dict[str, Any] = {
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
    """Return the random generator of the pair (seed, name). Raises ValueError for a bad seed."""
    entropy = int.from_bytes(_digest(seed, name), "little")
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy)))


def derive_seed(seed: int, name: str) -> int:
    """Return an integer in [0, 2**32) as seed for libraries that need one."""
    return int.from_bytes(_digest(seed, name)[:4], "little")


class GlobalGenerators:
    """State of the global generators of `random`, NumPy and PyTorch (if loaded) for one trial.

    A model may draw from these generators. Within the context they have the state of the trial.
    The trial seeds them once: with its seed, or with a hash of all seeds if its roles differ. The
    end of the context restores the previous state (on a GPU, the generators stay seeded).
    """

    def __init__(self, seeds: Mapping[str, int]):
        distinct = set(seeds.values())
        roles = ",".join(f"{role}={seed}" for role, seed in sorted(seeds.items()))
        seed = (
            distinct.pop() if len(distinct) == 1 else derive_seed(0, f"global generators {roles}")
        )
        self._seed = seed % 2**32
        self._states: dict[str, Any] = {}

    def __enter__(self) -> None:
        self._outer_states = {name: get() for name, (get, _, _) in _list_generators()}
        for name, (_, set_state, seed) in _list_generators():
            if name in self._states:
                set_state(self._states[name])
            else:
                seed(self._seed)

    def __exit__(self, *error: object) -> None:
        for name, (get, set_state, _) in _list_generators():
            self._states[name] = get()
            if name in self._outer_states:
                set_state(self._outer_states[name])


def _list_generators() -> list[tuple[str, tuple[Callable, Callable, Callable]]]:
    """Return the loaded generators: name, and functions that get a state, set a state and seed."""
    generators: list[tuple[str, tuple[Callable, Callable, Callable]]] = [
        ("random", (random.getstate, random.setstate, random.seed)),
        ("numpy", (np.random.get_state, np.random.set_state, np.random.seed)),
    ]
    if torch := sys.modules.get("torch"):
        functions = (torch.get_rng_state, torch.set_rng_state, torch.manual_seed)
        generators.append(("torch", functions))
    return generators


def set_deterministic() -> None:
    """Set PyTorch's `DETERMINISM_SETTINGS`.

    After that, an operation without a deterministic kernel raises an error. cuBLAS reads its
    workspace setting when CUDA starts, so call this function before the first CUDA operation.
    """
    import torch

    os.environ.setdefault(*_CUBLAS)
    torch.use_deterministic_algorithms(DETERMINISM_SETTINGS["deterministic_algorithms"])
    # No operation here reads uninitialised memory, so it is not filled, which saves time.
    torch.utils.deterministic.fill_uninitialized_memory = False
    torch.backends.cudnn.deterministic = DETERMINISM_SETTINGS["cudnn_deterministic"]
    torch.backends.cudnn.benchmark = DETERMINISM_SETTINGS["cudnn_benchmark"]
    torch.backends.cuda.matmul.allow_tf32 = DETERMINISM_SETTINGS["allow_tf32"]
    torch.backends.cudnn.allow_tf32 = DETERMINISM_SETTINGS["allow_tf32"]


def ensure_deterministic() -> None:
    """Call `set_deterministic` now if PyTorch is loaded, else when it is imported.

    A factory may import PyTorch late, even inside `fit`. A model without PyTorch never loads it.
    """
    os.environ.setdefault(*_CUBLAS)
    if "torch" in sys.modules:
        set_deterministic()
    elif not any(isinstance(finder, _TorchImportHook) for finder in sys.meta_path):
        sys.meta_path.insert(0, _TorchImportHook())


class _TorchImportHook:
    """An import hook that loads PyTorch as usual and then calls `set_deterministic`."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        load = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            load(module)
            set_deterministic()

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec
