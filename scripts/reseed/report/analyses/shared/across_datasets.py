"""Comparison of models over datasets, on the splits that they share on each dataset."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import comb

import numpy as np
import pandas as pd

from reseed.claims.designs import NEMENYI, SIGN, SIGNED_RANK, DesignFacts, choose_method
from reseed.claims.verdicts import ALL_DATASETS
from reseed.core.schemas import Row
from reseed.metrics.names import is_share
from reseed.report.analyses.shared.keys import group_across_datasets, merge_keys
from reseed.report.analyses.shared.pairing import ModelGroup
from reseed.stats.comparison import differences, holm
from reseed.stats.many_datasets import ManyDatasets, compare_over_datasets, compare_two_models
from reseed.stats.rank_power import RankTest, detectable_shift

#: Fewest datasets for a verdict over datasets.
MIN_DATASETS = 5
_NAMED_DATASETS = 3  # datasets that a note names; it counts the rest


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

        If all models share splits on at least `MIN_DATASETS` datasets, the average ranks of three
        or more models are compared (Friedman, Nemenyi). Otherwise each pair is compared on the
        datasets where both models have comparable runs. The test is the signed-rank test of the
        mean differences if all datasets have one metric that is a share, else the sign test;
        p-values are adjusted by Holm over the pairs. With a region for that metric, two one-sided
        signed-rank tests against it are added. With fewer datasets, a row only counts them.

        `missing` names the datasets that a pair lacks. `left_out` and `failed` count the unused
        runs and the trials without a score of the two models, over all datasets.
        """
        rows: list[Row] = []
        for positions in group_across_datasets([group.key for group in groups]):
            if len(positions) < 2:
                continue
            parts = [groups[i] for i in positions]
            models = list(dict.fromkeys(model for group in parts for model in group.models))
            means = [shared_means(group, models) for group in parts]
            is_complete = all(np.isfinite(mean).all() for mean, _ in means)
            many = len(parts) >= MIN_DATASETS and len(models) > 2
            are_ranked = is_complete and many and not self.is_restricted
            if choose_method(DesignFacts("datasets", ranks_models=are_ranked)) is NEMENYI:
                compared = list(self._rank_rows(parts, models, means))
            else:
                compared = self._pair_rows(parts, [rows_of_pairs[i] for i in positions])
            key = merge_keys(pd.DataFrame([group.key for group in parts]))
            rows += [key | row for row in compared]
        return rows

    def _row(self, parts: list[ModelGroup], a: str, b: str, n: int) -> Row:
        return {
            "dataset": ALL_DATASETS,
            "model_a": a,
            "model_b": b,
            "design": SIGNED_RANK.design,
            "n": n,
            "n_a": n,
            "n_b": n,
            "runs": n,
            "failed": sum(group.failed.get(model, 0) for group in parts for model in (a, b)),
            "alpha": self.alpha,
            "min_runs": MIN_DATASETS,
            "missing": "",
            "family": "datasets",
        }

    def _rank_rows(
        self,
        parts: list[ModelGroup],
        models: list[str],
        means: list[tuple[np.ndarray, np.ndarray]],
    ) -> Iterator[Row]:
        scores = np.stack([mean for mean, _ in means])
        left_out = np.sum([left for _, left in means], axis=0)
        result = compare_over_datasets(scores, alpha=self.alpha)
        order = np.argsort(result.average_ranks, kind="stable")
        shift = detectable_shift("Nemenyi", len(parts), len(models), alpha=self.alpha)
        for position, i in enumerate(order):
            for j in order[position + 1 :]:
                # By dataset: rounding errors are relative to the size of a dataset's scores.
                sign = np.sign(differences(scores[:, [i]], scores[:, [j]]))
                yield (
                    self._row(parts, models[i], models[j], len(parts))
                    | {
                        "metric": "rank",
                        "greater_is_better": False,
                        "factor": 1.0,
                        "unit": "",
                        "test": NEMENYI.test,
                        "detectable_sd": shift,
                        "left_out": int(left_out[i] + left_out[j]),
                        "pairs": comb(len(models), 2),
                    }
                    | _count_wins(int((sign > 0).sum()), int((sign < 0).sum()), len(parts))
                    | _ranks(result, int(i), int(j))
                )

    def _pair_rows(self, parts: list[ModelGroup], rows_of_pairs: list[list[Row]]) -> list[Row]:
        """One row a pair of models, on the datasets where both have comparable runs."""
        by_pair: dict[frozenset, list[tuple[ModelGroup, Row]]] = {}
        for group, pairs in zip(parts, rows_of_pairs, strict=True):
            for row in pairs:
                pair = frozenset((row["model_a"], row["model_b"]))
                by_pair.setdefault(pair, []).append((group, row))
        rows = [self._pair_row(parts, on_datasets) for on_datasets in by_pair.values()]
        tested = [row for row in rows if row["n"] >= MIN_DATASETS]
        adjusted = holm([row["p"] for row in tested]).tolist() if tested else []
        for row, p in zip(tested, adjusted, strict=True):
            row |= {"p_adjusted": p, "p_holm": p, "pairs": len(tested)}
            test: RankTest = "sign" if row["test"] == SIGN.test else "signed-rank"
            level = self.alpha / len(tested)
            row["detectable_sd"] = detectable_shift(test, int(row["n"]), alpha=level)
            row["p_least"] = min(1.0, len(tested) * row["p_least"])
        with_region = [row for row in tested if "equivalence_p" in row]
        if with_region:
            adjusted = holm([row["equivalence_p"] for row in with_region])
            for row, p in zip(with_region, adjusted, strict=True):
                row["equivalence_p_holm"] = float(p)
        return rows

    def _pair_row(self, parts: list[ModelGroup], on_datasets: list[tuple[ModelGroup, Row]]) -> Row:
        first, second = sorted(on_datasets[0][1][side] for side in ("model_a", "model_b"))
        used, d = [], []
        for group, pair in on_datasets:
            if pair["n"] and pair["design"] != "different splits":
                d.append(pair["difference"] * (1 if pair["model_a"] == first else -1))
                used.append(group)
        row = self._row(parts, first, second, len(used)) | {
            "left_out": sum(pair["left_out"] for _, pair in on_datasets),
            "missing": _missing(parts, {group.key["dataset"] for group in used}),
            "greater_is_better": True,
            "metric": "datasets",
            "factor": 1.0,
            "unit": "",
        }
        if not used:
            return row
        metrics, factors = {group.metric for group in used}, {group.factor for group in used}
        commensurable = len(metrics) == len(factors) == 1 and is_share(used[0].metric)
        rope = self.ropes.get(used[0].metric) if commensurable else None
        method = choose_method(DesignFacts("datasets", has_one_share=commensurable))
        result = compare_two_models(np.array(d), commensurable=commensurable, rope=rope)
        if result.difference < 0:
            row |= {"model_a": second, "model_b": first}
            result = compare_two_models(-np.array(d), commensurable=commensurable, rope=rope)
        row |= {
            "test": method.test,
            "difference": result.difference,
            "p": result.p_value,
            "p_least": result.p_least,
        } | _count_wins(result.wins, result.losses, len(used))
        if commensurable:
            row |= {
                "metric": used[0].metric,
                "factor": used[0].factor,
                "unit": used[0].unit,
                "greater_is_better": used[0].greater_is_better,
            }
        if rope:
            row |= {"rope": rope, "equivalence_p": result.equivalence_p}
        return row


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


def _ranks(result: ManyDatasets, i: int, j: int) -> Row:
    ranks = float(result.average_ranks[i]), float(result.average_ranks[j])
    return {
        "mean_a": ranks[0],
        "mean_b": ranks[1],
        "difference": ranks[1] - ranks[0],
        "p": float(result.nemenyi_p[i, j]),
        # Nemenyi's p-values are already adjusted for all pairs.
        "p_adjusted": float(result.nemenyi_p[i, j]),
        "friedman_p": result.friedman_p,
        "critical_difference": result.critical_difference,
    }


def _count_wins(wins: int, losses: int, n: int) -> Row:
    """On how many datasets the stated order holds; `instability` counts a tie one half."""
    ties = n - wins - losses
    flips = (losses + ties / 2) / n
    return {"wins": wins, "losses": losses, "ties": ties / n, "instability": flips}


def _missing(parts: list[ModelGroup], used: set[str]) -> str:
    """Names of the datasets that a pair could not be compared on; after the first few, a count."""
    names = [group.key["dataset"] for group in parts if group.key["dataset"] not in used]
    rest = len(names) - _NAMED_DATASETS
    shown = ", ".join(names[:_NAMED_DATASETS])
    return f"{shown} and {rest} more" if rest > 0 else shown
