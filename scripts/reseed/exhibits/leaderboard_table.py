"""Models by their mean score, or mean rank over datasets, with letters: who is told from whom."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseed.analyses.data import Data
from reseed.analyses.leaderboard import analyse as rank_models
from reseed.exhibits.data import ExhibitData
from reseed.exhibits.letters import letters_of
from reseed.exhibits.numbers import NONE, counted, decimals, fixed, seeds, several
from reseed.exhibits.settings import SETTING, metric_title, note, settings
from reseed.exhibits.tables import Table, empty_table
from reseed.options import Experiments
from reseed.verdicts import ALL_DATASETS

#: Datasets that fit beside one another; with more only ranks are shown, and all means in the CSV.
MOST_DATASETS = 6
#: With more, the SDs are in the CSV only, so that a page holds the table.
_MOST_SPREADS = 3
_MEANS = "Means and SDs are over each model’s own finished runs."
_LETTERS = (
    "Models that share a letter are not shown to differ on that dataset (Piepho 2004, from the "
    "adjusted p-values of the verdicts)."
)
_RECORD = (
    "Won, open, lost: comparisons with the other models over all datasets; open where no "
    "difference is shown."
)
DRAWS = ("pairs",)


class Options(Experiments):
    """Which experiments are shown."""


def table(data: ExhibitData, options: dict) -> Table:
    """One row a model, best first; `options["experiments"]` may restrict it.

    On one dataset with spread and runs; over several with mean rank, and means of up to
    `MOST_DATASETS`. The analysis `pairs` gives letters where it compared every pair.
    """
    pairs = data.rows(options.get("experiments"))
    wanted = options.get("experiments") or list(pairs.get("experiment", ())) or None
    board = ranked(data, wanted)
    if board.empty:
        return empty_table(data, "No run has finished at this scale.")
    if pairs.empty:
        pairs = pd.DataFrame(columns=[*SETTING, "model_a", "model_b", "outcome", "design"])
    pairs = pairs[pairs["design"] != "datasets"]
    board["letters"] = _letters(board, pairs)
    over, single = (board[(board["dataset"] == ALL_DATASETS) == side] for side in (True, False))
    parts = []
    for experiment, part in single.groupby("experiment", sort=False):
        title = data.experiment(experiment) if single["experiment"].nunique() > 1 else ""
        ranks = over[over["experiment"] == experiment]
        own = pairs[pairs["experiment"] == experiment]
        if len(ranks):
            parts.append((title, _over(data, part, ranks, own)))
        else:
            parts += [
                (" · ".join(filter(None, [title, name])), _one(data, of, own))
                for name, of in settings(data, part)
            ]
    shown = pd.concat([frame for _, frame in parts], ignore_index=True).fillna(NONE)
    sections = [title for title, frame in parts for _ in range(len(frame))]
    told = [_MEANS, _LETTERS if board["letters"].any() else "", _RECORD if len(pairs) else ""]
    return Table(
        data,
        shown,
        board,
        note(data, single, per="model and dataset"),
        sections=sections if any(sections) and len(parts) > 1 else (),
        headline=_headline(data, single, over, pairs),
        definitions=[text for text in (*told, _rank_note(over)) if text],
        findings=_findings(data, single, over, pairs),
    )


def ranked(data: ExhibitData, experiments: list[str] | None) -> pd.DataFrame:
    """The analysis `leaderboard` of these experiments (None: all)."""
    trials = data.metrics
    if experiments is not None:
        trials = trials[trials["experiment"].isin(experiments)]
    return rank_models(Data(trials, data.about), {})


def _letters(board: pd.DataFrame, pairs: pd.DataFrame) -> pd.Series:
    """Letters of each row of the board; empty where there are none."""
    found = pd.Series("", board.index)
    if board["dataset"].nunique() > MOST_DATASETS + 1:
        return found
    by_setting = {key: part for key, part in pairs.groupby(SETTING, dropna=False, sort=False)}
    for key, part in board.groupby(SETTING, dropna=False, sort=False):
        own = part[part["n"] > 0].sort_values("rank", kind="stable")
        compared = _same(by_setting, key)
        told = None if compared is None else letters_of(compared, list(own["model"]))
        if told is not None:
            found[own.index] = own["model"].map(told)
    return found


def _same(parts: dict, key: tuple) -> pd.DataFrame | None:
    """The part of an equal key; NaN equals NaN."""
    return next((part for other, part in parts.items() if str(other) == str(key)), None)


def _one(data: ExhibitData, part: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    places, own = decimals(part["sd"], 2, 1), _setting_of(pairs, part)
    lines = []
    for _, row in part.iterrows():
        line = {
            "Model": data.model(row["model"]),
            "Rank": _rank(row["rank"]),
            f"Mean {_score(part)}": fixed(row["mean"], places),
        }
        line |= {"Letters": row["letters"]} if part["letters"].any() else {}
        line |= {
            "SD": fixed(row["sd"], places),
            "Lowest": fixed(row["low"], places),
            "Highest": fixed(row["high"], places),
            "Runs": seeds(int(row["n"]), int(row["failed"])),
        }
        lines.append(line | _record(own, row["model"], 2))
    return pd.DataFrame(lines)


def _over(
    data: ExhibitData, part: pd.DataFrame, ranks: pd.DataFrame, pairs: pd.DataFrame
) -> pd.DataFrame:
    columns = settings(data, part)
    lines = []
    for _, row in ranks.iterrows():
        line = {"Model": data.model(row["model"]), "Mean rank": fixed(row["mean"], 2)}
        if len(columns) <= MOST_DATASETS:
            spread = len(columns) <= _MOST_SPREADS
            line |= {f"{t}: {_score(of)}": _mean(of, row["model"], spread) for t, of in columns}
        else:
            line["First on"] = f"{row['firsts']:.0f} of {row['n']:.0f}"
        if ranks["failed"].any():
            line["Failed runs"] = f"{row['failed']:.0f}"
        lines.append(line | _record(pairs, row["model"], 1))
    return pd.DataFrame(lines)


def _mean(part: pd.DataFrame, model: str, with_spread: bool) -> str:
    own = part[part["model"] == model]
    if own.empty or not own["n"].iloc[0]:
        return NONE
    places, sd = decimals(part["sd"], 2, 1), own["sd"].iloc[0]
    spread = f" ± {fixed(sd, places)}" if with_spread and np.isfinite(sd) else ""
    return f"{fixed(own['mean'].iloc[0], places)}{spread} {own['letters'].iloc[0]}".strip()


def _setting_of(pairs: pd.DataFrame, part: pd.DataFrame) -> pd.DataFrame:
    same = pd.Series(True, pairs.index)
    for name in ("experiment", "dataset", "scheme", "hyperparameters_source"):
        same &= pairs[name].eq(part[name].iloc[0])
    return pairs[same]


def _record(pairs: pd.DataFrame, model: str, least: int) -> dict:
    """Comparisons won, open and lost; nothing where there are fewer than `least`."""
    shown = pairs["outcome"] == "difference"
    first, second = pairs["model_a"] == model, pairs["model_b"] == model
    if len(pairs) < least:
        return {}
    won, lost = int((first & shown).sum()), int((second & shown).sum())
    return {"Won, open, lost": f"{won} / {int((first | second).sum()) - won - lost} / {lost}"}


def _score(part: pd.DataFrame) -> str:
    """What is averaged, in its own unit: `AUC`, `MSE (kW²)`, with an arrow to the better side."""
    row = part.iloc[0]
    unit = f" ({row['unit']})" if row["unit"] not in ("", "points") else ""
    return f"{metric_title(row['metric'])}{unit} {'↑' if row['greater_is_better'] else '↓'}"


def _rank(rank: float) -> str:
    return NONE if not np.isfinite(rank) else f"{rank:.0f}" if rank % 1 == 0 else f"{rank:.1f}"


def _rank_note(over: pd.DataFrame) -> str:
    if over.empty:
        return ""
    complete, datasets = int(over["n"].iloc[0]), int(over["datasets"].iloc[0])
    text = "Mean rank: over the datasets, 1 is best; ±: SD over runs."
    if complete < datasets:
        text += (
            f" Ranks are over the {complete} of {datasets} datasets on which every model has a "
            "finished run."
        )
    return text


# --- in words ------------------------------------------------------------------------------------


def _beaten(pairs: pd.DataFrame, best: str, others: int) -> bool:
    """Whether the best model is shown better than every other of `others`."""
    won = pairs[(pairs["model_a"] == best) & (pairs["outcome"] == "difference")]
    return 0 < others <= won["model_b"].nunique()


def _met(pairs: pd.DataFrame, model: str, others: int) -> bool:
    """Whether a model was compared with every other; chosen pairs may leave some out."""
    return int(((pairs["model_a"] == model) | (pairs["model_b"] == model)).sum()) >= others


def _headline(
    data: ExhibitData, single: pd.DataFrame, over: pd.DataFrame, pairs: pd.DataFrame
) -> str:
    known = over[over["n"] > 0]
    if len(known):
        best = known[known["mean"] == known["mean"].min()]["model"]
        if len(best) > 1:
            return f"{several(map(data.model, best))} share the best mean rank"
        boards = [part for _, part in settings(data, single)]
        if not all(_met(_setting_of(pairs, part), best.iloc[0], len(part) - 1) for part in boards):
            return (
                f"{data.model(best.iloc[0])} has the best mean rank over"
                f" {counted(len(boards), 'dataset')}"
            )
        alone = sum(
            part["model"].iloc[0] == best.iloc[0]
            and _beaten(_setting_of(pairs, part), best.iloc[0], len(part) - 1)
            for part in boards
        )
        return (
            f"{data.model(best.iloc[0])} has the best mean rank; told from all others on "
            f"{alone} of {counted(len(boards), 'dataset')}"
        )
    if single["dataset"].nunique() > 1:
        return ""
    best = single[single["rank"] == 1]
    if len(best) != 1:
        return ""
    told = _beaten(_setting_of(pairs, single), best["model"].iloc[0], len(single) - 1)
    tail = " and is told from every other" if told else ""
    return f"{data.model(best['model'].iloc[0])} has the best mean{tail}"


def _findings(
    data: ExhibitData, single: pd.DataFrame, over: pd.DataFrame, pairs: pd.DataFrame
) -> list[str]:
    known = over[over["n"] > 0]
    if len(known):
        order = several(
            f"{data.model(row['model'])} ({row['mean']:.2f})" for _, row in known.head(3).iterrows()
        )
        shown = int((pairs["outcome"] == "difference").sum())
        told = f"; of {counted(len(pairs), 'comparison')}, {shown} show a difference"
        return [
            f"Best mean ranks: {order}, of {known['models'].iloc[0]:.0f} models over "
            f"{known['n'].iloc[0]:.0f} datasets{told if len(pairs) else ''}."
        ]
    found = []
    for title, part in settings(data, single):
        best = part[part["rank"] == part["rank"].min()]
        if len(part) > 1 and len(best) == 1:
            own = _setting_of(pairs, part)
            found.append(_finding(data, title, part, best.iloc[0], own))
    return found


def _finding(
    data: ExhibitData, title: str, part: pd.DataFrame, best: pd.Series, pairs: pd.DataFrame
) -> str:
    """`new has the best mean, AUC 0.95 over 10 runs; it is not told from old.`"""
    where = f"{title}: " if title != "data" else ""
    mean = fixed(best["mean"], decimals(part["sd"], 2, 1))
    text = (
        f"{where}{data.model(best['model'])} has the best mean, {metric_title(best['metric'])} "
        f"{mean} over {counted(int(best['n']), 'run')}"
    )
    own = pairs[(pairs["model_a"] == best["model"]) | (pairs["model_b"] == best["model"])]
    if own.empty:
        return f"{text}."
    if _beaten(own, best["model"], len(part) - 1):
        return f"{text}, and is shown better than every other model."
    rest = own[own["outcome"] != "difference"]
    names = [b if a == best["model"] else a for a, b in zip(rest["model_a"], rest["model_b"],
                                                            strict=True)]  # fmt: skip
    if rest.empty:
        against = several(data.model(m) for m in own["model_b"].unique())
        return f"{text}, and is shown better than {against}."
    few = (rest["outcome"] == "too few runs").all()
    named = several(map(data.model, names[:3])) + (
        f" and {len(names) - 3} more" if len(names) > 3 else ""
    )
    return f"{text}; " + (
        f"there are too few runs to tell it from {named}." if few else f"not told from {named}."
    )
