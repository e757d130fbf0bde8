"""Scores over shared splits: a dataset on which arms move together, and one with crossings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from reseed.analyses.shared.data import Cell, Data
from reseed.analyses.shared.data import cells as arm_cells
from reseed.plugins.options import Strict
from reseed.rendering import numbers, style
from reseed.rendering.arms import arm_title
from reseed.rendering.data import ExhibitData, footnote, metric_title, require_rows
from reseed.rendering.figures import FigureInfo
from reseed.rendering.panels import entitle, panel_grid
from scipy.optimize import isotonic_regression

# Fewest shared splits of a dataset.
_LEAST = 3
# Most lines of a panel.
_MOST = 6
_PLACE = ["experiment", "dataset", "scheme", "hyperparameters_source"]


@dataclass(frozen=True)
class Case:
    """One dataset: scores by split (rows) and arm (columns, best mean first), models by arm."""

    key: dict
    scores: pd.DataFrame
    models: dict
    up: bool

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
    def together(self) -> bool:
        """Whether the best arm wins every split, and its scores correlate with the next one's."""
        return self.leader_wins == len(self.scores) and self.gain > 1

    @property
    def paired_sd(self) -> float:
        """SD over splits of the difference of the two best arms."""
        return float((self.scores.iloc[:, 0] - self.scores.iloc[:, 1]).std(ddof=1))

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
    """Scores over the splits of `experiment`, one line for each arm, on one or two datasets.

    Left: of the datasets whose best arm wins every split, the one with the largest gain by pairing.
    Right: the dataset whose best arm wins the smallest share of splits; ties are resolved by the
    smallest distance of the two best. Splits with a failed fold are left out. Verdicts come from
    the analysis `pairs`, if configured.
    """
    cases = _cases(data, options.experiment)
    chosen = require_rows(choose(cases), f"No two models share {_LEAST} splits at this scale.")
    canvas, axes = panel_grid([2.75] * len(chosen), legend=0.0)
    for axis, case in zip(axes, chosen, strict=True):
        _panel(axis, data, case)
    frame = pd.concat([_frame(case) for case in chosen], ignore_index=True)
    counts = pd.DataFrame(
        [
            case.key | {"n": len(case.scores), "arm": arm, "model": model}
            for case in chosen
            for arm, model in case.models.items()
        ]
    )
    phrase = [_tell(data, case) for case in chosen]
    return canvas, FigureInfo(
        frame,
        footnote(data, counts, _hidden(cases, chosen), per="line"),
        findings=[" ".join(phrase)],
        caption=_caption(chosen),
        headline=_headline(chosen),
        alt="Lines of test score over random splits, one a model.",
        definitions=[
            "Chosen by rule: left, of the datasets whose best model wins every split the one on"
            " which pairing narrows the difference of the two best most; right, the one whose best"
            " model wins the smallest share of splits; a tie is no win. Paired SD: of the"
            " difference of the two best over the shared splits; unpaired: what it would be over"
            " splits of their own.",
        ],
    )


def _cases(data: ExhibitData, experiment: str) -> list[Case]:
    """A case for each dataset and variant in which two arms share enough splits."""
    trials = data.metrics[data.metrics["experiment"] == experiment]
    places: dict[tuple, list[Cell]] = {}
    for cell in arm_cells(Data(trials, data.info)):
        if len(cell.scores):
            places.setdefault(tuple(cell.key[name] for name in _PLACE), []).append(cell)
    found = []
    for place, cells in places.items():
        by_arm = {c.key["arm"]: c.scores.groupby("data_seed")["score"].mean() for c in cells}
        scores = pd.DataFrame(by_arm).dropna().sort_index()
        if len(scores) < _LEAST or scores.shape[1] < 2:
            continue
        up = cells[0].greater_is_better
        order = scores.mean().sort_values(ascending=not up, kind="stable").index
        models = {cell.key["arm"]: cell.key["model"] for cell in cells}
        found.append(Case(dict(zip(_PLACE, place, strict=True)), scores[order], models, up))
    return found


def choose(cases: list[Case]) -> list[Case]:
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


def _frame(case: Case) -> pd.DataFrame:
    long = case.scores.rename_axis(columns="arm").stack().rename("score").reset_index()
    return long.assign(**case.key)


def _panel(axis: Axes, data: ExhibitData, case: Case) -> None:
    scores = case.scores.iloc[:, :_MOST]
    arms = list(case.scores.columns)
    x = np.arange(len(scores))
    for arm in scores:
        colour = style.colour_of(arm, arms)
        axis.plot(x, scores[arm], "-o", color=colour, ms=3, lw=1.3)
    ends = _apart(scores.iloc[-1].to_numpy(), axis.get_ylim())
    for arm, y in zip(scores, ends, strict=True):
        axis.annotate(
            _title(data, case, arm), (x[-1], y), (6, 0), textcoords="offset points", va="center",
            color=style.colour_of(arm, arms), fontsize=7.5, weight="bold",
        )  # fmt: skip
    step = max(1, round(len(x) / 10))
    axis.set_xticks(x[::step], [str(seed) for seed in scores.index[::step]])
    axis.set_xlabel("Random split (data seed)")
    better = "higher" if case.up else "lower"
    metric = metric_title(data.metric(case.key["dataset"]))
    axis.set_ylabel(f"Test {metric} ({better} is better)")
    won = f"{_title(data, case, arms[0])} wins {case.leader_wins} of {len(scores)}"
    entitle(axis, f"{data.dataset(case.key['dataset'])}: {won}", 40)
    axis.margins(x=0.04)


def _apart(ends: np.ndarray, limits: tuple[float, float]) -> np.ndarray:
    """Heights of labels near `ends`, at least one line apart."""
    gap = 0.085 * (limits[1] - limits[0])
    order = np.argsort(ends, kind="stable")
    room = gap * np.arange(len(ends))
    # The nearest heights (least squares) with this gap: a monotone fit of the remainders.
    placed = isotonic_regression(ends[order] - room).x + room
    found = np.empty_like(placed)
    found[order] = placed
    return found


def _caption(chosen: list[Case]) -> str:
    text = "A score moves with the split; whether a difference does decides what may be claimed."
    if len(chosen) == 2:
        return text
    only = chosen[0]
    who = "the best" if only.leader_wins == len(only.scores) else "no"
    return f"{text} In every available dataset {who} model wins every split."


def _headline(chosen: list[Case]) -> str:
    first, last = chosen[0], chosen[-1]
    if first.together and last.winners > 1:
        return "Same splits, opposite answers"
    if len(chosen) == 1 and first.together:
        return "Every split moves the two best together"
    if len(chosen) == 1 and first.winners > 1:
        return f"{first.winners} winners in {len(first.scores)} splits"
    wins = numbers.several(f"{case.leader_wins} of {len(case.scores)}" for case in chosen)
    return f"Splits that the best wins: {wins}"


def _tell(data: ExhibitData, case: Case) -> str:
    """Sentence on a panel, with n and the verdict on the two best arms."""
    best, second = (_title(data, case, arm) for arm in case.scores.columns[:2])
    n = len(case.scores)
    head = f"{data.dataset(case.key['dataset'])}: {best} wins {case.leader_wins} of {n} splits"
    others = [numbers.counted(case.winners, "winner") + " in all"] if case.winners > 1 else []
    others += [numbers.counted(case.ties, "tie")] if case.ties else []
    head += f" ({', '.join(others)})" if others else ""
    places = numbers.decimals([case.paired_sd, case.unpaired_sd], 2, 4)
    verdict = _verdict(data, case)
    return (
        f"{head}; the difference to {second} has an SD of {case.paired_sd:.{places}f} paired"
        f" against {case.unpaired_sd:.{places}f} unpaired{verdict}."
    )


def _title(data: ExhibitData, case: Case, arm: str) -> str:
    return arm_title(data, arm, case.key["experiment"])


def _verdict(data: ExhibitData, case: Case) -> str:
    rows = data.rows()
    if rows.empty or "outcome" not in rows:
        return ""
    same = (rows[_PLACE] == pd.Series(case.key)).all(axis=1)
    first, second = case.scores.columns[:2]
    either = rows[["model_a", "model_b"]].isin([first, second]).all(axis=1)
    found = rows[same & either]
    if found.empty:
        return ""
    words = {"difference": "a difference is shown", "no difference shown": "none is shown"}
    return f"; verdict: {words.get(found.iloc[0]['outcome'], found.iloc[0]['outcome'])}"
