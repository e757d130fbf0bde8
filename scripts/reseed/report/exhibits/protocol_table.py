"""Instability, wins, family-wise error and cost of each decision rule (protocol, Table 3)."""

from __future__ import annotations

import math

import pandas as pd

from reseed.analyses.protocol import RuleRow
from reseed.plugins.options import Experiments as Options
from reseed.report.rendering import numbers
from reseed.report.rendering.data import ExhibitData, footnote, require_rows
from reseed.report.rendering.settings import group_by_setting
from reseed.report.rendering.tables import Rows, Table, TableRow

TITLES = {
    "single": "One run, the higher wins",
    "written": "Protocol as written",
    "corrected": "Corrected protocol",
}
#: Names of the tests for studies that reproduce no paper.
_TESTS = {
    "written": "Uncorrected (Wilcoxon, Holm)",
    "corrected": "Corrected resampled t, Holm",
}

DRAWS = ("protocol",)


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each decision rule and setting."""
    reason = data.no_pairs("No two models share folds and seeds at this scale.")
    known = require_rows(data.measured(options.experiments), reason)
    titles = TITLES if data.info.is_reproduction else TITLES | _TESTS
    lines = Rows()
    for title, part in group_by_setting(data, known):
        for row in RuleRow.read(part):
            lines.add({"Way of deciding": titles[row.setting]} | _line(row), title)
    note = footnote(
        data,
        known,
        f"Level {RuleRow.read_first(known).alpha:g}. An evaluation by a test has one seed for each"
        f" fold, drawn at random; {_folds(known)}. Instability: share of evaluations whose order of"
        " two models is not that of all trials' means. Wins: pairs decided, mean over evaluations."
        " Error: share of experiments with equal models in which any is called better, of two"
        " kinds. Same rows: seeds of one model stand for models on the rows of this study, so only"
        " the seeds differ. New samples: equally good models are simulated on fresh samples of"
        f" {numbers.from_to(known['items'])} rows, so the rows that a model happens to get right"
        " differ as well. In brackets: 95 % intervals. Runs: trainings of each model in an"
        " evaluation.",
    )
    return lines.table(data, data.rows(options.experiments), note)


def _line(row: RuleRow) -> TableRow:
    return {
        "Instability": _bracketed(row.instability, row.instability_low, row.instability_high),
        "Wins": f"{row.wins:.1f} / {row.pairs:.0f}",
        "Error, same rows": _percent(row.aa),
        "Error, new samples": _bracketed(row.simulated, row.simulated_low, row.simulated_high),
        "Runs a model": f"{row.runs:,.0f}",
    }


def _bracketed(share: float, low: float, high: float) -> str:
    ends = "" if math.isnan(low) else f" [{100 * low:.1f}, {100 * high:.1f}]"
    return _percent(share) + ends


def _has_own_folds(rows: pd.DataFrame) -> bool:
    return not any(math.isnan(row.instability_low) for row in RuleRow.read(rows))


def _folds(rows: pd.DataFrame) -> str:
    return "no two evaluations share folds" if _has_own_folds(rows) else "the folds are fixed"


def _percent(share: float) -> str:
    return numbers.percent(share, 1)
