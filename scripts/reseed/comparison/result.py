"""`Comparison`: what `reseed.compare` and `reseed.study` return."""

from __future__ import annotations

import base64
import io
import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from reseed.analyses.shared.data import Data
from reseed.claims.possible_ranks import choose_ranked, rank_models
from reseed.claims.verdicts import ALL_DATASETS
from reseed.comparison.arguments import Entries
from reseed.comparison.console import render, show_steps, state_answer, to_json
from reseed.core.atomic import replace_atomically, write_text
from reseed.core.csv_files import write_csv
from reseed.core.errors import ReseedError, suggest_name
from reseed.core.schemas import COMPARISON_COLUMNS
from reseed.core.study_info import write_study_info
from reseed.plugins import kinds
from reseed.rendering.data import ExhibitData
from reseed.rendering.run import make_figure, make_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from reseed.rendering.tables import Table

#: Name of the study that a comparison is saved as.
STUDY_NAME = "results"
_VERDICT_COLUMNS = [
    "dataset", "model_a", "model_b", "outcome", "difference", "low", "high", "p", "p_adjusted",
    "flips", "n", "test", "detectable", "add", "detectable_add", "verdict",
]  # fmt: skip
_LEADERBOARD_COLUMNS = ["dataset", "metric", "model", "rank", "mean", "sd", "n", "failed"]
#: Verdicts that a notebook shows; `verdicts` has all.
_MAX_PRINTED = 12


@dataclass(frozen=True)
class Comparison:
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
        better; `p_adjusted` is adjusted over the pairs compared on that dataset. For an open
        verdict, `add` is what to double to find smaller differences (`detectable_add` instead of
        `detectable`).
        """
        rows = self.statistics("pairs")
        rows = rows.rename(columns={"p_holm": "p_adjusted", "instability": "flips"})
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

    @property
    def answer(self) -> list[str]:
        """What is shown over everything, in at most two sentences."""
        return state_answer(self)

    @property
    def notes(self) -> list[str]:
        """How the table was read, and limits of the comparison."""
        return list(self.data.info.notes or ())

    # --- exhibits -------------------------------------------------------------------------------

    def _load_exhibit(
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
        )
        return kinds.find_kind("exhibits", entry["kind"]), data, entry.get("options") or {}

    def table(self, name: str = "comparisons") -> Table:
        """A table of `exhibits`."""
        return make_table(*self._load_exhibit(name, "table"))

    def plot(self, name: str | None = None) -> Figure:
        """A figure of `exhibits`; by default ranks, if three models or more are ranked.

        Otherwise the default is the figure of differences with their intervals.
        """
        if name is None:
            name = "ranks" if self.possible_ranks and "ranks" in self.exhibits else "differences"
        return make_figure(*self._load_exhibit(name, "figure"))[0]

    def to_latex(self, name: str = "comparisons") -> str:
        """A table as LaTeX; its first line names the packages it needs."""
        from reseed.rendering.latex import latex

        return latex(self.table(name))

    def to_markdown(self, name: str = "comparisons") -> str:
        """A table as Markdown."""
        from reseed.rendering.table_files import markdown

        return markdown(self.table(name))

    def to_json(self) -> str:
        """Answer, ranking, verdicts and notes as JSON text; missing numbers are null."""
        return to_json(self)

    def save(self, folder: str | Path) -> Path:
        """Write everything as a study's results folder: trials, statistics, tables and figures."""
        from reseed.rendering import figures, table_files

        folder = Path(folder)
        (folder / "statistics").mkdir(parents=True, exist_ok=True)
        with replace_atomically(folder / "metrics.parquet") as temporary:
            self.data.metrics.to_parquet(temporary, index=False)
        for name in self.analyses:
            write_csv(self.statistics(name), folder / "statistics" / f"{name}.csv")
        self._save_exhibits(folder, table_files.FORMATS, figures.FORMATS)
        return folder

    def _save_exhibits(
        self,
        folder: Path,
        tables: tuple[str, ...],
        figures: tuple[str, ...],
        progress: bool = False,
    ) -> None:
        """Write the files of a page, and the exhibits in these formats too."""
        from reseed.rendering.figures import write_figure
        from reseed.rendering.table_files import write_table

        for part in ("tables", "figures"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        write_study_info(folder / "about.json", self.data.info)
        for name in show_steps(self.exhibits, "Writing the page", progress):
            kind, data, options = self._load_exhibit(name)
            if kind.function == "table":
                table = make_table(kind, data, options)
                write_table(table, folder / "tables" / name, tables)
            else:
                figure, info = make_figure(kind, data, options)
                write_figure(figure, info, data, folder / "figures" / name, figures)

    def to_html(self, path: str | Path | None = None, progress: bool = False) -> str:
        """The report as one self-contained page, which is written to `path` if given.

        progress: show the exhibits that are done on standard error.
        """
        from reseed.reporting.pages import build_study_page
        from reseed.reporting.studies import read_study

        with tempfile.TemporaryDirectory(prefix="reseed-") as results:
            folder = Path(results) / STUDY_NAME
            self._save_exhibits(folder, (), ("png",), progress)
            # No `page`, so no links to the temporary files.
            study = read_study(folder, list(self.exhibits), command=self.command)
        page = build_study_page(study)
        if path is not None:
            write_text(Path(path), page)
        return page

    # --- on screen ------------------------------------------------------------------------------

    def __str__(self) -> str:
        return render(self, max(80, shutil.get_terminal_size((100, 24)).columns))

    def ordered_verdicts(self) -> pd.DataFrame:
        """Verdicts over datasets first, as they are one claim; then by p-value."""
        rows = self.verdicts.sort_values("p_adjusted", kind="stable")
        is_over = (rows["dataset"] == ALL_DATASETS) & rows["p_adjusted"].notna()
        return pd.concat([rows[is_over], rows[~is_over]])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """What a notebook shows: the leaderboard, the differences, the first verdicts."""
        picture = io.BytesIO()
        self.plot().savefig(picture, format="png", dpi=110)
        image = base64.b64encode(picture.getvalue()).decode("ascii")
        rows = self.ordered_verdicts()
        verdicts = _name_datasets(rows).head(_MAX_PRINTED).to_frame()
        return (
            self.table("leaderboard").shown.to_html(index=False, border=0)
            + '<img alt="Difference of every compared pair with its interval" '
            + f'src="data:image/png;base64,{image}">'
            + verdicts.to_html(index=False, header=False, border=0)
        )


def _name_datasets(rows: pd.DataFrame) -> pd.Series:
    """The verdicts, each after its dataset if there are several."""
    if rows["dataset"].nunique() < 2:
        return rows["verdict"]
    return (rows["dataset"] + ": " + rows["verdict"]).rename("verdict")


def _check_name(name: str, names: Iterable[str], noun: str) -> str:
    known = list(names)
    if name not in known:
        raise ReseedError(
            f"no {noun} {name!r}. There are {', '.join(known)}.{suggest_name(name, known)}"
        )
    return name
