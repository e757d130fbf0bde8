"""What was made of a split's texts stays at hand for the next seed on the same split."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any


class RecentCache:
    """The last few things made of an object, found again by the object itself, or an equal list.

    The trials of a block that share a split are given the very same texts, each in a list of its
    own: comparing these looks at no letter.
    """

    def __init__(self, size: int):
        self._held: deque[tuple[Any, Any, Any]] = deque(maxlen=size)

    def __call__(self, source: Any, key: Any, make: Callable[[], Any]) -> Any:
        """Return what `make` gave for the same `source` and an equal `key`, or what it gives."""
        for held, with_key, made in self._held:
            if _same(held, source) and with_key == key:
                return made
        made = make()
        self._held.append((source, key, made))
        return made


def _same(one: Any, other: Any) -> bool:
    return one is other or (isinstance(one, list) and isinstance(other, list) and one == other)
