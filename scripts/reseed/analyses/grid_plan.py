"""The smallest numbers of model seeds and data seeds that reach a target."""

from __future__ import annotations

from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd

from reseed.analyses.shared.arms import ARM
from reseed.analyses.shared.data import Cell, Data, cells, group_by_key
from reseed.core.schemas import COMPARISON_COLUMNS, MODEL_SEED_COLUMNS, Row
from reseed.plugins.options import Count, Level, Positive, Strict
from reseed.stats.planning import plan_grid
from reseed.stats.variance import crossed_variance

COLUMNS = [
    *COMPARISON_COLUMNS, "metric", "arm_a", "arm_b", "model_seeds", "data_seeds", "failed",
    "difference", "sd_model_seed", "sd_data_seed", "sd_rest", "target_is", "target", "power",
    "alpha", "plan_model_seeds", "plan_data_seeds", "plan_runs", "achieved", "reason",
]  # fmt: skip


class Options(Strict):
    """difference: true difference that the test of a pair should find, in units of the score
        (None: the observed difference of each pair).
    half_width: half-width of the interval of an arm's mean (None: no plan for it).
    power: probability of finding the difference.
    alpha: size of the tests, 1 − level of the intervals.
    max_model_seeds: most model seeds of a plan.
    max_data_seeds: most data seeds of a plan.
    """

    difference: Positive | None = None
    half_width: Positive | None = None
    power: Level = 0.8
    alpha: Level = 0.05
    max_model_seeds: Count = 200
    max_data_seeds: Count = 50


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row a target and arm (`arm_b` empty) or pair of arms whose seeds were crossed.

    The plan is the fewest runs a × b of each model, from the variance components of the pilot grid
    (of the paired differences, for a pair; negative components are taken as 0). The target of a
    pair is that its two-sided test finds `difference` with `power` (`target_is` "difference"). The
    target of an arm is that the interval of its mean has `half_width` ("half width").

    Components of a small grid are imprecise, and so is the plan. Data seeds are treated as
    independent draws of the data, which splits of one table are not.
    """
    rows = []
    crossed = [cell for cell in cells(data) if _is_crossed(cell)]
    for group in group_by_key(crossed, COMPARISON_COLUMNS).values():
        grids = {cell.key[ARM]: _grid(cell) for cell in group}
        failed = {cell.key[ARM]: cell.failed for cell in group}
        shared = {name: group[0].key[name] for name in COMPARISON_COLUMNS} | {
            "metric": group[0].metric
        }
        if options.half_width is not None:
            rows += [
                shared | {"arm_a": arm, "arm_b": "", "failed": failed[arm]}
                | _plan(grid, None, options)
                for arm, grid in grids.items()
            ]  # fmt: skip
        for a, b in combinations(grids, 2):
            both = (grids[a] - grids[b]).dropna(how="all").dropna(axis=1, how="all")
            row = shared | {"arm_a": a, "arm_b": b, "failed": failed[a] + failed[b]}
            rows.append(row | _plan(both, options.difference, options, is_pair=True))
    return pd.DataFrame(rows, columns=COLUMNS)


def _is_crossed(cell: Cell) -> bool:
    return not cell.varies_one_seed and "data" in cell.key["varied"]


def _grid(cell: Cell) -> pd.DataFrame:
    """Scores, model seeds × data seeds."""
    scores = cell.scores
    names = ["-".join(map(str, seeds)) for seeds in scores[MODEL_SEED_COLUMNS].to_numpy()]
    return scores.assign(name=names).pivot(index="name", columns="data_seed", values="score")


def _plan(
    grid: pd.DataFrame, difference: float | None, options: Options, is_pair: bool = False
) -> Row:
    values = grid.to_numpy(dtype=np.float64)
    row: Row = {
        "model_seeds": values.shape[0] if values.size else 0,
        "data_seeds": values.shape[1] if values.size else 0,
        "target_is": "difference" if is_pair else "half width",
        "power": options.power if is_pair else np.nan,
        "alpha": options.alpha,
        "reason": "",
    }
    try:
        if values.size == 0 or min(values.shape) < 2:
            raise ValueError("needs a grid of at least two model seeds and two data seeds")
        if np.isnan(values).any():
            raise ValueError("a run of the grid failed")
        parts = crossed_variance(values, ("model_seed", "data_seed"), n_draws=1,
                                 rng=np.random.default_rng(0))  # fmt: skip
        row["difference"] = float(values.mean()) if is_pair else np.nan
        components = [parts[n].variance for n in ("model_seed", "data_seed", "residual")]
        row |= dict(zip(("sd_model_seed", "sd_data_seed", "sd_rest"), np.sqrt(components),
                        strict=True))  # fmt: skip
        plan_for = partial(
            plan_grid, *components, alpha=options.alpha, max_seeds=options.max_model_seeds,
            max_folds=options.max_data_seeds,
        )  # fmt: skip
        if is_pair:
            target = difference or float(values.mean())
            row["target"] = abs(target)
            plan = plan_for(difference=target, target_power=options.power)
        else:
            row["target"] = options.half_width
            plan = plan_for(half_width=options.half_width)
    except ValueError as error:
        return row | {"reason": str(error).replace("folds", "data seeds")}
    return row | {
        "plan_model_seeds": plan.n_seeds,
        "plan_data_seeds": plan.n_folds,
        "plan_runs": plan.n_seeds * plan.n_folds,
        "achieved": plan.achieved,
    }
