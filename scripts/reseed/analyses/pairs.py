"""Compare every pair of models as their runs allow, with a verdict in plain words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from reseed.analyses.data import Data
from reseed.analyses.pairing import GROUP, Group, Pairing, groups, pairs
from reseed.stats.comparison import compare_all_pairs, compare_unpaired, holm
from reseed.stats.many_datasets import compare_over_datasets
from reseed.stats.ranking import instability
from reseed.verdicts import ALL_DATASETS, outcome, verdict

#: From this many datasets on, models are compared over them too.
MIN_DATASETS = 5
COLUMNS = [
    *GROUP, "metric", "greater_is_better", "factor", "unit", "model_a", "model_b", "outcome",
    "verdict", "design", "test", "n", "n_a", "n_b", "runs", "left_out", "failed", "mean_a",
    "mean_b", "difference", "low", "high", "level", "sd_difference", "cohens_d", "p", "p_holm",
    "rank_test", "rank_p", "rank_p_holm", "pairs", "instability", "superiority",
    "superiority_low", "superiority_high", "bca_low", "bca_high", "rope", "p_a_better",
    "p_equivalent", "p_b_better", "test_train_ratio", "alpha", "min_runs", "friedman_p",
    "critical_difference",
]  # fmt: skip
_TEXT = ["test", "rank_test"]


def analyse(data: Data, options: dict) -> pd.DataFrame:
    """One row a pair of models on each dataset, the better mean as `model_a`.

    `difference`, its interval (`low`, `high` at `level`, for this pair alone) and Cohen's d are
    positive where A is better, in units of the score. Designs: see `pairing.Pairing`. Splits are
    compared by the Nadeau–Bengio corrected t test, shared seeds by the paired t test, others by
    Welch's; p-values are adjusted by Holm over the pairs of the dataset. The rank test beside
    (signed-rank or Mann–Whitney) does not allow for overlapping splits. `instability` is the
    share of single runs whose order differs from that of the means. With five datasets or more,
    further rows compare all models over datasets by average rank (Friedman, Nemenyi).

    options: `level` (0.95), `alpha` (0.05), `n_boot` (10000), `min_runs` (5: with fewer, no
    verdict), `rope` (half-width of practical equivalence; 0.01 for shares, else none).
    """
    rows, found = [], list(groups(data))
    for group in found:
        rows += _adjusted([_row(group, *pair, options) for pair in pairs(group)])
    rows += [row for part in _over_datasets(found, options) for row in part]
    table = pd.DataFrame(rows, columns=COLUMNS)
    table[_TEXT] = table[_TEXT].astype(object).where(table[_TEXT].notna(), "")
    told = table.to_dict("records")
    table["outcome"] = [outcome(row) for row in told]
    table["verdict"] = [verdict(row) for row in told]
    return table


def _adjusted(rows: list[dict]) -> list[dict]:
    """Holm over the pairs of one dataset that have enough runs, and any variation, to be tested."""
    for name in ("p", "rank_p"):
        tested = [
            row
            for row in rows
            if np.isfinite(row.get(name, np.nan))
            and row["n"] >= row["min_runs"]
            and row["low"] < row["high"]
        ]
        if tested:
            for row, p in zip(tested, holm([row[name] for row in tested]), strict=True):
                row |= {f"{name}_holm": float(p), "pairs": len(tested)}
    return rows


def _row(group: Group, a: str, b: str, pairing: Pairing, options: dict) -> dict:
    row = group.key | {
        "metric": group.metric,
        "greater_is_better": group.greater_is_better,
        "factor": group.factor,
        "unit": group.unit,
        "model_a": a,
        "model_b": b,
        "design": pairing.design,
        "n": pairing.n,
        "n_a": len(pairing.a),
        "n_b": len(pairing.b),
        "runs": len(pairing.trial_a),
        "left_out": pairing.left_out,
        "failed": group.failed[a] + group.failed[b],
        "level": options.get("level", 0.95),
        "alpha": options.get("alpha", 0.05),
        "min_runs": options.get("min_runs", 5),
    }
    if pairing.n == 0:
        return row
    row |= {"mean_a": float(pairing.a.mean()), "mean_b": float(pairing.b.mean())}
    row["difference"] = group.sign * (row["mean_a"] - row["mean_b"])
    if len(pairing.trial_a):
        row["instability"] = float(instability(np.stack([pairing.trial_a, pairing.trial_b]))[0, 1])
    if pairing.n < 2 or pairing.design == "different splits":
        return row
    return row | (_paired if pairing.paired else _unpaired)(group, pairing, (a, b), options)


def _paired(group: Group, pairing: Pairing, models: tuple[str, str], options: dict) -> dict:
    ratio = group.test_train_ratio if pairing.design == "splits" else 0.0
    rope = options.get("rope", 0.01 if group.factor == 100 else None)
    found = compare_all_pairs(
        group.sign * np.stack([pairing.a, pairing.b]),
        ratio,
        rope=rope or 0.0,
        level=options.get("level", 0.95),
        n_boot=options.get("n_boot", 10_000),
        rng=group.rng("pairs", *sorted(models)),
    )[0]
    row = {
        "test": "corrected resampled t test" if pairing.design == "splits" else "paired t test",
        "low": found.corrected_low,
        "high": found.corrected_high,
        "sd_difference": found.sd_difference,
        "cohens_d": found.cohens_d,
        "p": found.corrected_t_p,
        "rank_test": "Wilcoxon signed-rank test",
        "rank_p": found.wilcoxon_p,
        "bca_low": found.bca_low,
        "bca_high": found.bca_high,
        "test_train_ratio": ratio,
    }
    if rope is None:
        return row
    return row | {
        "rope": rope,
        "p_a_better": found.bayes_above,
        "p_equivalent": found.bayes_equivalent,
        "p_b_better": found.bayes_below,
    }


def _unpaired(group: Group, pairing: Pairing, models: tuple[str, str], options: dict) -> dict:
    a, b = group.sign * pairing.a, group.sign * pairing.b
    found = compare_unpaired(a, b, options.get("level", 0.95))
    return {
        "test": "Welch's t test",
        "low": found.low,
        "high": found.high,
        "p": found.welch_p,
        "rank_test": "Mann–Whitney test",
        "rank_p": found.mann_whitney_p,
        "superiority": found.superiority,
        "superiority_low": found.superiority_low,
        "superiority_high": found.superiority_high,
        "instability": 1 - found.superiority,
    }


def _over_datasets(found: list[Group], options: dict) -> Iterator[list[dict]]:
    """Rows that compare models over datasets, for every setting that spans enough of them."""
    setting = [name for name in GROUP if name != "dataset"]
    keys = dict.fromkeys(tuple(str(group.key[name]) for name in setting) for group in found)
    for key in keys:
        chosen = [g for g in found if tuple(str(g.key[name]) for name in setting) == key]
        means = pd.DataFrame(
            {g.key["dataset"]: g.sign * g.trials.groupby("model")["score"].mean() for g in chosen}
        ).T
        means = means.dropna(axis="columns")
        if len(means) >= MIN_DATASETS and means.shape[1] > 2:
            yield _rank_rows(chosen[0], means, options)


def _rank_rows(group: Group, means: pd.DataFrame, options: dict) -> list[dict]:
    alpha = options.get("alpha", 0.05)
    result = compare_over_datasets(means.to_numpy(), alpha=alpha)
    order, flips = np.argsort(result.average_ranks, kind="stable"), instability(means.to_numpy().T)
    rows = []
    for position, i in enumerate(order):
        for j in order[position + 1 :]:
            ranks = float(result.average_ranks[i]), float(result.average_ranks[j])
            rows.append(
                group.key
                | {
                    "dataset": ALL_DATASETS,
                    "metric": "rank",
                    "greater_is_better": False,
                    "factor": 1.0,
                    "unit": "",
                    "model_a": means.columns[i],
                    "model_b": means.columns[j],
                    "design": "datasets",
                    "test": "Nemenyi's test",
                    "n": len(means),
                    "n_a": len(means),
                    "n_b": len(means),
                    "runs": len(means),
                    "left_out": 0,
                    "failed": 0,
                    "mean_a": ranks[0],
                    "mean_b": ranks[1],
                    "difference": ranks[1] - ranks[0],
                    "p": float(result.nemenyi_p[i, j]),
                    # Nemenyi's p-values hold for all pairs at once: nothing is left to adjust.
                    "p_holm": float(result.nemenyi_p[i, j]),
                    "pairs": len(order) * (len(order) - 1) // 2,
                    "instability": float(flips[i, j]),
                    "alpha": alpha,
                    "min_runs": MIN_DATASETS,
                    "friedman_p": result.friedman_p,
                    "critical_difference": result.critical_difference,
                }
            )
    return rows
