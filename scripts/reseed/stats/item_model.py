"""Difference of two models over items and all factors that are crossed with the items.

An evaluation scores every item under every level of some factors, such as training seeds and
prompts. Items may come in clusters (passages, repositories, patients); repeats (samples, epochs)
are nested in each combination and are averaged before. Then

    score difference = mean + sum over every set U of factors and clusters of an effect of U,

and the variance of the mean difference is the sum over U of var(U) / levels(U). It is estimated by
moments: T_U, the mean square of the effects of U divided by the number of cells, estimates the sum
over all V that contain U of var(V) / levels(V). So the variance is the alternating sum of all T_U,
and the part of one U is the alternating sum over its supersets (Searle, Casella and McCulloch 1992,
ch. 4). Of S seeds and n items it is seed/S + item/n + interaction/(S n); of one seed with clusters
it is the cluster-robust variance of a mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import inf

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reseed.stats.bounded_mean import bounded_mean_limit
from reseed.stats.clusters import cluster_df, index_clusters, item_squares
from reseed.stats.inputs import Array, as_finite, check_probability, rescale
from reseed.stats.item_tail import Tail, find_tail
from reseed.stats.paired_proportions import kept_interval, score_p
from reseed.stats.shares import share_interval
from reseed.stats.skewness import accepted_t, correct_t
from reseed.stats.weighted_t import Parts, equivalent_df, upper_quantile, upper_tail

#: A set of factors: their positions, in order; the last position is that of the items.
_Set = tuple[int, ...]
#: Standard errors from a possible score, beyond which its items are many enough for a t interval.
_FAR = 10
_NO_VARIANCE = 1e-24  # of scores rescaled to 1


@dataclass(frozen=True)
class Factor:
    """A factor that is crossed with the items; it is averaged where a model has one level of it.

    name: such as `seed` or `prompt`.
    is_shared: whether level l of A and level l of B are the same level, so that they are paired.
    """

    name: str
    is_shared: bool


@dataclass(frozen=True)
class Contribution:
    """Part of the squared standard error that one source adds, in squared score units.

    sources: names of the factors whose combination varies: (`seed`,), (`item`,),
        (`seed`, `item`); (`cluster`,) is what items of one cluster have in common.
    variance: part of se², at least 0.
    """

    sources: tuple[str, ...]
    variance: float


@dataclass(frozen=True)
class ItemDifference:
    """Mean difference A − B over items, in score units.

    low, high: `interval` at `level`.
    p_value: two-sided, of the same test.
    method: `t`, corrected for `tail`; or `McNemar` for binary scores of one run of each model
        without clusters: Tango's score test and interval.
    parts: se², rescaled, by the mean squares behind it (`weighted_t`).
    levels: number of levels of each factor that was not averaged, by name; of `item`, and of
        `cluster` if there are some.
    cluster_df: degrees of freedom of the mean square of items or clusters.
    factor_share: share of se² that the levels of the factors add to the items.
    discordant: for `McNemar`, items on which only A and only B is right.
    tail: what makes the mean difference skewed (None: nothing is seen).
    contributions: se² by source. Negative estimates are set to 0, so the sum may exceed se².
    """

    difference: float
    se: float
    low: float
    high: float
    p_value: float
    level: float
    method: str
    parts: Parts
    levels: dict[str, int]
    contributions: tuple[Contribution, ...]
    discordant: tuple[int, int] | None = None
    cluster_df: float = np.nan
    factor_share: float = 0.0
    tail: Tail | None = None

    @property
    def df(self) -> float:
        """Degrees of freedom of the t distribution with the same quantile at `level`."""
        return equivalent_df((1 - self.level) / 2, self.parts)

    def interval(self, level: float) -> tuple[float, float]:
        """Return the ends of the differences that the two-sided test of 1 − `level` keeps."""
        if self.discordant:
            return kept_interval(*self.discordant, self.levels["item"], level)
        if not self.se:
            return self.difference, self.difference
        skew = self.tail.skewness if self.tail else 0.0
        least, greatest = accepted_t(upper_quantile((1 - level) / 2, self.parts), skew)
        return self.difference - float(greatest) * self.se, self.difference - float(least) * self.se

    @property
    def item_variance(self) -> float:
        """Part of se² that more levels of the factors do not reduce."""
        return sum(
            one.variance for one in self.contributions if {*one.sources} <= {"item", "cluster"}
        )

    def one_sided_p(self, bound: float, *, greater: bool = True) -> float:
        """Return the p-value that the true difference is at most `bound`; else at least `bound`."""
        sign = 1 if greater else -1
        distance = sign * (self.difference - bound)
        if self.discordant:
            gains, losses = self.discordant[::sign]
            return score_p(gains, losses, self.levels["item"], sign * bound)
        if not self.se:
            return float(distance <= 0)
        skew = sign * self.tail.skewness if self.tail else 0.0
        p = upper_tail(float(correct_t(distance / self.se, skew)), self.parts)
        return p if distance > 0 else 1 - p


def item_difference(
    values_a: ArrayLike,
    values_b: ArrayLike,
    factors: Sequence[Factor] = (),
    *,
    clusters: ArrayLike | None = None,
    repeat_variance: float = 0.0,
    level: float = 0.95,
    are_means: bool = True,
    any_tail: bool = False,
    most_df: float = inf,
) -> ItemDifference:
    """Compute a t interval and test of the mean difference over items and crossed factors.

    Every factor is a random sample of its population, so the result holds for new levels of it. A
    factor of which a model has one level is averaged: the result holds for its levels. So is one
    whose levels give the same scores, as it has no variance. The mean squares of single factors
    have (levels − 1) degrees of freedom; two models with equally many levels of their own have
    Welch's. Clusters enter as in CR2, with the degrees of freedom of Bell and McCaffrey (2002),
    which are clusters − 1 for equal sizes. All are combined by `weighted_t`.
    Two levels say little about their variance: the interval is then wide even without an effect.

    Args:
        values_a, values_b: (levels of each factor, in order, ..., items) scores, repeats averaged.
            Numbers of levels may differ where a factor is not shared.
        factors: of the leading axes.
        clusters: (items,) label of the cluster of each item; None: each item is one.
        repeat_variance: variance of the mean difference due to repeats, in squared score units; it
            is already part of the others, and only separates `contributions`.
        level: two-sided confidence level.
        are_means: whether the score of a model is a mean over items, so that 0 and 1 are counts;
            False for contributions to another score, such as the AUC.
        any_tail: whether items far from the others count on either side, as an interval needs; a
            test errs only by those that are against the better model.
        most_df: degrees of freedom of the items, where fewer than all of them show how much they
            vary.

    Raises:
        ValueError: other shapes, fewer than two items or clusters, NaN.
    """
    check_probability(level=level)
    a, b = as_finite(values_a, "values_a"), as_finite(values_b, "values_b")
    _check_shapes(a, b, factors)
    single = tuple(
        i
        for i in range(len(factors))
        if min(a.shape[i], b.shape[i]) < 2
        or not (np.ptp(a, axis=i).any() or np.ptp(b, axis=i).any())
    )
    if single:
        a, b = a.mean(axis=single), b.mean(axis=single)
    factors = [factor for axis, factor in enumerate(factors) if axis not in single]
    index, sizes = index_clusters(clusters, a.shape[-1])
    levels = {factor.name: min(a.shape[axis], b.shape[axis]) for axis, factor in enumerate(factors)}
    levels |= {"item": a.shape[-1]} | ({} if clusters is None else {"cluster": sizes.size})
    is_binary = (
        are_means and not factors and clusters is None and bool(np.isin([a, b], (0, 1)).all())
    )
    unit = float(rescale(np.concatenate([a.ravel(), b.ravel()]))[1])
    a, b = a / unit, b / unit
    groups = _pair_mean_squares(a, b, factors, index, sizes)
    contributions = _split_variance(groups)
    if clusters is not None:
        alone = index_clusters(None, a.shape[-1])
        by_item = _pair_mean_squares(a, b, factors, *alone)
        contributions = _separate_clusters(contributions, _split_variance(by_item))
    names = [*(factor.name for factor in factors), "item", "cluster"]
    named = [
        Contribution(tuple(names[axis] for axis in axes), variance * unit * unit)
        for axes, variance in contributions.items()
    ]
    difference = float(a.mean() - b.mean())
    shapes = [list(values.shape[:-1]) for values in (a, a, b)]
    added, parts = _combine(groups, shapes[: len(groups)], min(cluster_df(sizes), most_df))
    total = sum(part for part, _ in parts)
    result = ItemDifference(
        difference * unit, 0.0, difference * unit, difference * unit,
        float(abs(difference) <= 1e-12), level, "t", (), levels,
        tuple(_separate_repeats(named, repeat_variance)), cluster_df=cluster_df(sizes),
    )  # fmt: skip
    if is_binary:
        return _as_mcnemar(result, a * unit, b * unit)
    if total <= _NO_VARIANCE:
        return result
    return _with_test(
        replace(
            result,
            se=float(np.sqrt(total)) * unit,
            parts=parts,
            factor_share=added / total,
            tail=find_tail(a, b, factors, groups, index, total, any_tail),
        )
    )


def _with_test(result: ItemDifference) -> ItemDifference:
    low, high = result.interval(result.level)
    p = 2 * result.one_sided_p(0.0, greater=result.difference > 0)
    return replace(result, low=low, high=high, p_value=min(1.0, p))


def item_mean(
    values: ArrayLike,
    factors: Sequence[str] = (),
    *,
    clusters: ArrayLike | None = None,
    repeat_variance: float = 0.0,
    level: float = 0.95,
    bounds: tuple[float, float] | None = None,
    most_df: float = inf,
) -> ItemDifference:
    """Compute the interval of one model's mean over items and crossed factors.

    It is the difference of `item_difference` from a model that scores 0. Scores of 0 and 1 of one
    run without clusters have the exact interval of a share. Near an end of the possible scores few
    items vary, so with `bounds` the interval also has all means that Gaffke's test of a bounded
    mean keeps (`bounded_mean`), over items or clusters of the factors' levels at hand.

    Args:
        values: (levels of each factor, in order, ..., items) scores, repeats averaged.
        factors: names of the leading axes.
        clusters, repeat_variance, level, most_df: as in `item_difference`.
        bounds: least and greatest possible score, if there are such.

    Raises:
        ValueError: as `item_difference`; a score outside `bounds`.

    Example:
        >>> result = item_mean([1, 1, 0, 1, 1, 1, 0, 1])
        >>> f"{result.difference:.2f} [{result.low:.2f}, {result.high:.2f}]"
        '0.75 [0.35, 0.97]'
    """
    scores = as_finite(values, "values")
    shared = [Factor(name, True) for name in factors]
    result = item_difference(
        scores, np.zeros_like(scores), shared, clusters=clusters,
        repeat_variance=repeat_variance, level=level, any_tail=True, most_df=most_df,
    )  # fmt: skip
    if result.discordant:
        low, high = share_interval(result.discordant[0], result.levels["item"], level)
        return replace(result, low=low, high=high, method="exact")
    if bounds is None or min(np.abs(np.subtract(bounds, result.difference))) > _FAR * result.se > 0:
        return result
    index, sizes = index_clusters(clusters, scores.shape[-1])
    means = scores.mean(axis=tuple(range(scores.ndim - 1)))
    if index is not None:
        means = np.bincount(index, means) / (sizes * means.size)
    low, high = (
        sign * bounded_mean_limit(sign * means, (1 - level) / 2, least=sign * end, sizes=sizes)
        for sign, end in zip((1, -1), bounds, strict=True)
    )
    return replace(result, low=min(result.low, low), high=max(result.high, high))


def _check_shapes(a: Array, b: Array, factors: Sequence[Factor]) -> None:
    count = len(factors)
    if a.ndim != count + 1 or b.ndim != count + 1:
        raise ValueError(f"values need {count + 1} axes (factors, items): {a.shape}, {b.shape}")
    if a.shape[-1] != b.shape[-1] or a.shape[-1] < 2:
        raise ValueError(
            f"both need the same two or more items, they have {a.shape[-1]} and {b.shape[-1]}"
        )
    for axis, factor in enumerate(factors):
        sizes = a.shape[axis], b.shape[axis]
        if factor.is_shared and sizes[0] != sizes[1]:
            raise ValueError(f"shared levels of {factor.name!r} differ in number: {sizes}")


def mean_squares(
    values: Array, axes: Sequence[int], index: NDArray | None, sizes: Array
) -> dict[_Set, float]:
    """Return T_U of every non-empty set U of `axes` of the cells; other axes are averaged."""
    item_axis = values.ndim - 1
    squares = {}
    for size in range(1, len(axes) + 1):
        for chosen in combinations(axes, size):
            others = tuple(axis for axis in range(values.ndim) if axis not in chosen)
            effects = values.mean(axis=others, keepdims=True)
            for axis in chosen:
                effects = effects - effects.mean(axis=axis, keepdims=True)
            cells = 1.0
            for axis in chosen:
                if axis != item_axis:
                    cells *= values.shape[axis] * (values.shape[axis] - 1)
            total = (
                item_squares(effects, index, sizes)
                if item_axis in chosen
                else float((effects**2).sum())
            )
            squares[chosen] = total / cells
    return squares


def _pair_mean_squares(
    a: Array, b: Array, factors: Sequence[Factor], index: NDArray | None, sizes: Array
) -> list[dict[_Set, float]]:
    """Return T_U of the difference A − B, in independent groups.

    The first group holds the sets of shared factors: of the differences, averaged over the other
    factors. Sets with a factor that is not shared vary independently in both models: each model is
    a group.
    """
    axes = range(len(factors) + 1)
    unshared = {axis for axis, factor in enumerate(factors) if not factor.is_shared}
    paired = a.mean(axis=tuple(unshared), keepdims=True) - b.mean(
        axis=tuple(unshared), keepdims=True
    )
    groups = [mean_squares(paired, [axis for axis in axes if axis not in unshared], index, sizes)]
    if unshared:
        for values in (a, b):
            squares = mean_squares(values, axes, index, sizes)
            groups.append({chosen: one for chosen, one in squares.items() if unshared & {*chosen}})
    return groups


def _combine(
    groups: list[dict[_Set, float]], levels: list[list[int]], item_df: float
) -> tuple[float, Parts]:
    """Return what the factors add to the variance of the mean difference, and its parts with df.

    The mean square of items is counted in full; what the factors of a group add to it is truncated
    at 0.

    Args:
        groups: of `_pair_mean_squares`.
        levels: number of levels of each factor, for each group.
        item_df: degrees of freedom of the mean square of items.
    """
    item_axis = len(levels[0])
    added = 0.0
    pieces: dict[int, list[tuple[float, float]]] = {}
    for squares, counts in zip(groups, levels, strict=True):
        signed = [
            (-1) ** (len(chosen) + 1) * square
            for chosen, square in squares.items()
            if chosen != (item_axis,)
        ]
        added += max(sum(signed), 0.0)
        for axis, count in enumerate(counts):
            if (axis,) in squares:
                pieces.setdefault(axis, []).append((squares[axis,], count - 1))
    parts: list[tuple[float, float]] = []
    for piece in pieces.values():
        observed = sum(square for square, _ in piece)
        if observed > 0 and len({df for _, df in piece}) == 1:  # Welch's degrees of freedom
            parts.append((observed, observed**2 / sum(square**2 / df for square, df in piece)))
        else:
            parts += piece
    observed = sum(part for part, _ in parts)
    parts.append((max(groups[0][item_axis,] + added - observed, 0.0), item_df))
    return added, parts


def _split_variance(groups: list[dict[_Set, float]]) -> dict[_Set, float]:
    """Return var(U)/levels(U) of every set, truncated at 0: the alternating sum of supersets."""
    squares: dict[_Set, float] = {}
    for group in groups:
        for chosen, square in group.items():
            squares[chosen] = squares.get(chosen, 0.0) + square
    split = {}
    for chosen in squares:
        inside = sum(
            (-1) ** (len(other) - len(chosen)) * square
            for other, square in squares.items()
            if set(chosen) <= set(other)
        )
        split[chosen] = max(inside, 0.0)
    return split


def _separate_clusters(split: dict[_Set, float], by_item: dict[_Set, float]) -> dict[_Set, float]:
    """Separate what items of one cluster have in common from what is of single items.

    The position after that of items stands for clusters.
    """
    item_axis = max(max(chosen) for chosen in split)
    separate = {}
    for chosen, variance in split.items():
        if item_axis not in chosen:
            separate[chosen] = variance
            continue
        cluster = tuple(item_axis + 1 if axis == item_axis else axis for axis in chosen)
        separate[chosen] = min(by_item[chosen], variance)
        separate[cluster] = variance - separate[chosen]
    return separate


def _separate_repeats(named: list[Contribution], repeat_variance: float) -> list[Contribution]:
    """Take the variance due to repeats out of the contribution that contains it."""
    if repeat_variance <= 0:
        return named
    whole = max((one for one in named if "item" in one.sources), key=lambda one: len(one.sources))
    noise = min(repeat_variance, whole.variance)
    rest = Contribution(whole.sources, whole.variance - noise)
    others = [rest if one is whole else one for one in named]
    return [*others, Contribution((*whole.sources, "repeat"), noise)]


def _as_mcnemar(result: ItemDifference, a: Array, b: Array) -> ItemDifference:
    counts, n = (int((a > b).sum()), int((a < b).sum())), a.shape[-1]
    se = float(np.sqrt((a - b).var(ddof=1) / n))
    return _with_test(
        replace(result, se=se, method="McNemar", parts=((1.0, float(n - 1)),), discordant=counts)
    )
