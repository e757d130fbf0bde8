"""The cheapest numbers of model seeds × data seeds that would decide each pair."""

from __future__ import annotations

import pandas as pd

from reseed.claims import phrases
from reseed.claims.claim import Claim, Sample
from reseed.plugins.options import Experiments as Options
from reseed.rendering.data import ExhibitData, footnote, require_rows
from reseed.rendering.numbers import (
    NONE,
    decimals,
    fixed,
    percent,
    whole,
)  # fmt: skip
from reseed.rendering.settings import metric_title, pair_title, settings
from reseed.rendering.tables import Rows, Table

DRAWS = ("grid_plan",)

# Fewest seeds of each kind for a plan in the heading.
_LEAST = 3


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each arm or pair, a section for each dataset."""
    rows = require_rows(
        data.rows(options.experiments), "Model seeds and data seeds were not crossed at this scale."
    )
    lines = Rows()
    for title, part in settings(data, rows):
        for _, row in part.iterrows():
            lines.add(_line(data, row), f"{title}, {metric_title(row['metric'])}")
    first = rows.iloc[0]
    return lines.table(
        data,
        rows,
        footnote(
            data,
            rows.assign(model=rows["arm_a"]),
            f"Fewest runs of each model whose test at α = {first['alpha']:g} finds the difference"
            " (the observed one unless given) with the requested power, from the spread of the"
            " pilot grid; a small grid gives a rough plan. Data seeds are taken as independent"
            " draws of the data; splits of one table overlap, so the plan is hopeful.",
        ),
        claims=_claims(rows),
    )


def _claims(rows: pd.DataFrame) -> list[Claim]:
    """Number of pairs with a plan, and the runs that the plans take."""
    pairs = rows[(rows["arm_b"].fillna("") != "") & (rows["data_seeds"] > 0)]
    planned = pairs[pairs["plan_runs"].notna()]
    if planned.empty:
        return []
    names = {
        "pairs": phrases.share(pairs, pairs["plan_runs"].notna(), "pair"),
        "runs": phrases.extent(planned, "plan_runs", whole, of="would settle", is_comparable=True),
        "model_seeds": phrases.extent(pairs, "model_seeds", whole, is_comparable=True),
    }
    few = planned[["model_seeds", "data_seeds"]].min(axis=None) < _LEAST
    return [
        Claim(
            "planned_runs",
            "The cheapest grid that would settle {pairs} takes {runs} runs of each model, judged by"
            " a pilot of {model_seeds} × {n}.",
            pairs,
            names,
            Sample.of(pairs, "data_seeds", "seed"),
            headline="" if few else "{runs} runs of each model would settle {pairs}",
            null="no difference",
            precision=f"planned for a power of {percent(pairs['power'].iloc[0])} against the"
            " differences of the pilot",
        )
    ]


def _line(data: ExhibitData, row: pd.Series) -> dict:
    digits = decimals([row["target"], row["sd_rest"]], 2, 3)
    known = row["plan_runs"] == row["plan_runs"]
    return {
        "Pair": pair_title(data, row),
        "Pilot": f"{row['model_seeds']:.0f}×{row['data_seeds']:.0f}",
        "Target": f"{row['target_is']} {fixed(row['target'], digits)}",
        "SD, model seed": fixed(row["sd_model_seed"], digits),
        "SD, data seed": fixed(row["sd_data_seed"], digits),
        "SD, rest": fixed(row["sd_rest"], digits),
        "Plan": f"{row['plan_model_seeds']:.0f}×{row['plan_data_seeds']:.0f}" if known else NONE,
        "Runs": f"{row['plan_runs']:,.0f}" if known else row["reason"],
        "Reaches": (percent(row["achieved"]) if row["target_is"] == "difference"
                    else fixed(row["achieved"], digits)) if known else NONE,
    }  # fmt: skip
