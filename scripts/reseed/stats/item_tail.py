"""Whether a few items, clusters or runs make the mean difference of a test over items skewed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from reseed.stats.inputs import Array
from reseed.stats.skewness import skewness_of_mean

if TYPE_CHECKING:
    from reseed.stats.item_model import Factor


@dataclass(frozen=True)
class Tail:
    """A source of which a few levels lie far from the others.

    skewness: of the mean difference.
    unit: a level, such as `item` or `run`.
    differences: A − B of each level, rescaled.
    """

    skewness: float
    unit: str
    differences: Array


def find_tail(
    a: Array, b: Array, factors: Sequence[Factor], groups: list[dict[tuple[int, ...], float]],
    index: NDArray | None, total: float, any_tail: bool = False,
) -> Tail | None:  # fmt: skip
    """Return what makes the mean difference A − B skewed, by its largest part; None: nothing.

    Of items only a tail against the better model counts: on the other side the test claims too
    little, as for scores of 0 and 1 of which few differ.

    Args:
        a, b: (levels of each factor, ..., items) scores.
        factors: of the leading axes.
        groups: mean squares of `item_model`: of what is paired, and of each model's own.
        index: (items,) cluster of each item; None: itself.
        total: squared standard error.
        any_tail: whether a tail of items counts on either side.
    """
    unshared = tuple(axis for axis, factor in enumerate(factors) if not factor.is_shared)
    paired = a.mean(axis=unshared, keepdims=True) - b.mean(axis=unshared, keepdims=True)
    items = paired.mean(axis=tuple(range(len(factors))))
    if index is not None:
        items = np.bincount(index, items)
    of_statistic, tails = 0.0, [Tail(0.0, "item" if index is None else "cluster", items)]
    for axis, factor in enumerate(factors):
        others = tuple(one for one in range(a.ndim) if one != axis)
        for sign, values, squares in (
            zip((1, -1), (a, b), groups[1:], strict=True) if axis in unshared else ()
        ):
            runs = values.mean(axis=others)
            of_statistic += sign * float(skewness_of_mean(runs, squares[axis,] / total))
        if axis not in unshared:
            d = paired.mean(axis=others)
            skew = float(skewness_of_mean(d, min(groups[0][axis,] / total, 1.0)))
            tails.append(Tail(skew, "run" if factor.name == "seed" else factor.name, d))
    centred = items if index is None else items - np.bincount(index) * paired.mean()
    skew = float(skewness_of_mean(centred, min(groups[0][len(factors),] / total, 1.0)))
    if any_tail or skew * paired.mean() < 0:
        tails[0] = replace(tails[0], skewness=skew)
    of_statistic += sum(one.skewness for one in tails)
    return (
        replace(max(tails, key=lambda one: abs(one.skewness)), skewness=of_statistic)
        if of_statistic
        else None
    )
