"""One row a model, best first: its runs, mean, gap to the leader or the baseline, and verdict.

Gaps have the sign of the subtraction, the score of the model minus that of the other, also where
lower scores are better.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, nan
from typing import TYPE_CHECKING, Any, NamedTuple

from reseed.analyses.shared.pairing import group_models
from reseed.metrics.names import metric_title_in_text
from reseed.verdicts.decide import ALL_DATASETS, label_outcome
from reseed.verdicts.designs import POOLED, SIGN
from reseed.verdicts.formatting import format_p, format_share
from reseed.verdicts.pair import Pair
from reseed.verdicts.shown import ResultRow, format_estimate

if TYPE_CHECKING:
    from reseed.comparison.result import Comparison


class Section(NamedTuple):
    """The models on one dataset, or over all, best first.

    reference: the leader, or the baseline, that the gaps are measured from.
    """

    dataset: str
    board: list[Any]
    reference: str
    pairs: dict[frozenset[str], Pair]

    def find(self, model: str, other: str = "") -> Pair | None:
        """The comparison of a model with another one, by default the reference."""
        return self.pairs.get(frozenset((model, other or self.reference)))


def list_sections(comparison: Comparison) -> list[Section]:
    """All datasets together first, where models were tested over them; then each dataset."""
    baseline = (comparison.analyses["pairs"].get("options") or {}).get("baseline") or ""
    by_dataset: dict[str, dict[frozenset[str], Pair]] = {}
    for row in comparison.pair_rows:
        of_dataset = by_dataset.setdefault(row.dataset, {})
        of_dataset[frozenset((row.model_a, row.model_b))] = row
    boards: dict[str, list[Any]] = {}
    for one in comparison.statistics("leaderboard").itertuples():
        boards.setdefault(one.dataset, []).append(one)
    sections = []
    for dataset in sorted(boards, key=lambda name: name != ALL_DATASETS):
        board = [row for row in boards[dataset] if isfinite(row.mean)]
        pairs = by_dataset.get(dataset, {})
        is_tested = any(isfinite(row.p_adjusted) for row in pairs.values())
        if not board or (dataset == ALL_DATASETS and not is_tested):
            continue
        board = _average_board(dataset, board, boards, pairs)
        known = baseline if baseline in {row.model for row in board} else board[0].model
        sections.append(Section(dataset, board, known, pairs))
    return sections


def _average_board(
    dataset: str, board: list[Any], boards: dict[str, list[Any]],
    pairs: dict[frozenset[str], Pair],
) -> list[Any]:  # fmt: skip
    """Models by their mean over few datasets where pairs are compared by it, not by rank."""
    pooled = [pair for pair in pairs.values() if pair.test == POOLED.test]
    if dataset != ALL_DATASETS or not pooled:
        return board
    by_model: dict[str, list[Any]] = {}
    for name, rows in boards.items():
        for row in rows if name != ALL_DATASETS else []:
            by_model.setdefault(row.model, []).append(row)
    averaged = [
        row._replace(
            metric=pooled[0].metric, greater_is_better=pooled[0].greater_is_better,
            mean=sum(one.mean for one in by_model[row.model]) / len(by_model[row.model]),
            n=sum(one.n for one in by_model[row.model]), sd=nan,
        )
        for row in board
    ]  # fmt: skip
    sign = -1 if pooled[0].greater_is_better else 1
    return sorted(averaged, key=lambda row: sign * row.mean)


def list_models(comparison: Comparison) -> list[ResultRow]:
    """The rows of all sections."""
    scores = {
        (group.key["dataset"], model): values.tolist()
        for group in group_models(comparison.data)
        for model, values in group.scores_by_model.items()
    }
    return [
        _describe(section, row, scores.get((section.dataset, row.model), []))
        for section in comparison.sections
        for row in section.board
    ]


def _describe(section: Section, row: Any, scores: list[float]) -> ResultRow:
    pair = section.find(row.model)
    runs_text = f"{row.n:,}" + (f" ({row.failed:,} failed)" if row.failed else "")
    cells = {
        head_mean(row): f"{row.mean:.2f}"
        if row.metric == "rank"
        else f"{row.mean:#.4g}".rstrip("."),
        "p": _format_p(pair),
        "Runs": runs_text,
        "SD": f"{row.sd:.2g}" if isfinite(row.sd) and row.n > 1 else "–",
    }
    if pair is None:
        is_reference = row.model == section.reference
        is_leader = section.reference == section.board[0].model
        other = "not compared" if section.pairs else "not tested: too few runs"
        word = ("leader" if is_leader else "baseline") if is_reference else other
        estimate = "" if is_reference else "–"
        return ResultRow(
            row.model, word, estimate, cells=cells, dataset=row.dataset, scores=scores,
            mean=row.mean,
        )  # fmt: skip
    verdict, gap = label_outcome(pair, row.model), _show_gap(pair, row.model)
    return ResultRow(row.model, verdict, *gap, cells, row.dataset, scores, row.mean)


def _format_p(pair: Pair | None) -> str:
    return format_p(pair.p_adjusted) if pair and isfinite(pair.p_adjusted) else "–"


def _show_gap(pair: Pair, model: str) -> tuple[str, float, float, float]:
    """The gap of `model` to the other one as text, and as numbers where it has an interval."""
    value, low, high = measure_gap(pair, model)
    drawn = (value, low, high) if low < high else (nan, nan, nan)
    if pair.metric == "rank":
        return f"{value:+.2f} in mean rank".replace("-", "−"), *drawn
    if pair.test == SIGN.test:
        side = "ahead" if model == pair.model_a else "behind"
        return f"{side} on {pair.wins:.0f} of {pair.n:.0f} datasets", *drawn
    return format_estimate(value, low, high, pair.unit), *drawn


def head_mean(row: Any) -> str:
    """`Mean accuracy ↑`: the heading of a column of means."""
    if row.metric == "rank":
        return "Mean rank ↓"
    arrow = "↑" if row.greater_is_better else "↓"
    return f"Mean {metric_title_in_text(row.metric).removesuffix(arrow).rstrip()} {arrow}"


def measure_gap(pair: Pair, model: str) -> tuple[float, float, float]:
    """The score of `model` minus that of the other one, with its interval, in the unit shown."""
    value, low, high = pair.shown_difference
    is_literal = (model == pair.model_a) == pair.greater_is_better
    return (value, low, high) if is_literal else (-value, -high, -low)


class PairRows(Sequence[ResultRow]):
    """One row a compared pair, `a – b`: what is shown of the first model; written when read."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        self._pairs = sorted(pairs, key=_order)

    def __len__(self) -> int:
        return len(self._pairs)

    def __getitem__(self, at: Any) -> Any:
        found = self._pairs[at]
        return _show_pair(found) if isinstance(found, Pair) else [*map(_show_pair, found)]


def _show_pair(pair: Pair) -> ResultRow:
    cells = {
        "p": _format_p(pair),
        "Flips": format_share(pair.instability) if isfinite(pair.instability) else "–",
    }
    name, gap = f"{pair.model_a} – {pair.model_b}", _show_gap(pair, pair.model_a)
    return ResultRow(name, label_outcome(pair), *gap, cells, pair.dataset)


def _order(pair: Pair) -> tuple[bool, str, float]:
    """Over all datasets first, then by dataset and p."""
    p = pair.p_adjusted if isfinite(pair.p_adjusted) else 2.0
    return pair.dataset != ALL_DATASETS, pair.dataset, p
