"""Verdicts on two models that are compared by scores of items: `compare_items`, `item_pairs`."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite

from reseed.comparison.claims.designs import ITEM_MODEL, SOURCES, DesignFacts, choose_method
from reseed.comparison.claims.formatting import (
    add_unit,
    count_interval_decimals,
    count_noun,
    format_number,
    format_share,
    join_names,
)
from reseed.comparison.claims.pair_row import PairRow
from reseed.comparison.claims.skewed import decisive_p, describe_skew, qualify_skewed
from reseed.comparison.claims.verdicts import (
    Explanation,
    Outcome,
    Wording,
    decide_outcome,
    describe_equivalence_tests,
    format_difference,
    state_evidence,
)

#: Degrees of freedom of clusters below which the verdict warns.
_FEW_CLUSTERS = 5.0
#: Length of an interval of the difference of two shares that says nothing.
_SCALE = 2.0
#: With fewer clusters there is no verdict: two show their spread by one number.
_LEAST_CLUSTERS = 3
_LEAST_ITEMS = 2
#: Runs of each model whose spread is known.
_LEAST_RUNS = 2


def _decide(row: PairRow) -> Outcome:
    is_unknown = row.low != row.low  # no interval
    return decide_outcome(
        row,
        decisive_p(row),
        has_few=is_unknown or 0 < row.levels["cluster"] < _LEAST_CLUSTERS,
        varies=row.low != row.high,
    )


def _explain(row: PairRow, outcome: Outcome) -> Explanation:
    """Difference, what it generalises to, and what would show more."""
    needed = "runs"
    notes: tuple[str, ...] = ()
    if outcome == "too few runs":
        unit = "cluster" if row.levels["cluster"] else "item"
        least = _LEAST_CLUSTERS if row.levels["cluster"] else _LEAST_ITEMS
        needed = f"{unit}s"
        evidence = f"{_count(row, unit)}; a verdict needs at least {least}"
    elif outcome == "no variation" and row.difference == 0:
        evidence = f"both have the same {row.metric} on every one of {_count(row, 'item')}"
    elif outcome == "no variation":
        difference = format_difference(row, count_interval_decimals(0, 2 * row.shown_difference[0]))
        evidence = f"every item gives the same {difference}, so they say no more than one"
    else:
        evidence = ", ".join(state_evidence(row))
        tests = describe_equivalence_tests(row) if outcome == "equivalent" else ""
        notes = (
            tests, _describe_scope(row), describe_skew(row), _describe_limits(row),
            _describe_next(row), _describe_single_runs(row),
        )  # fmt: skip
    return Explanation(evidence, notes=notes, needed=needed, qualifier=qualify_skewed(row, outcome))


ITEMS = Wording(_decide, _explain)


def _count(row: PairRow, source: str) -> str:
    if source == "seed" and abs(row.n_a - row.n_b) > 0:  # false where they are not known
        return f"{row.n_a:.0f} and {row.n_b:.0f} seeds"
    return count_noun(int(row.levels[source]), source)


def list_counts(row: PairRow) -> str:
    """`12 clusters, 60 items`: how much of each source was sampled."""
    return ", ".join(_count(row, source) for source in _list_sampled(row))


def _describe_scope(row: PairRow) -> str:
    """What the interval allows for, and what is held fixed."""
    sampled = _list_sampled(row)
    pairing = "shared" if row.shared_seeds else "not shared"
    is_known = "seed" in sampled and row.shared_seeds in (True, False)
    seeds = f" (seeds {pairing})" if is_known else ""
    test = choose_method(DesignFacts("items", counts_items=row.method == "McNemar")).test
    held = "" if "seed" in sampled else (
        " It holds for these trained models: another seed may order them otherwise."
    )  # fmt: skip
    return (
        f"{test[0].upper()}{test[1:]} over {list_counts(row)}{seeds}:"
        f" {' and '.join(_list_new(sampled))} are allowed for.{held}"
    )


def _list_sampled(row: PairRow) -> list[str]:
    return [source for source in SOURCES[:-1] if row.levels[source] > 1]


def _list_new(sampled: list[str]) -> list[str]:
    kept = [one for one in sampled if not (one == "item" and "cluster" in sampled)]
    return [f"new {source}s" for source in kept]


def name_units(rows: Iterable[PairRow]) -> str:
    """What a verdict on pairs needs more of: `runs`, `items`, or `clusters` of them."""
    clusters = [row.levels["cluster"] > 0 for row in rows if row.design == ITEM_MODEL.design]
    return ("clusters" if any(clusters) else "items") if clusters else "runs"


def name_generality(rows: Iterable[PairRow]) -> str:
    """`new seeds and new items`: what comparisons over items hold for; empty if they differ."""
    names = set()
    for row in rows:
        sampled = _list_sampled(row)
        held = [] if "seed" in sampled else ["exactly these trained models"]
        names.add(join_names([*_list_new(sampled), *held]))
    return names.pop() if len(names) == 1 else ""


def _describe_single_runs(row: PairRow) -> str:
    """How often one run of each model, tested over items alone, would show a difference."""
    if row.levels["seed"] < _LEAST_RUNS or not isfinite(row.single_a):
        return ""
    return (
        f"One run of each, tested over the items alone, would have declared {row.model_a} "
        f"better in {format_share(row.single_a)} and {row.model_b} better in "
        f"{format_share(row.single_b)} of {row.single_pairs:.0f} pairs of runs."
    )


def _describe_limits(row: PairRow) -> str:
    """Where the test claims little, as simulations show (docs/methods)."""
    texts = []
    if row.levels["cluster"] > 1 and row.cluster_df < _FEW_CLUSTERS:
        texts.append(
            f"The clusters count as {row.cluster_df + 1:.1f} of equal size, so the interval is "
            "wide and depends on few of them."
        )
    texts += [
        f"Two {source}s hardly show the spread over {source}s: a third would narrow the interval."
        for source in ("seed", "prompt")
        if row.levels[source] == 2
    ]
    return " ".join(texts)


def _describe_next(row: PairRow) -> str:
    """Smallest detectable difference now, and with twice as many levels of each source."""
    known = [(source, row.detectable_twice[source]) for source in SOURCES]
    designs = [(source, value) for source, value in known if isfinite(value)]
    if not isfinite(row.detectable) or not designs:
        return ""
    decimals = count_interval_decimals(0, 2 * min(value for _, value in designs) * row.factor)

    def text(value: float) -> str:
        return format_number(value * row.factor, decimals)

    more = {"item": " in each cluster"} if row.levels["cluster"] > 1 else {}
    names = {source: f"{source}s{more.get(source, '')}" for source, _ in designs}
    is_share = row.unit == "points"
    now = f"Found in 80 % of cases: a difference of {add_unit(text(row.detectable), row.unit)}"
    if is_share and (row.detectable >= 1 or row.high - row.low >= _SCALE):
        now = "Not even the largest possible difference would be found in 80 % of cases"
    helpful = sorted((value, source) for source, value in designs if value < row.detectable)
    helpful = [
        (value, source)
        for value, source in helpful
        if text(value) != text(row.detectable) and not (is_share and value >= 1)
    ]
    better = [f"{text(value)} with twice the {names[source]}" for value, source in helpful]
    useless = [names[source] for source in names if source not in {name for _, name in helpful}]
    if useless:
        better.append(f"no smaller with twice the {join_names(useless, 'or')}")
    shares = ", ".join(
        f"{source}s {format_share(row.shares[source])}"
        for source in SOURCES
        if row.shares[source] > 0.005
    )
    return f"{now}; {', '.join(better)}. Parts of the squared standard error: {shares}."
