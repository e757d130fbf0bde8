"""A small cache for values that depend on the texts of a split, for the next seed of the split."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

Value = TypeVar("Value")


class RecentCache:
    """The last values that were computed from a source, by the source object or an equal list.

    Trials that share a split have copies of the same list of texts. The comparison of such lists is
    fast, because their texts are the same objects.
    """

    def __init__(self, size: int):
        self._entries: deque[tuple[Any, Any, Any]] = deque(maxlen=size)

    def __call__(self, source: Any, key: Any, compute: Callable[[], Value]) -> Value:
        """Return the cached value for the same `source` and an equal `key`, or compute it."""
        for cached_source, cached_key, value in self._entries:
            if _is_same(cached_source, source) and cached_key == key:
                return value
        value = compute()
        self._entries.append((source, key, value))
        return value


def _is_same(one: Any, other: Any) -> bool:
    return one is other or (isinstance(one, list) and isinstance(other, list) and one == other)
