"""Limits of a YAML file: values that would hang or break the checks after it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

#: Most values of a file, each alias counted in full, and most levels of nesting.
_MOST_VALUES = 200_000
_MOST_LEVELS = 50
_LARGEST = 2**63


def find_excess(data: object) -> str:
    """What of a loaded file cannot be used, with where it stands; empty for a usable file.

    Aliases share one object, so a small file may stand for 10¹² values: they are counted without
    being visited twice.
    """
    try:
        count = _count(data, {}, 0)
    except _TooDeepError:
        return f"is nested in more than {_MOST_LEVELS} levels, or contains itself. Write it flat."
    if count > _MOST_VALUES:
        return f"holds more than {_MOST_VALUES:,} values where aliases (*) are written out."
    return next(_find_unusable(data, ""), "")


class _TooDeepError(Exception):
    pass


def _children(value: object) -> list[tuple[object, object]]:
    if isinstance(value, dict):
        return list(value.items())
    return list(enumerate(value)) if isinstance(value, list) else []


def _count(value: object, known: dict[int, int], level: int) -> int:
    if level > _MOST_LEVELS:
        raise _TooDeepError
    if id(value) not in known or not isinstance(value, dict | list):
        counts = (_count(child, known, level + 1) for _, child in _children(value))
        known[id(value)] = 1 + sum(counts)
    return known[id(value)]


def _find_unusable(value: object, where: str) -> Iterator[str]:
    for key, child in _children(value):
        for one, place in ((key, where), (child, f"{where}.{key}".lstrip("."))):
            text = f"{place}: " if place else ""
            if isinstance(one, date):
                yield f"{text}{one} is read as a date. Put it in quotes."
            elif isinstance(one, bytes):
                yield f"{text}!!binary is no value here. Write text or a number."
            elif isinstance(one, str) and "\0" in one:
                yield f"{text}{one!r:.60} contains a NUL character. Remove it."
            elif isinstance(one, int) and not isinstance(one, bool) and abs(one) >= _LARGEST:
                yield f"{text}a number of {len(str(one))} digits is too large."
        yield from _find_unusable(child, f"{where}.{key}".lstrip("."))
