"""Which models are shown to be better on exactly the given tasks, by the tests of `reseed.compare`.

On one task the verdicts of `compare` decide. Over several, which count equally, differences and
their squared standard errors are added, and Holm adjusts over both directions of all pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, zip_longest
from typing import Self

import numpy as np
import pandas as pd

from reseed.comparison.claims.build import build_verdict
from reseed.comparison.claims.designs import ONE_TEST_SET, SOURCES, SPLITS
from reseed.comparison.claims.pair_row import PairRow
from reseed.core.schemas import Row
from reseed.report.analyses import pairs
from reseed.report.analyses.shared.adjustment import adjust_family
from reseed.report.analyses.shared.data import Data
from reseed.report.analyses.shared.item_scores import ItemScores
from reseed.stats.clusters import cluster_contributions
from reseed.stats.rank_sets import RankSets, rank_by_tests
from reseed.stats.simultaneous import holm_in_both_directions
from reseed.stats.weighted_t import Parts, upper_quantile, upper_tail

#: Fewest degrees of freedom of several tasks without items: those of the runs that `compare` needs.
_MIN_DF = 4
_NOISE = 1e-12  # relative rounding error of a mean
#: Numbers of levels over tasks by source: seed (or run, split), prompt, cluster, item.
Sources = dict[str, set[int]]
#: Positions of two models in rising order → their difference on one task.
Differences = dict[tuple[int, int], "_Difference"]


@dataclass(frozen=True)
class _Difference:
    """Difference of two models, the first minus the second, and what its standard error is made of.

    parts: of se², with their degrees of freedom.
    by_source: the part of se² that is inversely proportional to the levels of a source.
    df: of the runs; infinite where items vary, too.
    """

    mean: float
    parts: Parts
    by_source: Mapping[str, float]
    df: float

    @classmethod
    def of(cls, row: Row, first: str, run: str) -> Self | None:
        """The difference in a row of `pairs.compare_groups`; None without a test."""
        if not np.isfinite(row.get("p", np.nan)):
            return None
        difference = row["difference"] * (1 if row["model_a"] == first else -1)
        variance = row["scale"] ** 2
        if "contributions" not in row:
            of_runs = {run: variance} if row["design"] in ONE_TEST_SET else {}
            return cls(difference, [(variance, row["df"])], of_runs, row["n"] - 1)
        total = sum(part for part, _ in row["parts"]) or 1.0
        parts = [(variance * part / total, df) for part, df in row["parts"]]
        by_source, has_clusters = dict.fromkeys(SOURCES, 0.0), row["level_cluster"] > 1
        for one in row["contributions"]:
            for source in one.sources:
                # New clusters bring new items.
                by_source["cluster" if source == "item" and has_clusters else source] += (
                    one.variance
                )
        return cls(difference, parts, by_source, np.inf)

    @property
    def variance(self) -> float:
        """The squared standard error."""
        return sum(part for part, _ in self.parts)

    @property
    def p_value(self) -> float:
        """Two-sided; 1 where nothing varies, as that shows nothing about new runs and items."""
        if not self.variance:
            return 1.0
        return min(1.0, 2 * upper_tail(abs(self.mean) / self.variance**0.5, self.parts))


def _average(differences: Sequence[_Difference]) -> _Difference:
    """The mean over tasks, which are independent of each other."""
    share = 1 / len(differences)
    sources = {source for one in differences for source in one.by_source}
    of_source = zip_longest(*(reversed(one.parts) for one in differences), fillvalue=(0.0, 1.0))
    return _Difference(
        share * sum(one.mean for one in differences),
        [_pool([(share**2 * part, df) for part, df in parts]) for parts in of_source],
        {
            name: share**2 * sum(one.by_source.get(name, 0.0) for one in differences)
            for name in sources
        },
        sum(one.df for one in differences),
    )


def _pool(parts: Parts) -> tuple[float, float]:
    """The sum of like parts of several tasks, with Satterthwaite's degrees of freedom."""
    total = sum(part for part, _ in parts)
    squares = sum(part**2 / df for part, df in parts)
    return total, total**2 / squares if squares else 1.0


def rank_on_tasks(
    data: Data, cells: pd.DataFrame, level: float, run: str
) -> tuple[RankSets, Sources] | None:
    """Rank models by their mean over these tasks, for new runs and new items; None without a test.

    Args:
        data: the runs, with scores of items where they are known.
        cells: mean scores (models × tasks); greater is better.
        level: simultaneous level of all intervals.
        run: what a run is, such as `seed`.

    Returns:
        The ranks with `by_source` the parts of se², and how many levels of each source there are.
    """
    models = {model: number for number, model in enumerate(cells.index)}
    tasks = list(data.items.values())
    if len(tasks) > 1 and all(map(_has_single_runs, tasks)):
        ups = [data.info.datasets[task.dataset].greater_is_better for task in tasks]
        by_task = [
            _compare_single_runs(task, list(models), 1 if up else -1)
            for task, up in zip(tasks, ups, strict=True)
        ]
        rows: list[Row] = []
        sources = _count_items(tasks)
    else:
        options = pairs.Options(level=level, alpha=1 - level)
        by_group = pairs.compare_groups(data, options)[1]
        by_task = [_read_differences(part, models, run) for part in by_group]
        rows = [row for part in by_group for row in part]
        sources = _count_sources(rows, run)
    tested = {}
    for pair in combinations(range(len(models)), 2):
        known = [part[pair] for part in by_task if pair in part]
        if len(known) == cells.shape[1] and (one := _average(known)).df >= _MIN_DF:
            tested[pair] = one
    if not tested:
        return None
    shown = _decide(rows, models) if cells.shape[1] == 1 else _adjust(tested, level)
    return _build(tested, shown, cells, level), sources


def _read_differences(rows: Iterable[Row], models: Mapping[str, int], run: str) -> Differences:
    """The tested pairs among the rows of one task."""
    differences = {}
    for row in rows:
        first, second = sorted((row["model_a"], row["model_b"]), key=models.__getitem__)
        difference = _Difference.of(row, first, run)
        if difference:
            differences[models[first], models[second]] = difference
    return differences


def _has_single_runs(task: ItemScores) -> bool:
    """Whether only items vary: seeds and prompts do not, or they are fixed."""
    return task.has_verdict and all(
        name in task.fixed or all(one.values.shape[axis] == 1 for one in task.models.values())
        for axis, name in enumerate(("seed", "prompt"))
    )


def _compare_single_runs(task: ItemScores, models: Sequence[str], sign: int) -> Differences:
    """All pairs at once: the differences and squared errors of `item_model.item_difference`."""
    values = sign * np.stack([task.models[name].values.mean(axis=(0, 1)) for name in models])
    contributions, df = cluster_contributions(values, task.clusters)
    gram = contributions @ contributions.T
    squares = np.diag(gram)
    variance = np.maximum(squares[:, None] + squares - 2 * gram, 0.0)
    variance[variance <= _NOISE * (squares[:, None] + squares)] = 0.0
    mean, source = values.mean(axis=1), "item" if task.clusters is None else "cluster"
    return {
        (i, j): _Difference(
            mean[i] - mean[j], [(variance[i, j], df)], {source: variance[i, j]}, np.inf
        )
        for i, j in combinations(range(len(models)), 2)
    }


def _count_items(tasks: Iterable[ItemScores]) -> Sources:
    counts: Sources = {}
    for task in tasks:
        if task.clusters is not None:
            counts.setdefault("cluster", set()).add(len(np.unique(task.clusters)))
        counts.setdefault("item", set()).add(len(task.items))
    return counts


def _decide(rows: list[Row], models: Mapping[str, int]) -> list[tuple[int, int]]:
    """The pairs of one task of which `compare` shows a difference, the better model first."""
    adjust_family(rows, "dataset")
    return [
        (models[row["model_a"]], models[row["model_b"]])
        for row in rows
        if build_verdict(PairRow.of(row)).outcome == "difference"
    ]


def _adjust(tested: Mapping[tuple[int, int], _Difference], level: float) -> list[tuple[int, int]]:
    """The pairs with a difference over several tasks, the better model first."""
    p_adjusted = holm_in_both_directions([one.p_value for one in tested.values()])
    is_shown = zip(tested.items(), p_adjusted <= 1 - level, strict=True)
    return [pair if one.mean > 0 else pair[::-1] for (pair, one), shown in is_shown if shown]


def _build(
    tested: Mapping[tuple[int, int], _Difference], shown: Iterable[tuple[int, int]],
    cells: pd.DataFrame, level: float,
) -> RankSets:  # fmt: skip
    size = len(cells)
    is_better = np.zeros((size, size), dtype=bool)
    for better, worse in shown:
        is_better[better, worse] = True
    se, critical = np.full((2, size, size), np.nan)
    by_source = {name: np.zeros((size, size)) for one in tested.values() for name in one.by_source}
    tail = (1 - level) / 2 / len(tested)  # of Holm's first step
    for (i, j), one in tested.items():
        se[i, j] = se[j, i] = one.variance**0.5
        if one.variance:
            critical[i, j] = critical[j, i] = upper_quantile(tail, one.parts)
        for name, part in one.by_source.items():
            by_source[name][i, j] = by_source[name][j, i] = part
    mean = cells.mean(axis=1).to_numpy()
    difference = mean[:, None] - mean
    difference[np.abs(difference) <= _NOISE * np.abs(cells.to_numpy()).max()] = 0.0
    return rank_by_tests(mean, difference, is_better, se, critical, level, by_source)


def _count_sources(rows: Iterable[Row], run: str) -> Sources:
    counts: Sources = {}
    for row in rows:
        if "contributions" in row:
            levels = [(source, row[f"level_{source}"]) for source in SOURCES]
        elif row["design"] == SPLITS.design:
            levels = [("split", row["n"])]
        else:
            levels = [(run, row["n_a"]), (run, row["n_b"])]
        for source, count in levels:
            counts.setdefault(source, set()).add(int(count))
    return {source: levels for source, levels in counts.items() if max(levels) > 1}
