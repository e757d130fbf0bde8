"""Verdicts of `reseed.compare_means`: two models compared by printed means and spreads."""

from __future__ import annotations

from reseed.comparison.claims.designs import MEANS
from reseed.comparison.claims.formatting import (
    count_interval_decimals,
    format_number,
    format_p,
    format_share,
)
from reseed.comparison.claims.verdicts import (
    Row,
    Verdict,
    decide_outcome,
    format_adjusted_p,
    format_interval,
)


def build_mean_verdict(row: Row, min_runs: int, power: float) -> Verdict:
    """The verdict on one row of `reseed.compare_means`.

    min_runs: fewest runs of a model for a verdict. power: that of `detectable`.
    """
    p, p_rounded, p_if_se = (row[f"p_adjusted{end}"] for end in ("", "_rounded", "_if_se"))
    is_unknown = p_if_se == p_if_se
    outcome = decide_outcome(
        row,
        max(p_rounded, p_if_se if is_unknown else 0.0),
        has_few=min(row["n_a"], row["n_b"]) < min_runs,
        varies=row["low"] != row["high"],
    )
    decimals = count_interval_decimals(row["low"], row["high"])
    direction = "" if row["greater_is_better"] else " (lower is better)"
    difference = f"difference {format_number(row['difference'], decimals)}{direction}"
    evidence = f"{difference}, {format_interval(row, decimals)}"
    runs = f"{row['n_a']:.0f} and {row['n_b']:.0f} runs"
    notes: tuple[str, ...] = ()
    if outcome == "no variation":
        evidence = f"both spreads are printed as 0 ({runs})"
    elif outcome == "too few runs":
        evidence += f" over {runs}; a verdict needs at least {min_runs}"
    else:
        notes = (f"{MEANS.test} of {runs}.",)
        if outcome != "difference":
            is_alone = row["pairs"] > 1 and row["low"] * row["high"] > 0
            evidence += " for this pair alone" if is_alone else ""
            notes = (_describe_power(row, power), *notes)
            if is_unknown and p_rounded <= row["alpha"]:
                ask = "The table does not say what ± is: state it (`spread`, `--spread`)."
                notes = (ask, *notes)
        evidence += f", {format_adjusted_p(row, 'p_adjusted')}"
        if is_unknown:
            error = f"{format_p(p_if_se)} if it is the standard error"
            evidence += f" if ± is the SD, and at most {error}"
        if p <= row["alpha"] < p_rounded:
            evidence += f", but up to {format_p(p_rounded)} as the digits were rounded"
    where = f"on {row['dataset']}" if row["dataset"] else ""
    return Verdict(outcome, row["model_a"], row["model_b"], evidence, scope=where, notes=notes)


def _describe_power(row: Row, power: float) -> str:
    decimals = count_interval_decimals(0, 2 * row["detectable"])
    size = format_number(row["detectable"], decimals)
    twice = format_number(row["detectable_add"], decimals)
    return (
        f"So many runs find a difference of {size} in {format_share(power)} of cases, twice as "
        f"many {twice}."
    )
