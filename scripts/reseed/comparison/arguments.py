"""Arguments of `reseed.compare` and `reseed.study`, checked before anything is read or trained."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from inspect import Parameter, signature
from numbers import Real
from typing import Any

from reseed.core.errors import ReseedError, suggest_name
from reseed.plugins import kinds


def chosen_pairs(baseline: object, pairs: object) -> dict:
    """`baseline` and `pairs` as text, which names of models are; ReseedError for what is neither.

    pairs: any sequence of pairs.
    """
    found = texts([] if pairs is None else pairs)
    if baseline is not None and found:
        raise ReseedError("give `baseline` or `pairs`, not both.")
    if not (isinstance(found, list) and all(map(_two_models, found))):
        raise ReseedError(
            f"`pairs`: give pairs of two different models, as [('new', 'old')], not {pairs!r}."
        )
    return {"baseline": texts(baseline), "pairs": found}


def _two_models(pair: object) -> bool:
    return isinstance(pair, list) and len(pair) == len(set(pair)) == 2


def truth(greater: object) -> bool | dict[str, bool] | None:
    """`greater_is_better`, or by metric; ReseedError for what is neither true nor false."""
    if greater is None:
        return None
    if isinstance(greater, Mapping):
        return {str(metric): truth(said) for metric, said in greater.items() if said is not None}
    if greater not in (True, False):
        raise ReseedError(
            f"`greater_is_better` is True or False, or a dict of them by metric, not {greater!r}."
        )
    return bool(greater)


def mapped(columns: object) -> dict[str, str | list[str]]:
    """`columns` as text; ReseedError for what is no dict."""
    if not isinstance(columns or {}, Mapping):
        raise ReseedError(
            f"`columns`: give a dict, Reseed's name: the table's, as {{'model': 'arch'}}, not "
            f"{columns!r}."
        )
    found = texts(columns or {})
    for name, column in found.items():
        if not column or not all(column):
            raise ReseedError(f"`columns`: {name!r} is mapped to {column!r}. Give a column's name.")
    return found


def texts(names: object) -> Any:
    """Names as text, alone, in a sequence or by name: headings and models may be numbers."""
    if isinstance(names, Mapping):
        return {str(name): texts(value) for name, value in names.items()}
    if isinstance(names, Iterable) and not isinstance(names, str):
        return [texts(name) for name in names]
    return None if names is None else str(names)


def options_of_pairs(given: dict[str, Any], function: Callable) -> dict[str, Any]:
    """Further arguments of a function, checked as options of the analysis `pairs`.

    Raises ReseedError for what is neither an argument of the function nor such an option, and for
    a value that an option does not take.
    """
    pairs = kinds.find_kind("analyses", "pairs")
    own = signature(function).parameters.values()
    allowed = [one.name for one in own if one.kind is not Parameter.VAR_KEYWORD]
    allowed = list(dict.fromkeys([*allowed, *kinds.list_option_names(pairs)]))
    for name in given:
        if name not in allowed:
            raise ReseedError(
                f"unknown argument {name!r}.{suggest_name(name, allowed)}"
                f" Allowed: {', '.join(allowed)}."
            )
    rope = given.get("rope")
    for half in rope.values() if isinstance(rope, dict) else [rope]:
        if half is not None and not (isinstance(half, Real) and 0 < half < float("inf")):
            raise ReseedError(f"`rope` must be a half-width > 0, or a dict of them, got {rope!r}.")
    return kinds.read_options(pairs, given).explicit()


def with_options(analyses: dict[str, dict], options: dict[str, Any]) -> dict[str, dict]:
    """Analyses of which `pairs` has these options, where it does not state its own."""
    own = analyses["pairs"].get("options") or {}
    return analyses | {"pairs": analyses["pairs"] | {"options": options | own}}
