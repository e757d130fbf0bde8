"""`Comparison`: what `reseed.compare` and `reseed.study` return."""

from __future__ import annotations

import tempfile
from functools import cached_property
from pathlib import Path

from reseed.comparison.compared_models import ComparedModels
from reseed.comparison.console import list_notes, list_rows, render, state_answer
from reseed.comparison.output import Result
from reseed.comparison.shown import Shown
from reseed.comparison.steps import show_steps
from reseed.core.atomic import replace_atomically, write_text
from reseed.core.csv_files import write_csv
from reseed.core.study_info import write_study_info
from reseed.report.rendering.run import make_figure, make_table

#: Name of the study that a comparison is saved as.
STUDY_NAME = "results"


class Comparison(ComparedModels, Result):
    """Models compared by their results: numbers, exhibits, pages and files.

    Example:
        >>> import reseed
        >>> accuracy = {
        ...     "small": [0.71, 0.74, 0.70, 0.73, 0.72, 0.75],
        ...     "large": [0.80, 0.81, 0.79, 0.83, 0.80, 0.82],
        ... }
        >>> found = reseed.compare(accuracy, metric="accuracy")
        >>> found.verdicts[["model_a", "model_b", "outcome"]]
          model_a model_b     outcome
        0   large   small  difference
        >>> found.leaderboard["model"].tolist()
        ['large', 'small']
        >>> "large" in found.to_latex()
        True
        >>> page = found.to_html()
    """

    @cached_property
    def shown(self) -> Shown:
        """What all outputs show."""
        verdicts = self.ordered_verdicts()
        name = "ranks" if self.possible_ranks and "ranks" in self.exhibits else "differences"
        return Shown(
            title=self.data.info.title,
            answer=state_answer(self),
            rows=list_rows(self, verdicts),
            tables={"ranking": self.leaderboard, "verdicts": self.verdicts},
            boards={"Ranking": self.table("leaderboard").shown},
            notes=list_notes(self),
            figures={name: "Ranks, or differences of every compared pair with their intervals"},
        )

    def to_latex(self, name: str = "comparisons") -> str:
        """A table as LaTeX; its first line names the packages it needs."""
        from reseed.report.rendering.latex import latex

        return latex(self.table(name))

    def to_markdown(self, name: str = "comparisons") -> str:
        """A table as Markdown."""
        from reseed.report.rendering.table_files import markdown

        return markdown(self.table(name))

    def save(self, folder: str | Path) -> Path:
        """Write everything as a study's results folder: trials, statistics, tables and figures."""
        from reseed.report.rendering import figures, table_files

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
        from reseed.report.rendering.figures import write_figure
        from reseed.report.rendering.table_files import write_table

        for part in ("tables", "figures"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        write_study_info(folder / "about.json", self.data.info)
        for name in show_steps(self.exhibits, "Writing the page", progress):
            kind, data, options = self.load_exhibit(name)
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
        from reseed.report.pages.render import build_study_page
        from reseed.report.pages.studies import read_study

        with tempfile.TemporaryDirectory(prefix="reseed-") as results:
            folder = Path(results) / STUDY_NAME
            self._save_exhibits(folder, (), ("png",), progress)
            # No `page`, so no links to the temporary files.
            study = read_study(folder, list(self.exhibits), command=self.command)
        page = build_study_page(study)
        if path is not None:
            write_text(Path(path), page)
        return page

    def to_csv(self, path: str | Path) -> None:
        """Write the verdicts as CSV."""
        write_csv(self.verdicts, Path(path))

    def render(self, width: int | None = None, color: bool = False) -> str:
        """The text of `reseed compare`; see `Result.render`."""
        return render(self, width, color)
