"""The answer where models are compared with a baseline: yes, no, or not yet, one sentence each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from reseed.comparison.claims.designs import ITEM_MODEL, MEANS
from reseed.comparison.claims.formatting import format_share
from reseed.comparison.claims.pair_row import PairRow
from reseed.comparison.claims.pair_verdicts import label_pair_outcome
from reseed.comparison.claims.verdicts import format_region
from reseed.comparison.shown import MOST_SENTENCES, format_estimate
from reseed.readers.seeds import list_single_runs
from reseed.report.analyses.seeds_needed import PlanRow
from reseed.report.rendering.numbers import several

if TYPE_CHECKING:
    from reseed.comparison.result import Comparison


def find_baseline(comparison: Comparison) -> str:
    """The baseline of a comparison on one dataset with few models; else empty."""
    baseline = (comparison.analyses["pairs"].get("options") or {}).get("baseline") or ""
    rows = comparison.statistics("pairs")
    sides = rows[["model_a", "model_b"]].eq(baseline).any(axis=1)
    is_simple = rows["dataset"].nunique() == 1 and sides.all() and len(rows) <= MOST_SENTENCES
    return baseline if is_simple else ""


def answer_baseline(comparison: Comparison, baseline: str) -> list[str]:
    """One sentence a model."""
    pairs = comparison.statistics("pairs")
    needed: pd.DataFrame | None = None
    sentences = []
    for row in PairRow.read(pairs):
        other = row.model_a if row.model_b == baseline else row.model_b
        more = ""
        if row.outcome == "no difference shown" and "seeds_needed" in comparison.analyses:
            if needed is None:
                needed = comparison.statistics("seeds_needed")
            more = _count_needed(needed, row)
        sentences.append(_answer(row, other, baseline) + more)
    return sentences


def _answer(row: PairRow, other: str, baseline: str) -> str:
    is_other = row.design in (ITEM_MODEL.design, MEANS.design)
    if is_other and row.outcome in ("too few runs", "no variation"):
        return row.verdict
    is_ahead = row.model_a == other
    size = format_estimate(*row.shown_difference, row.unit)
    qualifier = label_pair_outcome(row).removeprefix(row.outcome)
    return {
        "difference": f"{'Yes' if is_ahead else 'No'}{qualifier}: {other} is "
        f"{'better' if is_ahead else 'worse'} than {baseline} by {size}.",
        "equivalent": f"No: {other} and {baseline} are equivalent within {format_region(row)}.",
        "no difference shown": f"Not yet{qualifier}: {other} is "
        f"{'ahead of' if is_ahead else 'behind'} {baseline} by {size}, which is not shown to be "
        "a difference.",
        "too few runs": f"Not yet: {other} and {baseline} have {row.n:.0f} comparable runs, a "
        f"verdict needs {row.min_runs:.0f}.",
        "no variation": f"No verdict on {other} and {baseline}: their differences do not vary "
        "between runs.",
        "not comparable": f"No verdict on {other} and {baseline}: they have no split in common.",
    }[row.outcome]


def _count_needed(needed: pd.DataFrame, row: PairRow) -> str:
    """How many runs would show so large a difference, if more runs can."""
    models = [row.model_a, row.model_b]
    plans = needed[(needed[["model_a", "model_b"]] == models).all(axis=1)]
    if plans.empty or pd.isna(plans["target_difference"].iloc[0]):
        return ""
    plan = PlanRow.of(plans.iloc[0])
    runs, power = plan.runs_for_power, format_share(plan.target_power)
    if pd.isna(runs):
        most = plans["runs"].max()
        return f" Not even {most:,.0f} runs would show so small a difference in {power} of cases."
    return f" {runs:,.0f} runs (now {row.n:.0f}) would show it in {power} of cases."


def offer_deterministic(comparison: Comparison) -> list[str]:
    """The option for models with one run a split, if they leave pairs without a verdict."""
    few = comparison.verdicts
    few = few[few["outcome"] == "too few runs"]
    single = list_single_runs(comparison.data.metrics)
    models = [m for m in single if ((few["model_a"] == m) | (few["model_b"] == m)).any()]
    if not models:
        return []
    options = " ".join(f"--deterministic {model}" for model in models)
    is_one = len(models) == 1
    return [
        f"{several(models)} {'has' if is_one else 'have'} one run for each split. If no part of "
        f"{'it' if is_one else 'them'} is random, `{options}` compares the others with its score."
    ]
