"""The prepared datasets, with stand-ins marked (Raste et al., Table 2)."""

from __future__ import annotations

from typing import Any

import pandas as pd

from reseed.core.study_info import DatasetInfo
from reseed.plugins.options import NoOptions
from reseed.report.rendering.data import ExhibitData, marks, metric_title, require_rows, units
from reseed.report.rendering.numbers import NONE, percent, whole
from reseed.report.rendering.tables import Rows, Table

_TASK = {"binary": "Binary", "multiclass": "Multi-class", "regression": "Continuous"}


def table(data: ExhibitData, options: NoOptions) -> Table:
    """One row for each dataset that was run; counts are of the prepared rows."""
    names = require_rows(
        list(dict.fromkeys(data.metrics["dataset"])), "No dataset was run at this scale."
    )
    lines, raw = Rows(), []
    for name in names:
        entry = data.info.datasets[name]
        counts = entry.class_counts or {}
        text = sum(feature["kind"] == "categorical" for feature in entry.features)
        lines.add(
            {
                "Name": data.dataset(name),
                "Source": _source(entry.source or {}),
                "Response": _TASK.get(entry.task or "", NONE),
                "Rows": NONE if entry.rows is None else whole(entry.rows),
                "Features": _features(entry, text),
                "Classes": ", ".join(
                    f"{label}: {percent(n / sum(counts.values()))}" for label, n in counts.items()
                )
                or "–",
                "Metric": metric_title(entry.metric),
            }
        )
        raw.append(
            {
                "dataset": name,
                "rows": entry.rows,
                "features": len(entry.features),
                "categorical_features": text,
                "task": entry.task,
                "metric": entry.metric,
                "class_counts": "; ".join(f"{label}: {n}" for label, n in counts.items()),
                "stand_in": entry.stand_in or "",
                "licence": entry.licence or "",
            }
        )
    note = " ".join([data.scale, *units(data, names), *marks(data, names)])
    return lines.table(data, pd.DataFrame(raw), note, text_columns=3, paragraphs=(5,))


def _features(entry: DatasetInfo, categorical: int) -> str:
    """Number of columns of a table, size of images, or number of texts."""
    kind = entry.kind or "table"
    if kind == "images":
        return " × ".join(str(side) for side in entry.shape or []) + " pixels"
    if kind == "texts":
        fields = len(entry.columns or [1])
        return "text" if fields == 1 else f"{fields} texts"
    count = len(entry.features)
    if not count:
        return NONE
    return f"{count}" + (f" ({categorical} categorical)" if categorical else "")


def _source(source: dict[str, Any]) -> str:
    kinds = {
        "mirror": "local mirror",
        "pypi": "{package} {version} (package index)",
        "pypi_packages": "several packages (package index)",
        "url": "canonical address",
        "file": "own file",
        "reader": "no file: reader {reader}",
    }
    return kinds.get(source.get("kind", ""), "–").format_map(
        {"package": "", "version": "", "reader": ""} | source
    )
