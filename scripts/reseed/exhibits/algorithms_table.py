"""Table 1: the algorithms, what is held and what is searched."""

from __future__ import annotations

import pandas as pd

from reseed.exhibits.data import ExhibitData
from reseed.exhibits.tables import Table, empty_table


def table(data: ExhibitData, options: dict) -> Table:
    """One row a model that was run."""
    models = list(dict.fromkeys(data.metrics["model"]))
    if not models:
        return empty_table(data, "No model was run at this scale.")
    rows = []
    for name in models:
        entry = data.about["models"].get(name, {})
        notes = entry.get("notes") or ""
        rows.append(
            {
                "Algorithm": data.model(name),
                "Description": notes if isinstance(notes, str) else " ".join(notes),
                "Held": _pairs(entry.get("hyperparameters") or {}),
                "Searched": _pairs(entry.get("search_space") or {}),
            }
        )
    frame = pd.DataFrame(rows)
    sources = sorted(data.metrics["hyperparameters_source"].unique())
    note = (
        f"Scale: {data.about['scale']}. Hyper-parameters at this scale: {', '.join(sources)}"
        " (default: as held, nothing searched; fixed-N: one search of N draws a dataset and split;"
        " tuned-N: one a pair of seeds)."
    )
    raw = frame.assign(model=models)
    return Table(data, frame, raw, note, text_columns=4, paragraphs=(1, 2, 3))


def _pairs(values: dict) -> str:
    return "; ".join(f"{name}: {_values(value)}" for name, value in sorted(values.items()))


def _values(value: object) -> str:
    if isinstance(value, dict) and {"low", "high"} <= set(value):
        return f"{value['low']} to {value['high']}"
    if isinstance(value, list):
        return ", ".join(str(item) for item in value)
    return str(value)
