"""The statistics and exhibits of compared models."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pandas as pd

from reseed.claims.possible_ranks import choose_ranked, rank_models
from reseed.claims.verdicts import ALL_DATASETS
from reseed.comparison.arguments import Entries
from reseed.core.errors import ReseedError, suggest_name
from reseed.core.schemas import COMPARISON_COLUMNS
from reseed.plugins import kinds
from reseed.report.analyses.shared.data import Data
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.run import make_figure, make_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from reseed.report.rendering.tables import Table

_VERDICT_COLUMNS = [
    "dataset", "model_a", "model_b", "outcome", "difference", "low", "high", "p", "p_adjusted",
    "p_holm", "conservative_p_holm", "skewness", "skew_p_adjusted", "better_share", "better_low",
    "better_high", "flips", "n", "test", "detectable", "add", "detectable_add", "verdict",
]  # fmt: skip
_LEADERBOARD_COLUMNS = ["dataset", "metric", "model", "rank", "mean", "sd", "n", "failed"]


@dataclass(frozen=True, repr=False)
class ComparedModels:
    """Models compared by their results.

    data: the runs (`data.metrics`) and the facts of the study (`data.info`).
    analyses, exhibits: entries by name, as in a study file; each is computed when first used.
    command: what creates an exhibit, as the report states it.
    """

    data: Data
    analyses: Entries
    exhibits: Entries
    command: str = "reseed compare"
    _statistics: dict[str, pd.DataFrame] = field(default_factory=dict)

    # --- numbers --------------------------------------------------------------------------------

    def statistics(self, analysis: str) -> pd.DataFrame:
        """The full table of one of `analyses`, as in a study's folder `statistics/`."""
        if analysis not in self._statistics:
            entry = self.analyses[_check_name(analysis, self.analyses, "analysis")]
            kind = kinds.find_kind("analyses", entry["kind"])
            options = entry.get("options") or {}
            self._statistics[analysis] = kinds.run_kind(kind, self.data, options, pd.DataFrame)
        return self._statistics[analysis]

    @cached_property
    def verdicts(self) -> pd.DataFrame:
        """One row a compared pair: difference with its interval, p-values, verdict.

        `difference`, `low` and `high` are in units of the score and positive where `model_a` is
        better; `p_adjusted` is adjusted over the pairs compared on that dataset. Where
        `conservative_p_holm` (the correction for learners that depend on single rows) is above
        `alpha`, a difference is shown by one correction only. Where a few runs lie far from the
        others (`skewness`), `skew_p_adjusted` decides too, and `better_share` with its exact
        interval is the share of runs in which `model_a` is better. For an open verdict, `add` is
        what to double to find smaller differences (`detectable_add` instead of `detectable`).
        """
        rows = self.statistics("pairs")
        rows = rows.rename(columns={"instability": "flips"})
        return rows[_VERDICT_COLUMNS].reset_index(drop=True)

    @cached_property
    def leaderboard(self) -> pd.DataFrame:
        """One row a dataset and model: rank, mean, SD, finished and failed runs; best first.

        With several datasets, rows of `all datasets` hold the mean rank as `mean`.
        """
        return self.statistics("leaderboard")[_LEADERBOARD_COLUMNS].reset_index(drop=True)

    @cached_property
    def possible_ranks(self) -> dict[str, tuple[int, int]]:
        """Lowest and highest rank that the verdicts leave possible, by model.

        They are ranks over all datasets, or on the only one. Empty where models are not ranked.
        """
        rows = choose_ranked(self.statistics("pairs"))
        if rows[[*COMPARISON_COLUMNS]].drop_duplicates().shape[0] != 1:
            return {}
        board = rank_models(rows).to_dict("records")
        return {row["model"]: (row["low"], row["high"]) for row in board}

    def ordered_verdicts(self) -> pd.DataFrame:
        """Verdicts over datasets first, as they are one claim; then by p-value."""
        rows = self.verdicts.sort_values("p_adjusted", kind="stable")
        is_over = (rows["dataset"] == ALL_DATASETS) & rows["p_adjusted"].notna()
        return pd.concat([rows[is_over], rows[~is_over]])

    @property
    def notes(self) -> list[str]:
        """How the table was read, and limits of the comparison."""
        return list(self.data.info.notes or ())

    # --- exhibits -------------------------------------------------------------------------------

    def load_exhibit(
        self, name: str, function: str = ""
    ) -> tuple[kinds.Kind, ExhibitData, dict[str, Any]]:
        """Kind, data and options of an exhibit, which must define `function` if named."""
        exhibits = self.exhibits
        if function:
            exhibits = {
                key: entry
                for key, entry in exhibits.items()
                if kinds.find_kind("exhibits", entry["kind"]).function == function
            }
        entry = exhibits[_check_name(name, exhibits, function or "exhibit")]
        analysis = entry.get("analysis")
        data = ExhibitData(
            self.statistics(analysis) if analysis else None,
            self.data.metrics,
            self.data.info,
            kind=entry["kind"],
            title=entry["title"],
            leaderboard=self._statistics.get("leaderboard"),
        )
        return kinds.find_kind("exhibits", entry["kind"]), data, entry.get("options") or {}

    def table(self, name: str = "comparisons") -> Table:
        """A table of `exhibits`."""
        return make_table(*self.load_exhibit(name, "table"))

    def plot(self, name: str | None = None) -> Figure:
        """A figure of `exhibits`; by default ranks, if three models or more are ranked.

        Otherwise the default is the figure of differences with their intervals.
        """
        if name is None:
            name = "ranks" if self.possible_ranks and "ranks" in self.exhibits else "differences"
        return make_figure(*self.load_exhibit(name, "figure"))[0]


def _check_name(name: str, names: Iterable[str], noun: str) -> str:
    known = list(names)
    if name not in known:
        raise ReseedError(
            f"no {noun} {name!r}. There are {', '.join(known)}.{suggest_name(name, known)}"
        )
    return name
