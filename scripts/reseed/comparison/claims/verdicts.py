"""The verdict on two models: its one rule, and its wording.

Other modules of this package say what their rows mean: which p-value decides, and which notes
follow.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Literal, NamedTuple, get_args

from reseed.comparison.claims.formatting import (
    add_unit,
    count_interval_decimals,
    format_level,
    format_number,
    format_p,
)
from reseed.comparison.claims.pair_row import PairRow

#: Name of p-values that Holm adjusts over both directions of each pair (`stats.simultaneous`).
BOTH_DIRECTIONS = "p (Holm, both directions)"
_HOLM = "Holm-adjusted p"
#: Said of every difference that is not shown.
NOT_EQUAL = "This does not show that they are equal."
#: Value of `dataset` in rows that compare models over all datasets.
ALL_DATASETS = "all datasets"
Outcome = Literal[
    "difference",
    "equivalent",
    "no difference shown",
    "too few runs",
    "no variation",
    "not comparable",
]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
#: Those that a test decides.
TESTED: tuple[Outcome, ...] = ("difference", "equivalent", "no difference shown")


class Explanation(NamedTuple):
    """What a verdict says beside its outcome.

    evidence: the numbers behind the outcome.
    scope: where the outcome holds, such as `over datasets`.
    notes: sentences that follow: tests, sample sizes, runs left out.
    relation: verb phrase of a difference.
    needed: what there is too little of.
    qualifier: condition of the outcome, such as `by one correction only`.
    """

    evidence: str
    scope: str = ""
    notes: tuple[str, ...] = ()
    relation: str = "beats"
    needed: str = "runs"
    qualifier: str = ""


class Verdict(NamedTuple):
    """What a comparison of two models shows.

    outcome: `no difference shown` means inconclusive: neither a difference nor equivalence.
    model_a, model_b: the models; `model_a` has the better mean.
    explanation: evidence, scope and notes.
    region: region of practical equivalence with its unit, such as `±1 points`.
    is_within_region: whether the difference is shown to be smaller than `region`.
    """

    outcome: Outcome
    model_a: str
    model_b: str
    explanation: Explanation
    region: str
    is_within_region: bool

    def sentence(self, omit: Collection[str] = ()) -> str:
        """The verdict in words: outcome, scope and evidence, then the notes.

        omit: sentences that stand once beside all verdicts.
        """
        explained = self.explanation
        scope = f"{',' if explained.qualifier else ''} {explained.scope}" if explained.scope else ""
        sentences = [f"{self._claim()}{scope}: {explained.evidence}."]
        if self.outcome == "difference" and self.is_within_region:
            sentences.append(
                f"It is smaller than {self.region}, the region of practical equivalence."
            )
        if self.outcome == "no difference shown":
            sentences.append(NOT_EQUAL)
        notes = [note for note in (*sentences[1:], *explained.notes) if note and note not in omit]
        return " ".join([sentences[0], *notes])

    def _claim(self) -> str:
        a, b = self.model_a, self.model_b
        qualifier = self.explanation.qualifier and f", {self.explanation.qualifier}"
        return {
            "difference": f"{a} {self.explanation.relation} {b}{qualifier}",
            "equivalent": f"{a} and {b} are equivalent within {self.region}",
            "no difference shown": f"No difference shown between {a} and {b}{qualifier}",
            "too few runs": f"Too few {self.explanation.needed} to tell {a} from {b}",
            "no variation": f"No verdict on {a} and {b}",
            "not comparable": f"{a} and {b} cannot be compared",
        }[self.outcome]


def is_equivalent(row: PairRow) -> bool:
    """Whether two one-sided tests reject differences of `rope` or more, after adjustment."""
    return row.equivalence_p_holm <= row.alpha


class Wording(NamedTuple):
    """How rows of one kind are decided, and how the outcome is explained.

    is_within: whether the difference is shown to be within the region of practical equivalence.
    """

    decide: Callable[[PairRow], Outcome]
    explain: Callable[[PairRow, Outcome], Explanation]
    is_within: Callable[[PairRow], bool] = is_equivalent


def shared_notes(verdicts: Sequence[Verdict]) -> list[str]:
    """Notes of all verdicts with a test on single datasets, such as its name; none of one alone."""
    explained = [verdict.explanation for verdict in verdicts if verdict.outcome in TESTED]
    tested = [one.notes for one in explained if one.needed != "datasets"]
    if len(tested) < 2:
        return []
    return [note for note in tested[0] if note and all(note in notes for notes in tested)]


def decide_outcome(
    row: PairRow,
    p: float,
    *,
    is_comparable: bool = True,
    has_few: bool = False,
    varies: bool = True,
    is_within: bool | None = None,
) -> Outcome:
    """The rule of every verdict.

    A difference that is shown is one, however small. `equivalent` needs that no difference is shown
    and that differences of `rope` or more are rejected.

    Args:
        row: `difference`, `alpha` and, with a region of equivalence, `equivalence_p_holm`.
        p: the p-value that decides.
        has_few: whether there are too few runs (items, clusters, datasets) for a verdict.
        varies: whether the differences vary, so that there is a test.
        is_within: whether equivalence is shown; None: by two one-sided tests.
    """
    if not is_comparable:
        return "not comparable"
    if has_few:
        return "too few runs"
    if not varies:
        return "no variation"
    if p <= row.alpha and row.difference > 0:
        return "difference"
    within = is_equivalent(row) if is_within is None else is_within
    return "equivalent" if within else "no difference shown"


def state_evidence(row: PairRow, decimals: int | None = None) -> list[str]:
    """Difference, interval and adjusted p of a row; by default with the decimals of the interval.

    An interval that excludes 0 without a difference shown is said to be for this pair alone.
    """
    if decimals is None:
        decimals = count_interval_decimals(*row.shown_difference[1:])
    is_alone = row.low > 0 and row.pairs > 1 and not row.p_adjusted <= row.alpha
    return [
        format_difference(row, decimals),
        format_interval(row, decimals) + (" for this pair alone" if is_alone else ""),
        format_adjusted_p(row),
    ]


def format_region(row: PairRow) -> str:
    """`±1 points`: the region of practical equivalence."""
    return add_unit(f"±{row.rope * row.factor:.3g}", row.unit)


def format_difference(row: PairRow, decimals: int) -> str:
    """`difference 0.80 points (accuracy)`."""
    direction = "" if row.greater_is_better else ", lower is better"
    value = add_unit(format_number(row.shown_difference[0], decimals), row.unit)
    return f"difference {value} ({row.metric}{direction})"


def format_interval(row: PairRow, decimals: int) -> str:
    """`95 % interval 0.20 to 1.40`."""
    low, high = (format_number(end, decimals) for end in row.shown_difference[1:])
    return f"{format_level(row.level)} interval {low} to {high}"


def format_adjusted_p(row: PairRow) -> str:
    """`p (Holm, both directions) 0.013`, over datasets `Holm-adjusted p 0.013`; of one pair `p`."""
    return _label_p(row, row.p_adjusted, _HOLM if row.family == "datasets" else BOTH_DIRECTIONS)


def describe_equivalence_tests(row: PairRow) -> str:
    """`Two one-sided tests: Holm-adjusted p 0.02.`"""
    return f"Two one-sided tests: {_label_p(row, row.equivalence_p_holm, _HOLM)}."


def _label_p(row: PairRow, p: float, adjustment: str) -> str:
    """The p-value after the name of its adjustment, which one pair alone does not need."""
    return f"{adjustment if row.pairs > 1 else 'p'} {format_p(p)}"
