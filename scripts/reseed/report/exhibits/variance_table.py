"""Shares of the variance: each crossed seed, their interactions, and the residual."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.estimates import NO_NULL, Estimate, Sample
from reseed.comparison.claims.formatting import format_level
from reseed.comparison.claims.phrases import Phrase
from reseed.plugins.options import NoOptions
from reseed.report.analyses.variance_components import ComponentRow
from reseed.report.rendering import coverage, numbers
from reseed.report.rendering.arms import arm_title
from reseed.report.rendering.data import (
    ExhibitData,
    footnote,
    list_reasons,
    metric_title,
    require_rows,
)
from reseed.report.rendering.tables import Rows, Table

DRAWS = ("variance_components",)

_FACTORS = {
    "model_seed": "Model seed",
    "init": "Initial weights",
    "order": "Batch order",
    "dropout": "Dropout",
    "augment": "Augmentation",
    "data_seed": "Data seed",
}
_KEY = ["experiment", "dataset", "scheme", "arm", "model", "hyperparameters_source"]
# Fewest levels of a factor for its variance.
_LEAST = 3


def table(data: ExhibitData, options: NoOptions) -> Table:
    """One row for each dataset and model of each crossed experiment."""
    rows = data.require_rows("No two seeds were crossed at this scale.")
    small = ComponentRow.where(rows, lambda row: row.least_levels < _LEAST)
    left_out = _left_out(data, rows[small])
    rows = require_rows(rows[~small], f"No grid has {_LEAST} seeds a side at this scale.")
    places = {
        d: numbers.decimals(np.sqrt(part["total"]), least=4) for d, part in rows.groupby("dataset")
    }
    lines, columns = Rows(), _columns(rows)
    has_several = rows["experiment"].nunique() > 1
    for _, cell in rows.groupby(_KEY, sort=False):
        parts = {row.component: row for row in ComponentRow.read(cell)}
        first = ComponentRow.read_first(cell)
        line = {
            "Algorithm": arm_title(data, first.arm, first.experiment),
            "Grid": first.levels + (f" ({first.failed} failed)" if first.failed else ""),
            "Total SD": numbers.fixed(np.sqrt(first.total), places[first.dataset]),
        }
        for name, title in columns.items():
            is_known = name in parts
            line[title] = (
                numbers.share_with_interval(vars(parts[name]), "share")
                if is_known
                else numbers.NONE
            )
        heading = f"{data.dataset(first.dataset)}, {metric_title(data.metric(first.dataset))}"
        more = f": {data.experiment(first.experiment)}" if has_several else ""
        lines.add(line, heading + more)
    level = rows["level"].max()
    share = _shares(rows)
    return lines.table(
        data,
        rows,
        footnote(
            data,
            rows,
            left_out,
            *(f"Not estimated: {reason}." for reason in list_reasons(rows)),
            per="grid",
        ),
        definitions=[
            f"Shares of the total variance, with {format_level(level)} intervals (generalised"
            " pivotal quantities, Gaussian effects; approximate for a grid of two seeds with holes,"
            " none for one of more).",
            coverage.at(level, coverage.SHARES.replace("They", "These intervals", 1)),
            f"Grid: {_grids(rows)}, crossed.",
        ],
        claims=_claims(data, share),
    )


def _left_out(data: ExhibitData, rows: pd.DataFrame) -> str:
    named = dict.fromkeys(
        f"{data.dataset(row.dataset)}, {data.experiment(row.experiment).lower()}"
        for row in ComponentRow.read(rows)
    )
    return f"Left out, with fewer than {_LEAST} seeds a side: {'; '.join(named)}." if named else ""


def _columns(rows: pd.DataFrame) -> dict[str, str]:
    """Heading of each component: seeds, interactions, then the residual."""
    names = dict.fromkeys(rows["component"])
    effects = [name for name in names if name not in ("none", "residual")]
    titles = {name: _title(name) for name in sorted(effects, key=lambda name: name.count(":"))}
    return titles | {"residual": "Interaction and rest"}


def _title(component: str) -> str:
    first, *others = (_FACTORS.get(name, name) for name in component.split(":"))
    return " × ".join([first, *(other.lower() for other in others)])


def _grids(rows: pd.DataFrame) -> str:
    """The crossed seeds: `model seed × data seed`."""
    return " or ".join(
        " × ".join(_FACTORS.get(name, name).lower() for name in factors.split(", "))
        for factors in dict.fromkeys(rows["factors"])
    )


def _shares(rows: pd.DataFrame) -> pd.DataFrame:
    """One row a grid: shares of the components and their intervals, and its number of trials."""
    known = ComponentRow.select(rows, lambda row: row.component != "none")
    keys = [*_KEY, "metric"]
    wide = known.pivot_table(
        index=keys, columns="component", values=["share", "share_low", "share_high"]
    )
    wide.columns = [f"{name}:{component}" for name, component in wide.columns]
    counts = known.groupby(keys)[["n", "level"]].max()
    return wide.join(counts).reset_index()


def _claims(data: ExhibitData, share: pd.DataFrame) -> list[Claim]:
    """Shares of the data seed and the model seed; the largest share of the roles of a seed."""
    wanted = ["share:data_seed", "share:model_seed"]
    has_both = share.reindex(columns=wanted).notna().all(axis=1)
    both, others = share[has_both], share[~has_both]
    return [*(_split_and_seed(data, both) if len(both) else ()), *_largest(others)]


def _split_and_seed(data: ExhibitData, both: pd.DataFrame) -> Iterator[Claim]:
    names = {
        name: phrases.extent(both, column, numbers.rounded_percent, is_comparable=True)
        for name, column in (("split", "share:data_seed"), ("seed", "share:model_seed"))
    }
    sample = Sample.of(both, "n", "trial", each="a grid" if len(both) > 1 else "")
    yield Claim(
        "data_seed_share",
        rows=both,
        sample=sample,
        statistic="share of the variance from the data seed",
        estimates=_estimates(data, both, "data_seed"),
        null=NO_NULL,
        **(_word_one_grid(both, names) if len(both) == 1 else _word_grids(both, names)),
    )
    yield Claim(
        "model_seed_share",
        "the model seed by itself makes {seed} of the variance of a score over both seeds",
        both,
        {"seed": names["seed"]},
        sample,
        statistic="share of the variance from the model seed",
        estimates=_estimates(data, both, "model_seed"),
        null=NO_NULL,
    )


def _word_grids(both: pd.DataFrame, shares: dict[str, Phrase]) -> dict[str, Any]:
    """Wording of the claim on several grids."""
    names = shares | {
        "models": phrases.distinct(both, "arm", "algorithm"),
        "datasets": phrases.distinct(both, "dataset", "dataset"),
        "more": phrases.share(both, both["share:data_seed"] > both["share:model_seed"], "grid"),
    }
    clearly = ""
    if {"share_low:data_seed", "share_high:model_seed"} <= set(both):
        clear = both["share_low:data_seed"] > both["share_high:model_seed"]
        names["clear"] = phrases.share(both, clear, "grid")
        clearly = (
            "; in {clear} the interval of the data seed's share lies wholly above that of the model"
            " seed's"
        )
    return {
        "finding": "of the variance of a score over both seeds the data seed makes {split} and the"
        f" model seed {{seed}}, the data seed more in {{more}}{clearly}",
        "phrases": names,
        "headline": "The split outweighs the model seed in {more}",
        "basis": "{models} on {datasets}",
    }


def _word_one_grid(both: pd.DataFrame, shares: dict[str, Phrase]) -> dict[str, Any]:
    """Wording of the claim on one grid: both shares with their intervals."""
    names = {
        f"{name}_interval": phrases.single(
            both.reindex(columns=dict.fromkeys([*both, f"share_low:{of}", f"share_high:{of}"])),
            f"share:{of}",
            numbers.rounded_percent,
            (f"share_low:{of}", f"share_high:{of}"),
        )
        for name, of in (("split", "data_seed"), ("seed", "model_seed"))
    }
    return {
        "finding": "of the variance of a score, {split_interval} is due to the data seed (the"
        " split), {seed_interval} to the model seed, the rest to their interaction",
        "basis": "{level} intervals",
        "phrases": shares | names,
        "headline": "{split} of the variance is due to the split, {seed} to the model seed",
    }


def _estimates(data: ExhibitData, rows: pd.DataFrame, component: str) -> list[Estimate]:
    columns = [f"{name}:{component}" for name in ("share", "share_low", "share_high")]
    values = rows.reindex(columns=columns).to_numpy(float)
    return [
        Estimate.truncated(
            f"{data.dataset(row.dataset)}, {arm_title(data, row.arm, row.experiment)}",
            value, (low, high), row.level, (0.0, 1.0),
        )
        for row, (value, low, high) in zip(ComponentRow.read(rows), values, strict=True)
    ]  # fmt: skip


def _largest(share: pd.DataFrame) -> Iterator[Claim]:
    """The seed with the largest share by itself, by number of grids of other seeds."""
    alone = share.reindex(columns=[f"share:{name}" for name in _FACTORS]).dropna(how="all")
    if alone.empty:
        return
    counts = alone.idxmax(axis=1).value_counts()
    parts = [f"{_FACTORS[of.removeprefix('share:')].lower()} in {n}" for of, n in counts.items()]
    rows = share.loc[alone.index]
    yield Claim(
        "largest_share",
        "the largest share of one seed by itself, of {grids} of {n}: {largest}",
        rows,
        {"grids": phrases.count(rows, "grid"), "largest": phrases.tally(rows, parts)},
        Sample.of(rows, "n", "trial"),
    )
