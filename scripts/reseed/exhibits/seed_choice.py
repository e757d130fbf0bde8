"""What the table and the figure of the analysis `seed_choice` share."""

from __future__ import annotations

import pandas as pd

from reseed.exhibits.data import ExhibitData, footnote
from reseed.exhibits.numbers import percent, several

#: A trained model's siblings: what is one row of the table and one colour of the figure.
CELL = [
    "experiment", "dataset", "scheme", "model", "hyperparameters_source", "data_seed", "repeat",
    "fold",
]  # fmt: skip
NOTHING = "No per-item scores of enough model seeds of a binary classifier at this scale."
BY_TEST_SCORE = (
    "The paper chooses on validation rows. Here only test predictions are kept: choose no model"
    " by these scores. The optimism shows what that costs."
)
_SPLIT = {"scheme": "", "hyperparameters_source": "", "data_seed": "data seed ",
          "repeat": "repeat ", "fold": "fold "}  # fmt: skip


def measured(data: ExhibitData) -> pd.DataFrame:
    """The analysis's rows of models that were measured; `candidate`: admitted and on the front.

    A candidate is a model that the rule admits and that no sibling dominates: at least as good on
    both counts and better on one.
    """
    rows = data.rows()
    if rows.empty:
        return rows
    rows = rows[rows["reason"] == ""]
    return rows.assign(candidate=rows["admitted"].astype(bool) & rows["pareto"].astype(bool))


def labels(data: ExhibitData, rows: pd.DataFrame) -> pd.Series:
    """Name of each row's cell: its model, and of the split only what differs between cells."""
    differ = [name for name in _SPLIT if rows[name].nunique() > 1]
    several_experiments = rows["experiment"].nunique() > 1
    return rows.apply(
        lambda row: ", ".join(
            [
                data.model(row["model"]),
                *([data.experiment(row["experiment"])] if several_experiments else []),
                *(f"{_SPLIT[name]}{row[name]}" for name in differ),
            ]
        ),
        axis=1,
    )


def note(data: ExhibitData, rows: pd.DataFrame, *sentences: str) -> str:
    """The footnote: what was measured how, and what was left out."""
    first = rows.iloc[0]
    left_out = data.rows().query("reason != ''").drop_duplicates(["dataset", "reason"])
    without = [
        f"{data.dataset(dataset)} ({'; '.join(part['reason'])})"
        for dataset, part in left_out.groupby("dataset", sort=False)
    ]
    low, high = rows["delta"].min(), rows["delta"].max()
    delta = f"{low:.3f}" if f"{low:.3f}" == f"{high:.3f}" else f"{low:.3f}–{high:.3f}"
    return footnote(
        data,
        rows,
        f"α̂: smallest share of a model's test rows to be reweighted away for its logit gaps to lie"
        f" within δ of the other seeds' average distribution; exact, mean of"
        f" {first['n_bootstrap']:.0f} bootstraps, ε = {first['epsilon']:g}, δ = {delta}: with fewer"
        " rows δ grows and α̂ sees less; with fewer seeds one outlier shifts everyone's reference.",
        *sentences,
        f"Left out: {several(without)}." if without else "",
    )


def findings(rows: pd.DataFrame) -> list[str]:
    """What picking by test score costs, and how many models are close to their siblings."""
    cells = rows.drop_duplicates(CELL)
    optimism, gain = 100 * cells["optimism"], 100 * cells["gain"]
    winners = rows.loc[rows.groupby(CELL)["accuracy"].idxmax()]
    refused = int((~winners["admitted"].astype(bool)).sum())
    threshold = rows["threshold"].iloc[0]
    return [
        f"The seed with the best accuracy on one half of the test rows scores"
        f" {optimism.median():.2f} points less on the other half (median of {len(cells)} cells,"
        f" {optimism.min():.2f} to {optimism.max():.2f}); above the mean seed it keeps"
        f" {gain.median():.2f} points ({gain.min():.2f} to {gain.max():.2f}).",
        f"α̂ is at most {threshold:g} for {percent(rows['admitted'].astype(float).mean())} of"
        f" {len(rows)} models; it is greater for the best by test accuracy in {refused} of"
        f" {len(cells)} cells.",
        f"Two seeds of a cell predict another class for {percent(cells_churn(rows).median(), 1)}"
        " of the test rows (median over cells).",
    ]


def cells_churn(rows: pd.DataFrame) -> pd.Series:
    """Mean churn over all pairs of models of each cell, as a share of the test rows."""
    return rows.groupby(CELL, sort=False)["churn"].mean()
