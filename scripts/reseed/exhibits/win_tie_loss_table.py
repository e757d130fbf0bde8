"""On how many datasets a model beats another, neither is shown better, or the other beats it."""

from __future__ import annotations

from collections import defaultdict

import pandas as pd

from reseed.options import Experiments
from reseed.rendering.arms import arm_title
from reseed.rendering.data import ExhibitData
from reseed.rendering.numbers import NONE, counted
from reseed.rendering.settings import counted_settings, note
from reseed.rendering.tables import Table, empty_table
from reseed.verdicts import ALL_DATASETS

#: Models a matrix has room for; of more the totals are shown.
MOST_MODELS = 8
WIN, TIE, LOSS, NO_VERDICT = range(4)
_INDEX = {"difference": WIN, "no difference shown": TIE, "equivalent": TIE}


DRAWS = ("pairs",)


class Options(Experiments):
    """Which experiments are shown."""


def table(data: ExhibitData, options: dict) -> Table:
    """One row a model: wins–ties–losses against each other model, and in all.

    A win is a difference shown by the analysis `pairs` (after its adjustment), a tie is none shown,
    which is no proof of equality. `options["experiments"]` may restrict it.
    """
    rows = data.rows(options.get("experiments"))
    if not rows.empty:
        rows = rows[rows["dataset"] != ALL_DATASETS]
    if rows.empty:
        reason = "No two models were run on the same dataset."
        return empty_table(data, data.no_pairs(reason))
    if rows["dataset"].nunique() == 1:
        return empty_table(data, "One dataset: the verdicts say which differences are shown.")
    counts = count(rows)
    experiment = rows["experiment"].iloc[0] if rows["experiment"].nunique() == 1 else None
    titles = {model: arm_title(data, model, experiment) for model in counts}
    models = sorted(counts, key=lambda model: (-_net(counts[model]), model))
    lines, raw = [], []
    for model in models:
        total = _total(counts[model])
        line = {
            "Model": titles[model],
            "Wins": total[WIN],
            "Ties": total[TIE],
            "Losses": total[LOSS],
        }
        if any(_total(counts[m])[NO_VERDICT] for m in models):
            line["No verdict"] = total[NO_VERDICT]
        if 2 < len(models) <= MOST_MODELS:
            line |= {f"vs {titles[other]}": _cell(counts[model], other) for other in models}
        lines.append(line)
        raw += [
            {"model": model, "against": other}
            | dict(zip(("wins", "ties", "losses", "no_verdict"), found, strict=True))
            for other, found in counts[model].items()
        ]
    best = _total(counts[models[0]])
    definition = (
        f"Counted over {counted_settings(rows)} and "
        f"{counted(len(rows), 'comparison')}. A win is a difference shown at the adjusted level; a "
        "tie is none shown, which does not show that two models are equal. Cells: "
        "wins–ties–losses of the row’s model."
    )
    return Table(
        data,
        pd.DataFrame(lines),
        pd.DataFrame(raw),
        note(data, rows.drop(columns=["n"])),
        headline=f"{titles[models[0]]} wins {best[WIN]} of {counted(sum(best), 'comparison')}",
        definitions=[definition],
    )


def count(rows: pd.DataFrame) -> dict[str, dict[str, list[int]]]:
    """[wins, ties, losses, no verdict] of each model against each other one."""
    found: dict = defaultdict(lambda: defaultdict(lambda: [0, 0, 0, 0]))
    for a, b, outcome in rows[["model_a", "model_b", "outcome"]].itertuples(index=False):
        index = _INDEX.get(outcome, NO_VERDICT)
        found[a][b][index] += 1
        found[b][a][{WIN: LOSS}.get(index, index)] += 1
    return {model: dict(others) for model, others in found.items()}


def _total(against: dict[str, list[int]]) -> list[int]:
    return [sum(found[i] for found in against.values()) for i in range(4)]


def _net(against: dict[str, list[int]]) -> int:
    total = _total(against)
    return total[WIN] - total[LOSS]


def _cell(against: dict[str, list[int]], other: str) -> str:
    found = against.get(other)
    return "–".join(str(number) for number in found[:3]) if found else NONE
