"""Run the function of an exhibit's kind, and handle exhibits that have nothing to show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from reseed.plugins.kinds import Kind, run_kind
from reseed.report.rendering.data import ExhibitData, NothingToShow
from reseed.report.rendering.tables import Table, empty_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from reseed.report.rendering.figures import FigureInfo


def make_table(kind: Kind, data: ExhibitData, options: Mapping[str, Any]) -> Table:
    """The table of an exhibit, or one that holds the reason why there is none.

    Raises ReseedError for wrong options, and for a function that returns no `Table`.
    """
    try:
        return run_kind(kind, data, options, Table)
    except NothingToShow as reason:
        return empty_table(data, str(reason))


def make_figure(
    kind: Kind, data: ExhibitData, options: Mapping[str, Any]
) -> tuple[Figure, FigureInfo]:
    """The figure of an exhibit, or one that shows the reason why there is none.

    Raises ReseedError for wrong options, and for a function that returns no pair.
    """
    from reseed.report.rendering.figures import empty_figure

    try:
        return run_kind(kind, data, options, tuple)
    except NothingToShow as reason:
        return empty_figure(data, str(reason))
