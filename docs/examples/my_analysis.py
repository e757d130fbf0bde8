"""An analysis of one's own: how far the worst seed lies below the mean."""

import pandas as pd
from reseed.analyses.shared.data import cells
from reseed.plugins.options import Count, Strict


class Options(Strict):
    """least: with fewer seeds nothing is told."""

    least: Count = 3


def analyse(data, options):
    """One row a dataset, way of splitting and model; `options` holds those that are set."""
    rows = []
    for cell in cells(data):
        if len(cell.values) >= options.get("least", 3):
            scores = cell.sign * cell.values  # as if more were always better
            loss = scores.mean() - scores.min()
            rows.append(cell.key | {"metric": cell.metric, "n": len(scores), "loss": loss})
    return pd.DataFrame(rows)
