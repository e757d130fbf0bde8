"""What headings join, and which numbers are means or differences of others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import permutations
from typing import NamedTuple

import numpy as np

from reseed.readers.names import (
    ALL_RUN_COLUMNS,
    PARTS,
    find_metric,
    normalize_name,
    parse_label,
    strip_arrow,
)

#: Rounding of a printed mean, in units of its last digit.
_ROUNDING = 0.51
#: Decimal digits of chance against it from which equal numbers are no coincidence.
_LEAST_EVIDENCE = 5
#: Columns among which the mean of the others, or the difference of two, is looked for.
MOST_AVERAGED, _MOST_CROSSED = 500, 20


def find_heading_runs(headings: Sequence[str]) -> dict[str, dict[str, str]]:
    """Headings that name a run alone, or a run and a metric: `repeat1_fold3`, `seed_3`."""
    found, rests = {}, {}
    for heading in headings:
        runs, rest = parse_label(normalize_name(heading))
        runs = {name: number for name, number in runs.items() if name in ALL_RUN_COLUMNS}
        is_score = rest in ("", "score", "test_score", *PARTS) or find_metric(rest) is not None
        if runs and is_score:
            found[heading], rests[heading] = runs, rest
    kinds = {frozenset(runs) for runs in found.values()}
    numbers = {(rests[c], *sorted(runs.items())) for c, runs in found.items()}
    is_one_each = len(numbers) == len(found) > 1
    return found if is_one_each and len(kinds) == 1 else {}


class Crossed(NamedTuple):
    """A name and a metric, of which a heading consists."""

    name: str
    metric: str


def split_headings(headings: Sequence[str], metric: str = "") -> dict[str, Crossed]:
    """Headings that each join a name and a known metric (or `metric`): `rf~ROC`, `accuracy_svm`.

    Empty unless all do, for several names.
    """
    found: dict[str, Crossed] = {}
    wanted = normalize_name(metric)
    for heading in headings:
        words = [w for w in re.split(r"\s*~\s*|[_ ]+|\s-\s", strip_arrow(heading).strip()) if w]
        for word, rest in ((words[-1], words[:-1]), (words[0], words[1:])):
            is_metric = find_metric(word) is not None or normalize_name(word) == wanted
            if rest and is_metric:
                found[heading] = Crossed(" ".join(rest), word)
                break
        else:
            return {}
    names = {one.name for one in found.values()}
    plain = [{*normalize_name(name).split("_")} <= PARTS or not re.search(r"[^\W\d_]", name)
             for name in names]  # fmt: skip
    return found if len(names) > 1 and not any(plain) else {}


def find_mean(values: np.ndarray, digits: np.ndarray, at_end: bool = False) -> int | None:
    """The column of a matrix that holds, in each row, the mean of all others, as printed.

    Not where chance would do: with few or coarse numbers a column may equal the mean of others.

    digits: of each row, the decimals with which it was printed. at_end: whether only the first and
    the last column are asked for, which needs less evidence.
    """
    count = np.isfinite(values).sum(axis=1, keepdims=True)
    columns = values.shape[1]
    if columns < 4 or (count < columns).any():
        return None
    others = (values.sum(axis=1, keepdims=True) - values) / (count - 1)
    near = (np.abs(values - others) <= _ROUNDING * 10.0 ** -digits[:, None]).all(axis=0)
    spread = values.std(axis=1) * 10.0**digits
    ends = [0, columns - 1] if at_end else [*range(columns)]
    found = [i for i in ends if near[i]]
    least = _LEAST_EVIDENCE / (2 if at_end else 1)
    if not found or np.log10(np.maximum(spread, 1.0)).sum() < least:
        return None
    return found[-1]


def find_difference(values: np.ndarray, digits: int) -> int | None:
    """The smallest column of a matrix that holds, in each row, the difference of two others."""
    if not 3 <= values.shape[1] <= _MOST_CROSSED:
        return None
    for at in np.argsort(np.nanmedian(np.abs(values), axis=0), kind="stable"):
        own = values[:, at]
        evidence = len(own) * np.log10(max(np.nanstd(own) * 10.0**digits, 1.0))
        others = np.delete(values, at, axis=1).T
        if evidence >= _LEAST_EVIDENCE and any(
            (np.abs(a - b - own) <= 3 * _ROUNDING * 10.0**-digits).all()
            for a, b in permutations(others, 2)
        ):
            return int(at)
    return None
