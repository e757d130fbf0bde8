"""Compare models over datasets, on the splits that the compared models share on each of them."""

from __future__ import annotations

from collections.abc import Iterator
from math import comb

import numpy as np
import pandas as pd

from reseed.analyses.shared.pairing import Group, across_datasets, shared_key
from reseed.claims.verdicts import ALL_DATASETS
from reseed.metrics.names import is_share
from reseed.stats.comparison import differences, holm
from reseed.stats.many_datasets import ManyDatasets, compare_over_datasets, compare_two_models

#: From this many datasets on there is a verdict over them.
MIN_DATASETS = 5
_SHOWN = 3  # datasets that a note names before it counts the rest


def over_datasets(
    found: list[Group],
    compared: list[list[dict]],
    *,
    alpha: float,
    ropes: dict[str, float],
    restricted: bool = False,
) -> list[dict]:
    """Rows that compare models over datasets, wherever there are two of them or more.

    What belongs together: see `pairing.across_datasets`.

    Where all models share splits on at least `MIN_DATASETS` datasets, the average ranks of three
    or more of them are compared (Friedman, Nemenyi). Otherwise each pair is compared on the
    datasets where both can be: signed-rank test of the mean differences if all datasets have one
    metric that is a share, else sign test, adjusted by Holm over the pairs; with a region for that
    metric, two one-sided signed-rank tests against it too. So two models, a
    choice of pairs (`restricted`), and models that lack a dataset are compared too; `missing`
    names what a pair lacks. With fewer datasets a row says on how many the one is better.

    found, compared: settings and the rows of their pairs, as in `pairs`. `left_out` and `failed`
    count runs of the two models that were not used, and trials without a score, over all datasets.
    """
    rows: list[dict] = []
    for chosen in across_datasets([group.key for group in found]):
        if len(chosen) < 2:
            continue
        parts = [found[i] for i in chosen]
        models = list(dict.fromkeys(model for group in parts for model in group.models))
        means = [shared_means(group, models) for group in parts]
        whole = all(np.isfinite(mean).all() for mean, _ in means)
        if whole and len(parts) >= MIN_DATASETS and len(models) > 2 and not restricted:
            told = _rank_rows(parts, models, means, alpha)
        else:
            told = _pair_rows(parts, [compared[i] for i in chosen], alpha, ropes)
        place = shared_key(pd.DataFrame([group.key for group in parts]))
        rows += [place | row for row in told]
    return rows


def shared_means(group: Group, models: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Mean (models,) over the splits that all of `models` have, signed; and runs left out.

    Seeds are averaged within a split first, so that each split weighs the same. NaN everywhere if
    there is no such split.
    """
    where = {model: i for i, model in enumerate(group.models)}
    scores = np.full((len(models), len(group.split)), np.nan)
    for row, model in enumerate(models):
        if model in where:
            scores[row] = group.scores[where[model]]
    there = np.isfinite(scores)
    places = int(group.split.max(initial=-1)) + 1
    counts = np.stack([np.bincount(group.split[has], minlength=places) for has in there])
    common = (counts > 0).all(axis=0)
    left_out = counts[:, ~common].sum(axis=1)
    if not common.any():
        return np.full(len(models), np.nan), left_out
    totals = np.stack(
        [np.bincount(group.split, np.nan_to_num(row), minlength=places) for row in scores]
    )
    return group.sign * (totals[:, common] / counts[:, common]).mean(axis=1), left_out


def _row(parts: list[Group], a: str, b: str, n: int, alpha: float) -> dict:
    return {
        "dataset": ALL_DATASETS,
        "model_a": a,
        "model_b": b,
        "design": "datasets",
        "n": n,
        "n_a": n,
        "n_b": n,
        "runs": n,
        "failed": sum(group.failed.get(model, 0) for group in parts for model in (a, b)),
        "alpha": alpha,
        "min_runs": MIN_DATASETS,
        "missing": "",
        "family": "datasets",
    }


def _rank_rows(
    parts: list[Group], models: list[str], means: list[tuple], alpha: float
) -> Iterator[dict]:
    scores = np.stack([mean for mean, _ in means])
    left_out = np.sum([left for _, left in means], axis=0)
    result = compare_over_datasets(scores, alpha=alpha)
    order = np.argsort(result.average_ranks, kind="stable")
    for position, i in enumerate(order):
        for j in order[position + 1 :]:
            # Dataset by dataset: each has a size of its own, below which all is rounding.
            sign = np.sign(differences(scores[:, [i]], scores[:, [j]]))
            yield (
                _row(parts, models[i], models[j], len(parts), alpha)
                | {
                    "metric": "rank",
                    "greater_is_better": False,
                    "factor": 1.0,
                    "unit": "",
                    "test": "Nemenyi's test",
                    "left_out": int(left_out[i] + left_out[j]),
                    "pairs": comb(len(models), 2),
                }
                | _counted(int((sign > 0).sum()), int((sign < 0).sum()), len(parts))
                | _ranks(result, int(i), int(j))
            )


def _ranks(result: ManyDatasets, i: int, j: int) -> dict:
    ranks = float(result.average_ranks[i]), float(result.average_ranks[j])
    return {
        "mean_a": ranks[0],
        "mean_b": ranks[1],
        "difference": ranks[1] - ranks[0],
        "p": float(result.nemenyi_p[i, j]),
        # Nemenyi's p-values hold for all pairs at once: nothing is left to adjust.
        "p_holm": float(result.nemenyi_p[i, j]),
        "friedman_p": result.friedman_p,
        "critical_difference": result.critical_difference,
    }


def _pair_rows(
    parts: list[Group], compared: list[list[dict]], alpha: float, ropes: dict[str, float]
) -> list[dict]:
    """One row a pair of models, on the datasets where both have comparable runs."""
    by_pair: dict[frozenset, list] = {}
    for group, pairs in zip(parts, compared, strict=True):
        for row in pairs:
            pair = frozenset((row["model_a"], row["model_b"]))
            by_pair.setdefault(pair, []).append((group, row))
    rows = [_pair_row(parts, found, alpha, ropes) for found in by_pair.values()]
    tested = [row for row in rows if row["n"] >= MIN_DATASETS]
    adjusted = holm([row["p"] for row in tested]).tolist() if tested else []
    for row, p in zip(tested, adjusted, strict=True):
        row |= {"p_holm": p, "pairs": len(tested)}
        row["p_least"] = min(1.0, len(tested) * row["p_least"])
    within = [row for row in tested if "equivalence_p" in row]
    if within:
        for row, p in zip(within, holm([row["equivalence_p"] for row in within]), strict=True):
            row["equivalence_p_holm"] = float(p)
    return rows


def _pair_row(
    parts: list[Group], found: list[tuple], alpha: float, ropes: dict[str, float]
) -> dict:
    first, second = sorted(found[0][1][side] for side in ("model_a", "model_b"))
    used, d = [], []
    for group, pair in found:
        if pair["n"] and pair["design"] != "different splits":
            d.append(pair["difference"] * (1 if pair["model_a"] == first else -1))
            used.append(group)
    row = _row(parts, first, second, len(used), alpha) | {
        "left_out": sum(pair["left_out"] for _, pair in found),
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
    rope = ropes.get(used[0].metric) if commensurable else None
    result = compare_two_models(np.array(d), commensurable=commensurable, rope=rope)
    if result.difference < 0:
        row |= {"model_a": second, "model_b": first}
        result = compare_two_models(-np.array(d), commensurable=commensurable, rope=rope)
    row |= {
        "test": "Wilcoxon signed-rank test" if commensurable else "sign test",
        "difference": result.difference,
        "p": result.p_value,
        "p_least": result.p_least,
    } | _counted(result.wins, result.losses, len(used))
    if commensurable:
        told = {"metric": used[0].metric, "factor": used[0].factor, "unit": used[0].unit}
        row |= told | {"greater_is_better": used[0].greater_is_better}
    if rope:
        row |= {"rope": rope, "equivalence_p": result.equivalence_p}
    return row


def _counted(wins: int, losses: int, n: int) -> dict:
    """On how many datasets the stated order holds; `instability` counts a tie one half."""
    ties = n - wins - losses
    flips = (losses + ties / 2) / n
    return {"wins": wins, "losses": losses, "ties": ties / n, "instability": flips}


def _missing(parts: list[Group], used: set[str]) -> str:
    """Names of the datasets that a pair could not be compared on, the first few."""
    names = [group.key["dataset"] for group in parts if group.key["dataset"] not in used]
    rest = len(names) - _SHOWN
    shown = ", ".join(names[:_SHOWN])
    return f"{shown} and {rest} more" if rest > 0 else shown
