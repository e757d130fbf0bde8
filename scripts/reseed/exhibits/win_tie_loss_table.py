"""Number of datasets on which a model beats another, neither is better, or it is beaten."""

from __future__ import annotations

from collections import defaultdict

import pandas as pd

from reseed.claims.verdicts import ALL_DATASETS
from reseed.plugins.options import Experiments as Options
from reseed.rendering.arms import arm_title
from reseed.rendering.data import ExhibitData, NothingToShow
from reseed.rendering.numbers import NONE, counted, several
from reseed.rendering.settings import counted_settings, note, over_datasets
from reseed.rendering.tables import Rows, Table

#: Most models of the matrix; with more, only totals are shown.
MOST_MODELS = 8
# Most models with the same record that a heading names.
_NAMED = 3
WIN, TIE, LOSS, NO_VERDICT = range(4)
_INDEX = {"difference": WIN, "no difference shown": TIE, "equivalent": TIE}


DRAWS = ("pairs",)


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each model: wins–ties–losses against each other model, and in total.

    A win is a difference that the analysis `pairs` shows after adjustment. A tie is an inconclusive
    comparison, which does not prove equality.
    """
    rows = data.rows(options.experiments)
    if not rows.empty:
        rows = rows[rows["dataset"] != ALL_DATASETS]
    if rows.empty:
        reason = "No two models were run on the same dataset."
        raise NothingToShow(data.no_pairs(reason))
    if rows["dataset"].nunique() == 1:
        raise NothingToShow("One dataset: the verdicts say which differences are shown.")
    lines, raw, found = Rows(), [], over_datasets(data, rows)
    counts = [count(part) for _, part in found]
    undecided = any(_total(against)[NO_VERDICT] for of in counts for against in of.values())
    for (title, part), of in zip(found, counts, strict=True):
        models = sorted(of, key=lambda model: (-_net(of[model]), -_total(of[model])[WIN], model))
        titles = {m: arm_title(data, m, part["experiment"].iloc[0]) for m in models}
        for model in models:
            total = _total(of[model])
            line = {
                "Model": titles[model],
                "Wins": total[WIN],
                "Ties": total[TIE],
                "Losses": total[LOSS],
            }
            if undecided:
                line["No verdict"] = total[NO_VERDICT]
            if 2 < len(models) <= MOST_MODELS:
                line |= {f"vs {titles[other]}": _cell(of[model], other) for other in models}
            lines.add(line, title)
            raw += [
                ({"over": title} if title else {})
                | {"model": model, "against": other}
                | dict(zip(("wins", "ties", "losses", "no_verdict"), each, strict=True))
                for other, each in of[model].items()
            ]
    definition = (
        f"Counted over {counted_settings(rows)} and "
        f"{counted(len(rows), 'comparison')}. A win is a difference shown at the adjusted level; a "
        "tie is none shown, which does not show that two models are equal. Cells: "
        "wins–ties–losses of the row’s model."
    )
    return lines.table(
        data,
        pd.DataFrame(raw),
        note(data, rows.drop(columns=["n"])),
        headline=_headline(titles, counts[0]) if len(counts) == 1 else "",
        definitions=[definition],
    )


def _headline(titles: dict[str, str], counts: dict[str, dict[str, list[int]]]) -> str:
    """The wins of the first model, or of all models that share its record."""
    totals = [_total(counts[model]) for model in titles]
    names = [title for title, total in zip(titles.values(), totals, strict=True)
             if total == totals[0]]  # fmt: skip
    if not any(total[WIN] for total in totals):
        return f"No model wins any of {counted(sum(map(sum, totals)) // 2, 'comparison')}"
    of = f"{totals[0][WIN]} of {counted(sum(totals[0]), 'comparison')}"
    if len(names) == 1:
        return f"{names[0]} wins {of}"
    who = several(names) if len(names) <= _NAMED else f"{len(names)} models"
    return f"{who} win {of} each"


def count(rows: pd.DataFrame) -> dict[str, dict[str, list[int]]]:
    """[wins, ties, losses, no verdict] of each model against each other model."""
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
