"""Verdicts by printed means (`reseed.compare_means`), and by mean effects (`over_datasets`)."""

from __future__ import annotations

from reseed.comparison.claims.designs import MEANS
from reseed.comparison.claims.formatting import (
    add_unit,
    count_interval_decimals,
    format_number,
    format_p,
    format_share,
)
from reseed.comparison.claims.pair_row import PairRow
from reseed.comparison.claims.skewed import decisive_p
from reseed.comparison.claims.verdicts import (
    Explanation,
    Outcome,
    Wording,
    decide_outcome,
    format_adjusted_p,
    format_interval,
)


def _decide(row: PairRow) -> Outcome:
    return decide_outcome(
        row,
        decisive_p(row),
        has_few=min(row.n_a, row.n_b) < row.min_runs,
        varies=row.low != row.high,
    )


def _explain(row: PairRow, outcome: Outcome) -> Explanation:
    """Difference of printed means, by what ± is taken to be."""
    p, p_rounded, p_if_se = row.p_adjusted, row.p_adjusted_rounded, row.p_adjusted_if_se
    is_unknown = p_if_se == p_if_se
    decimals = count_interval_decimals(row.low, row.high)
    direction = "" if row.greater_is_better else " (lower is better)"
    difference = f"difference {format_number(row.difference, decimals)}{direction}"
    evidence = f"{difference}, {format_interval(row, decimals)}"
    runs = f"{row.n_a:.0f} and {row.n_b:.0f} runs"
    notes: tuple[str, ...] = ()
    if outcome == "no variation":
        evidence = f"both spreads are printed as 0 ({runs})"
    elif outcome == "too few runs":
        evidence += f" over {runs}; a verdict needs at least {row.min_runs:.0f}"
    else:
        notes = (f"{MEANS.test} of {runs}.",)
        if outcome != "difference":
            is_alone = row.pairs > 1 and row.low * row.high > 0
            evidence += " for this pair alone" if is_alone else ""
            notes = (_describe_power(row), *notes)
        evidence += f", {format_adjusted_p(row)}"
        if is_unknown:
            error = f"{format_p(p_if_se)} if it is the standard error"
            evidence += f" if ± is the SD, and at most {error}"
        if p <= row.alpha < p_rounded:
            evidence += f", but up to {format_p(p_rounded)} as the digits were rounded"
    return Explanation(evidence, notes=notes)


MEANS_WORDING = Wording(_decide, _explain)


def _describe_power(row: PairRow) -> str:
    decimals = count_interval_decimals(0, 2 * row.detectable)
    size = format_number(row.detectable, decimals)
    twice = format_number(row.detectable_add, decimals)
    power = format_share(row.target_power)
    return f"So many runs find a difference of {size} in {power} of cases, twice as many {twice}."


def _decide_effect(row: PairRow) -> Outcome:
    """A difference where the interval excludes 0.

    Else equivalent where at least `level` of the posterior lies within the region of practical
    equivalence.
    """
    return decide_outcome(row, 0.0 if row.low > 0 else 1.0, is_within=_is_within_by_posterior(row))


def _is_within_by_posterior(row: PairRow) -> bool:
    return bool(row.p_equivalent >= row.level)


def _explain_effect(row: PairRow, outcome: Outcome) -> Explanation:
    """The mean difference over similar datasets."""
    difference, *ends = row.shown_difference
    decimals = count_interval_decimals(*ends)
    effect = add_unit(format_number(difference, decimals), row.unit)
    evidence = f"mean difference {effect}, {format_interval(row, decimals)}"
    if outcome == "equivalent":
        evidence += f"; {format_share(row.p_equivalent)} of the posterior lies within"
    notes = (f"Hierarchical model of {row.n:.0f} datasets.",)
    return Explanation(evidence, "over datasets like these", notes)


EFFECTS = Wording(_decide_effect, _explain_effect, _is_within_by_posterior)
