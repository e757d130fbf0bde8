"""A custom analysis: how far the worst seed lies below the mean."""

import pandas as pd
from reseed.analyses.shared.data import cells
from reseed.plugins.options import Count, Strict


class Options(Strict):
    """least: the smallest number of seeds; models with fewer are skipped."""

    least: Count = 3


def analyse(data, options: Options) -> pd.DataFrame:
    """Return one row a dataset, split scheme and model."""
    rows = []
    for cell in cells(data):
        if len(cell.values) >= options.least:
            scores = cell.sign * cell.values  # the sign makes larger values better
            loss = scores.mean() - scores.min()
            rows.append(cell.key | {"metric": cell.metric, "n": len(scores), "loss": loss})
    return pd.DataFrame(rows)
