"""What was made of a split's texts stays at hand for the next seed on the same split."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any


class Remembered:
    """The last few things made of an object, found again by the object itself.

    The trials of a block that share a split are given the very same list of texts. It is compared
    by identity, and held for as long as what was made of it is.
    """

    def __init__(self, size: int):
        self._held: deque[tuple[Any, Any, Any]] = deque(maxlen=size)

    def __call__(self, source: Any, key: Any, make: Callable[[], Any]) -> Any:
        """Return what `make` gave for this very `source` and an equal `key`, or what it gives."""
        for held, with_key, made in self._held:
            if held is source and with_key == key:
                return made
        made = make()
        self._held.append((source, key, made))
        return made
