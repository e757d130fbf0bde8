"""A table of one's own, drawn from my_analysis."""

from reseed.rendering.tables import Rows


def table(data, options):
    """A row of text for each of the analysis's; the numbers behind it go along."""
    found, rows = data.statistics, Rows()
    for row in found.itertuples():
        cells = {"Model": data.model(row.model), "n": str(row.n), "Worst seed": f"−{row.loss:.4f}"}
        rows.add(cells, section=data.dataset(row.dataset))
    return rows.table(data, found, footnote=data.scale)
