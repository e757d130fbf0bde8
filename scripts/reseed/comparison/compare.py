"""`reseed.compare`: results from anywhere → leaderboard, verdicts, figures, a report, in process.

The analyses and exhibits are those of the pipeline's studies (`reseed.config.defaults`).
"""

from __future__ import annotations

import base64
import io
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from reseed.analyses.shared.data import Data
from reseed.analyses.shared.predictions import Predictions
from reseed.claims.formatting import format_p, format_share
from reseed.claims.verdicts import ALL_DATASETS
from reseed.comparison.arguments import (
    chosen_pairs,
    mapped,
    options_of_pairs,
    texts,
    truth,
    with_options,
)
from reseed.config.defaults import apply_pair_options, default_analyses_and_exhibits
from reseed.core.atomic import replace_atomically, write_text
from reseed.core.errors import ReseedError, suggest_name
from reseed.core.study_info import write_study_info
from reseed.importers import EXPERIMENT, import_table, opened
from reseed.importers.predictions import item_tables
from reseed.plugins import kinds
from reseed.rendering.data import ExhibitData
from reseed.rendering.numbers import fixed, interval, interval_decimals
from reseed.rendering.run import make_figure, make_table

_NAME = "results"
_VERDICTS = [
    "dataset", "model_a", "model_b", "outcome", "difference", "low", "high", "p", "p_adjusted",
    "flips", "n", "test", "verdict",
]  # fmt: skip
#: Verdicts that are printed; all are in `verdicts`.
_TOLD = 12
#: Up to so many comparisons are printed as sentences.
_SENTENCES = 3


def compare(
    results: object,
    *,
    metric: str | list[str] | dict[str, str] | None = None,
    baseline: str | None = None,
    pairs: list[tuple[str, str]] | None = None,
    columns: dict[str, str | list[str]] | None = None,
    greater_is_better: bool | dict[str, bool] | None = None,
    test_train_ratio: float | None = None,
    format: str = "auto",
    unit: str = "",
    title: str = "Which model is better?",
    **options: Any,
) -> Comparison:
    """Compare models by the results of their runs, as far as those runs carry.

    Args:
        results: a table of runs: a path (CSV, Parquet, lm-eval's JSON, a folder), several paths, a
            DataFrame, or a dict by model of scores or of what `cross_validate` returned. One row
            is a run (and metric or item); a column names the model, another the seed, fold or
            split. Names in common use are recognised.
        metric: what to compare by; a list where datasets differ (the first that a dataset has), or
            a dict by dataset. Needed where the table holds several.
        baseline: compare each model with this one only; so fewer p-values are adjusted for.
        pairs: or compare these pairs only, as (model, model).
        columns: Reseed's name → the table's, for columns that are not recognised.
        greater_is_better: where the metric's name does not say; or by metric.
        test_train_ratio: test rows / training rows of repeated random splits or folds.
        format: the tool that wrote the table, where it is not recognised
            (`reseed.importers.sources.FORMATS`).
        unit: what scores are measured in, for the text.
        title: heading of the report.
        options: of the analysis `pairs`: `level` of intervals (0.95), `alpha` of the adjusted
            tests (0.05), `min_runs` for a verdict (5), `family` of the adjustment (`dataset` or
            `study`), `target_power` (0.8), and `rope`, the difference that would not matter, in
            units of the score (0.01: one point of a share), or a dict by metric. Without it no
            pair is ever called equivalent: that is for you to say, not for the scores.

    Returns:
        A `Comparison`: `print` it, or see its `verdicts`, `leaderboard`, `plot`, `to_latex`,
        `to_html`.

    Raises:
        ReseedError: with everything about the table that cannot be right, and the fixes.
    """
    options = options_of_pairs(options, compare)
    entry = chosen_pairs(baseline, pairs) | {
        "metric": texts(metric),
        "greater_is_better": truth(greater_is_better),
        "test_train_ratio": test_train_ratio,
        "unit": unit,
        "format": format,
        "columns": mapped(columns),
    }
    table, found = opened(results, entry)
    metrics, info = import_table(table, found, entry, {"name": _NAME, "title": title})
    tasks = {name: dataset.task for name, dataset in info.datasets.items()}
    predictions = None
    if set(tasks.values()) - {None, "classification"}:
        folder = _written(*item_tables(table, found, metrics, info))
        predictions = Predictions(Path(folder.name), tasks=tasks, held=folder)
    standard = default_analyses_and_exhibits(predictions is not None, "binary" in tasks.values())
    standard["analyses"] = with_options(apply_pair_options(standard["analyses"], entry), options)
    data = Data(metrics, info, predictions=predictions)
    return Comparison(data, standard["analyses"], standard["exhibits"])


def _written(scores: pa.Table, targets: pa.Table) -> tempfile.TemporaryDirectory:
    """The predictions as the files of a study, in a folder that lives as long as its object."""
    folder = tempfile.TemporaryDirectory(prefix="reseed-")
    place = Path(folder.name) / EXPERIMENT
    place.mkdir()
    for name, table in {"scores": scores, "targets": targets}.items():
        parquet.write_table(table, place / f"{name}.parquet")
    return folder


@dataclass(frozen=True)
class Comparison:
    """Models compared by their results, given or trained here.

    `data` holds the runs (`data.metrics`) and what was read of them (`data.info`); `analyses` and
    `exhibits` are as a study file names them. Each is computed when it is first asked for.
    `made_by` is what makes an exhibit, as the report tells it.
    """

    data: Data
    analyses: dict[str, dict]
    exhibits: dict[str, dict]
    made_by: str = "reseed compare"
    _statistics: dict[str, pd.DataFrame] = field(default_factory=dict)

    # --- numbers --------------------------------------------------------------------------------

    def statistics(self, analysis: str) -> pd.DataFrame:
        """The full table of one of `analyses`, as a study's `statistics/` holds it."""
        if analysis not in self._statistics:
            entry = self.analyses[_known(analysis, self.analyses, "analysis")]
            kind = kinds.find_kind("analyses", entry["kind"])
            options = entry.get("options") or {}
            self._statistics[analysis] = kinds.run_kind(kind, self.data, options, pd.DataFrame)
        return self._statistics[analysis]

    @cached_property
    def verdicts(self) -> pd.DataFrame:
        """One row a compared pair: difference with its interval, p-values, what may be said.

        `difference`, `low` and `high` are in units of the score and positive where `model_a` is
        better; `p_adjusted` is over the pairs compared on that dataset.
        """
        rows = self.statistics("pairs")
        rows = rows.rename(columns={"p_holm": "p_adjusted", "instability": "flips"})
        return rows[_VERDICTS].reset_index(drop=True)

    @cached_property
    def leaderboard(self) -> pd.DataFrame:
        """One row a dataset and model: rank, mean, SD, finished and failed runs; best first.

        Over several datasets, rows under `all datasets` hold the mean rank as `mean`.
        """
        rows = self.statistics("leaderboard")
        names = ["dataset", "metric", "model", "rank", "mean", "sd", "n", "failed"]
        return rows[names].reset_index(drop=True)

    @property
    def notes(self) -> list[str]:
        """How the table was read, and what a reader should know of it."""
        return list(self.data.info.notes or [])

    # --- exhibits -------------------------------------------------------------------------------

    def _exhibit(self, name: str) -> tuple[kinds.Kind, ExhibitData, dict[str, Any]]:
        entry = self.exhibits[_known(name, self.exhibits, "exhibit")]
        analysis = entry.get("analysis")
        data = ExhibitData(
            self.statistics(analysis) if analysis else None,
            self.data.metrics,
            self.data.info,
            kind=entry["kind"],
            title=entry["title"],
        )
        return kinds.find_kind("exhibits", entry["kind"]), data, entry.get("options") or {}

    def table(self, name: str = "comparisons"):
        """A table of `exhibits` (`reseed.rendering.tables.Table`)."""
        return make_table(*self._exhibit(_of_form(name, self.exhibits, "table")))

    def plot(self, name: str = "differences"):
        """A figure of `exhibits` (a matplotlib `Figure`): the differences with their intervals."""
        return make_figure(*self._exhibit(_of_form(name, self.exhibits, "figure")))[0]

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
            with replace_atomically(folder / "statistics" / f"{name}.csv") as temporary:
                self.statistics(name).to_csv(temporary, index=False)
        self._save_exhibits(folder, table_files.FORMATS, figures.FORMATS)
        return folder

    def _save_exhibits(self, folder: Path, tables: tuple[str, ...], figures: tuple[str, ...]):
        """Write what a page is made of, and exhibits in these formats besides."""
        from reseed.rendering.figures import write_figure
        from reseed.rendering.table_files import write_table

        for part in ("tables", "figures"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        write_study_info(folder / "about.json", self.data.info)
        for name in self.exhibits:
            kind, data, options = self._exhibit(name)
            if kind.function == "table":
                table = make_table(kind, data, options)
                write_table(table, folder / "tables" / name, tables)
            else:
                figure, info = make_figure(kind, data, options)
                write_figure(figure, info, data, folder / "figures" / name, figures)

    def to_html(self, path: str | Path | None = None) -> str:
        """The report as one page that needs nothing beside it; written to `path`, if given."""
        from reseed.reporting.pages import build_study_page, read_study

        with tempfile.TemporaryDirectory(prefix="reseed-") as results:
            folder = Path(results) / _NAME
            self._save_exhibits(folder, (), ("png",))
            # Without a page to link from: no links to files that will be gone.
            study = read_study(folder, list(self.exhibits), command=self.made_by)
        page = build_study_page(study)
        if path is not None:
            write_text(Path(path), page)
        return page

    # --- on screen ------------------------------------------------------------------------------

    def __str__(self) -> str:
        width = max(100, shutil.get_terminal_size((100, 24)).columns)
        board = self.table("leaderboard")
        told = self.verdicts.sort_values("p_adjusted", kind="stable")
        if len(told) <= _SENTENCES:
            lines = [f"- {verdict}" for verdict in _with_datasets(told)]
        else:
            lines = [self._compact(told.head(_TOLD)).to_string(index=False, line_width=width)]
            lines += [f"… and {len(told) - _TOLD} more in `verdicts`."] * (len(told) > _TOLD)
            lines += ["", f"In words: {_with_datasets(told).iloc[0]}"]
        trials = self.data.info.trials
        runs = f"{trials.ok:,} runs, {trials.failed:,} failed and left out."
        notes = [f"Note: {note}" for note in (runs, *self.notes, *self._incomplete())]
        shown = board.shown.to_string(index=False, line_width=width)
        return "\n".join([shown, "", *(lines or ["Nothing to compare."]), "", *notes])

    def _incomplete(self) -> list[str]:
        """What the mean ranks leave out, where models lack datasets."""
        rows = self.statistics("leaderboard")
        over = rows[rows["dataset"] == ALL_DATASETS]
        if over.empty or over["n"].iloc[0] == over["datasets"].iloc[0]:
            return []
        return [
            f"Mean ranks are over the {over['n'].iloc[0]:.0f} of {over['datasets'].iloc[0]:.0f} "
            "datasets on which every model has a finished run."
        ]

    def _compact(self, told: pd.DataFrame) -> pd.DataFrame:
        """A line a comparison: what, by how much, with which doubt."""
        rows = self.statistics("pairs").loc[told.index]
        shown = {
            "Dataset": told["dataset"],
            "Comparison": told["model_a"] + " – " + told["model_b"],
            "Difference [interval]": [difference_text(row) for row in rows.to_dict("records")],
            "p (adjusted)": [format_p(p) if p == p else "–" for p in told["p_adjusted"]],
            "Flips": [format_share(f) if f == f else "–" for f in told["flips"]],
            "Outcome": told["outcome"],
        }
        if told["dataset"].nunique() == 1:
            del shown["Dataset"]
        return pd.DataFrame(shown)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """What a notebook shows: the leaderboard, the differences, the first verdicts."""
        picture = io.BytesIO()
        self.plot().savefig(picture, format="png", dpi=110)
        image = base64.b64encode(picture.getvalue()).decode("ascii")
        told = _with_datasets(self.verdicts.sort_values("p_adjusted", kind="stable")).head(_TOLD)
        return (
            self.table("leaderboard").shown.to_html(index=False, border=0)
            + f'<img alt="Difference of every compared pair with its interval" src="data:image/png;'
            f'base64,{image}">' + told.to_frame().to_html(index=False, header=False, border=0)
        )


def _with_datasets(told: pd.DataFrame) -> pd.Series:
    """The verdicts, each after its dataset where there are several."""
    if told["dataset"].nunique() < 2:
        return told["verdict"]
    return (told["dataset"] + ": " + told["verdict"]).rename("verdict")


def difference_text(row: Mapping) -> str:
    """`3.3 points [2.9, 3.8]`, in the unit of the comparison."""
    if row["design"] == "datasets" and row["mean_a"] == row["mean_a"]:
        return f"mean rank {row['mean_a']:.2f} against {row['mean_b']:.2f}"
    if row["test"] == "sign test":  # its difference is of wins, and of no unit
        return f"ahead on {row['wins']:.0f} of {row['n']} datasets"
    low, high, value = (row[name] * row["factor"] for name in ("low", "high", "difference"))
    if value != value:
        return "–"
    places = interval_decimals([(low, high)])
    unit = f" {row['unit']}" if row["unit"] else ""
    return f"{fixed(value, places)}{unit} {interval(low, high, places)}".strip()


def _known(name: str, names: dict, noun: str) -> str:
    if name not in names:
        raise ReseedError(
            f"no {noun} {name!r}. There are {', '.join(names)}.{suggest_name(name, [*names])}"
        )
    return name


def _of_form(name: str, exhibits: dict, form: str) -> str:
    chosen = {
        key: entry
        for key, entry in exhibits.items()
        if kinds.find_kind("exhibits", entry["kind"]).function == form
    }
    return _known(name, chosen, form)
