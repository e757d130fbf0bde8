"""Comparison of models over datasets, on the splits that they share on each dataset."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, zip_longest

import numpy as np
import pandas as pd

from reseed.analyses.shared.adjustment import adjust_family
from reseed.analyses.shared.keys import group_across_datasets, merge_keys
from reseed.analyses.shared.pairing import ModelGroup
from reseed.core.pair_tests import MIN_DATASETS
from reseed.core.schemas import Row
from reseed.metrics.names import is_share
from reseed.stats.comparison import differences
from reseed.stats.many_datasets import rank_within
from reseed.stats.sign_flips import flip_equivalence_p, flip_signs
from reseed.stats.weighted_t import equivalent_df, upper_tail
from reseed.verdicts.decide import ALL_DATASETS
from reseed.verdicts.designs import (
    POOLED,
    SIGN,
    SIGN_FLIPS,
    SIGNS_SEED,
    DesignFacts,
    choose_method,
)

#: Fewest degrees of freedom of a mean over few datasets: those of five runs.
_LEAST_DF = 4


#: What is known of two models over datasets before the test, the better one first, and their
#: differences (datasets,), NaN where a model is missing.
_Pair = tuple[Row, np.ndarray]


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

    def compare(self, groups: list[ModelGroup], rows_of_pairs: list[list[Row]]) -> list[Row]:
        """Rows that compare models over datasets, for each comparison of two datasets or more.

        groups, rows_of_pairs: the groups of models, and the rows of `pairs` for each of them.

        All pairs are tested at once by random signs of the datasets (`stats.sign_flips`). What is
        tested is the mean difference if all datasets have one metric that is a share. If not, it is
        the mean difference of the models' ranks within datasets if all pairs of three models or
        more share splits on at least `MIN_DATASETS` datasets; else the number of datasets on which
        a model is ahead. On fewer datasets with one metric, the mean difference on exactly these is
        tested by the runs (and items) of each. Each pair is otherwise compared on the datasets
        where both models have comparable runs. With a region for a share, two one-sided tests
        against it are added. With fewer datasets, a row only counts them.

        Rows of all pairs of three models or more have the means, or mean ranks, that are tested.
        `left_out` and `failed` count the unused runs and the trials without a score of the two
        models, over all datasets.
        """
        rows: list[Row] = []
        for positions in group_across_datasets([group.key for group in groups]):
            if len(positions) < 2:
                continue
            parts = [groups[i] for i in positions]
            key = merge_keys(pd.DataFrame([group.key for group in parts]))
            if len(parts) < MIN_DATASETS and len({group.metric for group in parts}) == 1:
                pooled = self._pool(parts, [rows_of_pairs[i] for i in positions])
                rows += [key | row for row in pooled]
                continue
            models = list(dict.fromkeys(model for group in parts for model in group.models))
            means = [shared_means(group, models) for group in parts]
            is_complete = all(np.isfinite(mean).all() for mean, _ in means)
            many = len(parts) >= MIN_DATASETS and len(models) > 2
            if is_complete and many and not self.is_restricted:
                pairs = self._all_pairs(parts, models, means)
            else:
                pairs = self._known_pairs(parts, [rows_of_pairs[i] for i in positions])
            rows += [key | row for row in self._test(pairs)]
        return rows

    def _pool(self, parts: list[ModelGroup], rows_of_pairs: list[list[Row]]) -> list[Row]:
        """Each pair on exactly these datasets, which count equally, for new runs (and items)."""
        unit, rows = parts[0], []
        for on_datasets in _group_pairs(rows_of_pairs).values():
            known = [row for _, row in on_datasets if "difference" in row]
            first, second = sorted(on_datasets[0][1][side] for side in ("model_a", "model_b"))
            d = np.array(
                [row["difference"] * (1 if row["model_a"] == first else -1) for row in known]
            )
            if d.sum() < 0:
                first, second, d = second, first, -d
            used = {row["dataset"] for row in known}
            row = self._row(
                parts, first, second, [one for one in parts if one.key["dataset"] in used]
            )
            row |= {
                "metric": unit.metric, "factor": unit.factor, "unit": unit.unit,
                "greater_is_better": unit.greater_is_better, "min_runs": len(parts),
                "rope": self.ropes.get(unit.metric, np.nan), "test": POOLED.test,
                "left_out": sum(one["left_out"] for _, one in on_datasets),
                "covers": POOLED.claim, **_describe(d),
            }  # fmt: skip
            rows.append(row)
            for side, other in ("ab", "ba") if len(d) else ():
                means = [one[f"mean_{side if one['model_a'] == first else other}"] for one in known]
                row[f"mean_{side}"] = float(np.mean(means))
            varying = [one for one in known if one.get("scale", 0.0) > 0]
            if len(varying) < len(parts):
                continue
            pooled = _pool_parts(varying)
            if equivalent_df(self.alpha / 2, pooled) >= _LEAST_DF:
                scale = float(np.sqrt(sum(part for part, _ in pooled)))
                p = min(1.0, 2 * upper_tail(abs(d.mean()) / scale, pooled))
                row |= {"scale": scale, "parts": pooled, "p": p}
        adjust_family(rows, "datasets")
        return rows

    def _row(self, parts: list[ModelGroup], a: str, b: str, used: list[ModelGroup]) -> Row:
        """What does not depend on the scores; differences have a unit if `used` have a share."""
        n, unit = len(used), _find_share(used)
        return {
            "dataset": ALL_DATASETS,
            "model_a": a,
            "model_b": b,
            "design": SIGN_FLIPS.design,
            "n": n,
            "failed": sum(group.failed.get(model, 0) for group in parts for model in (a, b)),
            "alpha": self.alpha,
            "min_runs": MIN_DATASETS,
            "covers": SIGN_FLIPS.claim,
            **dict.fromkeys(("test", "error_shares"), ""),
            "family": "datasets",
            "greater_is_better": True,
            "metric": unit.metric if unit else "datasets",
            "factor": unit.factor if unit else 1.0,
            "unit": unit.unit if unit else "",
        }

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
            row = self._row(parts, models[i], models[j], parts) | {
                "test": method.test,
                "left_out": int(left_out[i] + left_out[j]),
                "mean_a": abs(float(mean[i])),
                "mean_b": abs(float(mean[j])),
            }
            if method is not SIGN_FLIPS:
                row |= {"metric": "rank", "greater_is_better": False}
            # By dataset: rounding errors are relative to the size of a dataset's scores.
            pairs.append((row, differences(better[:, [i]], better[:, [j]])[:, 0]))
        return pairs

    def _known_pairs(self, parts: list[ModelGroup], rows_of_pairs: list[list[Row]]) -> list[_Pair]:
        """Each pair of models, on the datasets where both have comparable runs."""
        by_pair = _group_pairs(rows_of_pairs)
        return [self._known_pair(parts, on_datasets) for on_datasets in by_pair.values()]

    def _known_pair(self, parts: list[ModelGroup], on_datasets: list[tuple[int, Row]]) -> _Pair:
        first, second = sorted(on_datasets[0][1][side] for side in ("model_a", "model_b"))
        d = np.full(len(parts), np.nan)
        for place, pair in on_datasets:
            if pair["n"] and pair["design"] != "different splits":
                d[place] = pair["difference"] * (1 if pair["model_a"] == first else -1)
        used = [group for group, value in zip(parts, d, strict=True) if np.isfinite(value)]
        facts = DesignFacts("datasets", has_one_share=bool(_find_share(used)), ranks_models=False)
        method = choose_method(facts)
        d = np.sign(d) if method is SIGN else d
        if np.nansum(d) < 0:
            first, second, d = second, first, -d
        shares = {"mean_a": (d > 0).sum(), "mean_b": (d < 0).sum()} if method is SIGN else {}
        row = self._row(parts, first, second, used) | {
            **{name: count / max(len(used), 1) for name, count in shares.items()},
            "left_out": sum(pair["left_out"] for _, pair in on_datasets),
            "test": method.test if used else "",
        }
        return row, d

    def _test(self, pairs: list[_Pair]) -> list[Row]:
        """The rows with their tests, which hold for all pairs at once."""
        tested = [(row, d) for row, d in pairs if row["n"] >= MIN_DATASETS]
        for row, d in pairs:
            row |= _describe(d[np.isfinite(d)])
        if tested:
            test = flip_signs(
                np.stack([d for _, d in tested]), rng=np.random.default_rng(SIGNS_SEED)
            )
            for (row, _), p, adjusted, least in zip(
                tested, test.p_value, test.p_adjusted, test.p_least, strict=True
            ):
                row |= {"p": float(p), "p_adjusted": float(adjusted)}
                row |= {"p_least": float(least), "pairs": len(tested)}
        self._test_equivalence(tested)
        return [row for row, _ in pairs]

    def _test_equivalence(self, tested: list[_Pair]) -> None:
        """Two one-sided tests against the region of a share, times the number of pairs."""
        with_region = []
        for row, d in tested:
            if rope := self.ropes.get(row["metric"]):
                draws = np.random.default_rng(SIGNS_SEED)
                row["rope"] = rope
                row["equivalence_p"] = flip_equivalence_p(d[np.isfinite(d)], rope, rng=draws)
                with_region.append(row)
        for row in with_region:
            row["equivalence_p"] = min(1.0, len(with_region) * row["equivalence_p"])


def _group_pairs(rows_of_pairs: list[list[Row]]) -> dict[frozenset[str], list[tuple[int, Row]]]:
    """The rows of each pair of models, with the place of their dataset."""
    by_pair: dict[frozenset[str], list[tuple[int, Row]]] = {}
    for place, pairs in enumerate(rows_of_pairs):
        for row in pairs:
            pair = frozenset((row["model_a"], row["model_b"]))
            by_pair.setdefault(pair, []).append((place, row))
    return by_pair


def _pool_parts(rows: list[Row]) -> list[tuple[float, float]]:
    """Parts of the squared error of the mean of independent differences, like ones together.

    Each has Satterthwaite's degrees of freedom.
    """
    by_row = []
    for row in rows:
        parts = row.get("parts") or [(1.0, row["df"])]
        total = sum(part for part, _ in parts)
        by_row.append([(row["scale"] ** 2 * part / total, df) for part, df in parts])
    pooled = []
    for like in zip_longest(*(reversed(parts) for parts in by_row), fillvalue=(0.0, 1.0)):
        total, squares = sum(part for part, _ in like), sum(part**2 / df for part, df in like)
        if total > 0:
            pooled.append((total / len(rows) ** 2, total**2 / squares))
    return pooled


def _find_share(groups: list[ModelGroup]) -> ModelGroup | None:
    """A group whose metric all groups have, if that is a share in one unit."""
    units = {(group.metric, group.factor) for group in groups}
    return groups[0] if len(units) == 1 and is_share(groups[0].metric) else None


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


def _describe(d: np.ndarray) -> Row:
    """Mean difference, and the share of datasets with another sign; a tie counts one half."""
    if not d.size:
        return {}
    return {"difference": float(d.mean()), "instability": float((1 - np.sign(d)).mean() / 2)}
