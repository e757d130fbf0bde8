"""Code shared by the table and the figure of the analysis `seed_choice`."""

from __future__ import annotations

import pandas as pd

from reseed.analyses.shared.arms import with_arms
from reseed.claims.formatting import format_number
from reseed.exhibits.shared.left_out import left_out
from reseed.rendering.arms import TEST_SET_KEY, cells
from reseed.rendering.data import ExhibitData, footnote
from reseed.rendering.numbers import counted, percent, several, spread_over

#: Columns of a cell: one row of the table and one colour of the figure.
CELL = [
    "experiment", "dataset", "scheme", "arm", "model", "hyperparameters_source", "data_seed",
    "repeat", "fold",
]  # fmt: skip
NOTHING = "No per-item scores of enough model seeds of a binary classifier at this scale."
_RANKED_BY = {
    "validation accuracy": "Candidates are found by validation accuracy; test accuracy is shown,"
    " and no score to choose by. The optimism shows what that would cost.",
    "test accuracy": "Only test predictions are kept: choose no model by these scores. The optimism"
    " shows what that costs.",
}
_OF_THE_PAPER = "The paper chooses on validation rows."


def measured(data: ExhibitData) -> pd.DataFrame:
    """Rows of measured models, with a column `candidate`.

    A candidate is admitted by the rule and not dominated: no sibling is at least as good in both
    accuracy and α̂, and better in one.
    """
    rows = data.rows()
    if rows.empty:
        return rows
    rows = with_arms(rows[rows["reason"] == ""]).reset_index(drop=True)
    return rows.assign(candidate=rows["admitted"].astype(bool) & rows["pareto"].astype(bool))


def labels(data: ExhibitData, rows: pd.DataFrame) -> pd.Series:
    """Name of each row's cell, distinct within its dataset."""
    found = pd.Series("", rows.index)
    for _, part in rows.groupby("dataset", sort=False):
        for title, cell in cells(data, part, TEST_SET_KEY):
            found[cell.index] = title
    return found


def note(data: ExhibitData, rows: pd.DataFrame, *sentences: str) -> str:
    """The footnote: number of seeds, and cells left out."""
    return footnote(data, rows, *sentences, left_out(data))


def by_which_score(data: ExhibitData, rows: pd.DataFrame) -> str:
    """Score that ranks the models, with datasets if it differs between them."""
    parts = rows.groupby("ranked_by", sort=True)
    phrase = [_OF_THE_PAPER] if data.info.is_reproduction else []
    for name, part in parts:
        named = [data.dataset(d) for d in dict.fromkeys(part["dataset"])]
        phrase.append((f"{several(named)}: " if len(parts) > 1 else "") + _RANKED_BY[name])
    return " ".join(phrase)


def how(rows: pd.DataFrame) -> str:
    """Sentence on the computation of α̂."""
    first = rows.iloc[0]
    low, high = rows["delta"].min(), rows["delta"].max()
    delta = f"{low:.3f}" if f"{low:.3f}" == f"{high:.3f}" else f"{low:.3f}–{high:.3f}"
    return (
        f"α̂: smallest share of a model's test rows to be reweighted away for its logit gaps to lie"
        f" within δ of the other seeds' average distribution; exact, mean of"
        f" {first['n_bootstrap']:.0f} bootstraps, ε = {first['epsilon']:g}, δ = {delta}: with fewer"
        " rows δ grows and α̂ sees less; with fewer seeds one outlier shifts everyone's reference."
    )


def headline(rows: pd.DataFrame) -> str:
    """Cost of choosing the best test score on half of the rows."""
    optimism = 100 * rows.drop_duplicates(CELL)["optimism"].median()
    lost = format_number(optimism, 2)
    return f"The best seed on half of the test rows is {lost} points worse on the rest"


def findings(rows: pd.DataFrame) -> list[str]:
    """Cost of choosing by test score, and number of models close to their siblings."""
    first = rows.drop_duplicates(CELL)
    seeds = sorted({int(n) for n in first["n"]})
    optimism, gain = (
        spread_over(100 * first[name], "cell", _points) for name in ("optimism", "gain")
    )
    winners = rows.loc[rows.groupby(CELL)["accuracy"].idxmax()]
    refused = int((~winners["admitted"].astype(bool)).sum())
    threshold = rows["threshold"].iloc[0]
    churn = spread_over(cells_churn(rows), "cell", lambda v: percent(v, 1))
    found = [
        f"Of {several(map(str, seeds))} seeds the one with the best accuracy on half of the test"
        f" rows scores {optimism} points less on the other half; above the mean seed it keeps"
        f" {gain}.",
        f"Two seeds predict another class for {churn} of the test rows.",
    ]
    if not (rows["alpha_hat"] == 0).all():
        found.insert(
            1,
            f"{int(rows['admitted'].astype(bool).sum())} of {len(rows)} trained models are close to"
            f" their siblings (α̂ at most {threshold:g}); the best by test accuracy is not in"
            f" {refused} of {counted(len(first), 'cell')}.",
        )
    return found


def _points(value: float) -> str:
    return format_number(value, 2)


def cells_churn(rows: pd.DataFrame) -> pd.Series:
    """Mean churn of the pairs of models of each cell, as a share of the test rows."""
    return rows.groupby(CELL, sort=False)["churn"].mean()
