"""`ItemComparison`: what `reseed.compare_items` returns, and `reseed.compare` for item scores."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from reseed.claims.evaluation_verdicts import SOURCES
from reseed.claims.formatting import count_noun
from reseed.claims.possible_ranks import MIN_RANKED, bound_ranks, format_ranks
from reseed.comparison.notebook import show_result
from reseed.comparison.ranking import Ranking
from reseed.core.atomic import write_text
from reseed.core.csv_files import write_csv
from reseed.core.errors import ReseedError
from reseed.core.study_info import build_study_info
from reseed.metrics.directions import AGAINST
from reseed.readers.source_table import join_names

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from reseed.report.rendering.tables import Table

#: Verdicts that are printed; `verdicts` has all.
_MAX_PRINTED = 12
#: Up to this many comparisons are printed as sentences.
_MAX_SENTENCES = 3
_TITLES = {
    "ranks": "Which rank each model may have",
    "overall": "Which rank each model may have over all datasets",
    "differences": "Difference of every pair of models",
}


@dataclass(frozen=True)
class ItemComparison:
    """Models compared by item scores.

    verdicts: one row a pair and dataset; `model_a` has the better mean. `difference`, `low` and
        `high` are positive where `model_a` is better, in units of the score. `share_SOURCE` is the
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
    leaderboard: pd.DataFrame
    metric: str
    notes: tuple[str, ...]
    ranks: pd.DataFrame
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

    def __str__(self) -> str:
        board = self.leaderboard
        if len(self.ranks):
            ends = zip(self.ranks["low_items"], self.ranks["high_items"], strict=True)
            ranks = self.ranks.assign(ranks=[format_ranks(*pair) for pair in ends])
            board = board.merge(ranks[["dataset", "model", "ranks"]], on=["dataset", "model"])
        if board["dataset"].nunique() == 1:
            board = board.drop(columns="dataset")
        lines = [note for note in self.notes if note.startswith(AGAINST)]
        lines += [board.to_string(index=False, float_format=lambda x: f"{x:.4g}"), ""]
        lines += [f"- {text}" for text in self.sentences()]
        rows = self.verdicts.sort_values("p", kind="stable").head(_MAX_PRINTED)
        if len(self.verdicts) <= _MAX_SENTENCES:
            lines += [f"- {text}" for text in rows["verdict"]]
        else:
            lines += ["", _show_verdicts(rows).to_string(index=False)]
            if len(self.verdicts) > len(rows):
                lines.append(f"… and {len(self.verdicts) - len(rows)} more in `verdicts`.")
            lines += ["", f"In words: {rows['verdict'].iloc[0]}"]
        return "\n".join([*lines, "", *(f"Note: {note}" for note in self.notes)])

    __repr__ = __str__

    @property
    def _rank_level(self) -> float:
        return 1 - float(self.verdicts["alpha"].iloc[0])

    def _ranks_by_dataset(self) -> Mapping[str, pd.DataFrame]:
        groups = self.ranks.groupby("dataset", sort=False) if len(self.ranks) else ()
        return {str(dataset): rows for dataset, rows in groups}

    @property
    def figures(self) -> list[str]:
        """Names of the figures, the first one first."""
        names = {"ranks": len(self.ranks) > 0, "overall": self.overall is not None}
        return [*(name for name, is_there in names.items() if is_there), "differences"]

    def plot(self, name: str | None = None) -> Figure:
        """A figure of `figures`; by default the first: ranks of three or more models."""
        from reseed.comparison.rank_figure import draw_differences, draw_rank_panels

        chosen = name or self.figures[0]
        if chosen not in self.figures:
            raise ReseedError(f"no figure {chosen!r}. There are {', '.join(self.figures)}.")
        if chosen == "overall":
            return self.overall.plot()  # type: ignore[union-attr]
        if chosen == "ranks":
            return draw_rank_panels(self._ranks_by_dataset(), self._rank_level)
        return draw_differences(self.verdicts, float(self.verdicts["level"].iloc[0]))

    def table(self) -> Table:
        """The numbers behind each comparison."""
        from reseed.report.rendering.data import ExhibitData
        from reseed.report.rendering.tables import Table

        info = build_study_info({}, {}, title=self.title)
        data = ExhibitData(None, pd.DataFrame(), info, title="The numbers behind each comparison")
        return Table(data, _show_verdicts(self.verdicts), self.verdicts, " ".join(self.notes))

    def to_latex(self) -> str:
        """The table of comparisons as LaTeX; its first line names the packages it needs."""
        from reseed.report.rendering.latex import latex

        return latex(self.table())

    def to_markdown(self) -> str:
        """The table of comparisons as Markdown."""
        from reseed.report.rendering.table_files import markdown

        return markdown(self.table())

    @property
    def answer(self) -> list[str]:
        """Which models may be the best, or the verdict on the only pair."""
        against = [note for note in self.notes if note.startswith(AGAINST)]
        return against + (self.sentences() or list(self.verdicts["verdict"]))

    def to_json(self) -> str:
        """Answer, leaderboard, ranks, verdicts and notes as JSON."""
        tables = {"ranking": self.leaderboard, "ranks": self.ranks, "verdicts": self.verdicts}
        content = {
            "answer": self.answer,
            **{
                name: json.loads(one.to_json(orient="records", double_precision=15))
                for name, one in tables.items()
            },
            "notes": list(self.notes),
        }
        return json.dumps(content, ensure_ascii=False, indent=2)

    def to_html(self, path: str | Path | None = None, progress: bool = False) -> str:
        """The report as one self-contained page, which is written to `path` if given.

        `progress` is that of `Comparison.to_html`; this page needs no progress.
        """
        from reseed.report.pages.item_page import build_item_page
        from reseed.report.pages.pictures import embed

        pictures = []
        with tempfile.TemporaryDirectory(prefix="reseed-") as folder:
            for name in self.figures:
                file = Path(folder) / f"{name}.png"
                self.plot(name).savefig(file, dpi=200)
                pictures.append((_TITLES[name], embed(file)))
        page = build_item_page(
            self.title, self.sentences(), list(self.verdicts["verdict"]), pictures,
            {"Leaderboard": self.leaderboard, "Comparisons": _show_verdicts(self.verdicts)},
            self.notes,
        )  # fmt: skip
        if path is not None:
            write_text(Path(path), page)
        return page

    def save(self, folder: str | Path) -> Path:
        """Write verdicts, leaderboard and ranks as CSV, and the figures as PDF and PNG."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        tables = {"verdicts": self.verdicts, "leaderboard": self.leaderboard, "ranks": self.ranks}
        for name, table in tables.items():
            if len(table):
                write_csv(table, folder / f"{name}.csv")
        if self.overall:
            write_csv(self.overall.table, folder / "ranks_over_datasets.csv")
        for name in self.figures:
            figure = self.plot(name)
            for suffix in ("pdf", "png"):
                figure.savefig(folder / f"{name}.{suffix}", dpi=200)
        return folder

    def _repr_html_(self) -> str:
        """What a notebook shows: the answer, the first figure, the verdicts and notes."""
        verdicts = self.verdicts["verdict"].head(_MAX_PRINTED).to_frame()
        return show_result(
            self.sentences(),
            self.leaderboard.to_html(index=False, border=0),
            self.plot(),
            _TITLES[self.figures[0]],
            verdicts.to_html(index=False, header=False, border=0),
            self.notes,
        )


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


def _show_verdicts(verdicts: pd.DataFrame) -> pd.DataFrame:
    """The verdicts as text cells."""
    scaled = {name: verdicts[name] * verdicts["factor"] for name in ("difference", "low", "high")}
    shown = pd.DataFrame({
        "Dataset": verdicts["dataset"],
        "Pair": verdicts["model_a"] + " – " + verdicts["model_b"],
        "Difference": scaled["difference"].map("{:.3g}".format),
        "Interval": [f"{a:.3g} to {b:.3g}" for a, b in zip(scaled["low"], scaled["high"],
                                                            strict=True)],
        "p (Holm, both directions)": verdicts["p_adjusted"].map("{:.3g}".format),
        "Outcome": verdicts["outcome"],
        "Found in 80 %": (verdicts["detectable"] * verdicts["factor"]).map("{:.3g}".format),
        "Best next step": [_describe_next(row) for row in verdicts.to_dict("records")],
    })  # fmt: skip
    return shown.drop(columns="Dataset") if verdicts["dataset"].nunique() == 1 else shown


def _describe_next(row: Mapping[Any, Any]) -> str:
    """The source of which twice as many levels find the smallest difference."""
    found = {source: row[f"detectable_2x_{source}"] for source in SOURCES}
    known = {source: value for source, value in found.items() if value == value}  # not NaN
    if not known:
        return "–"
    best = min(known, key=lambda source: known[source])
    return f"twice the {best}s: {known[best] * row['factor']:.3g}"
