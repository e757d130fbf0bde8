"""Verdicts of `reseed.compare_means`: two models compared by printed means and spreads."""

from __future__ import annotations

from reseed.claims.designs import MEANS
from reseed.claims.formatting import count_interval_decimals, format_number, format_p, format_share
from reseed.claims.verdicts import Row, Verdict, decide_outcome, format_adjusted_p, format_interval


def build_mean_verdict(row: Row, min_runs: int, power: float) -> Verdict:
    """The verdict on one row of `reseed.compare_means`.

    min_runs: fewest runs of a model for a verdict. power: that of `detectable`.
    """
    is_unknown = row["p_holm_if_se"] == row["p_holm_if_se"]
    outcome = decide_outcome(
        row,
        max(row["p_holm_rounded"], row["p_holm_if_se"] if is_unknown else 0.0),
        has_few=min(row["n_a"], row["n_b"]) < min_runs,
        varies=row["low"] != row["high"],
    )
    decimals = count_interval_decimals(row["low"], row["high"])
    direction = "" if row["greater_is_better"] else " (lower is better)"
    difference = f"difference {format_number(row['difference'], decimals)}{direction}"
    span = f"{difference}, {format_interval({**row, 'factor': 1.0}, decimals)}"
    readings = ""
    if is_unknown:
        readings = (
            f" if ± is the SD, and at most {format_p(row['p_holm_if_se'])} if it is the standard "
            "error"
        )
    runs = f"{row['n_a']:.0f} and {row['n_b']:.0f} runs"
    basis = f"{MEANS.test} of {runs}."
    notes: tuple[str, ...] = (basis,)
    if outcome == "no variation":
        evidence, notes = f"both spreads are printed as 0 ({runs})", ()
    elif outcome == "too few runs":
        evidence, notes = f"{span} over {runs}; a verdict needs at least {min_runs}", ()
    elif outcome == "difference":
        evidence = f"{span}, {format_adjusted_p(row)}{readings}"
    else:
        if row["pairs"] > 1 and row["low"] * row["high"] > 0:
            span += " for this pair alone"
        evidence = f"{span}, {format_adjusted_p(row)}{readings}"
        if row["p_holm"] <= row["alpha"] < row["p_holm_rounded"]:
            evidence += f", but up to {format_p(row['p_holm_rounded'])} as the digits were rounded"
        notes = (_describe_power(row, power), basis)
        if is_unknown and row["p_holm_rounded"] <= row["alpha"]:
            ask = "The table does not say what ± is: state it (`spread`, `--spread`)."
            notes = (ask, *notes)
    where = f"on {row['dataset']}" if row["dataset"] else ""
    return Verdict(
        outcome,
        row["model_a"],
        row["model_b"],
        evidence,
        scope=where,
        notes=notes,
    )


def _describe_power(row: Row, power: float) -> str:
    decimals = count_interval_decimals(0, 2 * row["detectable"])
    size = format_number(row["detectable"], decimals)
    twice = format_number(row["detectable_add"], decimals)
    return (
        f"So many runs find a difference of {size} in {format_share(power)} of cases, twice as "
        f"many {twice}."
    )
