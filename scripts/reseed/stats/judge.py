"""Scores by a judge, corrected by people's scores of some items (prediction-powered inference).

A judge that prefers one model gives a wrong difference however many items it scores. Scores by
people, of a random part of the items, show by how much:

    mean = λ · mean of the judge over all items + mean of (people − λ · judge) over the labelled.

It is right in the mean for every weight λ, and its variance is least for the regression of people's
scores on the judge's (PPI++; the estimator of double sampling).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from reseed.stats.inputs import Array, as_finite, check_at_least

#: Labelled items below which weight and variance are too uncertain.
LEAST_LABELS = 20


class Corrected(NamedTuple):
    """Contributions of items to the corrected means.

    values: (models, items), whose mean over items is the corrected mean of a model.
    weight: λ of the judge, 0 for one that says nothing.
    labels: fewest labelled items of a model.
    """

    values: Array
    weight: float
    labels: int


def correct_judge(judge: ArrayLike, people: ArrayLike) -> Corrected:
    """Correct a judge's scores of models by people's scores of some items.

    The variance of the mean of n labelled of N items has about n − 1 degrees of freedom. 95 %
    intervals of a difference with 20 to 100 labels of 200 to 2,000 items cover .948 to .964.

    Args:
        judge: (models, items) scores.
        people: (models, items) scores; NaN where no person judged. Labelled items are assumed to be
            drawn at random.

    Raises:
        ValueError: fewer than `LEAST_LABELS` labelled items of a model; another shape.

    Source:
        Angelopoulos, Duchi and Zrnic (2023), PPI++; Cochran (1977), ch. 12.

    Example:
        >>> judge = [[1, 1, 1, 0] * 20, [1, 0, 1, 0] * 20]
        >>> people = [[1, 0, 1, 0] * 10 + [float("nan")] * 40] * 2  # the judge prefers the first
        >>> [round(float(mean), 2) for mean in correct_judge(judge, people).values.mean(axis=1)]
        [0.5, 0.5]
    """
    scores, known = as_finite(judge, "judge", ndim=2), np.asarray(people, dtype=float)
    if known.shape != scores.shape:
        raise ValueError(f"people has the shape {known.shape}, judge {scores.shape}")
    has = np.isfinite(known)
    counts = has.sum(axis=1)
    check_at_least(LEAST_LABELS, labels=counts.min())
    # Differences of models matter, so what all of them share on an item is taken out.
    common = has.all(axis=0)
    if len(scores) > 1 and common.sum() >= LEAST_LABELS:
        sides = [one[:, common] - one[:, common].mean(axis=0) for one in (known, scores)]
    else:
        sides = [np.where(has, one, np.nan) for one in (known, scores)]
    own, other = (one - np.nanmean(one, axis=1, keepdims=True) for one in sides)
    square = float(np.nansum(other**2))
    weight = max(float(np.nansum(own * other)) / square, 0.0) if square > 0 else 0.0
    rest = np.where(has, known - weight * scores, 0.0)
    values = weight * scores + rest * (scores.shape[1] / counts[:, None])
    return Corrected(values, weight, int(counts.min()))


def labels_to_halve(a: ArrayLike, b: ArrayLike, is_labelled: ArrayLike) -> float:
    """Return the labelled items with which the interval of a difference is half as wide.

    Infinite where labels of all items are too few: only more items help then.

    Args:
        a, b: (items,) `Corrected.values` of two models.
        is_labelled: (items,) whether a person judged both.
    """
    d, labelled = as_finite(a, "a") - as_finite(b, "b"), np.asarray(is_labelled, dtype=bool)
    items, labels = d.size, int(labelled.sum())
    if not 1 < labels < items:
        return np.inf
    # Among unlabelled items only the judge varies; the rest of the variance falls with the labels.
    of_items = float(d[~labelled].var()) / items
    of_labels = max(float(d.var()) / items - of_items, 0.0)
    target = (of_items + of_labels) / 4 - of_items
    needed = labels * of_labels / target if target > 0 else np.inf
    return needed if needed <= items else np.inf
