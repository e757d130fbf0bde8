"""Number of datasets on which a model beats another, neither is better, or it is beaten."""

from __future__ import annotations

from collections import defaultdict

import pandas as pd

from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.pair_row import has_model, is_over_datasets, is_shown
from reseed.plugins.options import Experiments as Options
from reseed.report.rendering.arms import name_arms
from reseed.report.rendering.data import ExhibitData, NothingToShow
from reseed.report.rendering.numbers import NONE, counted, several
from reseed.report.rendering.settings import (
    counted_settings,
    describe_detectable,
    footnote_pairs,
    group_over_datasets,
    pair_runs,
)
from reseed.report.rendering.tables import Rows, Table

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
        rows = rows[~is_over_datasets(rows)]
    if rows.empty:
        reason = "No two models were run on the same dataset."
        raise NothingToShow(data.no_pairs(reason))
    if rows["dataset"].nunique() == 1:
        raise NothingToShow("One dataset: the verdicts say which differences are shown.")
    lines, raw, parts = Rows(), [], group_over_datasets(data, rows)
    counts = [count(part) for _, part in parts]
    undecided = any(_total(against)[NO_VERDICT] for of in counts for against in of.values())
    for (title, part), of in zip(parts, counts, strict=True):
        models = sorted(of, key=lambda model: (-_net(of[model]), -_total(of[model])[WIN], model))
        titles = name_arms(data, part, models)
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
        footnote_pairs(data, rows.drop(columns=["n"])),
        claims=[_claim(titles, rows, counts[0])] if len(counts) == 1 else (),
        definitions=[definition],
    )


def _claim(
    titles: dict[str, str], rows: pd.DataFrame, counts: dict[str, dict[str, list[int]]]
) -> Claim:
    """The wins of the first model, or of all models that share its record."""
    totals = {model: _total(counts[model]) for model in titles}
    best = [model for model in titles if totals[model] == next(iter(totals.values()))]
    won = is_shown(rows)
    if not won.any():
        finding = "no model wins: a difference is shown for {wins}"
        wins = phrases.share(rows, won, "comparison")
    else:
        of_best = rows[has_model(rows, best[0])]
        finding = "{models} wins {wins}" if len(best) == 1 else "{models} win {wins} each"
        is_win = won[of_best.index] & (of_best["model_a"] == best[0])
        wins = phrases.share(of_best, is_win, "comparison", of=" win")
    names = [titles[model] for model in best]
    if len(names) <= _NAMED:
        models = phrases.name(several(names))
    else:
        models = phrases.Phrase(counted(len(names), "model"), "count", tuple(rows.index))
    return Claim(
        "most_wins",
        finding,
        rows,
        {"wins": wins, "models": models},
        pair_runs(rows),
        headline=True,
        null="no difference",
        precision=describe_detectable(rows),
    )


def count(rows: pd.DataFrame) -> dict[str, dict[str, list[int]]]:
    """[wins, ties, losses, no verdict] of each model against each other model."""
    counts: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0, 0, 0]))
    for a, b, outcome in rows[["model_a", "model_b", "outcome"]].itertuples(index=False):
        index = _INDEX.get(outcome, NO_VERDICT)
        counts[a][b][index] += 1
        counts[b][a][{WIN: LOSS}.get(index, index)] += 1
    return {model: dict(others) for model, others in counts.items()}


def _total(against: dict[str, list[int]]) -> list[int]:
    return [sum(numbers) for numbers in zip(*against.values(), strict=True)] or [0] * 4


def _net(against: dict[str, list[int]]) -> int:
    total = _total(against)
    return total[WIN] - total[LOSS]


def _cell(against: dict[str, list[int]], other: str) -> str:
    return "–".join(map(str, against[other][:3])) if other in against else NONE
