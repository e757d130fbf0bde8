"""Claims shared by the exhibits of α̂: shares of runs with a low α̂, and ensembles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd
from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.estimates import NO_NULL, Estimate, Sample
from reseed.report.rendering.numbers import counted, percent, rounded_percent
from reseed.stats.shares import share_interval

from papers.banerjee.trimming import RunRow
from papers.banerjee.trimming_text import MEASURES, in_text

#: Level of the intervals of shares.
LEVEL = 0.95
Arms = Sequence[tuple[str, pd.DataFrame]]


def share_rows(titles: Sequence[str], counts: Sequence[tuple[int, int]]) -> pd.DataFrame:
    """One row an arm: `title`, `count` of `n`, `share`, and its interval `low` to `high`."""
    rows = []
    for title, (count, n) in zip(titles, counts, strict=True):
        low, high = share_interval(count, n, LEVEL)
        rows.append({"title": title, "count": count, "n": n, "share": count / n,
                     "low": low, "high": high})  # fmt: skip
    return pd.DataFrame(rows)


def share_estimates(rows: pd.DataFrame) -> list[Estimate]:
    """The shares of `share_rows`, with intervals."""
    return Estimate.of_rows(rows, rows["title"], "share", (0, 1), ("low", "high"), LEVEL)


def low_alpha_claims(arms: Arms) -> Iterator[Claim]:
    """Claims `low_alpha` and, where some runs have a greater α̂, `hidden_by_accuracy`.

    arms: (title, one row a run).
    """
    if not arms:
        return
    titles = [title for title, _ in arms]
    counts = [(sum(bool(run.admitted) for run in RunRow.read(part)), len(part)) for _, part in arms]
    rows = share_rows(titles, counts)
    limit = RunRow.read_first(arms[0][1]).threshold
    yield Claim(
        "low_alpha",
        "the share of representative models is {estimates}",
        rows,
        {
            "threshold": phrases.setting(limit),
            "rows": phrases.setting(limit, rounded_percent),
        },
        Sample.of(rows, "n", "run"),
        "Models that are representative of their training: {values}",
        note="Of their test rows at most {rows} must be set aside for their outputs to fit"
        " those of other seeds (α̂ of at most {threshold}).",
        show=rounded_percent,
        statistic="share of runs",
        null=NO_NULL,
        estimates=share_estimates(rows),
    )
    hidden = [(title, _hidden(part)) for title, part in arms]
    mixed = [(title, counts) for title, counts in hidden if counts[1]]
    if mixed:
        rows = share_rows(*zip(*mixed, strict=True))
        yield Claim(
            "hidden_by_accuracy",
            "of the other models (greater α̂), the share whose accuracy lies within the range of"
            " the representative ones is {estimates}",
            rows,
            {},
            Sample.of(rows, "n", "run with a greater α̂", "runs with a greater α̂"),
            show=rounded_percent,
            statistic="share of runs with a greater α̂",
            null=NO_NULL,
            estimates=share_estimates(rows),
        )


def _hidden(part: pd.DataFrame) -> tuple[int, int]:
    """(runs with a greater α̂ whose accuracy a run with a low one has, runs with a greater α̂).

    (0, 0) without a run of either kind.
    """
    runs = RunRow.read(part)
    low = [run.accuracy for run in runs if run.admitted]
    others = [run.accuracy for run in runs if not run.admitted]
    if not low or not others:
        return 0, 0
    return sum(min(low) <= accuracy <= max(low) for accuracy in others), len(others)


def ensemble_claims(arms: Arms, measures: Sequence[str]) -> list[Claim]:
    """For each arm and measurement: medians of the smallest size and of the whole pool.

    Where the pool of an arm is an ensemble of several runs, a claim `…_beyond` counts the runs
    whose value is greater than that of the ensemble of all. Names begin with the measurement. Churn
    against the whole pool is left out, since it is zero for the pool itself.
    """
    claims = [
        claim
        for title, part in arms
        for measure in dict.fromkeys(measures)
        if measure != "churn_ensemble"
        for claim in _ensembles_of(title, part.assign(metric=measure), measure)
    ]
    return sorted(claims, key=lambda claim: not claim.headline)


def _ensembles_of(title: str, part: pd.DataFrame, measure: str) -> Iterator[Claim]:
    sizes = sorted(part["size"].unique())
    if len(sizes) < 2:
        return
    first, whole = (part[part["size"] == size] for size in (sizes[0], sizes[-1]))
    show = "{:.3f}".format
    delta = f" (δ = {part['delta'].iloc[0]:.3f})" if measure == "ks" else ""
    is_single = sizes[0] == 1
    smallest = "single runs" if is_single else f"ensembles of {counted(int(sizes[0]), 'run')}"
    named = {"measure": phrases.name(in_text(measure))}
    if is_single:
        yield _beyond(title, first, whole, measure)
    yield Claim(
        f"{measure}_ensemble",
        "the ensemble of all {n} has {measure} {whole}{delta}",
        whole,
        named
        | {
            "whole": phrases.single(whole, measure, show),
            "delta": phrases.Phrase(delta, "setting"),
        },
        Sample.of(whole, "size", "run"),
        subject=title,
        statistic=in_text(measure),
    )
    noun = "run" if is_single else "ensemble"
    yield Claim(
        f"{measure}_smallest",
        "{smallest} have {measure} {value}, from a pool of {n}",
        first,
        named
        | {
            "smallest": phrases.Phrase(smallest, "setting"),
            "value": phrases.pooled(first, measure, show, noun=noun),
        },
        Sample.of(first, "pool", "run"),
        subject=title,
        statistic=f"median of {in_text(measure)}",
    )


def _beyond(title: str, runs: pd.DataFrame, whole: pd.DataFrame, measure: str) -> Claim:
    limit = whole[measure].iloc[0]
    is_beyond = runs[measure] > limit
    rows = share_rows([title], [(int(is_beyond.sum()), len(runs))])
    return Claim(
        f"{measure}_beyond",
        "{measure} of {count} is greater than that of their ensemble",
        runs,
        {
            "measure": phrases.name(in_text(measure)),
            "axis": phrases.name(MEASURES[measure]),
            "count": phrases.share(runs, is_beyond, "single run"),
        },
        Sample.of(runs, "pool", "run"),
        "{axis}: above the ensemble’s in {count}",
        subject=title,
        basis="{n}",
        statistic="share of single runs",
        null="one half of the runs",
        estimates=share_estimates(rows),
    )


def show_percent(value: float) -> str:
    """`5.1 %`."""
    return percent(value, 1)
