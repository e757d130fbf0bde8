"""Scores behind ratios of SDs, for their average over settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from reseed.comparison.claims.averages import MeanLogRatio
from reseed.core.schemas import SEED_COLUMNS
from reseed.report.analyses.shared.data import Cell, Data, cells
from reseed.report.analyses.spread import with_slices
from reseed.report.rendering.data import ExhibitData
from reseed.stats.spread_contrasts import LEAST_SEEDS

#: What names a cell or a slice of one among the cells on a metric.
_KEY = ("experiment", "varied", "dataset", "scheme", "arm", "hyperparameters_source")
_CellKey = tuple[Any, ...]


def mean_log_ratio(
    data: ExhibitData, pairs: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]
) -> MeanLogRatio | None:
    """The geometric mean of ratios of SDs over settings, from the scores of the trials.

    pairs: for each ratio the rows of the analyses `spread` or `sd_ratios` of its numerator and
    denominator, with the columns `_KEY` and `metric`. None where a cell has too few seeds or equal
    scores.
    """
    source = Data(data.metrics, data.info)
    metrics = {row["metric"] for pair in pairs for row in pair}
    known = {key: cell for metric in metrics for key, cell in _cells(source, metric)}
    position_of: dict[_CellKey, int] = {}
    positions = []
    for pair in pairs:
        keys = [(row["metric"], *(row[name] for name in _KEY)) for row in pair]
        if not all(key in known and _is_usable(known[key]) for key in keys):
            return None
        positions.append(tuple(position_of.setdefault(key, len(position_of)) for key in keys))
    return MeanLogRatio(
        [_series(known[key]) for key in position_of], [(above, below) for above, below in positions]
    )


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
