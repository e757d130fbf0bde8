"""`reseed.gate`: whether a candidate is better than, or not worse than, a stored baseline."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isnan
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from reseed.comparison.arguments import choose_read_options
from reseed.comparison.claims.formatting import (
    count_interval_decimals,
    count_noun,
    format_number,
)
from reseed.comparison.claims.formatting import join_names as join_and
from reseed.comparison.claims.shown import ResultRow, Shown, format_estimate
from reseed.comparison.gate_tests import GateTest, find_metric_reach, find_reach, test_items
from reseed.comparison.item_arrays import arrange_items, check_zero
from reseed.comparison.item_metrics import NOTE, compute_contributions
from reseed.comparison.output import Result, list_records
from reseed.comparison.resolution import check_frame
from reseed.comparison.run_pairs import compare_runs
from reseed.comparison.speakers import in_arguments
from reseed.core.errors import ReseedError
from reseed.metrics.directions import AGAINST
from reseed.readers.read import read_scores
from reseed.readers.scores import Scores
from reseed.readers.source_table import join_names
from reseed.report.analyses.shared.item_scores import ItemScores
from reseed.stats.comparison import holm

Decision = Literal["better", "not worse", "worse", "undecided"]
#: Exit status of `reseed gate` by decision; 1 and 2 are those of errors and of wrong usage.
EXIT_CODES: dict[Decision, int] = {"better": 0, "not worse": 0, "worse": 10, "undecided": 11}
#: Sources of variation that a decision may cover.
_SAMPLED = {
    "item": "items",
    "cluster": "clusters of items",
    "seed": "training seeds",
    "prompt": "prompts",
}
_REPEATED_USE = (
    "Each use passes a candidate that is worse by the margin in up to {percent:.3g} % of cases. "
    "Losses within the margin add up where the baseline moves: keep it, count the uses (`use`)."
)
_SYMBOLS = {"better": "✅", "not worse": "✅", "worse": "❌", "undecided": "❔"}


@dataclass(frozen=True)
class GateRow:
    """One dataset: candidate − baseline, positive where the candidate is better, in score units.

    low, high: ends of the one-sided intervals at 1 − alpha, which the decision is taken by; NaN
        for runs without items that do not vary.
    p_better, p_not_worse: of the one-sided tests that the candidate is not better, and that it is
        worse by the margin or more. All datasets must pass, so neither is adjusted.
    p_worse: of the test that it is not worse, adjusted over datasets (Holm), since one suffices.
    items: 0 if the tables hold runs without items.
    is_loss_shown: whether a difference below 0 is shown; a *not worse* row may have such a loss,
        within the margin.
    """

    dataset: str
    difference: float
    low: float
    high: float
    items: int
    seeds: int
    p_better: float
    p_not_worse: float
    p_worse: float
    is_loss_shown: bool
    decision: Decision

    def describe_decision(self) -> str:
        """The decision in words, with a loss within the margin if one is shown."""
        if self.decision == "not worse" and self.is_loss_shown:
            return "not worse (a loss within the margin is shown)"
        return self.decision


@dataclass(frozen=True, repr=False)
class Gate(Result):
    """The decision over all datasets, and the evidence of each.

    decision: `worse` if any dataset is worse; else `better` or `not worse` if every dataset is
        shown so; else `undecided`. Absence of evidence never passes.
    alpha: size of each one-sided test; of the `use`-th use, its part of the whole.
    covers: what the decision holds for, and what it does not cover.
    """

    decision: Decision
    metric: str
    margin: float
    alpha: float
    rows: tuple[GateRow, ...]
    notes: tuple[str, ...]
    covers: str

    @property
    def exit_code(self) -> int:
        """Exit status of the command."""
        return EXIT_CODES[self.decision]

    @property
    def shown(self) -> Shown:
        """What all outputs show."""
        rows = [
            ResultRow(
                row.dataset or "candidate – baseline",
                row.describe_decision(),
                format_estimate(row.difference, row.low, row.high),
                row.difference, row.low, row.high,
                {
                    "Items": f"{row.items:,}" if row.items else "–",
                    "Seeds": f"{row.seeds}",
                },
            )
            for row in self.rows
        ]  # fmt: skip
        return Shown(
            title="May the candidate replace the baseline?",
            answer=[self.sentence()],
            rows=rows,
            tables={"rows": pd.DataFrame(map(asdict, self.rows))},
            notes=[self._describe_tests(), *self.notes],
            noun="Dataset",
            heading=f"Difference [{self._name_interval()}]",
            null=-self.margin,
        )

    def sentence(self) -> str:
        """One line for people."""
        loss = any(row.is_loss_shown for row in self.rows)
        head = {
            "better": "BETTER: the candidate beats the baseline",
            "not worse": f"NOT WORSE: the candidate is not worse by {self.margin:g} or more"
            + (", but a smaller loss is shown" if loss else ""),
            "worse": "WORSE: the candidate is worse than the baseline, and a loss of "
            f"{self.margin:g} or more is not excluded",
            "undecided": "UNDECIDED: the scores show neither, more items or seeds are needed",
        }[self.decision]
        evidence = "; ".join(map(self._describe, self.rows))
        against = " ".join(note for note in self.notes if note.startswith(AGAINST))
        return f"{head} ({self.metric}): {evidence}. {self.covers} {against}".rstrip()

    def _describe(self, row: GateRow) -> str:
        name = f"{row.dataset} " if row.dataset else ""
        if isnan(row.low):
            return f"{name}{row.difference:.4g} in every run, so nothing is tested"
        decimals = count_interval_decimals(row.low, row.high)
        value, low, high = (format_number(x, decimals) for x in (row.difference, row.low, row.high))
        return f"{name}{value}, {self._name_interval()} {low} to {high}"

    def _describe_tests(self) -> str:
        return (
            f"Metric {self.metric}, margin {self.margin:g}, one-sided tests of size "
            f"{self.alpha:.4g} over {count_noun(len(self.rows), 'dataset')}. {self.covers}"
        )

    def _name_interval(self) -> str:
        """The interval whose ends are the one-sided limits of the decision."""
        return f"{100 * (1 - 2 * self.alpha):.4g} % interval"

    def to_json(self) -> str:
        """All numbers as JSON, with the exit status."""
        content = asdict(self) | {
            "rows": list_records(self.shown.tables["rows"]), "exit_code": self.exit_code,
            "sentence": self.sentence(),
        }  # fmt: skip
        return json.dumps(content, indent=2)

    def to_markdown(self, name: str = "") -> str:
        """A table for a comment on a pull request."""
        shown = self.shown
        lines = [
            f"### {_SYMBOLS[self.decision]} {self.sentence().partition(':')[0].capitalize()}",
            "",
            self._describe_tests(),
            "",
            f"| {' | '.join(shown.frame())} |",
            "|---" * len(shown.frame().columns) + "|",
        ]
        for row, cells in zip(self.rows, shown.frame().to_numpy(), strict=True):
            name, decision, *others = cells
            lines.append(f"| {name} | {_SYMBOLS[row.decision]} {decision} | {' | '.join(others)} |")
        return "\n".join([*lines, ""])


@in_arguments
def gate(
    candidate: pd.DataFrame | str | Path,
    baseline: pd.DataFrame | str | Path,
    margin: float,
    *,
    metric: str | None = None,
    columns: Mapping[str, str] | None = None,
    cluster: str | None = None,
    repeats: str = "mean",
    fixed: Sequence[str] = (),
    failed: str = "refuse",
    greater_is_better: bool | None = None,
    alpha: float = 0.05,
    use: int | None = None,
    **reading: Any,
) -> Gate:
    """Decide by scores of items, or of runs, whether a candidate may replace a baseline.

    The tests are one-sided: *better* if a difference above 0 is shown, *not worse* if one above
    −`margin` is, also if a loss within the margin is shown; *worse* if a difference below 0 is
    shown and a loss of `margin` or more is not excluded. Each must be shown by the test of
    `compare` and by one that needs no variance (`stats.bounded_mean`), so that scores that do
    not vary pass only if there are enough: with margin 0.05, 59 items without a loss.

    Args:
        candidate, baseline: item scores of one model each (a column of the
            model is not needed) on the same items, or logs of a harness. Without items: one row a
            run, two seeds or more on one test set for each dataset.
        margin: the loss that does not matter, in units of the score, above 0.
        alpha: size of each one-sided test.
        use: 1 for the first candidate, 2 for the second, and so on. Then each test has the size
            `alpha`/(use·(use + 1)), and all uses together pass a candidate that is worse by the
            margin with a probability of at most `alpha`. Without it, each use has this probability.
        metric, columns, cluster, repeats, fixed, failed, greater_is_better: as `compare`.
        reading: `headings`, `rows`, `format` and `unit`, as of `reseed.compare`.

    Raises:
        ReseedError: for a table that cannot be read, datasets or items that differ, a margin that
            is not positive, or a score whose direction is unknown.

    Example:
        >>> import pandas as pd, reseed
        >>> old = pd.DataFrame({"item": range(200), "accuracy": [i < 120 for i in range(200)]})
        >>> new = pd.DataFrame({"item": range(200), "accuracy": [i < 160 for i in range(200)]})
        >>> decision = reseed.gate(new, old, margin=0.02)
        >>> decision.decision, decision.exit_code
        ('better', 0)
    """
    if not margin > 0:
        raise ReseedError(f"margin is {margin!r}: give the loss that does not matter, above 0.")
    if not 0 < alpha < 0.5:
        raise ReseedError(f"alpha is {alpha!r}: give a number between 0 and 0.5.")
    if use is not None and use < 1:
        raise ReseedError(f"use is {use!r}: give 1 for the first candidate, then 2, 3, …")
    alpha /= use * (use + 1) if use else 1
    given = choose_read_options(metric, columns, cluster, greater_is_better, reading)
    tables = {"candidate": candidate, "baseline": baseline}
    sides = {name: read_scores(side, given, ())[0] for name, side in tables.items()}
    name = _check_sides(sides)
    frames = [side.items().assign(model=model) for model, side in sides.items()]
    frame = pd.concat(frames, ignore_index=True)
    check_zero(failed, sides["candidate"])
    check_frame(frame, name)
    sign, notes = sides["candidate"].sign, list(sides["candidate"].notes)
    has_items = [side.has_items for side in sides.values()]
    if has_items[0] != has_items[1]:
        raise ReseedError(
            "Only one of candidate and baseline has scores of items. Give both by item, or both by "
            "run."
        )
    notes += [] if use else [_REPEATED_USE.format(percent=100 * alpha)]
    tests: list[GateTest] = []
    if has_items[0]:
        metric = _check_predictions(sides, frame)
        notes += [NOTE.format(metric=metric)] if metric else []
        reach = find_reach(frame["score"].dropna().to_numpy(dtype=float))
        for scores in arrange_items(frame, repeats, failed, fixed):
            notes += scores.notes
            _refuse_single_unit(scores)
            if metric:
                scores = compute_contributions(scores, metric)
                reach = find_metric_reach(scores, metric)
            tests.append(test_items(scores, sign, reach))
    else:
        tests += [GateTest(name, one) for name, one in compare_runs(frame, sign)]
    rows = _decide(tests, margin, alpha)
    decisions = {row.decision for row in rows}
    covers = _describe_scope(tests)
    return Gate(_combine(decisions), name, margin, alpha, rows, tuple(notes), covers)


def _refuse_single_unit(scores: ItemScores) -> None:
    if not scores.has_verdict:
        where = f"dataset {scores.dataset!r}: " if scores.dataset else ""
        unit = "item" if scores.clusters is None else "cluster"
        raise ReseedError(f"{where}there is one {unit}. Give scores of two {unit}s or more.")


def _describe_scope(tests: list[GateTest]) -> str:
    if not any(test.items for test in tests):
        return (
            "Covers new training seeds on exactly these test sets: without scores of items, new "
            "items are not allowed for."
        )
    sampled = [name for name in _SAMPLED if all(name in test.result.levels for test in tests)]
    if "cluster" in sampled:
        sampled.remove("item")
    covered = [f"new {_SAMPLED[name]}" for name in sampled]
    has_seeds = "seed" in sampled
    rest = "" if has_seeds else " for these trained models: another seed may decide otherwise"
    return f"Covers {join_and(covered)}{rest}."


def _check_sides(sides: dict[str, Scores]) -> str:
    """The metric of both tables; ReseedError unless each holds one model on the same datasets."""
    metrics = {side.metric for side in sides.values()}
    if len(metrics) > 1:
        raise ReseedError(f"The scores differ: {join_names(sorted(metrics))}. Name one: `metric`.")
    for name, side in sides.items():
        models = side.models
        if len(models) > 1:
            raise ReseedError(
                f"{name}: the table holds several models ({join_names(models)}). Give one."
            )
    datasets = [set(side.metrics) for side in sides.values()]
    if datasets[0] != datasets[1]:
        only = sorted(map(str, datasets[0] ^ datasets[1]))
        raise ReseedError(f"Only one of candidate and baseline has scores on {join_names(only)}.")
    return metrics.pop()


def _check_predictions(sides: dict[str, Scores], frame: pd.DataFrame) -> str | None:
    """The metric to compute from predictions; ReseedError if the sides differ in what they hold."""
    metrics = {side.computed for side in sides.values()}
    if len(metrics) > 1:
        raise ReseedError(
            "Only one of candidate and baseline has predictions with targets. Give both by "
            "predictions, or both by scores."
        )
    metric = metrics.pop()
    if metric:
        targets = frame[["dataset", "item", "target"]].drop_duplicates()
        several = targets["item"][targets.duplicated(["dataset", "item"])]
        if len(several):
            raise ReseedError(
                f"Candidate and baseline have different targets of item {several.iloc[0]}. Give "
                "the predictions of both for the same items and targets."
            )
    return metric


def _decide(tests: list[GateTest], margin: float, alpha: float) -> tuple[GateRow, ...]:
    rows = []
    p_worse = holm([test.one_sided_p(0.0, greater=False) for test in tests])
    for test, p in zip(tests, p_worse, strict=True):
        p_better, p_not_worse = test.one_sided_p(0.0), test.one_sided_p(-margin)
        is_loss_shown = bool(p <= alpha)
        decision: Decision = "worse" if is_loss_shown else "undecided"
        if p_better <= alpha:
            decision = "better"
        elif p_not_worse <= alpha:
            decision = "not worse"
        low, high = test.limits(alpha)
        rows.append(
            GateRow(
                test.dataset, test.result.difference, low, high, test.items,
                test.result.levels.get("seed", 1), p_better, p_not_worse, float(p), is_loss_shown,
                decision,
            )
        )  # fmt: skip
    return tuple(rows)


def _combine(decisions: set[Decision]) -> Decision:
    if "worse" in decisions:
        return "worse"
    if "undecided" in decisions:
        return "undecided"
    return "better" if decisions == {"better"} else "not worse"
