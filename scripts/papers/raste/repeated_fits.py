"""Trials trained again with the same seeds: are they bitwise identical? (Raste, Section 4.1)"""

from __future__ import annotations

from reseed.plugins.options import NoOptions
from reseed.report.rendering.data import ExhibitData, NothingToShow, marks
from reseed.report.rendering.tables import Rows, Table

READS = "repeated_fits"


def table(data: ExhibitData, options: NoOptions) -> Table:
    """One row for each dataset and model of the trials that were trained again.

    `data.repeats` holds one row for each trial: `dataset`, `model`, `same` (status and outputs are
    bitwise equal) and `text`, the differences.
    """
    if data.repeats is None or data.repeats.empty:
        raise NothingToShow("No trial was trained again: the results are given.")
    rows = data.repeats
    lines = Rows()
    for (dataset, model), part in rows.groupby(["dataset", "model"], sort=False):
        same = int(part["same"].sum())
        differ = "; ".join(dict.fromkeys(part.loc[~part["same"].astype(bool), "text"]))
        lines.add(
            {
                "Algorithm": data.model(model),
                "Trained again": f"{len(part):,}",
                "Bitwise the same": f"{same:,}",
                "What differs": differ or "nothing",
            },
            data.dataset(dataset),
        )
    planned = data.info.trials.planned
    return lines.table(
        data,
        rows,
        " ".join(
            [
                data.scale,
                f"{len(rows):,} of {planned:,} trials, drawn at random: one of each model.",
                *marks(data, dict.fromkeys(rows["dataset"]), rows["model"]),
            ]
        ),
        paragraphs=(3,),
        text_columns=1,
    )
