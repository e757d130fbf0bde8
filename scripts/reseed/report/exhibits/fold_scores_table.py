"""The score of each model with its interval over folds (protocol, Tables 1 and 2)."""

from __future__ import annotations

from math import isfinite

from reseed.analyses.fold_scores import FoldRow
from reseed.plugins.options import Experiments as Options
from reseed.report.rendering import coverage, numbers
from reseed.report.rendering.arms import arm_title
from reseed.report.rendering.data import ExhibitData, footnote, require_rows
from reseed.report.rendering.settings import group_by_setting, metric_title
from reseed.report.rendering.tables import Rows, Table, TableRow
from reseed.verdicts.formatting import format_level

DRAWS = ("fold_scores",)
# Heading for studies that reproduce no paper.
_WRITTEN = "BCa, as written"


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each model and setting, with the protocol's interval and the corrected one."""
    rows = require_rows(
        data.rows(options.experiments), "No model was run on two splits or more at this scale."
    )
    followed, lines = data.info.is_reproduction, Rows()
    single = followed or any(isfinite(row.single) for row in FoldRow.read(rows))
    written = _WRITTEN if followed else "BCa"
    for title, part in group_by_setting(data, rows):
        is_less_better = not FoldRow.read_first(part).greater_is_better
        models = FoldRow.read(part.sort_values("mean", ascending=is_less_better))
        places = numbers.decimals((row.sd_folds for row in models), least=3)
        for row in models:
            line = _line(data, row, places, written, single)
            lines.add(line, f"{title}, {metric_title(row.metric)}")
    note = footnote(
        data,
        rows.rename(columns={"arm": "model"}),
        f"Mean over folds and repeats, seeds averaged first. Intervals at"
        f" {format_level(rows['level'].max())}. BCa: over {rows['n_boot'].max():,} resamples of the"
        f" folds{', as the protocol has it' if followed else ''}; it takes folds that share"
        " training rows for independent and is too narrow (over 5×2 folds it covers 73 to 75 %)."
        " Corrected: Nadeau and Bengio's.",
        coverage.at(rows["level"].max(), coverage.CORRECTED),
        "SD over seeds: within a fold, root mean square.",
        "One fold: the result of a single run on the first fold." if single else "",
    )
    return lines.table(
        data,
        rows,
        note,
    )


def _line(data: ExhibitData, row: FoldRow, places: int, written: str, single: bool) -> TableRow:
    line = {"Model": arm_title(data, row.arm, row.experiment)}
    if single:
        line[f"Seed {row.single_seed:.0f}, one fold"] = numbers.fixed(row.single, places)
    return line | {
        "Mean": numbers.fixed(row.mean, places),
        written: numbers.interval(row.bca_low, row.bca_high, places),
        "Corrected": numbers.interval(row.low, row.high, places),
        "SD over folds": numbers.fixed(row.sd_folds, places),
        "SD over seeds": numbers.fixed(row.sd_seeds, places),
        "Folds": f"{row.folds:,.0f}",
        "Runs": numbers.seeds(int(row.runs), int(row.failed)),
    }
