"""Cost of choosing a seed by its test score, and disagreement of seeds on items."""

from __future__ import annotations

import pandas as pd

from reseed.plugins.options import NoOptions
from reseed.report.exhibits.shared.seed_choice import (
    CELL,
    NOTHING,
    by_which_score,
    describe_alpha,
    footnote_choice,
    name_cells,
    select_models,
)
from reseed.report.exhibits.spread_table import sort_by_dataset
from reseed.report.rendering import numbers
from reseed.report.rendering.data import ExhibitData, require_rows
from reseed.report.rendering.majority import is_majority, why_majority
from reseed.report.rendering.tables import GroupedRow, Rows, Table, TableRow

DRAWS = ("seed_choice",)


def table(data: ExhibitData, options: NoOptions) -> Table:
    """One row for each cell of model seeds on one split, a section for each dataset."""
    rows = require_rows(select_models(data), NOTHING)
    rows = sort_by_dataset(rows.assign(label=name_cells(data, rows)))
    raw = pd.DataFrame([_cell(part) for _, part in rows.groupby(CELL, sort=False)])
    threshold = rows["threshold"].iloc[0]
    lines, places = Rows(), _count_decimals(raw)
    majority = [d for d, part in raw.groupby("dataset", sort=False)
                if is_majority(data, d, part["mean_accuracy"])]  # fmt: skip
    for _, cell in raw.iterrows():
        lines.add(_line(cell, threshold, places), data.dataset(cell["dataset"]))
    return lines.table(
        data,
        raw.drop(columns="label"),
        footnote_choice(data, rows, by_which_score(data, rows), _majority(data, majority)),
        definitions=[
            "Optimism: accuracy of the best seed on a random half of the test rows minus its"
            " accuracy on the other half; kept: what it has there above the mean seed. ± is the"
            " Monte Carlo error over halvings, not that of the test set. Choosing on all rows"
            " costs less: 0.5 to 0.7 times that. Churn: share of test rows on which two seeds (mean"
            " over pairs), or a seed and the ensemble of all others, predict another class."
            " Ensemble: mean logit of all seeds. ECE: of the predicted class.",
            describe_alpha(rows),
        ],
    )


def _majority(data: ExhibitData, datasets: list[str]) -> str:
    return why_majority(data, datasets).replace("is not shown", "says little")


def _cell(rows: pd.DataFrame) -> TableRow:
    """Numbers of one cell at full precision."""
    first = rows.iloc[0]
    same = [
        "label", *CELL, "n", "failed", "items", "primary_metric", "ensemble_accuracy",
        "ensemble_primary", "optimism", "optimism_mc_se", "gain", "gain_mc_se", "threshold",
        "delta", "epsilon", "n_bootstrap", "n_halves", "ranked_by",
    ]  # fmt: skip
    return first[same].to_dict() | {
        "mean_accuracy": rows["accuracy"].mean(),
        "mean_primary": rows["primary"].mean(),
        "share_admitted": rows["admitted"].astype(float).mean(),
        "alpha_hat_max": rows["alpha_hat"].max(),
        "churn": rows["churn"].mean(),
        "churn_ensemble": rows["churn_ensemble"].mean(),
        "ece_min": rows["ece"].min(),
        "ece_max": rows["ece"].max(),
    }


def _count_decimals(raw: pd.DataFrame) -> dict[str, int]:
    """Decimals of each column: of shares by their test items, of differences by their error.

    It is the greatest error of a column: that of models of one accuracy is a rounding error.
    """
    return {"share": numbers.item_decimals(raw["items"])} | {
        name: numbers.decimals([100 * raw[f"{name}_mc_se"].max()], 1, 1)
        for name in ("optimism", "gain")
    }


def _line(cell: pd.Series, threshold: float, places: dict[str, int]) -> GroupedRow:
    optimism, gain = (
        numbers.plus_minus(100 * cell[name], 100 * cell[f"{name}_mc_se"], places[name])
        for name in ("optimism", "gain")
    )
    share, percents = places["share"], max(places["share"] - 2, 0)
    return {
        ("", "Algorithm"): cell["label"],
        ("", "n"): numbers.seeds(int(cell["n"]), int(cell["failed"])),
        ("Accuracy", "Mean seed"): numbers.fixed(cell["mean_accuracy"], share),
        ("Accuracy", "Ensemble"): numbers.fixed(cell["ensemble_accuracy"], share),
        ("Best seed by test score, points", "Optimism"): optimism,
        ("Best seed by test score, points", "Kept"): gain,
        ("", f"α̂ ≤ {threshold:g}"): numbers.percent(cell["share_admitted"]),
        ("Churn", "Pairs"): numbers.percent(cell["churn"], percents),
        ("Churn", "Ensemble"): numbers.percent(cell["churn_ensemble"], percents),
        ("", "ECE"): f"{cell['ece_min']:.{share}f}–{cell['ece_max']:.{share}f}",
    }
