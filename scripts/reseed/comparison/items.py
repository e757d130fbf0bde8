"""`reseed.compare_items`: compares models by item scores, with clusters, repeats and prompts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, Literal

from reseed.comparison.arguments import QUESTION, check_levels
from reseed.comparison.compare import compare
from reseed.comparison.result import Comparison
from reseed.core.errors import ReseedError


def compare_items(
    source: object,
    *,
    metric: str | None = None,
    columns: Mapping[str, str | list[str]] | None = None,
    cluster: str | None = None,
    repeats: str = "mean",
    fixed: Sequence[str] = (),
    failed: str = "refuse",
    baseline: str | None = None,
    pairs: Sequence[tuple[str, str]] | None = None,
    greater_is_better: bool | Mapping[str, bool] | None = None,
    rope: float | Mapping[str, float] | None = None,
    level: float = 0.95,
    alpha: float = 0.05,
    seeds: Literal["shared", "own"] = "shared",
    title: str = QUESTION,
    **reading: Any,
) -> Comparison:
    """Compare models by item scores, over items and every factor that is crossed with them.

    `compare` does so where a table needs it, and averages the items of each run otherwise.

    Args:
        source: a table of scores of items, or logs of an evaluation harness.
        metric: the score to compare, if there are several.
        columns: standard name → the table's column.
        cluster: column (of logs: field of the metadata) that names the cluster of each item.
        repeats: how repeats of an item are combined: `mean`; `pass@3` or `pass^3`, the unbiased
            estimate for three samples; or `factor`, as runs of their own.
        fixed: factors whose levels are not a sample: `seed` or `prompt` are then averaged.
        failed: what a missing score means: `refuse`, `drop` the item for all models, `zero`, or
            leave out failed `repeats`.
        baseline: compare each model with this one only.
        pairs: or compare these pairs only.
        greater_is_better: if the metric's name does not state it.
        rope: the largest difference that does not matter, in units of the score.
        level: of the intervals.
        alpha: size of the tests, after Holm's adjustment over the pairs of a dataset.
        seeds: whether equal seeds of two models are `shared`, so that they are paired, or each
            model's `own`: numbers that share nothing.
        title: heading of the report.
        reading: how the source is read, as in `compare`: `headings`, `rows`, `format`, `unit`.

    Raises:
        ReseedError: for a source that cannot be read, incomplete scores, and invalid options.

    Example:
        >>> import pandas as pd, reseed
        >>> right = {"base": 120, "ours": 160}  # of 200 questions
        >>> answers = pd.DataFrame(
        ...     [
        ...         {"model": model, "item": item, "accuracy": int(item < count)}
        ...         for model, count in right.items()
        ...         for item in range(200)
        ...     ]
        ... )
        >>> found = reseed.compare_items(answers)
        >>> print(*found.answer)
        ours is best by mean accuracy 0.8 over 200 items; significantly better than base...
    """
    check_levels(level=level, alpha=alpha)
    if isinstance(rope, Real) and not rope > 0:
        raise ReseedError(f"rope is {rope!r}: give a number above 0, in units of the score.")
    return compare(
        source, by_items=True, metric=metric, columns=columns, cluster=cluster, repeats=repeats,
        fixed=fixed, failed=failed, baseline=baseline, pairs=pairs,
        greater_is_better=greater_is_better, rope=rope, level=level, alpha=alpha, seeds=seeds,
        title=title, **reading,
    )  # fmt: skip
