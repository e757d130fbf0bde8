"""`reseed.gate`: whether a candidate is better than, or not worse than, a stored baseline.

It is a view of `compare`: the same design, test and two-sided level decide *better* and *worse*.
What it adds is *not worse by the margin*, one-sided, and an exit status.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from math import inf, isfinite
from typing import Any, Literal, Unpack

import numpy as np
import pandas as pd

from reseed.analyses import pairs
from reseed.analyses.shared.data import Data
from reseed.analyses.shared.item_scores import limit_of_bounded_mean
from reseed.comparison.arguments import GateOptions
from reseed.comparison.compare import compare
from reseed.comparison.output import Result, list_records
from reseed.comparison.speakers import in_arguments
from reseed.core.errors import ReseedError
from reseed.readers.names import AGAINST, find_role
from reseed.readers.options import ReadOptions, list_columns
from reseed.readers.source_table import SourceTable, join_names
from reseed.readers.sources import open_source
from reseed.verdicts.decide import ALL_DATASETS
from reseed.verdicts.pair import Pair, read_pairs
from reseed.verdicts.shown import ResultRow, Shown, format_estimate

Decision = Literal["better", "not worse", "worse", "undecided"]
#: Exit status of `reseed gate` by decision; 1 and 2 are those of errors and of wrong usage.
EXIT_CODES: dict[Decision, int] = {"better": 0, "not worse": 0, "worse": 10, "undecided": 11}
_REPEATED_USE = (
    "Each use passes a candidate that is worse by the margin in up to {percent:.3g} % of cases. "
    "Losses within the margin add up where the baseline moves: keep it, count the uses (`use`)."
)


@dataclass(frozen=True)
class GateRow:
    """One dataset: candidate − baseline, positive where the candidate is better.

    low, high, p: those of `compare`, two-sided at alpha; NaN where nothing is tested (`reason`).
    limit: the least difference that is not excluded, one-sided at alpha.
    is_loss_shown: of all datasets at once; a *not worse* row may have one, within the margin.
    """

    dataset: str
    difference: float
    low: float
    high: float
    limit: float
    p: float
    test: str
    reason: str
    is_loss_shown: bool
    decision: Decision


@dataclass(frozen=True, repr=False)
class Gate(Result):
    """The decision over all datasets, and the evidence of each.

    decision: `worse` if any dataset is worse; else `better` or `not worse` if every dataset is
        shown so; else `undecided`. Absence of evidence never passes.
    alpha: size of each test; of the `use`-th use, its part of the whole.
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
        within = " (a loss within the margin is shown)"
        rows = [
            ResultRow(
                row.dataset,
                row.decision + within * (row.decision == "not worse" and row.is_loss_shown),
                format_estimate(row.difference, row.low, row.high),
                *(row.difference, row.low, row.high),
                {"At least": f"{row.limit:.3g}" if isfinite(row.limit) else "–"},
            )
            for row in self.rows
        ]
        return Shown(
            title="May the candidate replace the baseline?",
            answer=[self.sentence()],
            rows=rows,
            tables={"rows": pd.DataFrame(map(asdict, self.rows))},
            notes=[
                f"Metric {self.metric}, margin {self.margin:g}, tests of size {self.alpha:.4g}: "
                f"two-sided of better and worse, one-sided of not worse. {self.covers}",
                *self.notes,
            ],
            noun="Dataset",
            heading=f"Difference [{100 * (1 - self.alpha):.4g} %]",
            null=-self.margin,
        )

    def sentence(self) -> str:
        """One line for people."""
        head = {
            "better": "BETTER: the candidate beats the baseline",
            "not worse": f"NOT WORSE: the candidate is not worse by {self.margin:g} or more"
            + ", but a smaller loss is shown" * any(row.is_loss_shown for row in self.rows),
            "worse": "WORSE: the candidate is worse than the baseline, and a loss of "
            f"{self.margin:g} or more is not excluded",
            "undecided": "UNDECIDED: the scores show neither, more items or runs are needed",
        }[self.decision]
        parts = [
            f"{f'{row.dataset} ' if len(self.rows) > 1 else ''}"
            f"{format_estimate(row.difference, row.low, row.high)}"
            + (f" (not tested: {row.reason})" if row.reason and not isfinite(row.limit) else "")
            for row in self.rows
        ]
        against = " ".join(note for note in self.notes if note.startswith(AGAINST))
        return f"{head} ({self.metric}): {'; '.join(parts)}. {self.covers} {against}".rstrip()

    def to_json(self) -> str:
        """All numbers as JSON, with the exit status."""
        more = {"exit_code": self.exit_code, "sentence": self.sentence()}
        rows = list_records(self.shown.tables["rows"])
        return json.dumps({**asdict(self), "rows": rows, **more}, indent=2)

    def to_markdown(self, name: str = "") -> str:
        """A table for a comment on a pull request."""
        symbol = {"worse": "❌", "undecided": "❔"}.get(self.decision, "✅")
        return f"### {symbol} {self.decision.capitalize()}\n\n{super().to_markdown()}"


@in_arguments
def gate(
    candidate: Any,
    baseline: Any,
    margin: float,
    *,
    alpha: float = 0.05,
    use: int | None = None,
    **options: Unpack[GateOptions],
) -> Gate:
    """Decide whether a candidate may replace a baseline.

    *Better* and *worse* are the verdicts of `compare`. *Not worse*: a loss of `margin` or more is
    excluded, one-sided, also if a smaller loss is shown. Every dataset must pass; *worse* is a loss
    that is shown for all datasets at once.

    Args:
        candidate, baseline: scores of one model each, as `compare` reads them.
        margin: the loss that does not matter, in units of the score, above 0.
        alpha: size of each test.
        use: 1 for the first candidate, 2 for the second, and so on. Then each test has the size
            `alpha`/(use·(use + 1)), and all uses together pass a candidate that is worse by the
            margin with a probability of at most `alpha`.
        options: of `compare`: how the tables are read and combined.

    Raises:
        ReseedError: as `compare`; for several models or missing datasets on a side, and a margin
            that is not positive.

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
    if use is not None and use < 1:
        raise ReseedError(f"use is {use!r}: give 1 for the first candidate, then 2, 3, …")
    if not 0 < alpha < 0.5:
        raise ReseedError(f"alpha is {alpha!r}: give a number between 0 and 0.5.")
    alpha /= use * (use + 1) if use else 1
    sides = {"candidate": candidate, "baseline": baseline}
    found = compare(lambda given: _join_sides(sides, given), alpha=alpha, **options)
    counts = found.data.metrics.groupby("dataset")["model"].nunique()
    if lacking := [*counts.index[counts < len(sides)]]:
        raise ReseedError(f"Only one of the two has scores on {join_names(lacking)}.")

    def list_pairs(**changes: Any) -> list[Pair]:
        given = found.analyses["pairs"]["options"] | changes
        rows = read_pairs(pairs.analyse(found.data, pairs.Options(**given)))
        return [row for row in rows if row.dataset != ALL_DATASETS] or rows

    verdicts, first = list_pairs(), found.pair_rows[0]
    views = zip(verdicts, list_pairs(alpha=2 * alpha), list_pairs(family="study"), strict=True)
    rows = tuple(
        _decide(margin, *one, _limit_of_items(found.data, one[0].dataset, alpha)) for one in views
    )
    order = ("worse", "undecided", "not worse", "better")
    decision = min((row.decision for row in rows), key=order.index)
    covers = join_names(list(dict.fromkeys(row.covers for row in verdicts if row.covers)))
    notes = (*found.notes, *([] if use else [_REPEATED_USE.format(percent=100 * alpha)]))
    covers = f"Covers {covers}." if covers else ""
    return Gate(decision, first.metric, margin, alpha, rows, notes, covers)


def _join_sides(sides: Mapping[str, Any], options: ReadOptions) -> SourceTable:
    """Both sides as one table with a column of the model."""
    tables = {name: open_source(side, options) for name, side in sides.items()}
    frames, mapped = [], list_columns(options.columns.get("model", []))
    column = mapped[0] if mapped else "model"
    for name, table in tables.items():
        named = [c for c in table.columns if find_role(c) == "model" or c in mapped]
        if named and len(table.frame[named].drop_duplicates()) > 1:
            raise ReseedError(f"{name}: the table holds several models. Give one.")
        frames.append(table.frame.drop(columns=named).assign(**{column: name}))
    both, other = tables.values()
    both.notes.extend(note for note in other.notes if note not in both.notes)
    labels = np.concatenate([both.row_labels, other.row_labels])
    return replace(both, frame=pd.concat(frames, ignore_index=True), row_labels=labels)


def _limit_of_items(data: Data, dataset: str, alpha: float) -> float:
    """`limit_of_bounded_mean` of a table of items; ∞ of runs, and where nothing is tested."""
    if dataset not in data.items or not data.items[dataset].has_verdict:
        return inf
    sign = 1 if data.info.datasets[dataset].greater_is_better else -1
    return limit_of_bounded_mean(data.items[dataset], "candidate", "baseline", sign, alpha)


def _decide(margin: float, row: Pair, wide: Pair, of_all: Pair, bound: float) -> GateRow:
    """The decision by the verdict, the limit (at most `bound`) and the verdict of all datasets."""
    is_ahead = row.model_a == "candidate"
    limit = min(wide.low if is_ahead else -wide.high, bound)
    is_loss = not is_ahead and of_all.outcome == "better"
    decision: Decision = "worse" if is_loss else "undecided"
    if is_ahead and row.outcome == "better":
        decision = "better"
    elif limit > -margin:
        decision = "not worse"
    estimate = (row.difference, row.low, row.high)
    if not is_ahead:
        estimate = (-row.difference, -row.high, -row.low)
    return GateRow(row.dataset, *estimate, limit, row.p, row.test, row.reason, is_loss, decision)
