"""Same splits, opposite answers: where every split moves all models together, and where not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.optimize import isotonic_regression

from reseed.exhibits import numbers, style
from reseed.exhibits.data import ExhibitData, footnote, metric_title
from reseed.exhibits.figures import Drawn, empty_figure
from reseed.exhibits.panels import entitle, panel_grid
from reseed.options import Strict

# Fewer shared splits show neither.
_LEAST = 3
# Lines that can still be told apart.
_MOST = 6
_PLACE = ["experiment", "dataset", "scheme", "hyperparameters_source"]


@dataclass(frozen=True)
class Case:
    """One dataset: scores by split (rows) and model (columns, best mean first)."""

    key: dict
    scores: pd.DataFrame
    up: bool

    @property
    def winners(self) -> pd.Series:
        """Best model of each split."""
        return self.scores.idxmax(axis=1) if self.up else self.scores.idxmin(axis=1)

    @property
    def leader_wins(self) -> int:
        """Splits won by the model with the best mean."""
        return int((self.winners == self.scores.columns[0]).sum())

    @property
    def paired_sd(self) -> float:
        """SD over splits of the difference of the two best."""
        return float((self.scores.iloc[:, 0] - self.scores.iloc[:, 1]).std(ddof=1))

    @property
    def unpaired_sd(self) -> float:
        """What that SD would be if the two had been run on splits of their own."""
        return float(np.sqrt(self.scores.iloc[:, :2].var(ddof=1).sum()))

    @property
    def gain(self) -> float:
        """How many times wider the unpaired difference spreads."""
        return self.unpaired_sd / self.paired_sd if self.paired_sd > 0 else np.inf

    @property
    def distance(self) -> float:
        """Mean difference of the two best in SDs of that difference."""
        gap = float(abs((self.scores.iloc[:, 0] - self.scores.iloc[:, 1]).mean()))
        return gap / self.paired_sd if self.paired_sd > 0 else np.inf


DRAWS = ("pairs",)


class Options(Strict):
    """experiment: the one whose splits are shown."""

    experiment: str


@style.styled
def figure(data: ExhibitData, options: dict) -> tuple[Figure, Drawn]:
    """Scores over the splits of `options["experiment"]`, one line a model, one or two datasets.

    Left the dataset whose best model wins every split and on which pairing narrows the difference
    of the two best most; right the one whose best model wins the smallest share of splits (then:
    whose two best are least apart). Verdicts come from the analysis `pairs`, where it is given.
    """
    cases = _cases(data, options["experiment"])
    chosen = choose(cases)
    if not chosen:
        return empty_figure(data, f"No two models share {_LEAST} splits at this scale.")
    canvas, axes = panel_grid([2.75] * len(chosen), legend=0.0)
    for axis, case in zip(axes, chosen, strict=True):
        _panel(axis, data, case)
    frame = pd.concat([_frame(case) for case in chosen], ignore_index=True)
    counts = pd.DataFrame(
        [case.key | {"n": len(case.scores), "model": m} for case in chosen for m in case.scores]
    )
    told = [_tell(data, case) for case in chosen]
    return canvas, Drawn(
        frame,
        footnote(data, counts, _hidden(cases, chosen), per="line"),
        findings=[" ".join(told)],
        caption=_caption(chosen),
        headline=_headline(chosen),
        alt="Lines of test score over random splits, one a model. " + " ".join(told),
        definitions=[
            "Chosen by rule: left, of the datasets whose best model wins every split the one on"
            " which pairing narrows the difference of the two best most; right, the one whose best"
            " model wins the smallest share of splits. Paired SD: of the difference of the two best"
            " over the shared splits; unpaired: what it would be over splits of their own.",
        ],
    )


def _cases(data: ExhibitData, experiment: str) -> list[Case]:
    """A case each dataset in which two models share enough splits; variants apart."""
    trials = data.metrics[data.metrics["experiment"] == experiment]
    trials = trials[trials["status"] == "ok"]
    found = []
    for key, part in trials.groupby(_PLACE, sort=False):
        entry = dict(zip(_PLACE, key, strict=True))
        facts = data.about["datasets"][entry["dataset"]]
        metric, up = facts["metric"], bool(facts["greater_is_better"])
        scores = part.pivot_table(index="data_seed", columns="model", values=metric, sort=False)
        scores = scores.dropna().sort_index()
        if len(scores) < _LEAST or scores.shape[1] < 2:
            continue
        order = scores.mean().sort_values(ascending=not up, kind="stable").index
        found.append(Case(entry, scores[order], up))
    return found


def choose(cases: list[Case]) -> list[Case]:
    """The parallel case, then the crossing one; either may be missing."""
    whole = [c for c in cases if c.leader_wins == len(c.scores)]
    crossing = [c for c in cases if c.leader_wins < len(c.scores)]
    left = max(whole, key=lambda c: c.gain, default=None)
    right = min(crossing, key=lambda c: (c.leader_wins / len(c.scores), c.distance), default=None)
    return [case for case in (left, right) if case is not None]


def _hidden(cases: list[Case], chosen: list[Case]) -> str:
    left = len(cases) - len(chosen)
    return f"{numbers.counted(left, 'other dataset')} not drawn." if left else ""


def _frame(case: Case) -> pd.DataFrame:
    long = case.scores.rename_axis(columns="model").stack().rename("score").reset_index()
    return long.assign(**case.key)


def _panel(axis: Axes, data: ExhibitData, case: Case) -> None:
    scores = case.scores.iloc[:, :_MOST]
    models = list(case.scores.columns)
    x = np.arange(len(scores))
    for model in scores:
        colour = style.colour_of(model, models)
        axis.plot(x, scores[model], "-o", color=colour, ms=3, lw=1.3)
    ends = _apart(scores.iloc[-1].to_numpy(), axis.get_ylim())
    for model, y in zip(scores, ends, strict=True):
        axis.annotate(
            data.model(model), (x[-1], y), (6, 0), textcoords="offset points", va="center",
            color=style.colour_of(model, models), fontsize=7.5, weight="bold",
        )  # fmt: skip
    step = max(1, round(len(x) / 10))
    axis.set_xticks(x[::step], [str(seed) for seed in scores.index[::step]])
    axis.set_xlabel("Random split (data seed)")
    better = "higher" if case.up else "lower"
    metric = metric_title(data.metric(case.key["dataset"]))
    axis.set_ylabel(f"Test {metric} ({better} is better)")
    won = f"{data.model(models[0])} wins {case.leader_wins} of {len(scores)}"
    entitle(axis, f"{data.dataset(case.key['dataset'])}: {won}", 40)
    axis.margins(x=0.04)


def _apart(ends: np.ndarray, limits: tuple[float, float]) -> np.ndarray:
    """Heights of labels near `ends` that keep a line's distance from one another."""
    gap = 0.085 * (limits[1] - limits[0])
    order = np.argsort(ends, kind="stable")
    room = gap * np.arange(len(ends))
    # The nearest heights (least squares) that are a gap apart: a monotone fit of what is left.
    placed = isotonic_regression(ends[order] - room).x + room
    found = np.empty_like(placed)
    found[order] = placed
    return found


def _caption(chosen: list[Case]) -> str:
    text = "A score moves with the split; whether a difference does decides what may be claimed."
    if len(chosen) == 2:
        return text
    only = chosen[0]
    kind = "the best model wins every split" if only.leader_wins == len(only.scores) else (
        "the order changes from split to split")  # fmt: skip
    return f"{text} In every dataset at hand {kind}."


def _headline(chosen: list[Case]) -> str:
    if len(chosen) == 2:
        return "Same splits, opposite answers"
    case = chosen[0]
    if case.leader_wins == len(case.scores):
        return "Every split moves the models together"
    return f"{case.winners.nunique()} winners in {len(case.scores)} splits"


def _tell(data: ExhibitData, case: Case) -> str:
    """What one panel shows, with n and the verdict on the two best."""
    best, second = (data.model(m) for m in case.scores.columns[:2])
    n = len(case.scores)
    head = f"{data.dataset(case.key['dataset'])}: {best} wins {case.leader_wins} of {n} splits"
    winners = case.winners.nunique()
    head += f" ({numbers.counted(winners, 'winner')} in all)" if winners > 1 else ""
    places = numbers.decimals([case.paired_sd, case.unpaired_sd], 2, 4)
    verdict = _verdict(data, case)
    return (
        f"{head}; the difference to {second} has an SD of {case.paired_sd:.{places}f} paired"
        f" against {case.unpaired_sd:.{places}f} unpaired{verdict}."
    )


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
