"""`reseed.compare_items`: compares models by item scores, with clusters, repeats and prompts."""

from __future__ import annotations

from typing import Any, cast

from reseed.comparison.arguments import check_levels
from reseed.comparison.compare import compare
from reseed.comparison.pair_result import PairComparison
from reseed.core.errors import ReseedError


def compare_items(source: object, **options: Any) -> PairComparison:
    """Compare models by item scores, over items and every factor that is crossed with them.

    `compare` does so where a table needs it, and averages the items of each run otherwise.

    Args:
        source: a table of scores of items, or logs of an evaluation harness.
        options: arguments of `compare` that apply to scores of items: `metric`, `columns`,
            `greater_is_better`, `baseline`, `pairs`, `rope`, `level`, `alpha`, `seeds`, `title`,
            how the source is read, and

            - `cluster`: column (of logs: field of the metadata) that names the cluster of an item;
            - `repeats`: how repeats of an item are combined: `mean`; `pass@3` or `pass^3`, the
              unbiased estimate for three samples; or `factor`, as runs of their own;
            - `fixed`: factors whose levels are not a sample: `seed` or `prompt` are then averaged;
            - `failed`: what a missing score means: `refuse`, `drop` the item for all models,
              `zero`, or leave out failed `repeats`.

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
        ours beats base: difference 20.0 points (accuracy), 95 % interval 15.0 to 26.1...
    """
    check_levels(**{name: options[name] for name in ("level", "alpha") if name in options})
    rope = options.get("rope")
    if isinstance(rope, int | float) and not rope > 0:
        raise ReseedError(f"rope is {rope!r}: give a number above 0, in units of the score.")
    return cast(PairComparison, compare(source, by_items=True, **options))
