"""Limits the threads of OpenMP, BLAS and PyTorch while a session trains and scores models."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import lru_cache

import numpy as np
from threadpoolctl import ThreadpoolController

from reseed.core.errors import ReseedError


def check_threads(threads: object) -> int:
    """The number of threads of a training; ReseedError unless it is a whole number from 1."""
    if isinstance(threads, bool) or not isinstance(threads, int | np.integer) or threads < 1:
        raise ReseedError(f"threads: give a whole number of at least 1, not {threads!r}")
    return int(threads)


@contextmanager
def limit_threads(count: int) -> Iterator[None]:
    """Limit the thread pools of the loaded libraries to `count` threads within a `with` block.

    The earlier numbers are restored after the block, also after an exception. A library that is
    imported within the block is limited by the next block. PyTorch is limited by its own function:
    threadpoolctl finds neither the MKL within PyTorch nor the pools of builds without OpenMP.
    """
    with ExitStack() as stack:
        if torch := sys.modules.get("torch"):
            stack.callback(torch.set_num_threads, torch.get_num_threads())
            torch.set_num_threads(count)
        stack.enter_context(_find_pools(len(sys.modules)).limit(limits=count))
        yield


@lru_cache(maxsize=1)
def _find_pools(modules: int) -> ThreadpoolController:
    """The pools of the loaded libraries. A search takes 3 ms: it is repeated after imports only.

    modules: number of imported modules.
    """
    return ThreadpoolController()
