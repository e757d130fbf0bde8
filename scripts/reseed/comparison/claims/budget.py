"""What to add to an open comparison: more seeds, splits, rows, items or datasets."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from reseed.comparison.claims.designs import (
    ITEM_MODEL,
    RANK_FLIPS,
    SEEDS,
    SEEDS_AND_ITEMS,
    SIGN,
    SPLITS,
    UNPAIRED,
)
from reseed.comparison.claims.pair_row import PairRow
from reseed.stats.budget import (
    Shares,
    crossed_shares,
    detectable_factor,
    remaining_error,
    split_shares,
)
from reseed.stats.comparison import OVERLAP_FACTOR
from reseed.stats.rank_power import detectable_shift


@dataclass(frozen=True)
class Addition:
    """Twice the levels of one source of variance, and the difference that is then detectable.

    source: `seeds`, `splits`, `rows` (of the data set), `items` (of the test set), `datasets`, or
        another of `designs.SOURCES`.
    detectable: smallest true difference that the test then finds with the planned power, in score
        units; over datasets in SDs of the difference between datasets (infinite: none).
    """

    source: str
    detectable: float


def list_additions(row: PairRow) -> tuple[Addition, ...]:
    """What can be added to the comparison of a row of `pairs`, the most useful first.

    Empty where the smallest detectable difference is not known. Each source is doubled alone. The
    parts of the error are estimates, and so are the results.
    """
    if row.design == "datasets":
        return tuple(_add_datasets(row))
    if row.design == ITEM_MODEL.design:
        twice = row.detectable_twice.items()
        known = (Addition(f"{one}s", size) for one, size in twice if math.isfinite(size))
        return tuple(sorted(known, key=lambda one: one.detectable))
    size = row.detectable
    if not math.isfinite(size):
        return ()
    factors = _find_factors(
        row.design, row.n, row.n_a, row.n_b, row.test_train_ratio,
        row.seed_share, row.item_share, row.target_power,
        row.alpha / row.pairs,
    )  # fmt: skip
    return tuple(Addition(source, size * factor) for source, factor in factors)


@lru_cache(1000)  # the pairs of a table have few designs
def _find_factors(
    design: str, n: int, n_a: int, n_b: int, ratio: float, seed_share: float, item_share: float,
    power: float, alpha: float,
) -> tuple[tuple[str, float], ...]:  # fmt: skip
    """Each source, with the detectable difference relative to that of now; the least first."""
    shares = _find_shares(design, n, ratio, seed_share, item_share)
    if not math.isfinite(sum(shares.values())):
        return ()
    degrees = {
        (SPLITS.design, "splits"): (n - 1, 2 * n - 1),
        (SEEDS.design, "seeds"): (n - 1, 2 * n - 1),
        (UNPAIRED.design, "seeds"): (n_a + n_b - 2, 2 * (n_a + n_b) - 2),
    }
    errors = {}
    for source in dict.fromkeys(one for names, part in shares.items() if part > 0 for one in names):
        errors[source] = remaining_error(shares, source)
        if df := degrees.get((design, source)):
            now, later = map(float, df)
            errors[source] *= detectable_factor(now, later, power, alpha)
    return tuple(sorted(errors.items(), key=lambda one: one[1]))


def _add_datasets(row: PairRow) -> Iterator[Addition]:
    if math.isnan(row.detectable_sd):
        return
    yield Addition("datasets", find_shift(row, 2 * int(row.n)))


def find_shift(row: PairRow, n_datasets: int) -> float:
    """Smallest mean difference that the test of a row over datasets finds with a power of 80 %.

    In SDs of the difference between datasets. All pairs are taken for those of as many models as
    have that many; signs alone are adjusted by their number.
    """
    pairs = int(row.pairs)
    if row.test == SIGN.test:
        return detectable_shift(n_datasets, of_ranks=True, alpha=row.alpha / pairs)
    models = math.ceil((1 + math.sqrt(1 + 8 * pairs)) / 2)
    of_ranks = row.test == RANK_FLIPS.test
    return detectable_shift(n_datasets, models, of_ranks=of_ranks, alpha=row.alpha)


def _find_shares(design: str, n: int, ratio: float, seed_share: float, item_share: float) -> Shares:
    if design == SPLITS.design:
        seeds = seed_share if math.isfinite(seed_share) else 0.0
        return split_shares(int(n), OVERLAP_FACTOR * ratio, seeds)
    if design == SEEDS_AND_ITEMS.design and math.isfinite(item_share):
        return crossed_shares(seed_share, item_share)
    return {("seeds",): 1.0} if design in (SEEDS.design, UNPAIRED.design) else {}
