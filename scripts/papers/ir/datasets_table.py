"""The datasets with the columns of the paper's Table 2, and its rows as printed."""

from __future__ import annotations

import pandas as pd
from reseed.plugins.options import Strict
from reseed.report.rendering import numbers
from reseed.report.rendering.data import ExhibitData, marks, require_rows
from reseed.report.rendering.tables import Rows, Table

COLUMNS = ("Dataset", "Size", "Test", "Task", "#labels", "Label distr.", "Avg. size")
DRAWS = ("papers.ir.seed_scores:analyse",)


class Options(Strict):
    """published: dataset → the cells of its row in the paper, as printed, in their order."""

    published: dict[str, list[str]] = {}


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each dataset that was run, and below it the row of the paper."""
    used = data.metrics[["dataset", "experiment"]].drop_duplicates("dataset")
    require_rows(used, "No dataset was run at this scale.")
    lines, raw = Rows(), []
    for dataset, experiment in used.itertuples(index=False):
        entry, sizes = data.info.datasets[dataset], _test_sizes(data, dataset)
        counts = entry.class_counts or {}
        cells = [
            data.dataset(dataset),
            numbers.NONE if entry.rows is None else numbers.whole(entry.rows),
            numbers.from_to(sizes) if sizes else numbers.NONE,
            data.experiment(experiment),
            str(len(counts)) if counts else numbers.NONE,
            ", ".join(
                f"{label}: {numbers.percent(n / sum(counts.values()))}"
                for label, n in counts.items()
            ),
            numbers.NONE if entry.words is None else f"{entry.words:.0f} words",
        ]
        lines.add(dict(zip(COLUMNS, cells, strict=True)))
        raw.append({"dataset": dataset, "rows": entry.rows, "test": sizes, "words": entry.words})
        if printed := options.published.get(dataset):
            printed = [f"{printed[0]}, published", *printed[1:]]
            lines.add(dict(zip(COLUMNS, printed, strict=True)))
    note = [
        data.scale,
        "Size: prepared texts. Avg. size: mean number of words, separated by blanks.",
        *("Published: as printed." for _ in [0] if len(lines) > len(raw)),
        *marks(data, used["dataset"]),
    ]
    return lines.table(data, pd.DataFrame(raw), " ".join(note), text_columns=1, paragraphs=(5,))


def _test_sizes(data: ExhibitData, dataset: str) -> list[int]:
    """Numbers of test texts of the splits of a dataset."""
    rows = data.rows()
    if rows.empty:
        return []
    return sorted({int(n) for n in rows.loc[rows["dataset"] == dataset, "items"].dropna()})
