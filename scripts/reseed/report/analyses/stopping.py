"""The number of seeds after which each comparison could have stopped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite, nan

import numpy as np
import pandas as pd

from reseed.comparison.claims.designs import SEQUENCE
from reseed.comparison.claims.formatting import (
    add_unit,
    count_interval_decimals,
    format_number,
)
from reseed.comparison.claims.pair_row import PairRow
from reseed.comparison.claims.skewed import SKEWED, describe_skew, is_skewed
from reseed.comparison.claims.verdicts import format_region
from reseed.core.schemas import COMPARISON_COLUMNS, Row
from reseed.plugins.options import Ends, Level, Positive, Rope, Strict
from reseed.report.analyses.shared.data import Data
from reseed.report.analyses.shared.pairing import ModelGroup
from reseed.report.analyses.shared.settling import GUARANTEES, JudgedPair, judge_pairs
from reseed.report.analyses.shared.shares import share_maximum
from reseed.stats.evalues import bounded_confidence_sequence, symmetry_e_process
from reseed.stats.sequential import ConfidenceSequence, Stop, mean_confidence_sequence
from reseed.stats.skewness import skewness_of_mean

#: Valid where the scores decide how many seeds there are (`until: settled`).
SEQUENTIAL = True
COLUMNS = [
    *COMPARISON_COLUMNS, "metric", "factor", "unit", "model_a", "model_b", "design", "n", "failed",
    "runs", "mean", "low", "high", "e_value", "bounded_low", "bounded_high", "stopped_at", "reason",
    "e_stopped_at", "bounded_stopped_at", "saved", "outcome", "winner", "verdict", "rope", "alpha",
    "scale", "guarantee", "pairs", "test_alpha", "skewness", "better_share", "better_low",
    "better_high", "better_n", "better_unit",
]  # fmt: skip
_SCOPE = f"{SEQUENCE.scope},"


@dataclass(frozen=True)
class StopRow(PairRow):
    """A pair after a number of runs; `analyse` documents the columns."""

    runs: float = nan
    mean: float = nan
    stopped_at: float = nan
    e_stopped_at: float = nan
    bounded_stopped_at: float = nan
    winner: str = ""
    reason: str = ""

    @property
    def has_interval(self) -> bool:
        """Whether the sequence has both ends after these runs."""
        return isfinite(self.low) and isfinite(self.high)


class Options(Strict):
    """alpha: probability of ever stopping with a wrong claim on any pair of a dataset. Each pair
        has α divided by the number of pairs.
    scale: prior SD of the standardised difference.
    rope: half-width of practical equivalence in units of the score, a further reason to stop; by
        metric if there are several (None: no pair is called equivalent).
    half_width: half-width of a sufficiently narrow interval, in units of the score, a further
        reason to stop.
    bounds: smallest and greatest possible score ([0, 1] for a share, [0, 100] for percent, else
        none).
    """

    alpha: Level = 0.05
    scale: Positive = 1.0
    rope: Rope = None
    half_width: Positive | None = None
    bounds: Ends | None = None


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row a pair and number of `runs`, in the order of the seeds.

    Every sequence and test is at `test_alpha`, `alpha` divided by the number of `pairs` of the
    dataset, so all claims on it hold together.

    - `mean`, `low`, `high`: mean difference (positive: A is better) and t-mixture confidence
      sequence, valid at all numbers of runs together for Gaussian differences.
    - `e_value`: evidence against "no difference", for symmetric differences with any tails.
    - `bounded_low`, `bounded_high`: empirical-Bernstein sequence, for scores within bounds.

    Where a few runs lie far from the others, also after the stop (`skewness`, of the mean over all
    runs; else 0), `better_share` is the share of runs in which `model_a` is better, with its
    empirical-Bernstein sequence, valid at any number of runs and for any distribution.

    Of the pair: `stopped_at` and the other stops (NaN: not yet), `reason`, the runs `saved` of each
    model by the first stop, its `outcome` (one of `verdicts.OUTCOMES`) and `verdict`, and the
    `winner`: the better model at the stop, which need not be the better one over all runs. Over
    splits of one table there is no outcome: they are not independent.

    An experiment with `until` has its own rule; of the options only `bounds` applies to it.
    """
    rows: list[Row] = []
    for pair in judge_pairs(data, options):
        rows += _rows(pair, options.bounds)
    return pd.DataFrame(rows, columns=COLUMNS)


def _rows(pair: JudgedPair, bounds: list[float] | None) -> Iterator[Row]:
    group, d, stop, alpha = pair.group, pair.differences, pair.stop, pair.alpha
    n, scale = len(d), pair.rule.scale
    sequence, evidence = mean_confidence_sequence(d, alpha, scale), symmetry_e_process(d)
    shared = group.key | {
        "metric": group.metric,
        "factor": group.factor,
        "unit": group.unit,
        "model_a": pair.a,
        "model_b": pair.b,
        "design": pair.design,
        "n": n,
        "failed": group.failed[pair.a] + group.failed[pair.b],
        "stopped_at": np.nan if stop.n is None else stop.n,
        "reason": stop.reason,
        "saved": np.nan if stop.n is None else n - stop.n,
        "e_stopped_at": _first(evidence >= 1 / alpha),
        "alpha": pair.rule.alpha,
        "pairs": pair.pairs,
        "test_alpha": alpha,
        "scale": scale,
        "guarantee": GUARANTEES[pair.design],
        "rope": pair.rope,
    }
    shared |= {"skewness": float(skewness_of_mean(d)), "better_unit": "run", "level": 1 - alpha}
    row = PairRow.of(shared)
    if is_skewed(row):
        wins = bounded_confidence_sequence((d > 0).astype(float), alpha=alpha)
        names = ("better_share", "better_low", "better_high")
        shared |= {
            name: float(one[-1])
            for name, one in zip(names, (wins.mean, wins.low, wins.high), strict=True)
        } | {"better_n": n}
    row = PairRow.of(shared)
    shared |= _word_outcome(row, stop)
    shared["verdict"] = " ".join(filter(None, (shared["verdict"], describe_skew(row))))
    bounded = _bounded_sequence(group, d, bounds, alpha)
    if bounded is not None:
        shared["bounded_stopped_at"] = _first((bounded.low > 0) | (bounded.high < 0))
    for i in range(n):
        after = {"runs": i + 1, "mean": sequence.mean[i], "low": sequence.low[i]}
        after |= {"high": sequence.high[i], "e_value": evidence[i]}
        if bounded is not None:
            after |= {"bounded_low": bounded.low[i], "bounded_high": bounded.high[i]}
        yield shared | after


def _word_outcome(row: PairRow, stop: Stop) -> Row:
    """Outcome, winner and verdict at the first stop, or after all runs without one."""
    if row.design == "splits":
        text = "No verdict while runs are added: the splits overlap, so the sequence is too narrow."
        return {"outcome": "not comparable", "winner": "", "verdict": text}
    a, b, factor = row.model_a, row.model_b, row.factor
    runs = f"{row.n if stop.n is None else stop.n} runs of each"
    numbers = ""
    if np.isfinite(stop.low):
        places = count_interval_decimals(stop.low * factor, stop.high * factor)
        ends = (format_number(end * factor, places) for end in (stop.low, stop.high))
        over = f", α {row.alpha:g} over {row.pairs} pairs" if row.pairs > 1 else ""
        level = f"{100 * row.level:.4g} %"
        numbers = f" ({level} sequence {add_unit(' to '.join(ends), row.unit)}{over})"
    if stop.reason == "different from 0":
        # The sign at the stop, which later runs may change.
        first, second = (a, b) if stop.low > 0 else (b, a)
        skewed = f", {SKEWED}," if is_skewed(row) else ""
        text = f"{first} beats {second}{skewed} {_SCOPE} by {runs}{numbers}."
        return {"outcome": "difference", "winner": first, "verdict": text}
    if stop.reason == "equivalent":
        within = format_region(row)
        text = f"{a} and {b} are equivalent within {within} {_SCOPE} by {runs}{numbers}."
        return {"outcome": "equivalent", "winner": "", "verdict": text}
    why = "precise enough to stop, but inconclusive" if stop.n else "inconclusive"
    text = f"{a} and {b}: {why} after {runs}{numbers}."
    return {"outcome": "no difference shown", "winner": "", "verdict": text}


def _bounded_sequence(
    group: ModelGroup, d: np.ndarray, given: list[float] | None, alpha: float
) -> ConfidenceSequence | None:
    """Empirical-Bernstein sequence of the differences; None if the scores have no bounds."""
    maximum = share_maximum(group.metric, group.trials["score"])
    bounds = given or ([0.0, maximum] if maximum else None)
    if bounds is None:
        return None
    width = float(np.ptp(bounds))
    return (
        bounded_confidence_sequence(d, -width, width, alpha) if np.abs(d).max() <= width else None
    )


def _first(met: np.ndarray) -> float:
    return float(met.argmax() + 1) if met.any() else float("nan")
