"""What the analyses of a study say about its statements."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from reseed.comparison.claims.averages import LEAST_SEEDS, MeanLogRatio
from reseed.comparison.claims.evidence import Evidence, judge
from reseed.core.schemas import SEED_COLUMNS
from reseed.core.statement import Statement
from reseed.report.analyses.shared.data import Cell, Data, cells
from reseed.report.analyses.spread import with_slices
from reseed.report.rendering.arms import CELL_KEY, arm_title, cell_titles, group_title
from reseed.report.rendering.data import ExhibitData

#: What names a cell or a slice of one among the cells on a metric.
_KEY = ("experiment", "varied", "dataset", "scheme", "arm", "hyperparameters_source")
_CellKey = tuple[Any, ...]


def judge_statement(data: ExhibitData, statement: Statement) -> Evidence:
    """The evidence of the rows of an analysis on a statement."""

    def name_rows(rows: pd.DataFrame) -> list[str]:
        if not {"arm", "model"} <= {*rows}:
            return [group_title(data, rows, row) for row in rows.to_dict("records")]
        titles = cell_titles(data, rows, [*dict.fromkeys((*CELL_KEY, *statement.per))])
        if "baseline" not in rows:
            return titles
        sides = rows["baseline"], rows["arm"], rows.get("baseline_experiment", rows["experiment"])
        return [
            title if below == above else f"{title} to {arm_title(data, below, experiment)}"
            for title, below, above, experiment in zip(titles, *sides, strict=True)
        ]

    return judge(statement, data.rows(), name_rows, partial(pool_sd_ratios, data))


def pool_sd_ratios(data: ExhibitData, rows: pd.DataFrame) -> MeanLogRatio | None:
    """The geometric mean of ratios of SDs over settings, from the scores of the trials.

    rows: of `spread` or `sd_ratios`; columns of a denominator are `baseline` and `baseline_…`.
    None where a cell has too few seeds or equal scores.
    """
    source = Data(data.metrics, data.info)
    metrics = rows["metric"].unique()
    known = {key: cell for metric in metrics for key, cell in _cells(source, metric)}
    used: dict[_CellKey, int] = {}  # its position
    pairs = []
    for above in rows.to_dict("records"):
        below = {name: above.get(f"baseline_{name}", above[name]) for name in _KEY}
        below["arm"] = above["baseline"]
        keys = [(above["metric"], *(side[name] for name in _KEY)) for side in (above, below)]
        if not all(key in known and _is_usable(known[key]) for key in keys):
            return None
        over, under = (used.setdefault(key, len(used)) for key in keys)
        pairs.append((over, under))
    return MeanLogRatio([_series(known[key]) for key in used], pairs)


def _cells(data: Data, metric: str) -> Iterator[tuple[_CellKey, Cell]]:
    """Every cell on the metric, and its slices where seeds are crossed."""
    for cell in cells(data, metric):
        for part, _ in with_slices(cell):
            yield (metric, *(part.key[name] for name in _KEY)), part


def _is_usable(cell: Cell) -> bool:
    return cell.values.size >= LEAST_SEEDS and float(np.ptp(cell.values)) > 0


def _series(cell: Cell) -> tuple[str, str, list[str], np.ndarray]:
    """(dataset and scheme, kind of seed, seeds, scores) of a cell."""
    seeds = cell.scores[SEED_COLUMNS].astype(str).agg(" ".join, axis=1)
    place = f"{cell.key['dataset']}/{cell.key['scheme']}"
    return place, str(cell.key["varied"]), seeds.tolist(), cell.values
