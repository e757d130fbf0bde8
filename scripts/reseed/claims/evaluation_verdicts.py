"""Verdicts of `reseed.compare_items`: two models compared by item scores of an evaluation."""

from __future__ import annotations

from reseed.claims.designs import DesignFacts, choose_method
from reseed.claims.formatting import (
    count_interval_decimals,
    count_noun,
    format_number,
    format_share,
    join_names,
)
from reseed.claims.skewed import decisive_p, describe_skew, qualify_skewed
from reseed.claims.verdicts import (
    Row,
    Verdict,
    decide_outcome,
    describe_equivalence_tests,
    format_region,
    format_unit,
    is_equivalent,
    state_evidence,
)

#: Sources of variation, in the order in which texts name them.
SOURCES = ("seed", "prompt", "cluster", "item", "repeat")
#: Degrees of freedom of clusters below which the verdict warns.
_FEW_CLUSTERS = 5.0
#: Length of an interval of the difference of two shares that says nothing.
_SCALE = 2.0
#: With fewer clusters there is no verdict: two show their spread by one number.
_LEAST_CLUSTERS = 3
_LEAST_ITEMS = 2


def build_evaluation_verdict(row: Row) -> Verdict:
    """The verdict on one row: difference, what it generalises to, and what would show more.

    `row` holds the columns of `reseed.compare_items`, `factor` and `unit` of differences, and
    `level_SOURCE`, the number of levels of each of `SOURCES` (0: none).
    """
    is_unknown = row["low"] != row["low"]  # no interval
    outcome = decide_outcome(
        row,
        decisive_p(row),
        has_few=is_unknown or 0 < row["level_cluster"] < _LEAST_CLUSTERS,
        varies=row["low"] != row["high"],
    )
    where = f"on {row['dataset']}" if row["dataset"] else ""
    a, b = row["model_a"], row["model_b"]
    if outcome == "too few runs":
        unit = "cluster" if row["level_cluster"] else "item"
        least = _LEAST_CLUSTERS if row["level_cluster"] else _LEAST_ITEMS
        count = count_noun(int(row[f"level_{unit}"]), unit)
        evidence = f"{count}; a verdict needs at least {least}"
        return Verdict(outcome, a, b, evidence, scope=where, needed=f"{unit}s")
    if outcome == "no variation":
        evidence = f"every item gives the same difference {row['difference']:.3g}"
        return Verdict(outcome, a, b, evidence, scope=where)
    evidence = ", ".join(state_evidence(row, "p_adjusted"))
    tests = describe_equivalence_tests(row) if outcome == "equivalent" else ""
    return Verdict(
        outcome, a, b, evidence, scope=where, region=format_region(row),
        is_within_region=is_equivalent(row),
        notes=(
            tests, _describe_scope(row), describe_skew(row), _describe_limits(row),
            _describe_next(row),
        ),
        qualifier=qualify_skewed(row, outcome),
    )  # fmt: skip


def _describe_scope(row: Row) -> str:
    """What the interval allows for, and what is held fixed."""
    sampled = [source for source in SOURCES[:-1] if row[f"level_{source}"] > 1]
    counts = [count_noun(int(row[f"level_{source}"]), source) for source in sampled]
    pairing = {True: "shared", False: "not shared"}.get(row["shared_seeds"])
    seeds = f" (seeds {pairing})" if "seed" in sampled and pairing else ""
    test = choose_method(DesignFacts("items", counts_items=row["method"] == "McNemar")).test
    new = [
        f"new {source}s" for source in sampled if not (source == "item" and "cluster" in sampled)
    ]
    held = ""
    if "seed" not in sampled:
        held = " One trained model of each: another seed may order them otherwise."
    if row["seeds_a"] > 1 and "seed" not in sampled:
        held = " Seeds are averaged, so the result holds for these trained models."
    return (
        f"{test[0].upper()}{test[1:]} over {', '.join(counts)}{seeds}: "
        f"{' and '.join(new)} are allowed for.{held}"
    )


def _describe_limits(row: Row) -> str:
    """Where the test claims little, as simulations show (docs/methods)."""
    texts = []
    if row["level_cluster"] > 1 and row["cluster_df"] < _FEW_CLUSTERS:
        texts.append(
            f"The clusters count as {row['cluster_df'] + 1:.1f} of equal size, so the interval is "
            "wide and depends on few of them."
        )
    texts += [
        f"Two {source}s hardly show the spread over {source}s: add a third, or take these as given "
        f"(`fixed`: {source})."
        for source in ("seed", "prompt")
        if row[f"level_{source}"] == 2
    ]
    return " ".join(texts)


def _describe_next(row: Row) -> str:
    """Smallest detectable difference now, and with twice as many levels of each source."""
    designs = [
        (source, row[f"detectable_2x_{source}"])
        for source in SOURCES
        if row[f"detectable_2x_{source}"] == row[f"detectable_2x_{source}"]  # not NaN
    ]
    if row["detectable"] != row["detectable"] or not designs:
        return ""
    decimals = count_interval_decimals(0, 2 * min(value for _, value in designs) * row["factor"])

    def text(value: float) -> str:
        return format_number(value * row["factor"], decimals)

    more = {"item": " in each cluster"} if row["level_cluster"] > 1 else {}
    names = {source: f"{source}s{more.get(source, '')}" for source, _ in designs}
    is_share = row["unit"] == "points"
    now = f"Found in 80 % of cases: a difference of {text(row['detectable'])}{format_unit(row)}"
    if is_share and (row["detectable"] >= 1 or row["high"] - row["low"] >= _SCALE):
        now = "Not even the largest possible difference would be found in 80 % of cases"
    helpful = sorted((value, source) for source, value in designs if value < row["detectable"])
    helpful = [
        (value, source)
        for value, source in helpful
        if text(value) != text(row["detectable"]) and not (is_share and value >= 1)
    ]
    better = [f"{text(value)} with twice the {names[source]}" for value, source in helpful]
    useless = [names[source] for source in names if source not in {name for _, name in helpful}]
    if useless:
        better.append(f"no smaller with twice the {join_names(useless, 'or')}")
    shares = ", ".join(
        f"{source}s {format_share(row[f'share_{source}'])}"
        for source in SOURCES
        if row[f"share_{source}"] > 0.005
    )
    return f"{now}; {', '.join(better)}. Parts of the squared standard error: {shares}."
