"""Verdicts of the analysis `pairs`: two models compared on a dataset, or over datasets."""

from __future__ import annotations

import math

import pandas as pd

from reseed.comparison.claims.budget import describe_additions, describe_datasets
from reseed.comparison.claims.designs import (
    ASSUMED_TEST_SET,
    RANK_FLIPS,
    SEEDS_AND_ITEMS,
    SIGN,
    SIGN_FLIPS,
    SPLITS,
    UNPAIRED,
    find_method,
)
from reseed.comparison.claims.formatting import (
    add_unit,
    format_number,
    format_p,
    format_share,
    keep_bounds_visible,
)
from reseed.comparison.claims.pair_row import PairRow
from reseed.comparison.claims.skewed import decisive_p, describe_skew, qualify_skewed
from reseed.comparison.claims.verdicts import (
    Explanation,
    Outcome,
    Wording,
    decide_outcome,
    describe_equivalence_tests,
    format_difference,
    state_evidence,
)

#: Condition of a difference over splits (`label_pair_outcome`).
BY_ONE_CORRECTION = "by one correction only"
#: Datasets from which the note on symmetry is printed: with fewer few differences are shown at all.
_MANY = 10
#: Rates of docs/methods/simulations/designs.csv.
_SYMMETRY = (
    "The test assumes differences that are symmetric over datasets: with skewed ones it claimed a "
    "difference between two equal models in 8 % of simulations, among models of unequal spread in "
    "up to 12 %, at a level of 5 %."
)


def decide_pair_outcome(row: PairRow) -> Outcome:
    """Outcome of one row of the analysis `pairs`."""
    return decide_outcome(
        row,
        decisive_p(row),
        is_comparable=row.design != "different splits" or row.n == 0,
        has_few=row.n < row.min_runs,
        varies=row.design == "datasets" or row.low != row.high,
    )


def label_pair_outcome(row: PairRow) -> str:
    """The outcome of a row of any comparison as printed, with its condition.

    Args:
        row: with its `outcome`.
    """
    qualifier = qualify_pair(row, row.outcome)
    return f"{row.outcome}, {qualifier}" if qualifier else row.outcome


def label_pair_outcomes(rows: pd.DataFrame) -> pd.Series[str]:
    """`label_pair_outcome` of each row."""
    labels, conditions = rows["outcome"].astype(object), qualify_pairs(rows)
    return labels.where(conditions == "", labels + ", " + conditions)


def qualify_pairs(rows: pd.DataFrame) -> pd.Series[str]:
    """`qualify_pair` of the outcome of each row; of many rows most have no condition."""
    conditions = pd.Series("", rows.index, dtype=object)
    may_have = find_conditional(rows)
    if "skewness" in rows:
        may_have |= rows["skewness"].abs() > 0
    conditions[may_have] = [qualify_pair(row, row.outcome) for row in PairRow.read(rows[may_have])]
    return conditions


def qualify_pair(row: PairRow, outcome: str) -> str:
    """Condition of an outcome: skewed runs, or a correction that does not hold for any learner."""
    if skewed := qualify_skewed(row, outcome):
        return skewed
    is_weak = outcome == "difference" and row.conservative_p_holm > row.alpha
    return BY_ONE_CORRECTION if is_weak else ""


def find_conditional(rows: pd.DataFrame) -> pd.Series[bool]:
    """Which rows of the analysis `pairs` show a difference by one correction only."""
    if "conservative_p_holm" not in rows:
        return pd.Series(False, rows.index)
    return (rows["outcome"] == "difference") & (rows["conservative_p_holm"] > rows["alpha"])


def _explain_pair(row: PairRow, outcome: Outcome) -> Explanation:
    """The test, the runs behind it and whether they are paired.

    The scope is one test set where the data never varied and the outputs of items are not known.
    """
    method = find_method(row.design)
    scope = method.scope if method else ""
    if scope and row.is_split_assumed is True:
        scope = ASSUMED_TEST_SET
    decimals = _count_decimals(row, outcome)
    difference = format_difference(row, decimals)
    notes: tuple[str, ...] = ()
    if outcome == "not comparable":
        scope, evidence = "", "they were run on different splits of the data"
        notes = ("Run both on the same splits.",)
    elif row.n == 0:
        scope, evidence = "", "one of them has no finished run"
    elif outcome == "too few runs":
        needed = f"a verdict needs at least {row.min_runs:.0f}"
        evidence, notes = f"{difference} over {_count_runs(row)}; {needed}", (_count_left_out(row),)
    elif outcome == "no variation" and row.difference == 0:
        evidence = "every run gives them the same score"
    elif outcome == "no variation":
        runs = f"{_count_runs(row)} say no more than one"
        evidence = f"every run gives the same {difference}, so {runs}"
        notes = ("Vary the data split.",)
    else:
        evidence = ", ".join([*state_evidence(row, decimals), _describe_flips(row)])
        notes = (
            describe_equivalence_tests(row) if outcome == "equivalent" else "",
            _describe_power(row, decimals) if outcome == "no difference shown" else "",
            _describe_test(row),
            _describe_unstable_learners(row) if outcome == "difference" else "",
            describe_skew(row),
            _describe_spreads(row),
            _describe_dunnett(row, decimals),
            _describe_cut_interval(row),
            _count_left_out(row),
        )
    return Explanation(evidence, scope, notes, qualifier=qualify_pair(row, outcome))


def _explain_over_datasets(row: PairRow, outcome: Outcome) -> Explanation:
    """How two models compare over datasets."""
    is_by_rank, scope = row.test == RANK_FLIPS.test, "over datasets"
    notes: tuple[str, ...] = (_list_missing(row), _count_left_out(row))
    if row.n == 0:
        scope, evidence, notes = "", "none has comparable runs of both", ()
    elif outcome == "too few runs":
        scope = "beyond them"
        evidence = f"{_count_wins(row)}; at least {row.min_runs:.0f} are needed"
    elif is_by_rank:
        scope = "" if outcome == "difference" else scope
        evidence = (
            f"average rank {row.mean_a:.2f} against {row.mean_b:.2f} over {row.n:.0f} "
            f"datasets, {_name_test(row)}; order flips on {format_share(row.instability)} of "
            "datasets"
        )
    else:
        difference = format_difference(row, _count_decimals(row, outcome))
        mean = "" if row.test == SIGN.test else f", mean {difference}"
        evidence = f"{_count_wins(row)}{mean}, {_name_test(row)}"
    if outcome == "equivalent":
        notes = (describe_equivalence_tests(row), *notes)
    elif outcome == "no difference shown" and row.p_least > row.alpha:
        least = format_p(row.p_least)
        floor = f"No outcome of {row.n:.0f} datasets gives this test a p below {least}."
        notes = (floor, *notes)
    if outcome == "no difference shown":
        notes = (describe_datasets(row), *notes)
    if outcome == "difference" and row.test == SIGN_FLIPS.test and row.n >= _MANY:
        notes = (_SYMMETRY, *notes)
    relation = "ranks better than" if is_by_rank else "beats"
    return Explanation(evidence, scope, notes, relation, needed="datasets")


PAIRS = Wording(decide_pair_outcome, _explain_pair)
OVER_DATASETS = Wording(decide_pair_outcome, _explain_over_datasets)


def _describe_power(row: PairRow, decimals: int) -> str:
    """The smallest difference that the design finds, now and with more runs or data, if known."""
    size, power = row.detectable, row.target_power
    if not math.isfinite(size):
        return ""
    value = add_unit(format_number(size * row.factor, decimals), row.unit)
    now = f"A true difference of {value} would be found in {100 * power:.0f} %."
    return " ".join(filter(None, [now, describe_additions(row, decimals)]))


def _name_test(row: PairRow) -> str:
    """`sign-flip test, p 0.016 (for all pairs at once)`."""
    joint = " (for all pairs at once)" if row.pairs > 1 else ""
    return f"{row.test}, p {format_p(row.p_adjusted)}{joint}"


def _count_wins(row: PairRow) -> str:
    n, wins, losses = map(int, (row.n, row.wins, row.losses))
    tied = n - wins - losses
    ties = f", {tied} tie{'s' if tied > 1 else ''}" if tied else ""
    return f"{row.model_a} is ahead on {wins} of {n} datasets{ties}"


def _list_missing(row: PairRow) -> str:
    if not row.missing:
        return ""
    return f"Left out, as not both have comparable runs: {row.missing}."


def _describe_flips(row: PairRow) -> str:
    flips, tied = row.instability, row.ties
    shares = (("won", 1 - flips - tied / 2), ("tied", tied), ("reversed", flips - tied / 2))
    parts = ", ".join(f"{format_share(max(share, 0.0))} {name}" for name, share in shares)
    ties = f" ({parts}; a tie counts half)" if tied > 0 else ""
    return f"order flips in {format_share(flips)} of single runs{ties}"


def _count_runs(row: PairRow) -> str:
    method = find_method(row.design)
    if method is None or not method.unit:
        return f"{row.n_a:.0f} and {row.n_b:.0f} runs"
    unit = method.unit
    return f"1 {unit[:-1]}" if row.n == 1 else f"{row.n:.0f} {unit}"


def _describe_test(row: PairRow) -> str:
    """Test, number of runs, whether they are paired, and what did not vary."""
    test = row.test[0].upper() + row.test[1:]
    if row.design == SPLITS.design:
        ratio = ""
        if row.scheme.startswith("kfold"):
            ratio = f", test rows {row.test_train_ratio:.3g} of the training rows"
        return f"{test}, paired over {_count_runs(row)}{ratio}."
    if row.design == SEEDS_AND_ITEMS.design:
        return (
            f"{test}, over {_count_runs(row)} and {row.items:.0f} test items: new seeds and new "
            f"items are both allowed for. On exactly these items, over the seeds alone: "
            f"{row.seeds_test}, unadjusted p {format_p(row.seeds_p)}."
        )
    basis = f"over {row.n:.0f} shared model seeds"
    if row.design == UNPAIRED.design:
        basis = f"on {_count_runs(row)}, not paired, as the models share too few seeds"
    if row.is_split_assumed is True:
        return (
            f"{test} {basis}. That all runs share one split is an assumption (`seed_draws`): if "
            "the seeds drew splits, this test claims too much."
        )
    return f"{test} {basis}; the data never varied, so other splits or test sets may say otherwise."


def _describe_unstable_learners(row: PairRow) -> str:
    """Whether a difference over splits needs learners that single training rows hardly move."""
    if qualify_pair(row, "difference") != BY_ONE_CORRECTION:
        return ""
    p = row.conservative_p_holm
    return (
        "Not shown for learners that depend on single training rows, such as 1-nearest neighbour: "
        f"with the correction that holds for them, p is {format_p(p)}."
    )


def _describe_spreads(row: PairRow) -> str:
    """Whether the spreads over seeds of the two models differ."""
    p = row.spread_p
    if not p <= row.alpha:
        return ""
    return f"Their spreads over seeds differ (Brown–Forsythe test, unadjusted p {format_p(p)})."


def _describe_cut_interval(row: PairRow) -> str:
    """Whether the interval is cut at the largest possible difference."""
    most = row.largest_difference
    if not most or most not in (-row.low, row.high):
        return ""
    return "The interval is cut at the largest possible difference."


def _describe_dunnett(row: PairRow, decimals: int) -> str:
    """Dunnett's test and interval, where the models are compared with a baseline."""
    if not math.isfinite(row.dunnett_p):
        return ""
    ends = (row.dunnett_low, row.dunnett_high)
    low, high = (format_number(end * row.factor, decimals) for end in ends)
    return (
        f"For all comparisons with the baseline together, Dunnett's interval is [{low}, {high}] "
        f"and p {format_p(row.dunnett_p)}, if the models have equal spreads."
    )


def _count_left_out(row: PairRow) -> str:
    failed = row.failed
    selects = ""
    if failed > 0:
        selects = " Failures may select: if runs that would score low fail, means are too good."
    if not row.left_out:
        return selects.strip()
    runs = f"{row.left_out:.0f} run{'s' if row.left_out > 1 else ''}"
    count = f" ({failed:.0f} failed)" if failed > 0 else ""
    return f"{runs} without a counterpart left out{count}.{selects}"


def _count_decimals(row: PairRow, outcome: Outcome) -> int:
    """Decimals that show the half-width of the interval (or the difference) to two digits."""
    difference, *bounds = row.shown_difference
    half = (bounds[1] - bounds[0]) / 2
    is_tested = math.isfinite(half) and half > 0 and outcome != "too few runs"
    size = half if is_tested else abs(difference)
    if not math.isfinite(size) or size == 0:
        return 0
    decimals = 1 - math.floor(math.log10(size))
    return max(0, keep_bounds_visible(bounds, decimals) if is_tested else decimals)
