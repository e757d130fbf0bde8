"""Sentence on the parts of a study that an analysis could not measure."""

from __future__ import annotations

from reseed.analyses.shared.arms import with_arms
from reseed.report.rendering.arms import arm_title, group_title
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.numbers import several

#: Columns that identify a part of a study, the widest part first.
_PARTS = (
    ["dataset"], ["experiment"], ["scheme", "hyperparameters_source"], ["arm"],
    ["data_seed", "repeat", "fold"],
)  # fmt: skip


def left_out(data: ExhibitData) -> str:
    """Sentence on the parts of the study that were not measured, with reasons.

    Each is named by its widest part without a measured row: `Magic (…)` if no arm was measured on
    the dataset, else `RF on Magic (…)`.
    """
    rows = with_arms(data.rows())
    place: list[str] = []
    parts: list[str] = []
    rest = rows
    for names in _PARTS:
        place = [*place, *(name for name in names if name in rows)]
        missing = rest["reason"].ne("").groupby([rest[name] for name in place], dropna=False)
        whole = missing.transform("all")
        for _, part in rest[whole].groupby(place, sort=False, dropna=False):
            row = part.iloc[0]
            title = group_title(data, rows, row, [name for name in place if name != "arm"])
            if "arm" in place:
                title = f"{arm_title(data, row['arm'], row['experiment'])} on {title}"
            parts.append(f"{title} ({'; '.join(dict.fromkeys(part['reason']))})")
        rest = rest[~whole]
    return f"Left out: {several(parts)}." if parts else ""
