"""What verdicts say where a few runs or items lie far from the others (`stats.skewness`)."""

from __future__ import annotations

from math import isfinite, nan

import numpy as np

from reseed.comparison.claims.formatting import format_p, format_share
from reseed.comparison.claims.verdicts import Row

#: Condition of an outcome of such runs.
SKEWED = "with a few runs far from the others"


def is_skewed(row: Row) -> bool:
    """Whether a row has a `skewness` (NaN or 0: none is seen)."""
    return bool(abs(row.get("skewness", nan)) > 0)


def qualify_skewed(row: Row, outcome: str) -> str:
    """The condition of an outcome that rests on the means of skewed runs, or items; or empty."""
    if outcome not in ("difference", "no difference shown") or not is_skewed(row):
        return ""
    return SKEWED.replace("run", row["better_unit"])


def decisive_p(row: Row) -> float:
    """The adjusted p-value that decides: of skewed runs the larger one, with the correction."""
    corrected = row.get("skew_p_adjusted", nan) if is_skewed(row) else nan
    return float(np.fmax(row["p_adjusted"], corrected))


def describe_skew(row: Row) -> str:
    """What the test of means is worth then, and how often A is better; empty if not skewed.

    Args:
        row: `skewness`, `better_share` with its interval at `level`, `better_n`, the number of
            cases behind it (NaN: pairs of independent runs), `better_unit`, a case such as `run`,
            `p_adjusted` and `skew_p_adjusted`.
    """
    if not is_skewed(row):
        return ""
    noun = row["better_unit"]
    text = f"A few {noun}s lie far from the others, where a test of means errs more often"
    p = row.get("skew_p_adjusted", nan)
    if p > row.get("p_adjusted", nan):
        text += f": allowing for it, p is {format_p(p)}"
    if not row["better_low"] <= row["better_high"]:  # a sequence of runs that drift
        return f"{text}."
    share, n = row["better_share"], row["better_n"]
    often, kind = f"in {format_share(share)} of pairs of {noun}s", "interval of that share"
    if isfinite(n):
        often = f"{'in' if noun == 'run' else 'on'} {share * n:.0f} of {n:.0f} {noun}s"
        kind = "interval of that share, for any distribution"
    low, high = (format_share(row[end]) for end in ("better_low", "better_high"))
    return (
        f"{text}. {row['model_a']} is better {often} ({100 * row['level']:g} % {kind}: {low} to "
        f"{high})."
    )
