"""The algorithms with their fixed and searched hyper-parameters (Raste et al., Table 1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from reseed.core.study_info import ModelInfo
from reseed.plugins.options import NoOptions
from reseed.report.rendering.data import ExhibitData, marks, require_rows
from reseed.report.rendering.tables import Rows, Table


def table(data: ExhibitData, options: NoOptions) -> Table:
    """One row for each model that was run."""
    models = require_rows(
        list(dict.fromkeys(data.metrics["model"])), "No model was run at this scale."
    )
    lines = Rows()
    for name in models:
        model = data.info.models.get(name, ModelInfo())
        notes = model.notes or ""
        lines.add(
            {
                "Algorithm": data.model(name),
                "Description": notes if isinstance(notes, str) else " ".join(notes),
                "Held": _pairs(model.hyperparameters),
                "Searched": _pairs(model.search_space),
            }
        )
    sources = sorted(data.metrics["hyperparameters_source"].unique())
    note = [
        f"{data.scale} Hyper-parameters at this scale: {', '.join(sources)}.",
        *marks(data, (), models),
    ]
    table = lines.table(
        data,
        pd.DataFrame({"model": models}),
        " ".join(note),
        text_columns=4,
        paragraphs=(1, 2, 3),
        definitions=[
            "Hyper-parameters: default, as held, nothing searched; fixed-N, one search of N draws a"
            " dataset and split; tuned-N, one search a pair of seeds."
        ],
    )
    return replace(table, raw=pd.concat([table.raw, table.shown], axis=1))


def _pairs(values: Mapping[str, Any]) -> str:
    return "; ".join(f"{name}: {_values(value)}" for name, value in sorted(values.items()))


def _values(value: object) -> str:
    if isinstance(value, dict) and {"low", "high"} <= set(value):
        return f"{value['low']} to {value['high']}"
    if isinstance(value, list):
        return ", ".join(str(item) for item in value)
    return str(value)
