"""Columns of a table through which a random split leaks: dates, and identifiers that repeat."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterator

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from reseed.data.columns import is_date

#: Rows of the quick comparison of random rows with whole groups, its folds and its trees.
_ROWS, _FOLDS, _TREES = 2_000, 5, 10
#: Difference of scores that is called a leak, if it is also this many standard errors.
_GAP, _ERRORS = 0.1, 3.0
#: Of an identifier, many values have several rows, and some column varies between the values.
_REPEATED, _BETWEEN = 0.5, 0.1


def find_leaks(
    features: pd.DataFrame, target: pd.Series, task: str
) -> Iterator[tuple[str, Hashable, str]]:
    """What a random split should respect: `time` or `group`, the column, and what shows it."""
    dates = [name for name in features if is_date(features[name])]
    for name in dates:
        yield (
            "time",
            name,
            f"{name} holds dates, and random test rows lie between those of training",
        )
    rest = features.drop(columns=dates)
    for name in rest if len(rest.columns) > 1 else ():
        if _may_identify(rest[name]) and (text := _compare(rest, target, name, task)):
            yield "group", name, text


def is_whole(values: pd.Series) -> bool:
    """Whether values are whole numbers."""
    is_number = is_numeric_dtype(values.dtype) and not is_bool_dtype(values.dtype)
    return is_number and bool((values % 1 == 0).all())


def _may_identify(values: pd.Series) -> bool:
    """Whether a column of whole numbers or words has many values that repeat."""
    present = values.dropna()
    for some in (present.head(_ROWS), present):  # a few rows are faster
        if not (is_whole(some) or some.head(_ROWS).map(type).eq(str).all()):
            return False
    counts = present.value_counts()
    # Of amounts, many come once.
    return 20 < len(counts) <= len(present) / 2 and bool((counts > 1).mean() > _REPEATED)


def _compare(features: pd.DataFrame, target: pd.Series, name: Hashable, task: str) -> str | None:
    """Scores of a forest without the column, on random rows and on whole groups.

    None where they do not differ clearly. Whole numbers are a feature on whole groups: an hour
    lies between two others, a patient does not.
    """
    groups = features[name]
    sizes = groups.value_counts()
    levels = np.random.default_rng(0).permutation(sizes.index)
    count = int((sizes.loc[levels].cumsum() <= _ROWS).sum())
    chosen = groups[groups.isin(levels[: max(count, 2 * _FOLDS)])].index
    if len(chosen) > _ROWS:
        chosen = chosen[np.random.default_rng(0).permutation(len(chosen))[:_ROWS]]
    y, codes = target[chosen], pd.factorize(groups[chosen])[0]
    x = features.loc[chosen]
    x = x.apply(lambda v: v if is_numeric_dtype(v) else pd.factorize(v.astype(str))[0])
    x = x.astype(float).replace([np.inf, -np.inf], np.nan)
    x = x.fillna(x.median()).fillna(0)
    others, known = x.drop(columns=name), x.copy()
    known[name] = (y if is_numeric_dtype(y) else pd.factorize(y)[0]).astype(float)
    between = 1 - known.groupby(codes).var().mean() / known.var()
    if not (between > _BETWEEN).any():
        return None
    from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
    from sklearn.model_selection import GroupKFold, KFold, cross_val_score

    model, metric, scoring = ExtraTreesClassifier, "balanced accuracy", "balanced_accuracy"
    if task == "regression":
        model, metric, scoring = ExtraTreesRegressor, "R²", "r2"
    models = {KFold: others, GroupKFold: x if is_numeric_dtype(groups) else others}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes that a fold does not have
        both = [
            cross_val_score(
                *(model(_TREES, random_state=0), rows, y), groups=codes, scoring=scoring,
                cv=folds(_FOLDS, shuffle=True, random_state=0),
            )
            for folds, rows in models.items()
        ]  # fmt: skip
    random, grouped = (float(np.mean(one)) for one in both)
    error = float(np.hypot(*(np.std(one, ddof=1) / _FOLDS**0.5 for one in both)))
    if random - grouped <= max(_GAP, _ERRORS * error):
        return None
    return (
        f"{name} repeats, and its rows resemble each other: a quick forest has {metric} "
        f"{random:.2f} on random rows, and {grouped:.2f} on values of {name} that it has not seen"
    )
