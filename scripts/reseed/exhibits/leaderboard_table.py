"""Models by their mean score: on one dataset with its spread, over several with the mean rank."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseed.exhibits.data import ExhibitData
from reseed.exhibits.numbers import NONE, decimals, fixed, seeds, several
from reseed.exhibits.settings import metric_title, note, settings
from reseed.exhibits.tables import Table, empty_table
from reseed.verdicts import ALL_DATASETS

#: Datasets that fit beside one another; with more only ranks are shown, and all means in the CSV.
MOST_DATASETS = 6
_MEANS = (
    "Means and SDs are over each model’s own finished runs. A better mean alone shows no "
    "difference: the verdicts say which differences hold."
)


def table(data: ExhibitData, options: dict) -> Table:
    """One row a model, best first; `options["experiments"]` may restrict it."""
    rows = data.rows(options.get("experiments"))
    if rows.empty:
        return empty_table(data, "No run has finished.")
    over = rows[rows["dataset"] == ALL_DATASETS]
    single = rows[rows["dataset"] != ALL_DATASETS]
    parts = []
    for experiment, part in single.groupby("experiment", sort=False):
        title = data.experiment(experiment) if single["experiment"].nunique() > 1 else ""
        ranks = over[over["experiment"] == experiment]
        if len(ranks):
            parts.append((title, _over(data, part, ranks)))
        else:
            parts += [
                (" · ".join(filter(None, [title, name])), _one(data, of))
                for name, of in settings(data, part)
            ]
    shown = pd.concat([frame for _, frame in parts], ignore_index=True).fillna(NONE)
    sections = [title for title, frame in parts for _ in range(len(frame))]
    findings = _findings(data, single, over)
    return Table(
        data,
        shown,
        rows,
        note(data, single, per="model and dataset"),
        sections=sections if any(sections) else (),
        headline=_headline(data, single, over),
        definitions=[text for text in (_MEANS, _rank_note(over)) if text],
        findings=findings,
    )


def _headline(data: ExhibitData, single: pd.DataFrame, over: pd.DataFrame) -> str:
    ranked, what = (over[over["n"] > 0], "mean rank") if len(over) else (single, "mean")
    if ranked.empty or (over.empty and single["dataset"].nunique() > 1):
        return ""
    best = ranked[ranked["mean"].rank(ascending=not ranked["greater_is_better"].iloc[0]) == 1]
    return f"{data.model(best['model'].iloc[0])} has the best {what}" if len(best) == 1 else ""


def _one(data: ExhibitData, part: pd.DataFrame) -> pd.DataFrame:
    places = decimals(part["sd"], 2, 1)
    return pd.DataFrame(
        [
            {
                "Model": data.model(row["model"]),
                "Rank": _rank(row["rank"]),
                f"Mean {_score(part)}": fixed(row["mean"], places),
                "SD": fixed(row["sd"], places),
                "Lowest": fixed(row["low"], places),
                "Highest": fixed(row["high"], places),
                "Runs": seeds(int(row["n"]), int(row["failed"])),
            }
            for _, row in part.iterrows()
        ]
    )


def _over(data: ExhibitData, part: pd.DataFrame, ranks: pd.DataFrame) -> pd.DataFrame:
    columns = settings(data, part)
    lines = []
    for _, row in ranks.iterrows():
        line = {"Model": data.model(row["model"]), "Mean rank": fixed(row["mean"], 2)}
        line["First on"] = f"{row['firsts']:.0f} of {row['n']:.0f}"
        if len(columns) <= MOST_DATASETS:
            line |= {f"{title}: {_score(of)}": _mean(of, row["model"]) for title, of in columns}
        if ranks["failed"].any():
            line["Failed runs"] = f"{row['failed']:.0f}"
        lines.append(line)
    return pd.DataFrame(lines)


def _mean(part: pd.DataFrame, model: str) -> str:
    own = part[part["model"] == model]
    if own.empty or not own["n"].iloc[0]:
        return NONE
    places, sd = decimals(part["sd"], 2, 1), own["sd"].iloc[0]
    spread = f" ± {fixed(sd, places)}" if np.isfinite(sd) else ""
    return fixed(own["mean"].iloc[0], places) + spread


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


def _findings(data: ExhibitData, single: pd.DataFrame, over: pd.DataFrame) -> list[str]:
    if len(over):
        ranked = over[over["n"] > 0]
        if ranked.empty:
            return []
        best = ranked[ranked["mean"] == ranked["mean"].min()]
        names = several(data.model(model) for model in best["model"])
        return [
            f"Best mean rank: {names}, {best['mean'].iloc[0]:.2f} of {best['models'].iloc[0]:.0f} "
            f"models over {best['n'].iloc[0]:.0f} datasets."
        ]
    found = []
    for title, part in settings(data, single):
        best = part[part["rank"] == part["rank"].min()]
        if len(part) > 1 and len(best):
            names = several(data.model(model) for model in best["model"])
            found.append(
                f"{title}: best mean by {names}, over {best['n'].iloc[0]:.0f} runs; whether that "
                "is more than luck is what the comparisons say."
            )
    return found
