"""Almost stochastic order: arms whose distribution of scores lies above another's."""

from __future__ import annotations

import pandas as pd

from reseed.plugins.options import Experiments as Options
from reseed.rendering.arms import arm_title
from reseed.rendering.data import ExhibitData, footnote, require_rows
from reseed.rendering.headlines import LEAST
from reseed.rendering.numbers import NONE, counted, fixed, from_to, part_of
from reseed.rendering.settings import metric_title, settings
from reseed.rendering.tables import Rows, Table

DRAWS = ("stochastic_order",)

# The asterisk of a stand-in is removed.
_SHOWN = "§"


def table(data: ExhibitData, options: Options) -> Table:
    """A square of arms for each dataset: violation ratio of row over column, with its bound."""
    rows = data.rows(options.experiments)
    rows = require_rows(
        rows if rows.empty else rows[rows["reason"] == ""],
        "No two arms have two finished seeds each at this scale.",
    )
    lines, findings = Rows(), []
    for title, part in settings(data, rows):
        cell = {(r["arm_a"], r["arm_b"]): r for _, r in part.iterrows()}
        heading = f"{title}, {metric_title(part['metric'].iloc[0])}"
        experiment = part["experiment"].iloc[0]
        arms = {a: arm_title(data, a, experiment) for a in dict.fromkeys(part["arm_a"])}
        for a, name in arms.items():
            others = {other: _cell(cell.get((a, b))) for b, other in arms.items()}
            lines.add({"Lies above": name} | others, heading)
        found = part[part["dominates"].astype(bool)]
        findings.append(
            f"{title}: almost stochastic order is shown for"
            f" {part_of(len(found), len(part) // 2, 'pair')} of arms."
        )
    first = rows.iloc[0]
    text = from_to(rows[["n_a", "n_b"]].to_numpy().ravel(), to="–")
    note = footnote(
        data,
        rows,
        f"Seeds per arm: {text}. Violation ratio (0: the row's arm is"
        f" better at every quantile; 1: the column's is), in brackets its"
        f" {100 * first['level']:g} % upper bound; {_SHOWN} where that is below"
        f" {first['threshold']:g}."
        " For each pair by itself, not for all at once. Seeds are taken as independent samples.",
    )
    return lines.table(data, rows, note, findings=findings, headline=_headline(rows))


def _headline(rows: pd.DataFrame) -> str:
    if rows[["n_a", "n_b"]].min(axis=None) < LEAST:
        return ""
    shown, pairs = int(rows["dominates"].astype(bool).sum()), len(rows) // 2
    return f"Almost stochastic order is shown for {shown} of {counted(pairs, 'pair')}"


def _cell(row: pd.Series | None) -> str:
    if row is None:
        return NONE
    mark = _SHOWN if row["dominates"] else ""
    return f"{fixed(row['ratio'], 2)} [{fixed(row['upper'], 2)}]{mark}"
