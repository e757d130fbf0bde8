"""`PairComparison`: what `compare_items` and `compare_means` return, and `compare` of items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pandas as pd

from reseed.comparison.claims.formatting import count_noun
from reseed.comparison.claims.item_verdicts import SOURCES
from reseed.comparison.claims.possible_ranks import MIN_RANKED, bound_ranks, format_ranks
from reseed.comparison.claims.verdicts import format_unit
from reseed.comparison.output import Result
from reseed.comparison.ranking import Ranking
from reseed.comparison.shown import Shown, build_pair_row
from reseed.metrics.directions import AGAINST
from reseed.readers.source_table import join_names

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from reseed.report.rendering.tables import Table


_TITLES = {
    "ranks": "Which rank each model may have",
    "overall": "Which rank each model may have over all datasets",
    "differences": "Difference of every pair of models",
}


@dataclass(frozen=True, repr=False)
class PairComparison(Result):
    """Models compared pair by pair: by scores of items, or by printed means.

    verdicts: one row a pair and dataset; `model_a` has the better mean. `difference`, `low` and
        `high` are positive where `model_a` is better, in units of the score. Columns of means are
        those of `compare_means`. Of items, `share_SOURCE` is the
        part of the squared standard error of the source and its interactions with sources named
        before it; `detectable` is the smallest true difference found with power 0.8, and
        `detectable_2x_SOURCE` that with twice as many levels.
    leaderboard: mean score by dataset and model, the best first.
    ranks: one row a dataset and model: the ranks that the verdicts leave possible, simultaneous at
        1 − alpha on each dataset. Empty with fewer than three models, or if not all pairs are
        compared.
    overall: the ranking over all datasets, if there are several and three models or more.
    notes: how the source was read, and what was left out.
    """

    verdicts: pd.DataFrame
    notes: tuple[str, ...]
    metric: str = ""
    leaderboard: pd.DataFrame = field(default_factory=pd.DataFrame)
    ranks: pd.DataFrame = field(default_factory=pd.DataFrame)
    overall: Ranking | None = None
    title: str = "Which model is better?"

    def sentences(self) -> list[str]:
        """Which models may be the best, by dataset and over all."""
        texts = self.overall.sentences() if self.overall else []
        for dataset, rows in self._ranks_by_dataset().items():
            first = list(rows.loc[rows["low_items"] == 1, "model"])
            verb = f"{first[0]} is" if len(first) == 1 else f"{join_names(first, 20)} may each be"
            where = f"On {dataset}, for new items" if dataset else "For new items"
            texts.append(
                f"{where}: {verb} the best of {count_noun(len(rows), 'model')} "
                f"({100 * self._rank_level:g} % for all ranks at once)."
            )
        return texts

    @cached_property
    def shown(self) -> Shown:
        """What all outputs show."""
        against = [note for note in self.notes if note.startswith(AGAINST)]
        of_items = len(self.leaderboard) > 0
        verdicts = self.verdicts.sort_values("p", kind="stable") if of_items else self.verdicts
        tables = {"verdicts": self.verdicts}
        if of_items:
            tables |= {"ranking": self.leaderboard, "ranks": self.ranks}
        figures = {
            "ranks": len(self.ranks), "overall": self.overall is not None, "differences": of_items
        }  # fmt: skip
        return Shown(
            title=self.title,
            answer=[*against, *(self.sentences() or self._state(verdicts))],
            rows=[build_pair_row(row, _describe_next(row)) for row in verdicts.to_dict("records")],
            tables=tables,
            notes=[note for note in self.notes if note not in against],
            boards={"Ranking": self._board()} if of_items else {},
            figures={name: _TITLES[name] for name, is_there in figures.items() if is_there},
        )

    def _state(self, verdicts: pd.DataFrame) -> list[str]:
        """The verdicts of items; of several printed means, how many show a difference."""
        if len(self.leaderboard) or len(verdicts) == 1:
            return list(verdicts["verdict"])
        shown = int((verdicts["outcome"] == "difference").sum())
        tested = count_noun(int(verdicts["p_adjusted"].notna().sum()), "tested pair")
        return [f"A difference is shown for {shown} of {tested}."]

    def _board(self) -> pd.DataFrame:
        """Mean scores with the ranks that the verdicts leave possible, as text."""
        board = self.leaderboard
        if len(self.ranks):
            ends = zip(self.ranks["low_items"], self.ranks["high_items"], strict=True)
            ranks = self.ranks.assign(ranks=[format_ranks(*pair) for pair in ends])
            board = board.merge(ranks[["dataset", "model", "ranks"]], on=["dataset", "model"])
        if board["dataset"].nunique() == 1:
            board = board.drop(columns="dataset")
        headings = {"ranks": "Possible ranks"} | {name: name.capitalize() for name in board}
        return board.assign(mean=board["mean"].map("{:.4g}".format)).rename(columns=headings)

    def table(self) -> Table:
        """The numbers behind each comparison."""
        return self._make_table("")

    @property
    def _rank_level(self) -> float:
        return 1 - float(self.verdicts["alpha"].iloc[0])

    def _ranks_by_dataset(self) -> Mapping[str, pd.DataFrame]:
        groups = self.ranks.groupby("dataset", sort=False) if len(self.ranks) else ()
        return {str(dataset): rows for dataset, rows in groups}

    def _draw(self, name: str) -> Figure:
        from reseed.comparison.rank_figure import draw_differences, draw_rank_panels

        if name == "overall":
            return self.overall.plot()  # type: ignore[union-attr]
        if name == "ranks":
            return draw_rank_panels(self._ranks_by_dataset(), self._rank_level)
        return draw_differences(self.verdicts, float(self.verdicts["level"].iloc[0]))


def rank_by_verdicts(verdicts: pd.DataFrame, leaderboard: pd.DataFrame) -> pd.DataFrame:
    """Intervals of the ranks on each dataset that has three models and a test of every pair."""
    parts = []
    for dataset, board in leaderboard.groupby("dataset", sort=False):
        pairs = verdicts[verdicts["dataset"] == dataset]
        models = list(board["model"])
        if len(models) < MIN_RANKED or len(pairs) < len(models) * (len(models) - 1) // 2:
            continue
        low, high = bound_ranks(models, pairs)
        rank = board["mean"].rank(method="min", ascending=_is_ascending(board))
        ranks = board[["dataset", "model", "mean"]].assign(rank=rank.astype(int))
        parts.append(ranks.assign(low_items=low, high_items=high))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def _is_ascending(board: pd.DataFrame) -> bool:
    """Whether the best model, which is the first, has the least mean."""
    return bool(board["mean"].iloc[0] < board["mean"].iloc[-1])


def _describe_next(row: Mapping[Any, Any]) -> dict[str, str]:
    """Of an open pair, the source of which twice as many levels find the smallest difference."""
    if "method" not in row:
        return {}
    if row["outcome"] in ("difference", "equivalent"):
        return {"Best next step": "–"}
    found = {source: row[f"detectable_2x_{source}"] for source in SOURCES}
    known = {source: value for source, value in found.items() if value == value}  # not NaN
    best = min(known, key=lambda source: known[source], default="")
    step = "–"
    if best:
        step = f"twice the {best}s find {known[best] * row['factor']:.3g}{format_unit(row)}"
    return {"Best next step": step}
