"""Comparison of every pair of models, with a verdict in plain words."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from reseed.comparison.claims import designs
from reseed.comparison.claims.budget import list_additions
from reseed.comparison.claims.build import state_verdict
from reseed.comparison.claims.pair_row import PairRow
from reseed.core.schemas import COMPARISON_COLUMNS, Row
from reseed.plugins.options import Count, Level, Rope, pair_test
from reseed.report.analyses.shared.across_datasets import AcrossDatasets
from reseed.report.analyses.shared.adjustment import adjust_family
from reseed.report.analyses.shared.baseline_tests import add_dunnett
from reseed.report.analyses.shared.data import Data
from reseed.report.analyses.shared.equivalence import rope_by_metric
from reseed.report.analyses.shared.item_scores import (
    compare_pair,
    find_item_scores,
    list_item_test,
    test_pair,
)
from reseed.report.analyses.shared.pairing import (
    ModelGroup,
    Pairing,
    PairOptions,
    choose_pairs,
    group_models,
    pair_models,
)
from reseed.report.analyses.shared.shares import share_maximum
from reseed.report.analyses.shared.skewed_pairs import (
    describe_own_tails,
    describe_tails,
)
from reseed.stats.budget import seed_share_of_splits
from reseed.stats.comparison import (
    UNSTABLE_RATIO,
    compare_paired,
    differences,
    equivalence_p,
    nadeau_bengio,
)
from reseed.stats.item_model import ItemDifference
from reseed.stats.ranking import disagreement
from reseed.stats.signed_rank import smallest_signed_rank_p
from reseed.stats.unpaired import (
    compare_unpaired,
    equal_spread_p,
    smallest_mann_whitney_p,
)

#: Scores of items are read too, where imported results hold them.
READS = "items"

COLUMNS = [
    *COMPARISON_COLUMNS, "metric", "greater_is_better", "factor", "unit", "model_a", "model_b",
    "outcome", "verdict", "design", "test", "n", "n_a", "n_b", "runs", "left_out", "failed",
    "missing", "mean_a", "mean_b", "difference", "low", "high", "level", "sd_difference",
    "cohens_d", "p", "p_adjusted", "p_holm", "rank_test", "rank_p", "rank_p_holm", "rank_p_least",
    "pairs", "family", "instability", "ties", "superiority", "superiority_low", "superiority_high",
    "bca_low", "bca_high", "rope", "equivalence_p", "equivalence_p_holm", "p_a_better",
    "p_equivalent", "p_b_better", "detectable", "target_power", "test_train_ratio", "alpha",
    "min_runs", "friedman_p", "nemenyi_p", "critical_difference", "rank_a", "rank_b", "wins",
    "losses", "p_least", "items",
    "seed_share", "seeds_test", "seeds_p", "joint_low", "joint_high", "item_share",
    "conservative_p", "conservative_p_holm", "spread_p", "dunnett_p", "dunnett_low", "dunnett_high",
    "add", "detectable_add", "largest_difference", "detectable_sd", "is_split_assumed",
    "skewness", "skew_p", "skew_p_adjusted", "better_share", "better_low", "better_high",
    "better_n", "better_unit", "method", "se", "shared_seeds", "cluster_df",
    *(f"{p}_{s}" for p in ("level", "share", "detectable_2x") for s in designs.SOURCES),
]  # fmt: skip
#: Columns of metrics of predictions that are no means over items.
OF_BOOTSTRAP = ("boot_low", "boot_high")
_TEXT = ["test", "rank_test", "missing", "family", "seeds_test", "add", "better_unit"]
#: Columns that are ends of intervals of a difference.
INTERVAL_ENDS = ("low", "high", "joint_low", "joint_high", "dunnett_low", "dunnett_high")
EMPTY_ROW = dict.fromkeys(COLUMNS, np.nan) | dict.fromkeys(_TEXT, "")
#: Columns of the test over seeds alone.
_OF_SEEDS = (
    "rank_p", "rank_floor", "sd_difference", "cohens_d", "bca_low", "bca_high", "p_a_better",
    "p_b_better", "p_equivalent", "dunnett_p", "dunnett_low", "dunnett_high",
)  # fmt: skip
#: Two models, the better one first, and their runs.
NamedPairing = tuple[str, str, Pairing]


class Options(PairOptions):
    """rope: half-width of practical equivalence in units of the score; by metric if there are
    several (None: no pair is called equivalent).
    """

    level: Level = pair_test("level")
    alpha: Level = pair_test("alpha")
    n_boot: Count = pair_test("n_boot")
    min_runs: Annotated[int, Field(ge=2)] = pair_test("min_runs")
    rope: Rope = None
    target_power: Level = pair_test("target_power")
    family: Literal["dataset", "study"] = pair_test("family")


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row a pair of models on each dataset; `model_a` has the better mean.

    Splits are compared by the Nadeau–Bengio corrected t test, shared seeds by the paired t test,
    independent seeds by Welch's t test (`pairing.Pairing`). If the outputs of items on the one test
    set of such a pair are known and both models have two runs or more, seeds and items are compared
    together (`design` seeds and items, `stats.item_model`); the test over seeds alone is
    then `seeds_test` with the unadjusted p-value `seeds_p`. Differences are in units of the score
    and positive if A is better.

    - `difference`: mean difference; `low`, `high`: its interval at `level`, for this pair alone.
      Without variation there is no test: columns of tests are empty.
    - `joint_low`, `joint_high`: intervals of all pairs of the family, which cover together with
      1 − `alpha`. `joint_low` is 0 or more (the difference is then greater) exactly if
      `p_adjusted` is at most `alpha`.
    - `cohens_d`: d_z, mean over SD of the paired differences.
    - `p_holm`: p-value, adjusted by Holm over the pairs of the `family`.
    - `p_adjusted`: adjusted by Holm over both directions of each pair, which decides
      (`stats.simultaneous`).
    - `equivalence_p`: two one-sided tests of the same kind against ±`rope`, adjusted separately.
    - `detectable`: smallest true difference that this design finds with `target_power` at Holm's
      strictest step.
    - `rank_p`: signed-rank or Mann–Whitney test, which ignores that splits overlap;
      `rank_p_least`: its smallest possible adjusted p-value.
    - `conservative_p`: corrected t test with 1.5 times n_test/n_train, for unstable learners.
    - `spread_p`: Brown–Forsythe test of equal spreads over seeds (one test set).
    - `dunnett_p`, `dunnett_low`, `dunnett_high`: Dunnett's test and simultaneous interval of models
      with seeds of their own against `baseline`.
    - `item_share`: share of the squared standard error that more seeds do not reduce.
    - `add`: for an open verdict, of what twice as much lowers the smallest detectable difference
      most: `seeds`, `splits`, `rows` or `items` (`claims.budget`), or `datasets`; `detectable_add`:
      to what (of datasets: as `detectable_sd`).
    - `largest_difference`: largest possible difference, of two shares; intervals end there.
    - `skewness`: of the mean difference over seeds (and items), where a few lie far from the
      others; else empty. The difference then needs `skew_p_adjusted` too: `skew_p` is p corrected
      for the skewness, or the Mann–Whitney test of runs that are not paired.
    - `better_share`, `better_low`, `better_high`: share of the `better_n` runs (items) in which A
      is better, with its exact interval; of runs that are not paired, `superiority`.
    - `is_split_assumed`: no column says that all runs are on one split.
    - `instability`: share of single runs whose order differs from that of the means; a tie
      (`ties`: their share) counts one half.

    With two datasets or more, rows compare models over datasets (`AcrossDatasets`). Their
    `detectable_sd` is the smallest mean difference found with a power of 80 %, in SDs of the
    difference between datasets (infinite: none).
    """
    groups, by_group, ropes, is_restricted = compare_groups(data, options)
    rows = [row for part in by_group for row in part]
    for family in [rows] if options.family == "study" else by_group:
        adjust_family(family, options.family)
        for row in family:
            _cut_intervals(row)
    rows += AcrossDatasets(options.alpha, ropes, is_restricted).compare(groups, by_group)
    for row in rows:
        row |= {name: row.get(name, "") for name in _TEXT}
        pair = PairRow.of(row)
        row |= state_verdict(pair, row)
        if row["outcome"] == "no difference shown":
            row |= _plan_addition(pair)
    resampled = [name for name in OF_BOOTSTRAP if any(name in row for row in rows)]
    return pd.DataFrame(rows, columns=[*COLUMNS, *resampled])


def compare_groups(
    data: Data, options: Options
) -> tuple[list[ModelGroup], list[list[Row]], dict[str, float], bool]:
    """The tests of all pairs before they are adjusted for each other.

    Returns groups of models, the rows of each, half-widths of equivalence by metric, and whether
    only some pairs are compared.
    """
    groups = group_models(data)
    ropes = rope_by_metric(options.rope, {group.metric: group.factor for group in groups})
    is_compared, is_restricted = choose_pairs(groups, options)
    by_group = [
        _compare_pairs(
            data,
            group,
            pair_models(group, is_compared, options.seeds == "own"),
            ropes.get(group.metric),
            options,
        )
        for group in groups
    ]
    return groups, by_group, ropes, is_restricted


def _cut_intervals(row: Row) -> None:
    """Cut intervals at the largest possible difference of two shares."""
    most = row["largest_difference"]
    for name in INTERVAL_ENDS if most else ():
        if name in row:
            row[name] = max(min(float(row[name]), most), -most)  # NaN stays


def _plan_addition(row: PairRow) -> Row:
    """What to add to an open verdict: the source that helps most, and what it would show."""
    best = next(iter(list_additions(row)), None)
    return {"add": best.source, "detectable_add": best.detectable} if best else {}


def _compare_pairs(
    data: Data,
    group: ModelGroup,
    pairs: list[NamedPairing],
    rope: float | None,
    options: Options,
) -> list[Row]:
    """One row a pair; pairs of one design and size are computed together."""
    common = group.key | {
        "metric": group.metric,
        "greater_is_better": group.greater_is_better,
        "factor": group.factor,
        "unit": group.unit,
        **options.model_dump(include={"level", "alpha", "min_runs", "target_power"}),
        "largest_difference": _find_largest(group),
        "is_split_assumed": group.is_split_assumed,
    }
    rows: list[Row] = []
    batches: dict[tuple, list[int]] = {}
    for number, (a, b, pairing) in enumerate(pairs):
        counts = {"n": pairing.n, "n_a": len(pairing.a), "n_b": len(pairing.b),
                  "runs": len(pairing.trial_a), "left_out": pairing.left_out,
                  "failed": group.failed[a] + group.failed[b]}  # fmt: skip
        rows.append(common | {"model_a": a, "model_b": b, "design": pairing.design} | counts)
        size = pairing.design, len(pairing.a), len(pairing.b), len(pairing.trial_a)
        batches.setdefault(size, []).append(number)
    for (design, n_a, n_b, trials), numbers in batches.items():
        if min(n_a, n_b) == 0:
            continue
        batch = [pairs[i][2] for i in numbers]
        columns = _describe(group, batch, trials)
        if min(n_a, n_b) > 1 and design != "different splits":
            compare = _compare_unpaired if design == designs.UNPAIRED.design else _compare_paired
            columns |= compare(group, batch, rope, options)
        for position, number in enumerate(numbers):
            rows[number] |= {
                name: value[position] if isinstance(value, list) else value
                for name, value in columns.items()
            }
    if options.baseline is not None:
        add_dunnett(group, rows, [pairing for _, _, pairing in pairs], options.level)
    for row, (a, b, pairing) in zip(rows, pairs, strict=True):
        if pairing.design in designs.ONE_TEST_SET and group.by_items:
            row |= _compare_by_items(data, group, row, pairing, rope, len(pairs))
        elif pairing.design in designs.ONE_TEST_SET:
            test = test_pair(data, group, a, b, pairing, options.level)
            row |= _compare_over_items(row, test, rope) if test else {}
    return rows


def _find_largest(group: ModelGroup) -> float | None:
    """The largest possible difference, of two shares; None for other scores."""
    if group.by_items:
        return 1.0 if group.unit == "points" else None
    return share_maximum(group.metric, group.trials["score"])


def _compare_by_items(
    data: Data, group: ModelGroup, row: Row, pairing: Pairing, rope: float | None, pairs: int
) -> Row:
    """The columns of a pair of which seeds alone do not describe what varied."""
    a, b = row["model_a"], row["model_b"]
    scores = find_item_scores(data, group, a, b, pairing)
    if scores is None:
        return {}
    columns = compare_pair(
        scores, a, b, group.sign, alpha=row["alpha"] / pairs, level=row["level"], rope=rope
    )
    columns |= {"p_holm": columns["p"], "p_adjusted": columns["p"]}  # until adjusted
    if scores.bootstrap and scores.has_verdict:
        columns |= zip(OF_BOOTSTRAP, scores.bootstrap(a, b, row["level"]), strict=True)
    is_count = columns["method"] == "McNemar"
    method = designs.choose_method(designs.DesignFacts("items", counts_items=is_count))
    named = {"design": method.design, "test": method.test, "rank_test": "", "min_runs": 1}
    return dict.fromkeys(_OF_SEEDS, np.nan) | columns | named | {"items": len(scores.items)}


def _compare_over_items(row: Row, test: ItemDifference, rope: float | None) -> Row:
    """The columns of the test over seeds and items, and what the seeds alone show."""
    return dict.fromkeys(_OF_SEEDS, np.nan) | {
        "design": designs.SEEDS_AND_ITEMS.design,
        "test": designs.SEEDS_AND_ITEMS.test,
        "rank_test": "",
        "min_runs": 2,
        "items": test.levels["item"],
        "df": test.df,
        "seed_share": test.factor_share if test.se > 0 else np.nan,
        "item_share": test.item_variance / test.se**2 if test.se > 0 else np.nan,
        **list_item_test(test, None, rope),
        "seeds_test": row["test"],
        "seeds_p": row["p"],
    }


def _describe(group: ModelGroup, batch: list[Pairing], trials: int) -> Row:
    """Means, mean difference and instability, as lists over the pairs of a batch."""
    mean_a = np.stack([p.a for p in batch]).mean(axis=1)
    mean_b = np.stack([p.b for p in batch]).mean(axis=1)
    # The stated order is that of the units: every split has the same weight.
    stated = differences(mean_a[:, None], mean_b[:, None])[:, 0]
    columns = {"mean_a": mean_a, "mean_b": mean_b, "difference": group.sign * stated}
    if trials:
        d = differences(np.stack([p.trial_a for p in batch]), np.stack([p.trial_b for p in batch]))
        flips = disagreement(np.sign(d), stated, np.abs(stated), "half")
        flips = flips * (np.nan if d.shape[1] == 1 else 1)  # one run has the order of its own mean
        columns |= {"instability": flips.mean(axis=1), "ties": (d == 0).mean(axis=1)}
    return {name: values.tolist() for name, values in columns.items()}


def _compare_paired(
    group: ModelGroup, batch: list[Pairing], rope: float | None, options: Options
) -> Row:
    """Tests of paired units, as lists over the pairs of a batch."""
    split = batch[0].design == designs.SPLITS.design
    ratio = group.test_train_ratio if split else 0.0
    d = group.sign * differences(np.stack([p.a for p in batch]), np.stack([p.b for p in batch]))
    test = compare_paired(
        d,
        ratio,
        rope=rope or 0.0,
        level=options.level,
        n_boot=options.n_boot,
        rng=group.rng("pairs", str(d.shape[1])),
    )
    row = {
        "test": (designs.SPLITS if split else designs.SEEDS).test,
        "low": test.low,
        "high": test.high,
        "sd_difference": test.sd,
        "cohens_d": test.cohens_dz,
        "p": test.t_p,
        "scale": test.scale,
        "df": test.df,
        "rank_test": "Wilcoxon signed-rank test",
        "rank_p": test.wilcoxon_p,
        "rank_floor": smallest_signed_rank_p(d.shape[1]),
        "bca_low": test.bca_low,
        "bca_high": test.bca_high,
        "test_train_ratio": ratio,
        "p_a_better": test.bayes_above,
        "p_b_better": test.bayes_below,
    }
    if split:
        row["conservative_p"] = nadeau_bengio(d, UNSTABLE_RATIO * ratio).p_value
        trials = [np.stack([getattr(p, side) for p in batch]) for side in ("trial_a", "trial_b")]
        row["seed_share"] = seed_share_of_splits(differences(*trials), d.shape[1])
    else:
        row |= describe_tails(d, test, options.level)
    if not split and d.shape[1] > 2:
        row["spread_p"] = equal_spread_p(*(np.stack([getattr(p, k) for p in batch]) for k in "ab"))
    if rope:
        row |= {
            "rope": rope,
            "equivalence_p": test.equivalence_p,
            "p_equivalent": test.bayes_equivalent,
        }
    return _as_lists(row)


def _compare_unpaired(
    group: ModelGroup, batch: list[Pairing], rope: float | None, options: Options
) -> Row:
    """Tests of independent samples, as lists over the pairs of a batch."""
    a, b = (group.sign * np.stack([getattr(p, side) for p in batch]) for side in "ab")
    test = compare_unpaired(a, b, options.level)
    row = {
        "test": designs.UNPAIRED.test,
        "low": test.low,
        "high": test.high,
        "p": test.welch_p,
        "scale": test.scale,
        "df": test.df,
        "rank_test": "Mann–Whitney test",
        "rank_p": test.mann_whitney_p,
        "rank_floor": smallest_mann_whitney_p(a.shape[1], b.shape[1]),
        "superiority": test.superiority,
        "superiority_low": test.superiority_low,
        "superiority_high": test.superiority_high,
        "instability": 1 - test.superiority,
        "ties": (a[:, :, None] == b[:, None, :]).mean(axis=(1, 2)),
    }
    row |= describe_own_tails(a, b, test)
    if min(a.shape[1], b.shape[1]) > 2:
        row["spread_p"] = equal_spread_p(a, b)
    if rope:
        within = equivalence_p(test.mean_difference, test.scale, test.df, rope)
        row |= {"rope": rope, "equivalence_p": within}
    return _as_lists(row)


def _as_lists(row: Row) -> Row:
    return {name: v.tolist() if isinstance(v, np.ndarray) else v for name, v in row.items()}
