"""Code shared by the table and the figure of the analysis `seed_choice`."""

from __future__ import annotations

import pandas as pd

from reseed.analyses.shared.arms import with_arms
from reseed.core.schemas import PREDICTION_COLUMNS
from reseed.report.exhibits.shared.left_out import left_out
from reseed.report.rendering.arms import TEST_SET_KEY, cells
from reseed.report.rendering.data import ExhibitData, footnote
from reseed.report.rendering.numbers import from_to, several

#: Columns of a cell: one row of the table and one colour of the figure.
CELL = ["experiment", *PREDICTION_COLUMNS]
NOTHING = "No per-item scores of enough model seeds of a binary classifier at this scale."
_RANKED_BY = {
    "validation accuracy": "Candidates are found by validation accuracy; test accuracy is shown,"
    " and no score to choose by. The optimism shows what that would cost.",
    "test accuracy": "Only test predictions are kept: choose no model by these scores. The optimism"
    " shows what that costs.",
}
_OF_THE_PAPER = "The paper chooses on validation rows."


def select_models(data: ExhibitData) -> pd.DataFrame:
    """Rows of measured models; a `candidate` is admitted, and no other beats it in both scores."""
    rows = data.measured()
    if rows.empty:
        return rows
    rows = with_arms(rows).reset_index(drop=True)
    return rows.assign(candidate=(rows["admitted"] & rows["pareto"]).astype(bool))


def name_cells(data: ExhibitData, rows: pd.DataFrame) -> pd.Series:
    """Name of each row's cell, distinct within its dataset."""
    titles = pd.Series("", rows.index)
    for _, part in rows.groupby("dataset", sort=False):
        for title, cell in cells(data, part, TEST_SET_KEY):
            titles[cell.index] = title
    return titles


def footnote_choice(data: ExhibitData, rows: pd.DataFrame, *sentences: str) -> str:
    """The footnote: number of seeds, and cells left out."""
    return footnote(data, rows, *sentences, left_out(data))


def by_which_score(data: ExhibitData, rows: pd.DataFrame) -> str:
    """Score that ranks the models, with datasets if it differs between them."""
    parts = rows.groupby("ranked_by", sort=True)
    sentences = [_OF_THE_PAPER] if data.info.is_reproduction else []
    for name, part in parts:
        named = map(data.dataset, part["dataset"].unique())
        sentences.append((f"{several(named)}: " if len(parts) > 1 else "") + _RANKED_BY[name])
    return " ".join(sentences)


def describe_alpha(rows: pd.DataFrame) -> str:
    """Sentence on the computation of α̂."""
    first = next(rows.itertuples())
    delta = from_to(rows["delta"], "{:.3f}".format, to="–")
    return (
        f"α̂: smallest share of a model's test rows to be reweighted away for its logit gaps to lie"
        f" within δ of the other seeds' average distribution; exact, mean of"
        f" {first.n_bootstrap:.0f} bootstraps, ε = {first.epsilon:g}, δ = {delta}: with fewer"
        " rows δ grows and α̂ sees less; with fewer seeds one outlier shifts everyone's reference."
    )
