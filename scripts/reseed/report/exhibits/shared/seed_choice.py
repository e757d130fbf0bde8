"""Code shared by the table and the figure of the analysis `seed_choice`."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.estimates import Sample
from reseed.comparison.claims.formatting import format_number
from reseed.report.analyses.seed_choice import ModelRow
from reseed.report.analyses.shared.arms import with_arms
from reseed.report.exhibits.shared.left_out import left_out
from reseed.report.rendering.arms import TEST_SET_KEY, cells
from reseed.report.rendering.data import ExhibitData, footnote
from reseed.report.rendering.numbers import from_to, percent, several

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


def select_models(data: ExhibitData) -> pd.DataFrame:
    """Rows of measured models, with a column `candidate` (`ModelRow.is_candidate`)."""
    rows = data.measured()
    if rows.empty:
        return rows
    rows = with_arms(rows).reset_index(drop=True)
    return rows.assign(candidate=ModelRow.where(rows, lambda row: row.is_candidate))


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
        named = dict.fromkeys(data.dataset(row.dataset) for row in ModelRow.read(part))
        sentences.append((f"{several(named)}: " if len(parts) > 1 else "") + _RANKED_BY[name])
    return " ".join(sentences)


def describe_alpha(rows: pd.DataFrame) -> str:
    """Sentence on the computation of α̂."""
    first = ModelRow.read_first(rows)
    delta = from_to((row.delta for row in ModelRow.read(rows)), "{:.3f}".format, to="–")
    return (
        f"α̂: smallest share of a model's test rows to be reweighted away for its logit gaps to lie"
        f" within δ of the other seeds' average distribution; exact, mean of"
        f" {first.n_bootstrap:.0f} bootstraps, ε = {first.epsilon:g}, δ = {delta}: with fewer"
        " rows δ grows and α̂ sees less; with fewer seeds one outlier shifts everyone's reference."
    )


def claims(rows: pd.DataFrame) -> list[Claim]:
    """Cost of choosing by test score, models close to the other seeds, and churn, of these rows."""
    made = [_optimism(rows)]
    if any(row.alpha_hat for row in ModelRow.read(rows)):
        made += [_admitted(rows), *_best_by_test(rows)]
    churn = first_of_cells(rows).assign(churn=cells_churn(rows).to_numpy())
    names = {
        "churn": phrases.extent(churn, "churn", lambda share: percent(share, 1), is_comparable=True)
    }
    text = "two seeds predict another class for {churn} of the test rows"
    return [*made, Claim("churn", text, churn, names, _seeds(churn))]


def _seeds(rows: pd.DataFrame) -> Sample:
    return Sample.of(rows, "n", "seed", each="a setting")


def _optimism(rows: pd.DataFrame) -> Claim:
    """Loss of the seed that is best on half of the test rows, over the cells."""
    cells = first_of_cells(rows)
    names = {
        "optimism": phrases.extent(cells, "optimism", _points, is_comparable=True),
        "gain": phrases.extent(cells, "gain", _points, is_comparable=True),
        "cells": phrases.count(cells, "setting"),
    }
    return Claim(
        "selection_optimism",
        "the seed with the best accuracy on half of the test rows scores {optimism} points less on"
        " the other half; above the mean seed it keeps {gain} points",
        cells,
        names,
        Sample.of(cells, "n", "seed"),
        headline="The best seed on half of the test rows is {optimism} points worse on the rest",
        basis="{cells} of {n}",
        statistic="accuracy on one half minus accuracy on the other half",
    )


def _admitted(rows: pd.DataFrame) -> Claim:
    names = {
        "admitted": phrases.share(rows, _is_admitted(rows), "trained model"),
        "threshold": phrases.setting(ModelRow.read_first(rows).threshold),
    }
    finding = "{admitted} have α̂ of at most {threshold} against other seeds"
    return Claim("admitted_models", finding, rows, names, _seeds(rows), headline=True)


def _is_admitted(rows: pd.DataFrame) -> pd.Series[bool]:
    return ModelRow.where(rows, lambda row: row.admitted)


def _best_by_test(rows: pd.DataFrame) -> Iterator[Claim]:
    """Whether the one model with the best test accuracy is admitted; without cells of ties."""
    ranks = rows.groupby(CELL)["accuracy"].rank(method="min", ascending=False)
    every = rows[ranks == 1]
    best = first_of_cells(every)
    is_tied = every.duplicated(CELL, keep=False)[best.index]
    single = best[~is_tied]
    if single.empty:
        return
    names = {
        "close": phrases.share(single, _is_admitted(single), "setting", of="where one model"),
        "tied": phrases.share(best, is_tied, "setting"),
    }
    ties = "; in {tied} several models share it" if is_tied.any() else ""
    yield Claim(
        "best_by_test",
        "where one model has the best test accuracy, it is close to those of the other seeds in"
        f" {{close}}{ties}",
        best,
        names,
        _seeds(best),
    )


def first_of_cells(rows: pd.DataFrame) -> pd.DataFrame:
    """The first row of each cell."""
    return rows.drop_duplicates(CELL)


def _points(share: float) -> str:
    return format_number(100 * share, 2)


def cells_churn(rows: pd.DataFrame) -> pd.Series:
    """Mean churn of the pairs of models of each cell, as a share of the test rows."""
    return rows.groupby(CELL, sort=False)["churn"].mean()
