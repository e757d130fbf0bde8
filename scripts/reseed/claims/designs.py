"""Which test decides a comparison: one table for the analyses, the verdicts and the documentation.

`METHODS` has one row for each design of a comparison and kind of scores.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Method:
    """The test of one design, and the false claims measured for it (docs/methods).

    design: value of the column `design`. varied: what differs between the runs. shared: what the
    runs of two models have in common. claim: what a verdict generalises to. scope: phrase in the
    first sentence of a verdict that holds for less than that. unit: name of a run in sentences;
    empty where both models have their own runs. false_claims: share of comparisons of equal models
    with a claim, at a level of 5 %.
    """

    design: str
    varied: str
    shared: str
    test: str
    claim: str
    scope: str
    unit: str
    false_claims: str


_FIXED_TEST_SET = "on exactly this test set, which did not vary"
SPLITS = Method(
    design="splits",
    varied="splits (and seeds)",
    shared="splits",
    test="corrected resampled t test",
    claim="new splits of the same data",
    scope="",
    unit="splits",
    false_claims=(
        ".01 to .05; .07 to .08 for a small network, .08 to .11 for 1-nearest neighbour (.05 or "
        "less with 1.5 times n_test/n_train; a verdict that needs the smaller ratio says so)"
    ),
)
SEEDS = Method(
    design="seeds",
    varied="seeds, on one test set",
    shared="four in five seeds or more, and the test set",
    test="paired t test",
    claim="new seeds on exactly these items",
    scope=_FIXED_TEST_SET,
    unit="model seeds",
    false_claims=".05 for new seeds; .06 to .19 for new items (3 models)",
)
UNPAIRED = Method(
    design="unpaired",
    varied="seeds, on one test set",
    shared="the test set",
    test="Welch's t test",
    claim="new seeds on exactly these items",
    scope=_FIXED_TEST_SET,
    unit="",
    false_claims="as the paired t test",
)
SEEDS_AND_ITEMS = Method(
    design="seeds and items",
    varied="seeds, on one test set with scores of its items",
    shared="the test set (and seeds)",
    test="t test of crossed seeds and items",
    claim="new seeds and new items",
    scope="",
    unit="",
    false_claims=".02 to .04 (2 to 6 models)",
)
SIGNED_RANK = Method(
    design="datasets",
    varied="datasets; two models or chosen pairs",
    shared="datasets with one share as their metric",
    test="Wilcoxon signed-rank test",
    claim="datasets like these",
    scope="over datasets",
    unit="datasets",
    false_claims=".00 to .05 (5 to 10 datasets)",
)
SIGN = Method(
    design="datasets",
    varied="datasets; two models or chosen pairs",
    shared="datasets with different metrics or losses",
    test="sign test",
    claim="datasets like these",
    scope="over datasets",
    unit="datasets",
    false_claims="at most .05 (exact)",
)
NEMENYI = Method(
    design="datasets",
    varied="datasets; three models or more on all of them",
    shared="datasets",
    test="Nemenyi's test",
    claim="datasets like these",
    scope="over datasets",
    unit="datasets",
    false_claims=".01 to .07 (after Friedman's test; 3 and 10 models)",
)
METHODS = (SPLITS, SEEDS_AND_ITEMS, SEEDS, UNPAIRED, SIGNED_RANK, SIGN, NEMENYI)
#: Designs whose verdict holds for the one test set at hand.
ONE_TEST_SET = tuple(one.design for one in METHODS if one.scope == _FIXED_TEST_SET)


def find_method(design: str) -> Method | None:
    """The method of a design other than `datasets`; None for one that has no test."""
    found = [one for one in METHODS if one.design == design]
    return found[0] if len(found) == 1 else None


def decision_table() -> str:
    """`METHODS` as a Markdown table, which docs/methods contains."""
    header = ["What varied", "What both models share", "Test", "Claim for", "False claims at 5 %"]
    rows = [[m.varied, m.shared, m.test, m.claim, m.false_claims] for m in METHODS]
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
