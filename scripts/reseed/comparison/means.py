"""What a table of means and spreads carries where nobody has the runs: Welch's test of pairs."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from reseed.claims.mean_verdicts import build_mean_verdict
from reseed.core.errors import ReseedError, suggest_name
from reseed.importers.paper_tables import read_means
from reseed.metrics.names import infer_direction
from reseed.stats.comparison import holm
from reseed.stats.planning import detectable_effect
from reseed.stats.unpaired import Welch, welch_of_means

CAUTION = (
    "Taken for independent runs on one split, and ± for their SD (`--spread se`: for standard "
    "errors). Another split may say otherwise; where runs share splits, ± is no measure of their "
    "difference, and with the runs `reseed compare` says more. What was tried and left out is in "
    "no table."
)
_POWER = 0.8


def compare_means(
    source: pd.DataFrame | str | Path,
    runs: int | None = None,
    metric: str | None = None,
    baseline: str | None = None,
    spread: str = "sd",
    greater_is_better: bool | None = None,
    level: float = 0.95,
    alpha: float = 0.05,
    min_runs: int = 5,
) -> pd.DataFrame:
    """Compare models by means and SDs over their runs, as papers print them.

    One row a pair and dataset, the model with the better mean (the greater, where nobody says which
    is better) as `model_a`: `difference` with its interval (`low`, `high`), Welch's `p`, adjusted
    over the pairs of the dataset (`p_holm`); `p_rounded`, `p_holm_rounded` the same where rounding
    hid the least favourable digits; `detectable`, the smallest true difference that so many runs
    with these SDs find in 80 % of cases, told by as many digits; `outcome` (difference, no
    difference shown, too few runs, no variation), decided by `p_holm_rounded`; `verdict`, a
    sentence.

    Args:
        source: a CSV or frame: a row a model with cells such as `90.4 ± 0.5`, a column a dataset;
            or columns `model`, `mean`, `sd` (or `se`), `n`, `dataset` and `metric`.
        runs: behind each mean, where no column says it.
        metric: what the means measure: its name may say which is better.
        baseline: compare each model with this one only.
        spread: what stands behind ±: `sd`, or `se` (of the mean).
        greater_is_better: where the metric's name does not say.
        level, alpha: of the intervals; size of the tests, after Holm.
        min_runs: with fewer there is no verdict.

    Raises:
        ReseedError: a table that cannot be read so, an unknown baseline, a level that is none.
    """
    for name, value in (("level", level), ("alpha", alpha)):
        if not 0 < value < 1:
            raise ReseedError(f"{name} is {value!r}: give a number between 0 and 1.")
    told = read_means(source, runs, spread)
    models = list(dict.fromkeys(told["model"]))
    if baseline is not None and baseline not in models:
        raise ReseedError(
            f"baseline: no model is called {baseline!r}; there are {', '.join(models)}."
            + suggest_name(baseline, models)
        )
    parts = []
    for dataset, part in told.groupby("dataset", sort=False):
        up = greater_is_better
        if up is None:
            up = infer_direction(metric or str(dataset))
        pairs = _pairs(part, baseline, up is not False)
        if len(pairs):
            parts.append(_tested(pairs, level, alpha, min_runs).assign(greater_is_better=up))
    if not parts:
        raise ReseedError("The table holds no two models with a mean on the same dataset.")
    found = pd.concat(parts, ignore_index=True).assign(level=level, alpha=alpha, metric=metric)
    found["verdict"] = [
        build_mean_verdict(row, min_runs, _POWER).sentence() for row in found.to_dict("records")
    ]
    return found


def _pairs(part: pd.DataFrame, baseline: str | None, greater: bool) -> pd.DataFrame:
    """The pairs of one dataset, the better mean first."""
    rows = part.to_dict("records")
    sign = 1 if greater else -1
    pairs = []
    for pair in combinations(rows, 2):
        if baseline in (None, pair[0]["model"], pair[1]["model"]):
            a, b = sorted(pair, key=lambda row: -sign * row["mean"])
            sides = {f"{k}_{side}": row[k] for side, row in (("a", a), ("b", b))
                     for k in ("model", "mean", "sd", "n")}  # fmt: skip
            shared = {name: a[name] for name in ("dataset", "half_mean", "half_sd")}
            pairs.append(shared | sides)
    return pd.DataFrame(pairs)


def _tested(pairs: pd.DataFrame, level: float, alpha: float, min_runs: int) -> pd.DataFrame:
    """Welch's test of each pair, its p-values adjusted over those that have a verdict."""
    test = _welch(pairs, level)
    rounded, p_rounded = _least_favourable(pairs, test, level)
    few = (pairs[["n_a", "n_b"]] < min_runs).any(axis=1).to_numpy()
    tested = ~few & (test.scale > 0)
    adjusted = {
        "p_holm": np.full(len(pairs), np.nan),
        "p_holm_rounded": np.full(len(pairs), np.nan),
    }
    if tested.any():
        adjusted["p_holm"][tested] = holm(test.p[tested])
        adjusted["p_holm_rounded"][tested] = holm(p_rounded[tested])
        # Each mean is taken half a unit nearer to the other than it is printed.
        size = detectable_effect(rounded.df, _POWER, alpha / tested.sum()) * rounded.scale
        size = size + 2 * pairs["half_mean"]
    else:
        size = np.nan
    shown = adjusted["p_holm_rounded"] <= alpha
    outcome = np.select(
        [few, test.scale == 0, shown], ["too few runs", "no variation", "difference"],
        "no difference shown",
    )  # fmt: skip
    return pairs.assign(
        difference=test.difference, low=test.low, high=test.high, df=test.df, p=test.p,
        p_rounded=p_rounded, **adjusted, pairs=int(tested.sum()), detectable=size, outcome=outcome,
    )  # fmt: skip


def _least_favourable(pairs: pd.DataFrame, test: Welch, level: float) -> tuple[Welch, np.ndarray]:
    """The test where rounding took from both SDs, and the greatest p of all digits it may have hid.

    It may have moved the means apart; and a smaller SD beside a greater one leaves fewer degrees
    of freedom, so that p may be greatest where one SD is the least that is printed so.
    """
    toward = np.sign(test.difference) * np.minimum(pairs["half_mean"], np.abs(test.difference) / 2)
    moved = {"mean_a": pairs["mean_a"] - toward, "mean_b": pairs["mean_b"] + toward}
    corners = []
    for signs in ((1, 1), (1, -1), (-1, 1)):
        sds = {
            f"sd_{side}": (pairs[f"sd_{side}"] + sign * pairs["half_sd"]).clip(lower=0)
            for side, sign in zip("ab", signs, strict=True)
        }
        corners.append(_welch(pairs.assign(**moved, **sds), level))
    return corners[0], np.max([corner.p for corner in corners], axis=0)


def _welch(pairs: pd.DataFrame, level: float) -> Welch:
    sides = [pairs[f"{name}_{side}"] for side in "ab" for name in ("mean", "sd", "n")]
    return welch_of_means(*sides, level)
