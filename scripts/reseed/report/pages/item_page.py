"""The page of a comparison by item scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from reseed.report.pages.pictures import Picture
from reseed.report.pages.render import build_page


def build_item_page(
    title: str,
    statements: Sequence[str],
    verdicts: Sequence[str],
    pictures: Sequence[tuple[str, Picture]],
    tables: Mapping[str, pd.DataFrame],
    notes: Sequence[str],
) -> str:
    """One self-contained page: statements, figures, verdicts, tables and notes.

    Args:
        title: heading of the page.
        statements: on all models.
        verdicts: one sentence a pair.
        pictures: (caption, picture) of each figure.
        tables: heading → table.
        notes: how the source was read.
    """
    shown = {
        heading: table.to_html(index=False, border=0, float_format=lambda x: f"{x:.4g}")
        for heading, table in tables.items()
    }
    return build_page(
        "items.html", title=title, statements=statements, verdicts=verdicts, pictures=pictures,
        tables=shown, notes=notes,
    )  # fmt: skip
