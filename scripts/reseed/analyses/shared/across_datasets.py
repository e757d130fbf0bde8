"""Comparison of models over datasets, on the splits that they share on each dataset."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, zip_longest
from math import isfinite

import numpy as np
import pandas as pd

from reseed.analyses.shared.adjustment import decide_family
from reseed.analyses.shared.keys import group_across_datasets, merge_keys
from reseed.analyses.shared.pairing import ModelGroup
from reseed.core.pair_tests import MIN_DATASETS
from reseed.metrics.names import is_share
from reseed.stats.comparison import differences
from reseed.stats.many_datasets import rank_within
from reseed.stats.sign_flips import flip_equivalence_p, flip_signs
from reseed.stats.weighted_t import equivalent_df, upper_tail
from reseed.verdicts.decide import ALL_DATASETS, decide
from reseed.verdicts.designs import (
    LOG_FLIPS,
    POOLED,
    SIGN,
    SIGN_FLIPS,
    SIGNS_SEED,
    DesignFacts,
    choose_method,
)
from reseed.verdicts.pair import Pair, PairTest

#: Fewest degrees of freedom of a mean over few datasets: those of five runs.
_LEAST_DF = 4


#: What is known of two models over datasets before the test, the better one first, and their
#: differences (datasets,), NaN where a model is missing.
_Pair = tuple[Pair, np.ndarray]


@dataclass(frozen=True)
class AcrossDatasets:
    """Compares models over datasets.

    alpha: size of the tests.
    ropes: half-width of practical equivalence by metric, in units of the score.
    is_restricted: whether only some pairs of models are compared.
    """

    alpha: float
    ropes: dict[str, float]
    is_restricted: bool = False

    def compare(self, groups: list[ModelGroup], rows_of_pairs: list[list[Pair]]) -> list[Pair]:
        """Rows that compare models over datasets, for each comparison of two datasets or more.

        groups, rows_of_pairs: the groups of models, and the rows of `pairs` for each of them.

        All pairs are tested at once by random signs of the datasets (`stats.sign_flips`). What is
        tested is the mean difference if all datasets have one metric that is a share. If not, it is
        the mean difference of the models' ranks within datasets if all pairs of three models or
        more share splits on at least `MIN_DATASETS` datasets; else the mean log ratio of one
        positive loss, or the number of datasets on which a model is ahead. On fewer datasets with
        one metric, the mean difference on exactly these is tested by the runs (and items) of each.
        Each pair is otherwise compared on the datasets where both models have comparable runs. With
        a region for a share, two one-sided tests against it are added. With fewer datasets, a row
        only counts them.

        Rows of all pairs of three models or more have the means, or mean ranks, that are tested.
        `left_out` and `failed` count the unused runs and the trials without a score of the two
        models, over all datasets.
        """
        rows: list[Pair] = []
        for positions in group_across_datasets([group.key for group in groups]):
            if len(positions) < 2:
                continue
            parts = [groups[i] for i in positions]
            key = merge_keys(pd.DataFrame([group.key for group in parts]))
            key |= {"dataset": ALL_DATASETS}
            if len(parts) < MIN_DATASETS and len({group.metric for group in parts}) == 1:
                pooled = self._pool(parts, [rows_of_pairs[i] for i in positions])
                rows += [row._replace(**key) for row in pooled]
                continue
            models = list(dict.fromkeys(model for group in parts for model in group.models))
            means = [shared_means(group, models) for group in parts]
            is_complete = all(np.isfinite(mean).all() for mean, _ in means)
            many = len(parts) >= MIN_DATASETS and len(models) > 2
            if is_complete and many and not self.is_restricted:
                pairs = self._all_pairs(parts, models, means)
            else:
                pairs = self._known_pairs(parts, [rows_of_pairs[i] for i in positions])
            rows += [row._replace(**key) for row in self._test(pairs)]
        return rows

    def _pool(self, parts: list[ModelGroup], rows_of_pairs: list[list[Pair]]) -> list[Pair]:
        """Each pair on exactly these datasets, which count equally, for new runs (and items)."""
        unit, rows = parts[0], []
        for on_datasets in _group_pairs(rows_of_pairs).values():
            known = [row for _, row in on_datasets if isfinite(row.difference)]
            first, second = sorted((on_datasets[0][1].model_a, on_datasets[0][1].model_b))
            d = np.array([row.difference * (1 if row.model_a == first else -1) for row in known])
            if d.sum() < 0:
                first, second, d = second, first, -d
            used = {row.dataset for row in known}
            row = self._row(
                parts, first, second, [p for p in parts if p.key["dataset"] in used], d
            )._replace(
                metric=unit.metric,
                factor=unit.factor,
                unit=unit.unit,
                greater_is_better=unit.greater_is_better,
                rope=self.ropes.get(unit.metric, np.nan),
                test=POOLED.test,
                covers=POOLED.claim,
                left_out=sum(one.left_out for _, one in on_datasets),
                tested=PairTest(least=len(parts)),
            )
            if known:
                means = [
                    (one.mean_a, one.mean_b)[:: 1 if one.model_a == first else -1] for one in known
                ]
                mean_a, mean_b = np.mean(means, axis=0).tolist()
                row = row._replace(mean_a=mean_a, mean_b=mean_b)
            varying = [one for one in known if one.tested.scale > 0]
            pooled = _pool_parts(varying) if len(varying) == len(parts) else ()
            if pooled and equivalent_df(self.alpha / 2, pooled) >= _LEAST_DF:
                scale = float(np.sqrt(sum(part for part, _ in pooled)))
                p = min(1.0, 2 * upper_tail(abs(d.mean()) / scale, pooled))
                row = row._replace(p=p, tested=PairTest(scale, pooled, least=len(parts)))
            rows.append(row)
        return decide_family(rows, "datasets")

    def _row(
        self, parts: list[ModelGroup], a: str, b: str, used: list[ModelGroup], d: np.ndarray
    ) -> Pair:
        """A pair before its test, with its differences `d` on the datasets of `used`.

        `instability` is the share of datasets with another sign; a tie counts one half.
        """
        unit = _find_share(used)
        return Pair(
            model_a=a,
            model_b=b,
            design=SIGN_FLIPS.design,
            n=len(used),
            failed=sum(group.failed.get(model, 0) for group in parts for model in (a, b)),
            alpha=self.alpha,
            covers=SIGN_FLIPS.claim,
            family="datasets",
            metric=unit.metric if unit else "datasets",
            factor=unit.factor if unit else 1.0,
            unit=unit.unit if unit else "",
            difference=float(d.mean()) if d.size else np.nan,
            instability=float((1 - np.sign(d)).mean() / 2) if d.size else np.nan,
            tested=PairTest(least=MIN_DATASETS),
        )

    def _all_pairs(
        self,
        parts: list[ModelGroup],
        models: list[str],
        means: list[tuple[np.ndarray, np.ndarray]],
    ) -> list[_Pair]:
        """All pairs of models that have scores on every dataset, the best model first."""
        scores = np.stack([mean for mean, _ in means])
        left_out = np.sum([left for _, left in means], axis=0)
        facts = DesignFacts("datasets", has_one_share=bool(_find_share(parts)), ranks_models=True)
        method = choose_method(facts)
        ranks = rank_within(scores)
        better = scores if method is SIGN_FLIPS else -ranks
        mean = better.mean(axis=0)
        pairs = []
        for i, j in combinations(np.argsort(-mean, kind="stable"), 2):
            # By dataset: rounding errors are relative to the size of a dataset's scores.
            d = differences(better[:, [i]], better[:, [j]])[:, 0]
            row = self._row(parts, models[i], models[j], parts, d)._replace(
                test=method.test,
                left_out=int(left_out[i] + left_out[j]),
                mean_a=abs(float(mean[i])),
                mean_b=abs(float(mean[j])),
            )
            if method is not SIGN_FLIPS:
                row = row._replace(metric="rank", greater_is_better=False)
            pairs.append((row, d))
        return pairs

    def _known_pairs(self, parts: list[ModelGroup], rows_of_pairs: list[list[Pair]]) -> list[_Pair]:
        """Each pair of models, on the datasets where both have comparable runs."""
        by_pair = _group_pairs(rows_of_pairs)
        return [self._known_pair(parts, on_datasets) for on_datasets in by_pair.values()]

    def _known_pair(self, parts: list[ModelGroup], on_datasets: list[tuple[int, Pair]]) -> _Pair:
        first, second = sorted((on_datasets[0][1].model_a, on_datasets[0][1].model_b))
        d, losses = np.full(len(parts), np.nan), np.full((2, len(parts)), np.nan)
        for place, pair in on_datasets:
            if pair.n and pair.design != "different splits":
                side = 1 if pair.model_a == first else -1
                d[place] = pair.difference * side
                losses[:, place] = (pair.mean_a, pair.mean_b)[::side]
        used = [group for group, value in zip(parts, d, strict=True) if np.isfinite(value)]
        share, unit = _find_share(used), _find_unit(used)
        is_loss = unit and not unit.greater_is_better and (losses[:, np.isfinite(d)] > 0).all()
        facts = DesignFacts(
            "datasets", has_one_share=bool(share), has_one_loss=bool(is_loss), ranks_models=False
        )
        method = choose_method(facts)
        if method is LOG_FLIPS:
            d = np.log(losses[1] / losses[0])
        elif method is SIGN:
            d = np.sign(d)
        if np.nansum(d) < 0:
            first, second, d, losses = second, first, -d, losses[::-1]
        row = self._row(parts, first, second, used, d[np.isfinite(d)])._replace(
            left_out=sum(pair.left_out for _, pair in on_datasets),
            test=method.test if used else "",
        )
        if method is LOG_FLIPS and unit:
            mean_a, mean_b = np.exp(np.nanmean(np.log(losses), axis=1)).tolist()
            row = row._replace(metric=unit.metric, factor=100.0, unit="%", greater_is_better=False,
                difference=1 - mean_a / mean_b, mean_a=mean_a, mean_b=mean_b,
            )  # fmt: skip
        if method is SIGN:
            ahead = [float((sign * d > 0).sum()) / max(len(used), 1) for sign in (1, -1)]
            row = row._replace(mean_a=ahead[0], mean_b=ahead[1])
        return row, d

    def _test(self, pairs: list[_Pair]) -> list[Pair]:
        """The pairs with their tests, which hold for all of them at once."""
        rows = [row for row, _ in pairs]
        found = [k for k, row in enumerate(rows) if row.n >= MIN_DATASETS]
        if found:
            rng = np.random.default_rng(SIGNS_SEED)
            test = flip_signs(np.stack([pairs[k][1] for k in found]), rng=rng)
            results = zip(found, test.p_value, test.p_adjusted, test.p_least, strict=True)
            for k, p, adjusted, least in results:
                rows[k] = rows[k]._replace(
                    p=float(p),
                    p_adjusted=float(adjusted),
                    pairs=len(found),
                    tested=rows[k].tested._replace(p_least=float(least)),
                )
        # Two one-sided tests against the region of a share, times the number of pairs.
        equal = {}
        for k in found:
            rope = self.ropes.get(rows[k].metric)
            if rope and rows[k].test == SIGN_FLIPS.test:
                d, draws = pairs[k][1], np.random.default_rng(SIGNS_SEED)
                equal[k] = rope, flip_equivalence_p(d[np.isfinite(d)], rope, rng=draws)
        for k, (rope, p) in equal.items():
            tested = rows[k].tested._replace(equivalence_p=min(1.0, len(equal) * p))
            rows[k] = rows[k]._replace(rope=rope, tested=tested)
        return [row._replace(**decide(row)._asdict()) for row in rows]


def _group_pairs(
    rows_of_pairs: list[list[Pair]],
) -> dict[frozenset[str], list[tuple[int, Pair]]]:
    """The rows of each pair of models, with the place of their dataset."""
    by_pair: dict[frozenset[str], list[tuple[int, Pair]]] = {}
    for place, pairs in enumerate(rows_of_pairs):
        for row in pairs:
            pair = frozenset((row.model_a, row.model_b))
            by_pair.setdefault(pair, []).append((place, row))
    return by_pair


def _pool_parts(rows: list[Pair]) -> tuple[tuple[float, float], ...]:
    """Parts of the squared error of the mean of independent differences, like ones together.

    Each has Satterthwaite's degrees of freedom.
    """
    by_row = []
    for row in rows:
        total = sum(part for part, _ in row.tested.parts)
        by_row.append([(row.tested.scale**2 * part / total, df) for part, df in row.tested.parts])
    pooled = []
    for like in zip_longest(*(reversed(parts) for parts in by_row), fillvalue=(0.0, 1.0)):
        total, squares = sum(part for part, _ in like), sum(part**2 / df for part, df in like)
        if total > 0:
            pooled.append((total / len(rows) ** 2, total**2 / squares))
    return tuple(pooled)


def _find_unit(groups: list[ModelGroup]) -> ModelGroup | None:
    """A group whose metric all groups have, in one unit."""
    return groups[0] if len({(group.metric, group.factor) for group in groups}) == 1 else None


def _find_share(groups: list[ModelGroup]) -> ModelGroup | None:
    """The same if that metric is a share."""
    unit = _find_unit(groups)
    return unit if unit and is_share(unit.metric) else None


def shared_means(group: ModelGroup, models: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Signed mean (models,) over the splits that all of `models` have, and runs left out (models,).

    Seeds are averaged within a split first, so that each split has the same weight. All means are
    NaN if there is no such split.
    """
    where = {model: i for i, model in enumerate(group.models)}
    scores = np.full((len(models), len(group.split)), np.nan)
    for row, model in enumerate(models):
        if model in where:
            scores[row] = group.scores[where[model]]
    exists = np.isfinite(scores)
    n_splits = int(group.split.max(initial=-1)) + 1
    counts = np.stack([np.bincount(group.split[has], minlength=n_splits) for has in exists])
    common = (counts > 0).all(axis=0)
    left_out = counts[:, ~common].sum(axis=1)
    if not common.any():
        return np.full(len(models), np.nan), left_out
    totals = np.stack(
        [np.bincount(group.split, np.nan_to_num(row), minlength=n_splits) for row in scores]
    )
    return group.sign * (totals[:, common] / counts[:, common]).mean(axis=1), left_out
