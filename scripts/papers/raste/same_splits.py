"""Scores over shared splits: a dataset on which arms move together, and one with crossings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from reseed.analyses.shared.data import Data, group_by_key
from reseed.analyses.shared.data import cells as arm_cells
from reseed.core.schemas import Row
from reseed.plugins.options import Strict
from reseed.report.rendering import numbers, style
from reseed.report.rendering.arms import arm_title
from reseed.report.rendering.data import ExhibitData, footnote, metric_title, require_rows
from reseed.report.rendering.figures import FigureInfo
from reseed.report.rendering.panels import panel_grid, set_title
from scipy.optimize import isotonic_regression

# Fewest shared splits of a dataset.
_LEAST = 3
# Most lines of a panel.
_MOST = 6
_PLACE = ["experiment", "dataset", "scheme", "hyperparameters_source"]


@dataclass(frozen=True)
class Case:
    """One dataset: scores by split (rows) and arm (columns, best mean first).

    title: of the dataset. models, titles: by arm.
    """

    key: Row
    title: str
    metric: str
    scores: pd.DataFrame
    models: dict[str, str]
    titles: dict[str, str]
    up: bool

    @property
    def pair(self) -> tuple[str, str]:
        """Titles of the two best arms."""
        best, second = (self.titles[arm] for arm in self.scores.columns[:2])
        return best, second

    @property
    def wins(self) -> pd.DataFrame:
        """Whether each arm won each split by scoring better than all others (no ties)."""
        best = self.scores.max(axis=1) if self.up else self.scores.min(axis=1)
        at_best = self.scores.eq(best, axis=0)
        return at_best.where(at_best.sum(axis=1) == 1, False)

    @property
    def leader_wins(self) -> int:
        """Number of splits won by the arm with the best mean."""
        return int(self.wins.iloc[:, 0].sum())

    @property
    def winners(self) -> int:
        """Number of arms that won a split."""
        return int(self.wins.any().sum())

    @property
    def ties(self) -> int:
        """Number of splits without a winner."""
        return int((~self.wins.any(axis=1)).sum())

    @property
    def paired_sd(self) -> float:
        """SD over splits of the difference of the two best arms; 0 for rounding errors."""
        sd = float((self.scores.iloc[:, 0] - self.scores.iloc[:, 1]).std(ddof=1))
        return sd if sd > 1e-13 * float(self.scores.abs().max(axis=None)) else 0.0

    @property
    def unpaired_sd(self) -> float:
        """That SD for independent splits."""
        return float(np.sqrt(self.scores.iloc[:, :2].var(ddof=1).sum()))

    @property
    def gain(self) -> float:
        """Ratio of the unpaired to the paired SD."""
        if self.paired_sd > 0:
            return self.unpaired_sd / self.paired_sd
        return np.inf if self.unpaired_sd > 0 else 1.0

    @property
    def distance(self) -> float:
        """Mean difference of the two best arms in SDs of that difference."""
        gap = float(abs((self.scores.iloc[:, 0] - self.scores.iloc[:, 1]).mean()))
        return gap / self.paired_sd if self.paired_sd > 0 else np.inf


DRAWS = ("pairs",)


class Options(Strict):
    """experiment: whose splits are shown."""

    experiment: str


@style.styled
def figure(data: ExhibitData, options: Options) -> tuple[Figure, FigureInfo]:
    """Scores over the splits of `experiment`, points of each arm, on one or two datasets.

    Left: of the datasets whose best arm wins every split, the one with the largest gain by pairing.
    Right: the dataset whose best arm wins the smallest share of splits; ties are resolved by the
    smallest distance of the two best. Splits with a failed fold are left out. Verdicts come from
    the analysis `pairs`, if configured.
    """
    cases = [*_cases(data, options.experiment)]
    chosen = require_rows(
        choose_cases(cases), f"No two models share {_LEAST} splits at this scale."
    )
    canvas, axes = panel_grid([2.75] * len(chosen), legend=0.0)
    for axis, case in zip(axes, chosen, strict=True):
        _panel(axis, case)
    long = [
        case.scores.rename_axis(columns="arm").stack().rename("score").reset_index()
        .assign(**case.key)
        for case in chosen
    ]  # fmt: skip
    frame = pd.concat(long, ignore_index=True)
    counts = pd.DataFrame(
        [
            case.key | {"n": len(case.scores), "arm": arm, "model": model}
            for case in chosen
            for arm, model in case.models.items()
        ]
    )
    return canvas, FigureInfo(
        frame,
        footnote(data, counts, _hidden(cases, chosen), per="line"),
        alt="Points of test score over random splits, joined for each model.",
        definitions=[
            "Chosen by rule: left, of the datasets whose best model wins every split the one on"
            " which pairing narrows the difference of the two best most; right, the one whose best"
            " model wins the smallest share of splits; a tie is no win. Paired SD: of the"
            " difference of the two best over the shared splits; unpaired: what it would be over"
            " splits of their own.",
        ],
    )


def _cases(data: ExhibitData, experiment: str) -> Iterator[Case]:
    """A case for each dataset and variant in which two arms share enough splits."""
    trials = data.metrics[data.metrics["experiment"] == experiment]
    finished = [cell for cell in arm_cells(Data(trials, data.info)) if len(cell.scores)]
    for cells in group_by_key(finished, _PLACE).values():
        first, models = cells[0], {cell.key["arm"]: cell.key["model"] for cell in cells}
        means = [cell.scores.groupby("data_seed")["score"].mean() for cell in cells]
        scores = pd.DataFrame(dict(zip(models, means, strict=True))).dropna().sort_index()
        if len(scores) < _LEAST or scores.shape[1] < 2:
            continue
        up = first.greater_is_better
        yield Case(
            {name: first.key[name] for name in _PLACE},
            data.dataset(first.key["dataset"]),
            metric_title(first.metric),
            scores[scores.mean().sort_values(ascending=not up, kind="stable").index],
            models,
            {arm: arm_title(data, arm, experiment) for arm in models},
            up,
        )


def choose_cases(cases: list[Case]) -> list[Case]:
    """The case without crossings, then the one with crossings; either may be missing."""
    whole = [c for c in cases if c.leader_wins == len(c.scores)]
    crossing = [c for c in cases if c.leader_wins < len(c.scores)]
    left = max(whole, key=lambda c: c.gain, default=None)
    right = min(crossing, key=lambda c: (c.leader_wins / len(c.scores), c.distance), default=None)
    return [case for case in (left, right) if case is not None]


def _hidden(cases: list[Case], chosen: list[Case]) -> str:
    left, most = len(cases) - len(chosen), max(len(case.models) for case in chosen)
    return " ".join(
        [f"{numbers.counted(left, 'other dataset')} not drawn."] * bool(left)
        + [f"Of {most} models the {_MOST} with the best means are drawn."] * (most > _MOST)
    )


def _panel(axis: Axes, case: Case) -> None:
    scores = case.scores.iloc[:, :_MOST]
    arms = list(case.scores.columns)
    x = np.arange(len(scores))
    for arm in scores:
        colour = style.colour_of(arm, arms)
        axis.plot(x, scores[arm], "o:", color=colour, ms=4.5, lw=0.9)
    ends = _apart(scores.iloc[-1].to_numpy(), axis.get_ylim())
    for arm, y in zip(scores, ends, strict=True):
        axis.annotate(
            case.titles[arm], (x[-1], y), (6, 0), textcoords="offset points", va="center",
            color=style.colour_of(arm, arms), fontsize=7.5, weight="bold",
        )  # fmt: skip
    step = max(1, round(len(x) / 10))
    axis.set_xticks(x[::step], [str(seed) for seed in scores.index[::step]])
    axis.set_xlabel("Random split (data seed; no order)")
    better = "higher" if case.up else "lower"
    axis.set_ylabel(f"Test {case.metric} ({better} is better)")
    won = f"{case.pair[0]} wins {case.leader_wins} of {len(scores)}"
    set_title(axis, f"{case.title}: {won}", 40)
    axis.margins(x=0.04)


def _apart(ends: np.ndarray, limits: tuple[float, float]) -> np.ndarray:
    """Heights of labels near `ends`, at least one line apart."""
    gap = 0.085 * (limits[1] - limits[0])
    order = np.argsort(ends, kind="stable")
    room = gap * np.arange(len(ends))
    # The nearest heights (least squares) with this gap: a monotone fit of the remainders.
    placed = isotonic_regression(ends[order] - room).x + room
    heights = np.empty_like(placed)
    heights[order] = placed
    return heights
