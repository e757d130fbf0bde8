"""Comparison of every pair of models, with a verdict."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from reseed.analyses.shared.across_datasets import AcrossDatasets
from reseed.analyses.shared.adjustment import adjust_family
from reseed.analyses.shared.data import Data
from reseed.analyses.shared.equivalence import rope_by_metric
from reseed.analyses.shared.item_scores import (
    compare_pair,
    find_item_scores,
    list_item_test,
    test_pair,
)
from reseed.analyses.shared.pairing import (
    ModelGroup,
    Pairing,
    PairOptions,
    choose_pairs,
    group_models,
    pair_models,
)
from reseed.analyses.shared.shares import share_maximum
from reseed.analyses.shared.skewed_pairs import describe_own_tails, describe_tails
from reseed.core.schemas import Row
from reseed.plugins.options import Level, Rope, pair_test
from reseed.stats.comparison import OVERLAP_FACTOR, crossed_seeds, differences, nadeau_bengio
from reseed.stats.item_model import ItemDifference
from reseed.stats.ranking import disagreement
from reseed.stats.unpaired import superiority, welch
from reseed.stats.weighted_t import equivalent_df, upper_tail
from reseed.verdicts import designs
from reseed.verdicts.decide import decide
from reseed.verdicts.pair_row import PairRow
from reseed.verdicts.scope import name_generality

#: Scores of items are read too, where imported results hold them.
READS = "items"

#: Two models, the better one first, and their runs.
NamedPairing = tuple[str, str, Pairing]


class Options(PairOptions):
    """rope: half-width of practical equivalence in units of the score; by metric if there are
    several (None: no pair is called equivalent).
    """

    alpha: Level = pair_test("alpha")
    min_runs: Annotated[int, Field(ge=2)] = pair_test("min_runs")
    rope: Rope = None
    target_power: Level = pair_test("target_power")
    family: Literal["dataset", "study"] = pair_test("family")


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row a pair of models on each dataset; `model_a` has the better mean.

    Splits are compared by the Nadeau–Bengio corrected t test, shared seeds by the paired t test,
    independent seeds by Welch's t test (`pairing.Pairing`). If the outputs of items on the one test
    set of such a pair are known and both models have two runs or more, seeds and items are compared
    together (`design` seeds and items, `stats.item_model`). Differences are in units of the score
    and positive if A is better.

    - `difference`: mean difference; `p`: of its test alone; `p_adjusted`: times the number of
      tested `pairs` of the `family`; `low`, `high`: its interval at the level 1 − `alpha`/`pairs`
      (`shared.adjustment`). A pair without enough runs or without variation has no p and no
      interval.
    - `published_p`: of splits, p with the published correction n_test/n_train. The test uses 1.5
      times that, as learners that depend on single training rows need.
    - `covers`: what a verdict holds for; `error_shares`: over items, what the squared standard
      error is due to.
    - `detectable`: smallest true difference that this test finds with `target_power`.
    - `instability`: share of single runs whose order differs from that of the means; a tie counts
      one half.

    With two datasets or more, rows compare models over datasets (`AcrossDatasets`); in a sign test
    the means are shares of datasets on which a model is better. Where no model has two runs on a
    dataset, there are these rows alone.
    """
    groups, by_group, ropes, is_restricted = compare_groups(data, options)
    rows = [row for part in by_group for row in part]
    for family in [rows] if options.family == "study" else by_group:
        adjust_family(family, options.family)
        for row in family:
            _cut_intervals(row)
    over = AcrossDatasets(options.alpha, ropes, is_restricted).compare(groups, by_group)
    has_runs = any(
        group.by_items or len(scores) > 1
        for group in groups
        for scores in group.scores_by_model.values()
    )
    rows = [*rows, *over] if has_runs or not over else over
    for row in rows:
        row |= decide(row)._asdict()
    return PairRow.make_table(rows)


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
    """Cut the interval at the largest possible difference of two shares."""
    most = row["largest_difference"]
    for name in ("low", "high") if most and "low" in row else ():
        row[name] = max(min(float(row[name]), most), -most)


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
        **options.model_dump(include={"alpha", "min_runs", "target_power"}),
        "rope": np.nan if rope is None else rope,
        "largest_difference": _find_largest(group),
        **dict.fromkeys(("test", "covers", "error_shares", "family"), ""),
    }
    rows: list[Row] = []
    batches: dict[tuple, list[int]] = {}
    for number, (a, b, pairing) in enumerate(pairs):
        failed = group.failed[a] + group.failed[b]
        counts = {"n": pairing.n, "left_out": pairing.left_out, "failed": failed}
        rows.append(common | {"model_a": a, "model_b": b, "design": pairing.design} | counts)
        cells = b"" if pairing.cells is None else pairing.cells.tobytes()
        size = pairing.design, len(pairing.a), len(pairing.b), len(pairing.trial_a), cells
        batches.setdefault(size, []).append(number)
    for (design, n_a, n_b, trials, _), numbers in batches.items():
        if min(n_a, n_b) == 0:
            continue
        batch = [pairs[i][2] for i in numbers]
        columns = _describe(group, batch, trials)
        if min(n_a, n_b) > 1 and design != "different splits":
            compare = _compare_unpaired if design == designs.UNPAIRED.design else _compare_paired
            columns |= compare(group, batch, options)
        for position, number in enumerate(numbers):
            rows[number] |= {
                name: value[position] if isinstance(value, list) else value
                for name, value in columns.items()
            }
    for row, (a, b, pairing) in zip(rows, pairs, strict=True):
        if pairing.design in designs.ONE_TEST_SET and group.by_items:
            row |= _compare_by_items(data, group, row, pairing)
        elif pairing.design in designs.ONE_TEST_SET:
            test = test_pair(data, group, a, b, pairing)
            row |= _compare_over_items(*test) if test else {}
    return rows


def _find_largest(group: ModelGroup) -> float | None:
    """The largest possible difference, of two shares; None for other scores."""
    if group.by_items:
        return 1.0 if group.unit == "points" else None
    return share_maximum(group.metric, group.trials["score"])


def _compare_by_items(data: Data, group: ModelGroup, row: Row, pairing: Pairing) -> Row:
    """The columns of a pair of which seeds alone do not describe what varied."""
    a, b = row["model_a"], row["model_b"]
    scores = find_item_scores(data, group, a, b, pairing)
    if scores is None:
        return {}
    columns = compare_pair(scores, a, b, group.sign)
    levels = {source: columns[f"level_{source}"] for source in designs.SOURCES}
    is_count = columns["method"] == "McNemar"
    method = designs.choose_method(designs.DesignFacts("items", counts_items=is_count))
    return columns | {
        "design": method.design, "test": method.test, "min_runs": 1, "items": len(scores.items),
        "covers": name_generality(levels),
    }  # fmt: skip


def _compare_over_items(test: ItemDifference, is_shared: bool | None) -> Row:
    """The columns of the test over seeds and items."""
    return {
        "design": designs.SEEDS_AND_ITEMS.design,
        "test": designs.SEEDS_AND_ITEMS.test,
        "min_runs": 2,
        "items": test.levels["item"],
        "df": test.df,
        "covers": designs.SEEDS_AND_ITEMS.claim,
        **list_item_test(test, is_shared),
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
        columns["instability"] = flips.mean(axis=1)
    return {name: values.tolist() for name, values in columns.items()}


def _compare_paired(group: ModelGroup, batch: list[Pairing], options: Options) -> Row:
    """Tests of paired units, as lists over the pairs of a batch."""
    d = group.sign * differences(np.stack([p.a for p in batch]), np.stack([p.b for p in batch]))
    if batch[0].design != designs.SPLITS.design:
        test = nadeau_bengio(d, 0.0)
        row = {"test": designs.SEEDS.test, "covers": designs.SEEDS.claim}
        return _as_lists(row | {"scale": test.scale, "df": test.df} | describe_tails(d, test))
    ratio = group.test_train_ratio
    test, cells = nadeau_bengio(d, OVERLAP_FACTOR * ratio), batch[0].cells
    assert cells is not None  # of splits
    trials = [np.stack([getattr(p, side) for p in batch]) for side in ("trial_a", "trial_b")]
    seeds, seeds_df = crossed_seeds(differences(*trials), *cells)
    p, df = test.p_value, np.full(len(d), float(test.df))
    scale, parts = np.hypot(test.scale, seeds), np.full(len(d), None)
    for k in np.flatnonzero(seeds):
        share = (seeds[k] / scale[k]) ** 2
        parts[k] = [(1 - share, test.df), (share, seeds_df)]
        p[k] = 2 * upper_tail(abs(d[k].mean()) / scale[k], parts[k])
        df[k] = equivalent_df(options.alpha / 2, parts[k])
    return _as_lists(
        {
            "test": designs.SPLITS.test,
            "covers": designs.SPLITS.claim,
            "p": p,
            "scale": scale,
            "df": df,
            "parts": parts,
            "published_p": nadeau_bengio(d, ratio).p_value,
        }
    )


def _compare_unpaired(group: ModelGroup, batch: list[Pairing], options: Options) -> Row:
    """Tests of independent samples, as lists over the pairs of a batch."""
    a, b = (group.sign * np.stack([getattr(p, side) for p in batch]) for side in "ab")
    test = welch(a, b)
    orders = [superiority(*samples) for samples in zip(a, b, strict=True)]
    row = {
        "test": designs.UNPAIRED.test,
        "covers": designs.UNPAIRED.claim,
        "scale": test.scale,
        "df": test.df,
        "instability": [1 - ahead for ahead, _ in orders],
    }
    return _as_lists(row | describe_own_tails(a, b, test))


def _as_lists(row: Row) -> Row:
    return {name: v.tolist() if isinstance(v, np.ndarray) else v for name, v in row.items()}
