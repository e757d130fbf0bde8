"""What verdicts say where a few runs or items lie far from the others (`stats.skewness`)."""

from __future__ import annotations

from math import isfinite, nan

import numpy as np
import pandas as pd

from reseed.comparison.claims.formatting import format_level, format_p, format_share
from reseed.comparison.claims.pair_row import PairRow

#: Condition of an outcome of such runs.
SKEWED = "with a few runs far from the others"


def is_skewed(row: PairRow) -> bool:
    """Whether a row has a `skewness` (NaN or 0: none is seen)."""
    return bool(abs(row.skewness) > 0)


def qualify_skewed(row: PairRow, outcome: str) -> str:
    """The condition of an outcome that rests on the means of skewed runs, or items; or empty."""
    if outcome not in ("difference", "no difference shown") or not is_skewed(row):
        return ""
    return SKEWED.replace("run", row.better_unit)


def decisive_p(row: PairRow) -> float:
    """The greatest of all adjusted p-values that a difference needs to be small.

    Of skewed runs one is corrected; of printed means one allows for rounding, one for standard
    errors.
    """
    corrected = row.skew_p_adjusted if is_skewed(row) else nan
    needed = (row.p_adjusted, corrected, row.p_adjusted_rounded, row.p_adjusted_if_se)
    return float(np.fmax.reduce(needed))


def define_decisive_p(rows: pd.DataFrame) -> list[str]:
    """What `decisive_p` allows for beyond `p_adjusted`, if that raises it in any row."""
    raised = (
        ("skew_p_adjusted", "Where a few runs or items lie far from the others, p allows for it."),
        ("p_adjusted_rounded", "p is the greatest over all digits that are printed like this."),
        ("p_adjusted_if_se", "p reads ± as the standard error, as nothing says what it is."),
    )
    known = [(name, text) for name, text in raised if name in rows]
    return [text for name, text in known if (rows[name] > rows["p_adjusted"]).any()]


def describe_skew(row: PairRow) -> str:
    """What the test of means is worth then, and how often A is better; empty if not skewed.

    `better_n` is the number of cases behind `better_share`, each a `better_unit` such as `run`
    (NaN: pairs of independent runs).
    """
    if not is_skewed(row):
        return ""
    noun = row.better_unit
    text = f"A few {noun}s lie far from the others, where a test of means errs more often"
    p = row.skew_p_adjusted
    if p > row.p_adjusted:
        text += f": allowing for it, p is {format_p(p)}"
    if not row.better_low <= row.better_high:
        return f"{text}."
    share, n = row.better_share, row.better_n
    often, kind = f"in {format_share(share)} of pairs of {noun}s", "interval of that share"
    if isfinite(n):
        often = f"{'in' if noun == 'run' else 'on'} {share * n:.0f} of {n:.0f} {noun}s"
        kind = "interval of that share, for any distribution"
    low, high = map(format_share, (row.better_low, row.better_high))
    kind = f"{format_level(row.level)} {kind}"
    return f"{text}. {row.model_a} is better {often} ({kind}: {low} to {high})."
