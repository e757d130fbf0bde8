"""After how many seeds a comparison was settled: "had you stopped at seed 14 you would know"."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from reseed.analyses.data import Data
from reseed.analyses.pairing import GROUP, Group, Pairing, groups, pairs
from reseed.metric_names import is_share
from reseed.options import Ends, Level, Positive, Strict
from reseed.stats.comparison import differences
from reseed.stats.evalues import bounded_confidence_sequence, symmetry_e_process
from reseed.stats.sequential import mean_confidence_sequence, stopping_point

COLUMNS = [
    *GROUP, "metric", "factor", "unit", "model_a", "model_b", "design", "n", "failed", "runs",
    "mean", "low", "high", "e_value", "bounded_low", "bounded_high", "stopped_at", "reason",
    "e_stopped_at", "bounded_stopped_at", "saved", "alpha", "scale", "guarantee",
]  # fmt: skip
_GUARANTEE = {
    "seeds": "one split, independent seeds",
    "unpaired": "one split, independent seeds of each",
    "splits": "splits that overlap are not independent: no guarantee holds",
}


class Options(Strict):
    """alpha: probability of ever stopping wrongly.
    scale: prior SD of the standardised difference.
    rope: half-width of practical equivalence, score units: a further reason to stop.
    half_width: of an interval that is narrow enough, score units: another.
    bounds: [least, greatest] that a score can be at all ([0, 1] for a share, else none).
    """

    alpha: Level = 0.05
    scale: Positive = 1.0
    rope: Positive | None = None
    half_width: Positive | None = None
    bounds: Ends | None = None


def analyse(data: Data, options: dict) -> pd.DataFrame:
    """One row a pair and number of `runs`, in the order in which the seeds are numbered.

    `mean`, `low`, `high`: mean difference (positive: A is better) and t-mixture confidence
    sequence, valid at every number of runs at once for Gaussian differences; `e_value`: evidence
    against "no difference", for differences that are symmetric then, whatever their tails;
    `bounded_low`, `bounded_high`: empirical-Bernstein sequence, for scores within known bounds.
    Of the pair: where each would have stopped (NaN: not yet), `reason`, and the runs `saved` of
    each model by the first.
    """
    rows = [
        row
        for group in groups(data)
        for a, b, pairing in pairs(group)
        for row in _rows(group, a, b, pairing, options)
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _rows(group: Group, a: str, b: str, pairing: Pairing, options: dict) -> Iterator[dict]:
    if pairing.design not in _GUARANTEE or pairing.n < 2:
        return
    n = min(len(pairing.a), len(pairing.b))
    d = group.sign * differences(pairing.a[:n], pairing.b[:n])
    alpha, scale = options.get("alpha", 0.05), options.get("scale", 1.0)
    stop = stopping_point(
        d, alpha, scale, half_width=options.get("half_width"), rope=options.get("rope")
    )
    sequence, evidence = mean_confidence_sequence(d, alpha, scale), symmetry_e_process(d)
    shared = group.key | {
        "metric": group.metric,
        "factor": group.factor,
        "unit": group.unit,
        "model_a": a,
        "model_b": b,
        "design": pairing.design,
        "n": n,
        "failed": group.failed[a] + group.failed[b],
        "stopped_at": np.nan if stop.n is None else stop.n,
        "reason": stop.reason,
        "saved": np.nan if stop.n is None else n - stop.n,
        "e_stopped_at": _first(evidence >= 1 / alpha),
        "alpha": alpha,
        "scale": scale,
        "guarantee": _GUARANTEE[pairing.design],
    }
    bounded = _bounded(group, d, alpha, options)
    if bounded is not None:
        shared["bounded_stopped_at"] = _first((bounded.low > 0) | (bounded.high < 0))
    for i in range(n):
        row = {"runs": i + 1, "mean": sequence.mean[i], "low": sequence.low[i]}
        row |= {"high": sequence.high[i], "e_value": evidence[i]}
        if bounded is not None:
            row |= {"bounded_low": bounded.low[i], "bounded_high": bounded.high[i]}
        yield shared | row


def _bounded(group: Group, d: np.ndarray, alpha: float, options: dict):
    """Empirical-Bernstein sequence of the differences; None where the scores have no bounds."""
    share = is_share(group.metric)
    # A share told in percent comes with the factor 1 (see `pairing.unit_of`).
    bounds = options.get("bounds") or (
        [0, 1] if group.factor == 100 else [0, 100] if share else None
    )
    if bounds is None:
        return None
    width = float(bounds[1] - bounds[0])
    return (
        bounded_confidence_sequence(d, -width, width, alpha) if np.abs(d).max() <= width else None
    )


def _first(met: np.ndarray) -> float:
    return float(met.argmax() + 1) if met.any() else float("nan")
