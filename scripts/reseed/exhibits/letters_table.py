"""Mean scores of all models by dataset, with letters: who may be told from whom."""

from __future__ import annotations

import pandas as pd

from reseed.exhibits import numbers
from reseed.exhibits.data import ExhibitData
from reseed.exhibits.letters import letters
from reseed.exhibits.settings import note, settings
from reseed.exhibits.tables import Rows, Table, empty_table
from reseed.options import Experiments

DRAWS = ("pairs",)


class Options(Experiments):
    """Which experiments are shown."""


def table(data: ExhibitData, options: dict) -> Table:
    """One row a model, best average rank first; a column each setting of the analysis `pairs`.

    Models that share a letter in a column are not shown to differ there. The last columns count
    the comparisons won, not decided and lost. `options["experiments"]` may restrict it.
    """
    rows = data.rows(options.get("experiments"))
    if not rows.empty:
        rows = rows[(rows["design"] != "datasets") & rows["difference"].notna()]
    if rows.empty:
        return empty_table(data, "No two models have runs that can be set side by side.")
    boards = [(title, part, _board(part)) for title, part in settings(data, rows)]
    ranks = pd.concat([board["mean"].rank(ascending=not up) for _, part, board in boards
                       for up in [bool(part["greater_is_better"].iloc[0])]], axis=1)  # fmt: skip
    mean_rank = ranks.mean(axis=1).sort_values(kind="stable")
    lines = Rows()
    for model in mean_rank.index:
        line = {"Model": data.model(model)}
        for title, part, board in boards:
            line[title] = _cell(board, model, _places(part))
        line["Average rank"] = f"{mean_rank[model]:.1f}"
        line["Won, open, lost"] = " / ".join(str(n) for n in _record(rows, model))
        lines.add(line)
    raw = pd.concat(
        [board.assign(dataset=part["dataset"].iloc[0], setting=title)
         for title, part, board in boards]
    ).rename_axis("model").reset_index()  # fmt: skip
    best = mean_rank.index[0]
    return lines.table(
        data,
        raw,
        note(data, rows),
        definitions=[
            "Mean score over the runs that pairs of models share; models with a letter in common"
            " are not shown to differ on that dataset (letters after Piepho 2004, from the adjusted"
            " p-values of the verdicts). Won, open, lost: comparisons with the other models, over"
            " all columns; open where no difference is shown.",
        ],
        headline=_headline(data, boards, best),
        findings=_findings(data, rows, boards, mean_rank),
    )


def _board(part: pd.DataFrame) -> pd.DataFrame:
    """Mean and letters of each model of a setting, best first."""
    sides = [part[[f"model_{s}", f"mean_{s}"]].set_axis(["model", "mean"], axis=1) for s in "ab"]
    means = pd.concat(sides).groupby("model", sort=False)["mean"].mean()
    up = bool(part["greater_is_better"].iloc[0])
    means = means.sort_values(ascending=not up, kind="stable")
    apart = part.loc[part["outcome"] == "difference", ["model_a", "model_b"]]
    shown = letters(list(means.index), apart.itertuples(index=False, name=None))
    return pd.DataFrame({"mean": means, "letters": [shown[m] for m in means.index]})


def _places(part: pd.DataFrame) -> int:
    """Decimals that show how far single runs of a pair lie from their mean."""
    return numbers.decimals([part["sd_difference"].median()], 1, 3, 5)


def _cell(board: pd.DataFrame, model: str, places: int) -> str:
    if model not in board.index:
        return numbers.NONE
    return f"{board.loc[model, 'mean']:.{places}f} {board.loc[model, 'letters']}"


def _record(rows: pd.DataFrame, model: str) -> tuple[int, int, int]:
    shown = rows["outcome"] == "difference"
    first, second = rows["model_a"] == model, rows["model_b"] == model
    won, lost = int((first & shown).sum()), int((second & shown).sum())
    return won, int((first | second).sum()) - won - lost, lost


def _alone(board: pd.DataFrame) -> bool:
    """Whether the best model is told from every other: its letters are nobody else's."""
    return sum("a" in text for text in board["letters"]) == 1


def _headline(data: ExhibitData, boards: list, best: str) -> str:
    first = sum(board.index[0] == best for _, _, board in boards)
    alone = sum(board.index[0] == best and _alone(board) for _, _, board in boards)
    where = f"on {first} of {numbers.counted(len(boards), 'dataset')}"
    return f"{data.model(best)} has the best mean {where}; told from all others on {alone}"


def _findings(data: ExhibitData, rows: pd.DataFrame, boards: list, ranks: pd.Series) -> list[str]:
    shown, runs = int((rows["outcome"] == "difference").sum()), rows["n"]
    count = (
        f"{runs.min():.0f}" if runs.min() == runs.max() else f"{runs.min():.0f}–{runs.max():.0f}"
    )
    order = numbers.several(f"{data.model(m)} ({ranks[m]:.1f})" for m in ranks.index[:3])
    return [
        f"Best average ranks: {order}, over {numbers.counted(len(boards), 'dataset')}; of"
        f" {numbers.counted(len(rows), 'comparison')}, {shown} show a difference"
        f" ({count} runs each)."
    ]
