"""Comparison of every pair of models, with a verdict."""

from __future__ import annotations

from math import inf, nan
from typing import Annotated, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from reseed.analyses.shared.across_datasets import AcrossDatasets
from reseed.analyses.shared.adjustment import decide_family
from reseed.analyses.shared.data import Data
from reseed.analyses.shared.equivalence import rope_by_metric
from reseed.analyses.shared.item_scores import (
    compare_models,
    describe_items,
    find_item_scores,
    list_error_shares,
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
from reseed.core.schemas import Row
from reseed.plugins.options import Level, Rope, pair_test
from reseed.stats.comparison import OVERLAP_FACTOR, crossed_seeds, differences, nadeau_bengio
from reseed.stats.ranking import disagreement
from reseed.stats.skewness import skewed_p, skewness_of_difference, skewness_of_mean
from reseed.stats.unpaired import superiority, welch
from reseed.stats.weighted_t import upper_tail
from reseed.verdicts import designs
from reseed.verdicts.pair import Pair, PairTest, list_pairs
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
    groups = group_models(data)
    ropes = rope_by_metric(options.rope, {group.metric: group.factor for group in groups})
    is_compared, is_restricted = choose_pairs(groups, options)
    by_group = [
        _compare_pairs(
            data,
            group,
            pair_models(group, is_compared, options.seeds == "own"),
            ropes.get(group.metric, nan),
            options,
        )
        for group in groups
    ]
    families = [[pair for part in by_group for pair in part]]
    rows = [
        row
        for family in (families if options.family == "study" else by_group)
        for row in decide_family(family, options.family, options.target_power)
    ]
    over = AcrossDatasets(options.alpha, ropes, is_restricted).compare(groups, by_group)
    has_runs = any(
        group.by_items or len(scores) > 1
        for group in groups
        for scores in group.scores_by_model.values()
    )
    return list_pairs([*rows, *over] if has_runs or not over else over)


def _compare_pairs(
    data: Data, group: ModelGroup, pairs: list[NamedPairing], rope: float, options: Options
) -> list[Pair]:
    """One row a pair; pairs of one design and size are computed together."""
    batches: dict[tuple, list[int]] = {}
    for number, (_, _, pairing) in enumerate(pairs):
        cells = b"" if pairing.cells is None else pairing.cells.tobytes()
        size = pairing.design, len(pairing.a), len(pairing.b), len(pairing.trial_a), cells
        batches.setdefault(size, []).append(number)
    by_number: dict[int, Pair] = {}
    for numbers in batches.values():
        batch = compare_batch(group, [pairs[number] for number in numbers], rope, options)
        by_number |= zip(numbers, batch, strict=True)
    rows = []
    for number, (_, _, pairing) in enumerate(pairs):
        row = by_number[number]
        if pairing.design in designs.ONE_TEST_SET:
            compare = _compare_by_items if group.by_items else _compare_over_items
            row = compare(data, group, row, pairing)
        rows.append(row)
    return rows


def compare_batch(
    group: ModelGroup, pairs: list[NamedPairing], rope: float, options: Options
) -> list[Pair]:
    """The tests of pairs of one design and size by their runs, before they are adjusted."""
    batch = [pairing for _, _, pairing in pairs]
    columns: Row = {}
    tests: Row = {}
    if batch[0].n > 0:
        columns = _describe(group, batch)
    if batch[0].n > 1 and batch[0].design != "different splits":
        is_paired = batch[0].is_paired
        found, tests = (_compare_paired if is_paired else _compare_unpaired)(group, batch)
        columns |= found
    most = _find_largest(group)
    return [
        Pair(
            **group.key,
            metric=group.metric,
            greater_is_better=group.greater_is_better,
            factor=group.factor,
            unit=group.unit,
            alpha=options.alpha,
            rope=rope,
            model_a=a,
            model_b=b,
            design=pairing.design,
            n=pairing.n,
            left_out=pairing.left_out,
            failed=group.failed[a] + group.failed[b],
            tested=PairTest(least=options.min_runs, most=most, **_take(tests, position)),
            **_take(columns, position),
        )
        for position, (a, b, pairing) in enumerate(pairs)
    ]


def _take(columns: Row, position: int) -> Row:
    """The values of one pair of a batch; what is no list holds for all of them."""
    return {
        name: value[position] if isinstance(value, list) else value
        for name, value in columns.items()
    }


def _find_largest(group: ModelGroup) -> float:
    """The largest possible difference, of two shares; infinite for other scores."""
    if group.by_items:
        return 1.0 if group.unit == "points" else inf
    return share_maximum(group.metric, group.trials["score"]) or inf


def _compare_by_items(data: Data, group: ModelGroup, row: Pair, pairing: Pairing) -> Pair:
    """The row of a pair of which seeds alone do not describe what varied."""
    a, b = row.model_a, row.model_b
    scores = find_item_scores(data, group, a, b, pairing)
    if scores is None:
        return row
    if scores.has_verdict:
        test, _ = compare_models(scores, a, b, group.sign)
        levels, tested = test.levels, describe_items(test, most=row.tested.most)
        row = row._replace(
            difference=test.difference, p=test.p_value, error_shares=list_error_shares(test)
        )
    else:
        clusters = 0 if scores.clusters is None else len(np.unique(scores.clusters))
        levels = {"item": len(scores.items), "cluster": clusters}
        means = (scores.models[model].values.mean() for model in (a, b))
        tested = PairTest(items=levels["item"], clusters=clusters)
        row = row._replace(difference=float(group.sign * np.subtract(*means)))
    facts = designs.DesignFacts("items", counts_items=tested.discordant is not None)
    method = designs.choose_method(facts)
    covers = name_generality({source: levels.get(source, 0) for source in designs.SOURCES})
    return row._replace(design=method.design, test=method.test, covers=covers, tested=tested)


def _compare_over_items(data: Data, group: ModelGroup, row: Pair, pairing: Pairing) -> Pair:
    """The row of a pair over seeds and items, where items are known."""
    found = test_pair(data, group, row.model_a, row.model_b, pairing)
    if found is None:
        return row
    test, method = found[0], designs.SEEDS_AND_ITEMS
    return row._replace(
        design=method.design,
        test=method.test,
        covers=method.claim,
        difference=test.difference,
        p=test.p_value,
        error_shares=list_error_shares(test),
        tested=describe_items(test, least=2, most=row.tested.most),
    )


def _describe(group: ModelGroup, batch: list[Pairing]) -> Row:
    """Means, mean difference and instability, as lists over the pairs of a batch."""
    mean_a = np.stack([p.a for p in batch]).mean(axis=1)
    mean_b = np.stack([p.b for p in batch]).mean(axis=1)
    # The stated order is that of the units: every split has the same weight.
    stated = differences(mean_a[:, None], mean_b[:, None])[:, 0]
    columns = {"mean_a": mean_a, "mean_b": mean_b, "difference": group.sign * stated}
    if len(batch[0].trial_a):
        d = differences(np.stack([p.trial_a for p in batch]), np.stack([p.trial_b for p in batch]))
        flips = disagreement(np.sign(d), stated, np.abs(stated), "half")
        flips = flips * (np.nan if d.shape[1] == 1 else 1)  # one run has the order of its own mean
        columns["instability"] = flips.mean(axis=1)
    return {name: values.tolist() for name, values in columns.items()}


def _compare_paired(group: ModelGroup, batch: list[Pairing]) -> tuple[Row, Row]:
    """Tests of paired units: columns of `Pair` and of `PairTest`, lists over the pairs."""
    d = group.sign * differences(np.stack([p.a for p in batch]), np.stack([p.b for p in batch]))
    if batch[0].design != designs.SPLITS.design:
        test, skewness = nadeau_bengio(d, 0.0), skewness_of_mean(d)
        p = skewed_p(test.t, test.df, skewness)
        every = [((1.0, test.df),)] * len(d)
        return (
            {"test": designs.SEEDS.test, "covers": designs.SEEDS.claim, "p": p.tolist()},
            {"scale": test.scale.tolist(), "parts": every, "skewness": skewness.tolist(),
             "tail": "run"},
        )  # fmt: skip
    ratio = group.test_train_ratio
    test, cells = nadeau_bengio(d, OVERLAP_FACTOR * ratio), batch[0].cells
    assert cells is not None  # of splits
    trials = [np.stack([getattr(p, side) for p in batch]) for side in ("trial_a", "trial_b")]
    seeds, seeds_df = crossed_seeds(differences(*trials), *cells)
    p, scale = test.p_value, np.hypot(test.scale, seeds)
    parts: list[tuple[tuple[float, float], ...]] = [((1.0, test.df),)] * len(d)
    for k in np.flatnonzero(seeds):
        share = (seeds[k] / scale[k]) ** 2
        parts[k] = ((1 - share, test.df), (share, seeds_df))
        p[k] = 2 * upper_tail(abs(d[k].mean()) / scale[k], parts[k])
    published = nadeau_bengio(d, ratio).p_value.tolist()
    return (
        {"test": designs.SPLITS.test, "covers": designs.SPLITS.claim, "p": p.tolist(),
         "published_p": published},
        {"scale": scale.tolist(), "parts": parts},
    )  # fmt: skip


def _compare_unpaired(group: ModelGroup, batch: list[Pairing]) -> tuple[Row, Row]:
    """Tests of independent samples, as those of `_compare_paired`."""
    a, b = (group.sign * np.stack([getattr(p, side) for p in batch]) for side in "ab")
    test, skewness = welch(a, b), skewness_of_difference(a, b)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(test.difference == 0, 0.0, test.difference / test.scale)
    orders = [superiority(*samples) for samples in zip(a, b, strict=True)]
    return (
        {"test": designs.UNPAIRED.test, "covers": designs.UNPAIRED.claim,
         "p": skewed_p(t, test.df, skewness).tolist(),
         "instability": [1 - ahead for ahead, _ in orders]},
        {"scale": test.scale.tolist(), "parts": [((1.0, df),) for df in test.df.tolist()],
         "skewness": skewness.tolist(), "tail": "run"},
    )  # fmt: skip
