"""The test of a candidate and a baseline by scores of their runs, without items."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from reseed.comparison.claims.designs import match_seeds
from reseed.core.errors import ReseedError
from reseed.stats.comparison import nadeau_bengio
from reseed.stats.inputs import Array
from reseed.stats.item_model import ItemDifference
from reseed.stats.unpaired import welch
from reseed.stats.weighted_t import upper_quantile

_FEWEST_SEEDS = 2


def compare_runs(frame: pd.DataFrame, sign: int) -> Iterator[tuple[str, ItemDifference]]:
    """Yield each dataset with the difference candidate − baseline over seeds.

    Args:
        frame: `ItemTable.frame` without items, of the models `candidate` and `baseline`.
        sign: 1 if more is better, else −1.

    Raises:
        ReseedError: for missing scores, a seed that occurs twice, and fewer than two seeds.
    """
    for dataset, rows in frame.groupby("dataset", sort=False):
        where = f"dataset {dataset!r}: " if dataset else ""
        sides = [rows[rows["model"] == model] for model in ("candidate", "baseline")]
        for side in sides:
            _check_runs(side, where)
        chosen, is_shared = match_seeds(list(sides[0]["seed"]), list(sides[1]["seed"]))
        a, b = (
            sign * side["score"].to_numpy()[part] for side, part in zip(sides, chosen, strict=True)
        )
        yield str(dataset), _compare_seeds(a, b, is_shared)


def _compare_seeds(a: Array, b: Array, is_shared: bool) -> ItemDifference:
    """The paired t test of scores (seeds,), or Welch's, as a test without items."""
    if is_shared:
        paired = nadeau_bengio(a - b, 0.0)
        scale, df, p = float(paired.scale), float(paired.df), float(paired.p_value)
    else:
        own = welch(a, b)
        scale, df, p = float(own.scale), float(own.df), float(own.p)
    difference, parts = float(a.mean() - b.mean()), ((scale**2, df),)
    half = upper_quantile(0.025, parts) * scale if scale else 0.0
    return ItemDifference(
        difference, scale, difference - half, difference + half, p, 0.95, "t", parts,
        {"seed": min(len(a), len(b))}, (),
    )  # fmt: skip


def _check_runs(side: pd.DataFrame, where: str) -> None:
    model = side["model"].iloc[0]
    if side["score"].isna().any():
        raise ReseedError(
            f"{where}{model} has runs without a score. Run them again or remove them."
        )
    if side["seed"].duplicated().any():
        raise ReseedError(
            f"{where}{model} has several scores of one seed, or no column of the seed. Name the "
            "column: `columns: {seed: …}`; name `item` where rows are items. Runs on several "
            "splits are compared by `reseed compare`."
        )
    if len(side) < _FEWEST_SEEDS:
        raise ReseedError(
            f"{where}{model} has one run without items: nothing shows its spread. Give two seeds "
            "or more, or scores of items."
        )
