"""Which ratios of two SDs differ from one by their intervals, as the note of a claim."""

from __future__ import annotations

import pandas as pd

from reseed.comparison.claims import phrases
from reseed.comparison.claims.phrases import Phrase
from reseed.report.rendering import numbers


def describe_intervals(rows: pd.DataFrame, level: float) -> tuple[str, dict[str, Phrase]]:
    """Note on intervals that exclude one, and its phrases; nothing without an interval.

    `above` and `below` are counts that a headline can state, too.

    Args:
        rows: one a setting, with the columns `ratio_low` and `ratio_high`.
        level: of the intervals.
    """
    if rows["ratio_low"].isna().all():
        return "", {}
    note = (
        "The {level} interval of the ratio of the SDs lies above one for {above} and below one for"
        " {below}."
    )
    return note, {
        "level": phrases.setting(level, numbers.percent),
        "above": phrases.share(rows, rows["ratio_low"] > 1, "setting"),
        "below": phrases.share(rows, rows["ratio_high"] < 1, "setting"),
    }
