"""`Comparison`: what `reseed.compare` and `reseed.study` return."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from reseed.analyses.shared.data import Data
from reseed.comparison.answer import (
    list_next_steps,
    list_notes,
    state_answer,
    state_one_model,
)
from reseed.comparison.arguments import QUESTION, Entries, PairChoice, add_pair_options
from reseed.comparison.output import Result
from reseed.comparison.standings import PairRows, Section, list_models, list_sections
from reseed.config.defaults import EXHIBITS_ON_DEMAND, apply_pair_options
from reseed.core.atomic import replace_atomically
from reseed.core.csv_files import write_csv
from reseed.core.errors import ReseedError, suggest_name
from reseed.core.schemas import COMPARISON_COLUMNS
from reseed.core.study_info import write_study_info
from reseed.plugins import kinds
from reseed.verdicts.formatting import format_level
from reseed.verdicts.pair import Pair, read_pairs
from reseed.verdicts.possible_ranks import choose_ranked, rank_models
from reseed.verdicts.shown import Shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from reseed.report.rendering.data import ExhibitData
    from reseed.report.rendering.tables import Table

#: Name of the study that a comparison is saved as.
STUDY_NAME = "results"
#: Columns of `verdicts` that it always has, and those that it has where they hold a value.
_COLUMNS = (
    "dataset", "model_a", "model_b", "outcome", "reason", "difference", "low", "high", "p",
    "p_adjusted", "pairs", "alpha", "n", "test", "metric", "greater_is_better",
)  # fmt: skip
_FURTHER_COLUMNS = (
    "published_p", "flips", "rope", "detectable",
    *(f"{name}_{side}" for name in ("mean", "sd", "n") for side in "ab"), "p_adjusted_if_sd",
    "factor", "unit", "covers", "error_shares",
)  # fmt: skip
#: Analyses of pairs of models.
_OF_PAIRS = ("pairs", "seeds_needed")
_LEADERBOARD_COLUMNS = (
    "dataset", "metric", "model", "rank", "mean", "mean_low", "mean_high", "sd", "n", "failed",
)  # fmt: skip


@dataclass(frozen=True, repr=False)
class Comparison(Result):
    """Models compared by their results: numbers, exhibits, pages and files.

    data: the runs (`data.metrics`) and the facts of the study (`data.info`).
    analyses, exhibits: entries by name, as in a study file; each is computed when first used.

    Example:
        >>> import reseed
        >>> accuracy = {
        ...     "small": [0.71, 0.74, 0.70, 0.73, 0.72, 0.75],
        ...     "large": [0.80, 0.81, 0.79, 0.83, 0.80, 0.82],
        ... }
        >>> found = reseed.compare(accuracy, metric="accuracy")
        >>> found.verdicts[["model_a", "model_b", "outcome"]]
          model_a model_b outcome
        0   large   small  better
        >>> found.leaderboard["model"].tolist()
        ['large', 'small']
        >>> "large" in found.to_latex()
        True
        >>> page = found.to_html()
    """

    data: Data
    analyses: Entries
    exhibits: Entries
    _statistics: dict[str, pd.DataFrame] = field(default_factory=dict)
    _tables: dict[str, Table] = field(default_factory=dict)

    #: The table of verdicts among `exhibits`.
    main_table: ClassVar[str] = "verdicts"

    # --- numbers --------------------------------------------------------------------------------

    def statistics(self, analysis: str, **other: Any) -> pd.DataFrame:
        """The full table of one of `analyses`, as in a study's folder `statistics/`.

        other: options in place of those of the comparison.
        """
        entry = self.analyses[_check_name(analysis, self.analyses, "analysis")]
        kind = kinds.find_kind("analyses", entry["kind"])
        options = entry.get("options") or {}
        if other:
            return kinds.run_kind(kind, self.data, options | other, pd.DataFrame)
        if analysis not in self._statistics:
            self._statistics[analysis] = kinds.run_kind(kind, self.data, options, pd.DataFrame)
        return self._statistics[analysis]

    @cached_property
    def pair_rows(self) -> list[Pair]:
        """The rows of the analysis `pairs`, in its order."""
        return read_pairs(self.statistics("pairs"))

    @cached_property
    def sections(self) -> list[Section]:
        """The models on each dataset, best first, with their pairs (`standings`)."""
        return list_sections(self)

    @cached_property
    def verdicts(self) -> pd.DataFrame:
        """One row a compared pair: outcome with its reason, difference with its interval, p.

        `difference` is the score of `model_a`, which is better, minus that of `model_b`: negative
        where lower scores are better. `p_adjusted`, p times the number of pairs compared on that
        dataset, and the interval `low` to `high` hold for all these pairs at once, so that the
        interval excludes 0 exactly where a difference is shown. `detectable` is the smallest true
        difference that the test finds in 80 %, `covers` what the verdict holds for, and
        `error_shares`, over items, what the squared standard error is due to.
        """
        rows = self.statistics("pairs")
        rows = rows.rename(columns={"instability": "flips"}).reset_index(drop=True)
        sign = np.where(rows["greater_is_better"].astype(bool), 1, -1)
        low, high = sign * rows["low"], sign * rows["high"]
        rows = rows.assign(
            difference=sign * rows["difference"],
            low=np.minimum(low, high), high=np.maximum(low, high),
        )  # fmt: skip
        further = [one for one in _FURTHER_COLUMNS if one in rows and rows[one].notna().any()]
        return rows[[*_COLUMNS, *further]]

    @cached_property
    def leaderboard(self) -> pd.DataFrame:
        """One row a dataset and model: rank, mean, SD, finished and failed runs; best first.

        With several datasets, rows of `all datasets` hold the mean rank as `mean`. Means of scores
        of items have an interval, `mean_low` to `mean_high`.
        """
        rows = self.statistics("leaderboard").reset_index(drop=True)
        return rows[[one for one in _LEADERBOARD_COLUMNS if one in rows]]

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

    @property
    def notes(self) -> list[str]:
        """How the table was read, and limits of the comparison."""
        return list(self.data.info.notes or ())

    # --- exhibits -------------------------------------------------------------------------------

    def load_exhibit(
        self, name: str, function: str = ""
    ) -> tuple[kinds.Kind, ExhibitData, dict[str, Any]]:
        """Kind, data and options of an exhibit, which must define `function` if named."""
        from reseed.report.rendering.data import ExhibitData

        on_demand = EXHIBITS_ON_DEMAND.items()
        others = {key: one for key, one in on_demand if one["analysis"] in self.analyses}
        exhibits = {**others, **self.exhibits}
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
            leaderboard=self.statistics("leaderboard") if name == "leaderboard" else None,
        )
        return kinds.find_kind("exhibits", entry["kind"]), data, entry.get("options") or {}

    def table(self, name: str = "") -> Table:
        """A table of `exhibits`; by default of verdicts."""
        from reseed.report.rendering.run import make_table

        name = name or self.main_table
        if name not in self._tables:
            self._tables[name] = make_table(*self.load_exhibit(name, "table"))
        return self._tables[name]

    def _make_table(self, name: str) -> Table:
        return self.table(name) if name else super()._make_table(name)

    @property
    def figures(self) -> list[str]:
        """Names of the figures, the default one first."""
        entries = {**self.exhibits, **EXHIBITS_ON_DEMAND}
        return [
            name
            for name, entry in entries.items()
            if kinds.find_kind("exhibits", entry["kind"]).function == "figure"
        ]

    def plot(self, name: str | None = None) -> Figure:
        """A figure of `figures`; by default differences with their intervals.

        `ranks` is a critical-difference diagram: models by mean rank (on one dataset: mean score),
        with a bar over those that are not shown to differ.
        """
        from reseed.report.rendering.run import make_figure

        return make_figure(*self.load_exhibit(name or self.figures[0], "figure"))[0]

    # --- outputs ----------------------------------------------------------------------------------

    @cached_property
    def shown(self) -> Shown:
        """What all outputs show."""
        pairs = PairRows(self.pair_rows)
        are_chosen = bool((self.analyses["pairs"].get("options") or {}).get("pairs"))
        references = {one.reference for one in self.sections}
        level = format_level(1 - self.pair_rows[0].alpha) if self.pair_rows else ""
        where = references.pop() if len(references) == 1 else "the first"
        return Shown(
            title=self.data.info.title,
            answer=state_answer(self),
            rows=pairs if are_chosen else list_models(self),
            tables={"ranking": self.leaderboard, "verdicts": self.verdicts},
            notes=list_notes(self),
            noun="Pair" if are_chosen else "Model",
            heading=f"Difference [{level}]" if are_chosen else f"Difference to {where} [{level}]",
            pairs=pairs,
            next_steps=list_next_steps(self),
        )

    def save(self, folder: str | Path) -> Path:
        """Write everything as a study's results folder: trials, statistics, tables and figures."""
        from reseed.report.rendering import figures, run, table_files

        folder = Path(folder)
        (folder / "statistics").mkdir(parents=True, exist_ok=True)
        with replace_atomically(folder / "metrics.parquet") as temporary:
            self.data.metrics.to_parquet(temporary, index=False)
        for name in self.analyses:
            write_csv(self.statistics(name), folder / "statistics" / f"{name}.csv")
        for part in ("tables", "figures"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        write_study_info(folder / "about.json", self.data.info)
        for name in self.exhibits:
            kind, data, options = self.load_exhibit(name)
            if kind.function == "table":
                path = folder / "tables" / name
                table_files.write_table(self.table(name), path, table_files.FORMATS)
            else:
                figure, info = run.make_figure(kind, data, options)
                path = folder / "figures" / name
                figures.write_figure(figure, info, data, path, figures.FORMATS)
        return folder

    def to_csv(self, path: str | Path) -> None:
        """Write the verdicts as CSV."""
        write_csv(self.verdicts, Path(path))


class ModelVariation(Comparison):
    """The runs of one model: how much its score varies, and with what."""

    main_table = "leaderboard"

    @cached_property
    def shown(self) -> Shown:
        """What all outputs show: a sentence on each source of variation, and the means."""
        return Shown(
            title=self.data.info.title,
            answer=state_one_model(self),
            rows=[replace(row, verdict="", estimate="") for row in list_models(self)],
            tables={"scores": self.leaderboard},
            notes=list_notes(self),
        )

    def to_csv(self, path: str | Path) -> None:
        """Write the means as CSV."""
        Result.to_csv(self, path)


def _check_name(name: str, names: Iterable[str], noun: str) -> str:
    known = list(names)
    if name not in known:
        raise ReseedError(
            f"no {noun} {name!r}. There are {', '.join(known)}.{suggest_name(name, known)}"
        )
    return name


def build_comparison(
    data: Data,
    entries: Mapping[str, Entries],
    choice: PairChoice,
    options: dict[str, Any],
    **fields: Any,
) -> Comparison:
    """The comparison of these pairs by default `analyses` and `exhibits` (`config.defaults`).

    Args:
        data: the runs.
        entries: `analyses` and `exhibits`.
        choice, options: of the analyses of pairs.
        fields: of `Comparison`.
    """
    analyses = apply_pair_options(entries["analyses"], choice._asdict())
    exhibits, kind = dict(entries["exhibits"]), Comparison
    models = data.metrics["model"].nunique()
    if models == 1:
        kind = ModelVariation
        exhibits = {
            name: one
            for name, one in exhibits.items()
            if name == kind.main_table or one.get("analysis") not in _OF_PAIRS
        }
        if data.info.title == QUESTION:
            info = data.info.model_copy(update={"title": "How much does the score vary?"})
            data = replace(data, info=info)
    return kind(data, add_pair_options(analyses, options), exhibits, **fields)
