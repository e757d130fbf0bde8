"""What the analyses of a study say about its statements."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from reseed.analyses.shared.data import Cell, Data, cells
from reseed.analyses.spread import with_slices
from reseed.core.coordinates import base_name
from reseed.core.schemas import SEED_COLUMNS
from reseed.core.statement import Recipe, Statement
from reseed.report.rendering.arms import CELL_KEY, arm_title, cell_titles, group_title
from reseed.report.rendering.data import ExhibitData
from reseed.verdicts.averages import LEAST_SEEDS, MeanLogRatio
from reseed.verdicts.evidence import Evidence, judge

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

    return judge(
        statement,
        data.rows(),
        name_rows,
        partial(pool_sd_ratios, data),
        partial(compare_with_paper, data, statement.needs),
    )


def compare_with_paper(data: ExhibitData, needs: Recipe, rows: pd.DataFrame) -> list[str]:
    """What the trials behind each row do not share with the paper, as `n_estimators 60, not 400`.

    The trials are those of the row's arms, or of all arms where it names none.
    """
    if not needs:
        return [""] * len(rows)
    names = ["experiment", "dataset", "arm"]
    kinds = data.metrics.drop_duplicates([*names, "model", "hyperparameters_source", "environment"])
    found = []
    for row in rows.to_dict("records"):
        behind = kinds[kinds["dataset"] == row["dataset"]]
        sides = [
            (row.get(f"{side}_experiment", row.get("experiment")), row[side])
            for side in ("arm", "baseline", "other")
            if side in row
        ]
        if sides:
            behind = behind[pd.MultiIndex.from_frame(behind[names[::2]]).isin(sides)]
        texts = [text for trial in behind.to_dict("records") for text in _lack(data, needs, trial)]
        found.append("; ".join(dict.fromkeys(texts)))
    return found


def _lack(data: ExhibitData, needs: Recipe, trial: dict[str, Any]) -> Iterator[str]:
    devices = {one.environment: one.device for one in data.info.machines}
    model, dataset = base_name(trial["model"]), base_name(trial["dataset"])
    facts: dict[str, Any] = json.loads(trial["hyperparameters"]) | {
        "dataset": dataset,
        "rows": data.info.datasets[trial["dataset"]].rows,
        "model": model,
        "device": "cpu" if devices.get(trial["environment"]) == "cpu" else "gpu",
        "hyperparameters": trial["hyperparameters_source"].partition("-")[0],
    }
    for fact, wanted in needs.items():
        known = facts.get(fact)
        if isinstance(wanted, list):
            if known not in wanted:
                yield f"{fact} {known}"
        elif (least := wanted.get(dataset, wanted.get(model))) and (known is None or known < least):
            yield f"{fact} {known}, not {least:g}"


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
