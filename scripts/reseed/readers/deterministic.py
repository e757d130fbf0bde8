"""Models without randomness: one run on a split is compared with each seed of the others."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from reseed.core.errors import suggest_name
from reseed.core.schemas import SPLIT_COLUMNS
from reseed.readers.source_table import SourceTable, join_names

_SPLIT = ["dataset", *SPLIT_COLUMNS]
#: Fewest seeds of other models from which a note offers to call a model deterministic.
_FEWEST_SEEDS = 3


def repeat_deterministic_runs(
    table: SourceTable, runs: pd.DataFrame, deterministic: Sequence[str]
) -> pd.DataFrame:
    """The runs, with the only run of each deterministic model on a split under every seed there.

    A paired test over the seeds is then the one-sample test of the other model against a constant.
    Errors: a name of no model, and a model with several runs on one split.
    """
    models = list(dict.fromkeys(runs["model"]))
    parts = [runs[~runs["model"].isin(deterministic)]]
    for model in dict.fromkeys(deterministic):
        own = runs[runs["model"] == model]
        if own.empty:
            table.add_error(
                f"`deterministic` names the model {model!r}, which has no run",
                f"It has {join_names(models, 20)}.{suggest_name(model, models)}",
            )
        elif own.duplicated(_SPLIT).any():
            table.add_error(
                f"`deterministic` names the model {model!r}, which has several runs on one split",
                "Keep one of them if they are equal; else do not call it deterministic.",
            )
        else:
            parts.append(_repeat(own, runs))
            table.notes.append(
                f"{model} is deterministic, as stated: its one run on a split is compared with "
                "each seed of the others."
            )
    return pd.concat(parts, ignore_index=True)


def _repeat(own: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """One row for each seed of its split; a split without other models keeps the row."""
    others = runs[runs["model"] != own["model"].iloc[0]]
    seeds = others[[*_SPLIT, "seed"]].drop_duplicates().rename(columns={"seed": "_seed"})
    repeated = own.merge(seeds, on=_SPLIT, how="left")
    repeated["seed"] = repeated.pop("_seed").fillna(repeated["seed"]).astype("int64")
    return repeated


def list_single_runs(runs: pd.DataFrame) -> list[str]:
    """Models with one run on each split, where another model has several seeds."""
    counts = runs.groupby([*_SPLIT, "model"]).size().groupby("model", sort=False).max()
    if not counts.max() >= _FEWEST_SEEDS:
        return []
    return [str(model) for model in counts.index[counts == 1]]


def note_single_runs(table: SourceTable, runs: pd.DataFrame, deterministic: Sequence[str]) -> None:
    """Offer `deterministic` for models with one run a split, where others have several seeds."""
    single = [model for model in list_single_runs(runs) if model not in deterministic]
    if single:
        table.notes.append(
            f"{join_names(single)} {'has' if len(single) == 1 else 'have'} one run on a split. If "
            "nothing in it is random, a fixed score is a baseline that others are tested against: "
            f"`deterministic: [{', '.join(single)}]` (--deterministic {single[0]})."
        )
