"""Checks arguments of `reseed.compare` and `reseed.study` before reading or training."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import Parameter, signature
from numbers import Real
from typing import Any, Literal, NamedTuple, TypedDict, get_args

from reseed.core.errors import ReseedError, suggest_name
from reseed.plugins import kinds
from reseed.readers.options import ReadOptions, SeedDraws
from reseed.readers.scores import Scores
from reseed.readers.source_table import join_names

#: Heading of a report that has no other.
QUESTION = "Which model is better?"
#: Analyses or exhibits by name, as a study file has them.
Entries = dict[str, dict[str, Any]]
#: Options of the analysis `pairs` → the same option of `seeds_needed`.
_PLAN_OPTIONS = {
    "alpha": "alpha",
    "family": "family",
    "target_power": "power",
    "seeds": "seeds",
}


#: Options of `pairs` that comparisons over items have, too.
_ITEM_PAIR_OPTIONS = ("rope", "alpha", "seeds")


class PairTestOptions(TypedDict, total=False):
    """Options of the tests of all pairs, as of the analysis `pairs`."""

    alpha: float
    min_runs: int
    family: Literal["dataset", "study"]
    target_power: float
    rope: float | Mapping[str, float]


class RunTestOptions(PairTestOptions, total=False):
    """The same of runs that were not trained here."""

    seeds: Literal["shared", "own"]


class GateOptions(TypedDict, total=False):
    """Arguments of `compare` that `gate` takes: how both tables are read and combined."""

    metric: str | list[str] | dict[str, str] | None
    seed_draws: SeedDraws | None
    columns: Mapping[str, str | list[str]] | None
    leave_out: str | Sequence[str]
    keep: Mapping[str, str] | None
    paths: str
    headings: str
    rows: str
    greater_is_better: bool | Mapping[str, bool] | None
    test_train_ratio: float | None
    format: str
    cluster: str | None
    repeats: str
    fixed: Sequence[str]
    failed: str
    min_runs: int
    seeds: Literal["shared", "own"]


class PairChoice(NamedTuple):
    """Which pairs are compared: all with `baseline`, or `pairs`; by default all."""

    baseline: str | None
    pairs: list[list[str]]


def check_pairs(baseline: object, pairs: object) -> PairChoice:
    """`baseline` and `pairs` as names of models; `pairs` may be any sequence of pairs.

    Raises ReseedError if both are given, and if `pairs` are not pairs of different models.
    """
    names = to_text([] if pairs is None else pairs)
    if baseline is not None and names:
        raise ReseedError("give `baseline` or `pairs`, not both.")
    if not (isinstance(names, list) and all(map(_is_pair, names))):
        raise ReseedError(
            f"`pairs`: give pairs of two different models, as [('new', 'old')], not {pairs!r}."
        )
    return PairChoice(to_text(baseline), names)


def check_levels(**values: float) -> None:
    """ReseedError for an argument that is not between 0 and 1."""
    for name, value in values.items():
        if not 0 < value < 1:
            raise ReseedError(f"{name} is {value!r}: give a number between 0 and 1.")


def check_names(choice: PairChoice, models: Sequence[str]) -> PairChoice:
    """The choice; ReseedError for a name that no model has."""
    wanted = [("baseline", choice.baseline)] if choice.baseline is not None else []
    for option, name in [*wanted, *(("pairs", name) for pair in choice.pairs for name in pair)]:
        if name not in models:
            raise ReseedError(
                f"{option}: no model is called {name!r}; there are {join_names(models)}."
                + suggest_name(str(name), models)
            )
    return choice


def _is_pair(pair: object) -> bool:
    return isinstance(pair, list) and len(pair) == len(set(pair)) == 2


def check_direction(greater: object) -> bool | None:
    """`greater_is_better` of one metric; ReseedError if it is neither True nor False."""
    if greater is None:
        return None
    if greater not in (True, False):
        raise ReseedError(
            f"`greater_is_better` is True or False, or a dict of them by metric, not {greater!r}."
        )
    return bool(greater)


def check_directions(greater: object) -> bool | dict[str, bool] | None:
    """`greater_is_better`, of all metrics or by metric; ReseedError for any other value."""
    if not isinstance(greater, Mapping):
        return check_direction(greater)
    checked = {str(metric): check_direction(value) for metric, value in greater.items()}
    return {metric: value for metric, value in checked.items() if value is not None}


def check_seed_draws(draws: Any) -> Any:
    """`seed_draws`; ReseedError for an unknown value."""
    if draws not in (None, *get_args(SeedDraws)):
        raise ReseedError(f"`seed_draws` is {', '.join(get_args(SeedDraws))}, not {draws!r}.")
    return draws


def check_columns(columns: object) -> dict[str, str | list[str]]:
    """`columns` as text; ReseedError if it is not a dict, or an entry names no column."""
    if not isinstance(columns or {}, Mapping):
        raise ReseedError(
            f"`columns`: give a dict, Reseed's name: the table's, as {{'model': 'arch'}}, not "
            f"{columns!r}."
        )
    mapping: dict[str, str | list[str]] = to_text(columns or {})
    for name, column in mapping.items():
        if not column or not all(column):
            raise ReseedError(f"`columns`: {name!r} is mapped to {column!r}. Give a column's name.")
    return mapping


def choose_item_options(
    table: Scores, options: ReadOptions, pair_options: Mapping[str, Any]
) -> dict[str, Any]:
    """Options of `pairs` for scores of items, from the arguments of `compare`.

    Raises ReseedError for an argument that does not apply to scores of items.
    """
    other = sorted(set(pair_options) - set(_ITEM_PAIR_OPTIONS))
    given = ("test_train_ratio", "deterministic", "seed_draws")
    other += [name for name in given if getattr(options, name) not in (None, [], ())]
    if other:
        raise ReseedError(
            f"{', '.join(map(repr, other))}: does not apply to scores of items with clusters, "
            "prompts, repeats or one run of each model. Leave it out."
        )
    rope = pair_options.get("rope")
    by_metric = {"rope": rope.get(table.metric)} if isinstance(rope, Mapping) else {}
    return {**pair_options, **by_metric}


def to_text(names: object) -> Any:
    """Names as text: alone, in a sequence or by name; headings and models may be numbers."""
    if isinstance(names, Mapping):
        return {str(name): to_text(value) for name, value in names.items()}
    if isinstance(names, Iterable) and not isinstance(names, str):
        return [to_text(name) for name in names]
    return None if names is None else str(names)


#: Arguments of scikit-learn's functions, by which users of it call Reseed's.
_MEANT = {
    "cv": "splits",
    "estimators": "models",
    "random_state": "seeds",
    "scoring": "metric",
    "test_size": "test",
}


def check_pair_options(options: Mapping[str, Any], function: Callable[..., Any]) -> dict[str, Any]:
    """Further arguments of `function`, checked as options of the analysis `pairs`.

    Raises ReseedError for a name that is neither an argument of `function` nor such an option, and
    for a value that an option does not accept.
    """
    pairs = kinds.find_kind("analyses", "pairs")
    parameters = signature(function).parameters.values()
    named = [one.name for one in parameters if one.kind is not Parameter.VAR_KEYWORD]
    allowed = list(dict.fromkeys([*named, *kinds.list_option_names(pairs)]))
    for name in options:
        if name not in allowed:
            meant = _MEANT.get(name, "")
            hint = f" Did you mean {meant!r}?" if meant in allowed else suggest_name(name, allowed)
            raise ReseedError(f"unknown argument {name!r}.{hint} Allowed: {', '.join(allowed)}.")
    rope = options.get("rope")
    for half in rope.values() if isinstance(rope, dict) else [rope]:
        if half is not None and not (isinstance(half, Real) and 0 < float(half) < math.inf):
            raise ReseedError(f"`rope` must be a half-width > 0, or a dict of them, got {rope!r}.")
    return kinds.read_options(pairs, options).explicit()


def add_pair_options(analyses: Entries, options: dict[str, Any]) -> Entries:
    """The analyses with these options of `pairs`, unless an entry states them.

    The plan of `seeds_needed` is for the same test.
    """
    plan = {_PLAN_OPTIONS[name]: value for name, value in options.items() if name in _PLAN_OPTIONS}
    added = {"pairs": options, "seeds_needed": plan}
    return analyses | {
        name: analyses[name] | {"options": new | (analyses[name].get("options") or {})}
        for name, new in added.items()
        if name in analyses
    }
