"""`Comparison`: what `reseed.compare` and `reseed.study` return."""

from __future__ import annotations

import base64
import io
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from reseed.analyses.shared.data import Data
from reseed.claims.designs import ONE_TEST_SET
from reseed.claims.families import describe_families
from reseed.claims.formatting import format_p, format_share
from reseed.claims.verdicts import ALL_DATASETS
from reseed.comparison.arguments import Entries
from reseed.core.atomic import replace_atomically, write_text
from reseed.core.csv_files import write_csv
from reseed.core.errors import ReseedError, suggest_name
from reseed.core.schemas import COMPARISON_COLUMNS
from reseed.core.study_info import write_study_info
from reseed.plugins import kinds
from reseed.rendering.data import ExhibitData
from reseed.rendering.numbers import fixed, interval, interval_decimals
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
#: Verdicts that are printed; `verdicts` has all.
_MAX_PRINTED = 12
#: Up to this many comparisons are printed as sentences.
_MAX_SENTENCES = 3


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

    def plot(self, name: str = "differences") -> Figure:
        """A figure of `exhibits`; by default the differences with their intervals."""
        return make_figure(*self._load_exhibit(name, "figure"))[0]

    def to_latex(self, name: str = "comparisons") -> str:
        """A table as LaTeX; its first line names the packages it needs."""
        from reseed.rendering.latex import latex

        return latex(self.table(name))

    def to_markdown(self, name: str = "comparisons") -> str:
        """A table as Markdown."""
        from reseed.rendering.table_files import markdown

        return markdown(self.table(name))

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
        self, folder: Path, tables: tuple[str, ...], figures: tuple[str, ...]
    ) -> None:
        """Write the files of a page, and the exhibits in these formats too."""
        from reseed.rendering.figures import write_figure
        from reseed.rendering.table_files import write_table

        for part in ("tables", "figures"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        write_study_info(folder / "about.json", self.data.info)
        for name in self.exhibits:
            kind, data, options = self._load_exhibit(name)
            if kind.function == "table":
                table = make_table(kind, data, options)
                write_table(table, folder / "tables" / name, tables)
            else:
                figure, info = make_figure(kind, data, options)
                write_figure(figure, info, data, folder / "figures" / name, figures)

    def to_html(self, path: str | Path | None = None) -> str:
        """The report as one self-contained page, which is written to `path` if given."""
        from reseed.reporting.pages import build_study_page
        from reseed.reporting.studies import read_study

        with tempfile.TemporaryDirectory(prefix="reseed-") as results:
            folder = Path(results) / STUDY_NAME
            self._save_exhibits(folder, (), ("png",))
            # No `page`, so no links to the temporary files.
            study = read_study(folder, list(self.exhibits), command=self.command)
        page = build_study_page(study)
        if path is not None:
            write_text(Path(path), page)
        return page

    # --- on screen ------------------------------------------------------------------------------

    def __str__(self) -> str:
        width = max(100, shutil.get_terminal_size((100, 24)).columns)
        rows = self._ordered_verdicts()
        if rows.empty:
            lines = ["Nothing to compare."]
        elif len(rows) <= _MAX_SENTENCES:
            lines = [f"- {verdict}" for verdict in _name_datasets(rows)]
        else:
            summary = self._summarise(rows.head(_MAX_PRINTED))
            pairs = self.statistics("pairs")
            lines = [*_state_families(pairs), *_state_fixed_test_set(pairs)]
            lines.append(summary.to_string(index=False, line_width=width))
            if len(rows) > _MAX_PRINTED:
                lines.append(f"… and {len(rows) - _MAX_PRINTED} more in `verdicts`.")
            lines += ["", f"In words: {_name_datasets(rows).iloc[0]}"]
        trials = self.data.info.trials
        runs = f"{trials.ok:,} runs, {trials.failed:,} failed and left out."
        notes = [f"Note: {note}" for note in (runs, *self.notes, *self._note_incomplete_ranks())]
        board = self.table("leaderboard").shown.to_string(index=False, line_width=width)
        return "\n".join([board, "", *lines, "", *notes])

    def _ordered_verdicts(self) -> pd.DataFrame:
        """Verdicts over datasets first, as they are one claim; then by p-value."""
        rows = self.verdicts.sort_values("p_adjusted", kind="stable")
        is_over = (rows["dataset"] == ALL_DATASETS) & rows["p_adjusted"].notna()
        return pd.concat([rows[is_over], rows[~is_over]])

    def _note_incomplete_ranks(self) -> Iterable[str]:
        """Note which datasets the mean ranks leave out, if models lack datasets."""
        rows = self.statistics("leaderboard")
        rows = rows[rows["dataset"] == ALL_DATASETS]
        if rows.empty or rows["n"].iloc[0] == rows["datasets"].iloc[0]:
            return []
        return [
            f"Mean ranks are over the {rows['n'].iloc[0]:.0f} of {rows['datasets'].iloc[0]:.0f} "
            "datasets on which every model has a finished run."
        ]

    def _summarise(self, verdicts: pd.DataFrame) -> pd.DataFrame:
        """One line a comparison: difference with its interval, p, flips, outcome."""
        rows = self.statistics("pairs").loc[verdicts.index]
        summary = {
            "Dataset": verdicts["dataset"],
            "Comparison": verdicts["model_a"] + " – " + verdicts["model_b"],
            "Difference [interval]": [format_difference(row) for row in rows.to_dict("records")],
            "p (adjusted)": [format_p(p) if p == p else "–" for p in verdicts["p_adjusted"]],
            "Flips": [format_share(f) if f == f else "–" for f in verdicts["flips"]],
            "Outcome": verdicts["outcome"],
        }
        if verdicts["dataset"].nunique() == 1:
            del summary["Dataset"]
        return pd.DataFrame(summary)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """What a notebook shows: the leaderboard, the differences, the first verdicts."""
        picture = io.BytesIO()
        self.plot().savefig(picture, format="png", dpi=110)
        image = base64.b64encode(picture.getvalue()).decode("ascii")
        rows = self._ordered_verdicts()
        verdicts = _name_datasets(rows).head(_MAX_PRINTED).to_frame()
        return (
            self.table("leaderboard").shown.to_html(index=False, border=0)
            + '<img alt="Difference of every compared pair with its interval" '
            + f'src="data:image/png;base64,{image}">'
            + verdicts.to_html(index=False, header=False, border=0)
        )


def _state_fixed_test_set(rows: pd.DataFrame) -> Iterable[str]:
    """What comparisons over seeds alone hold for, if there are any."""
    datasets = rows.loc[rows["design"].isin(ONE_TEST_SET), "dataset"].unique()
    if len(datasets) == 0:
        return []
    where = f" on {', '.join(datasets)}" if rows["dataset"].nunique() > 1 else ""
    return [
        f"Outcomes{where} hold on exactly one test set, which did not vary: other test sets may "
        "order the models otherwise."
    ]


def _state_families(rows: pd.DataFrame) -> Iterable[str]:
    """The false claims to expect from an adjustment by dataset, if there are several datasets."""
    tested = rows[(rows["family"] == "dataset") & (rows["design"] != "datasets")]
    families = tested.groupby([*COMPARISON_COLUMNS], dropna=False).ngroups
    text = describe_families(families, rows["alpha"].iloc[0])
    return [f"Note: {text}"] if text else []


def _name_datasets(rows: pd.DataFrame) -> pd.Series:
    """The verdicts, each after its dataset if there are several."""
    if rows["dataset"].nunique() < 2:
        return rows["verdict"]
    return (rows["dataset"] + ": " + rows["verdict"]).rename("verdict")


def format_difference(row: Mapping[Any, Any]) -> str:
    """`3.3 points [2.9, 3.8]`, in the unit of the comparison."""
    if row["design"] == "datasets" and row["mean_a"] == row["mean_a"]:
        return f"mean rank {row['mean_a']:.2f} against {row['mean_b']:.2f}"
    if row["test"] == "sign test":  # its difference counts datasets and has no unit
        return f"ahead on {row['wins']:.0f} of {row['n']} datasets"
    low, high, value = (row[name] * row["factor"] for name in ("low", "high", "difference"))
    if value != value:
        return "–"
    decimals = interval_decimals([(low, high)])
    unit = f" {row['unit']}" if row["unit"] else ""
    return f"{fixed(value, decimals)}{unit} {interval(low, high, decimals)}".strip()


def _check_name(name: str, names: Iterable[str], noun: str) -> str:
    known = list(names)
    if name not in known:
        raise ReseedError(
            f"no {noun} {name!r}. There are {', '.join(known)}.{suggest_name(name, known)}"
        )
    return name
