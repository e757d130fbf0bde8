"""A custom table of the results of my_analysis."""

from reseed.report.rendering.tables import Rows


def table(data, options):
    """Return one row of text for each row of the analysis, with the numbers behind it."""
    results, rows = data.statistics, Rows()
    for row in results.itertuples():
        cells = {"Model": data.model(row.model), "n": str(row.n), "Worst seed": f"−{row.loss:.4f}"}
        rows.add(cells, section=data.dataset(row.dataset))
    return rows.table(data, results, footnote=data.scale)
