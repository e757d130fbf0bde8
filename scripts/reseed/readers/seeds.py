"""What seeds of imported runs draw, and models that have none.

A seed such as `random_state` may have drawn the split too. Then runs of different models with one
seed share their test rows, and a test over seeds on one test set claims far too much. The one run
of a model without randomness is compared with each seed of the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from scipy.special import fdtrc

from reseed.core.errors import suggest_name
from reseed.core.schemas import SPLIT_COLUMNS
from reseed.readers.names import normalize_name
from reseed.readers.options import SeedDraws
from reseed.readers.question import propose
from reseed.readers.source_table import SourceTable, join_names

#: Size of the test that scores of different models are independent over shared seeds.
_SHOWN = 0.05
#: Fewest shared seeds of this test.
_FEWEST = 3
_SPLIT = ["dataset", *SPLIT_COLUMNS]
#: Fewest seeds of other models from which a note offers to call a model deterministic.
_FEWEST_SEEDS = 3


def apply_seed_draws(
    table: SourceTable, columns: Mapping[str, str], runs: pd.DataFrame, draws: SeedDraws | None
) -> pd.DataFrame:
    """The runs with the split of each that its seed drew, if it did."""
    if draws in (None, "training"):
        return runs
    named = [name for name in SPLIT_COLUMNS if name in columns]
    if named:
        table.add_error(
            f"`seed_draws: {draws}`, but the column {columns[named[0]]!r} names the split",
            "Leave out `seed_draws`, or do not map this column.",
        )
    seeds = runs["seed"] if draws == "both" else 0
    return runs.assign(data_seed=runs["seed"], seed=seeds)


def find_assumed(
    columns: Mapping[str, str], runs: pd.DataFrame, draws: SeedDraws | None, has_items: bool
) -> set[str]:
    """Datasets whose runs are taken to be on one split, without a column or word that says so."""
    if draws or has_items or set(SPLIT_COLUMNS) & set(columns):
        return set()
    counts = runs.groupby("dataset", sort=False)[SPLIT_COLUMNS].nunique()
    return {str(name) for name in counts.index[counts.max(axis=1) == 1]}


def ask_what_seeds_draw(
    table: SourceTable, columns: Mapping[str, str], runs: pd.DataFrame, primary: Mapping[str, str],
    assumed: set[str],
) -> None:  # fmt: skip
    """Ask about seeds called `random_state`, and where scores move together over seeds.

    Args:
        assumed: the datasets whose runs would else be taken to be on one split.
    """
    varied = runs[runs["dataset"].isin(assumed)].groupby("dataset", sort=False)
    varied = {str(name): rows for name, rows in varied if rows["seed"].nunique() > 1}
    name = columns.get("seed", "seed").strip("()")
    shown = {
        dataset: p * len(varied)
        for dataset, rows in varied.items()
        if (p := find_common_seed(rows, primary[dataset])) * len(varied) <= _SHOWN
    }
    if varied and normalize_name(name) == "random_state":
        what = f"{name!r} may have drawn the split, the training, or both"
    elif shown:
        where = f" on {next(iter(shown))}" if len(varied) > 1 else ""
        what = (
            f"scores of different models move together over {name!r}{where} (p "
            f"{min(shown.values()):.2g}), as they do where it drew the split"
        )
    else:
        return
    ratio = {"test_train_ratio": 0.25}
    table.add_error(
        what,
        (
            propose("If it drew the training only, on one split: ", {"seed_draws": "training"}),
            propose("If it drew the split, with test rows a quarter of the training rows: ",
                    {"seed_draws": "split"} | ratio),
            propose("If it drew both: ", {"seed_draws": "both"} | ratio),
        ),
    )  # fmt: skip


def find_common_seed(runs: pd.DataFrame, metric: str) -> float:
    """The p-value that scores of different models are independent over the seeds they share.

    One-sided F test of a common effect of the seeds on scores of unit variance; exact for two
    models, of which it is the test of Pearson's correlation.
    """
    scores = runs.pivot(index="seed", columns="model", values=metric).dropna().to_numpy()
    scores = scores[:, np.ptp(scores, axis=0) > 0] if len(scores) else scores
    scores = scores / np.max(np.abs(scores), axis=0, initial=1e-300)
    seeds, models = scores.shape
    if seeds < _FEWEST or models < 2:
        return 1.0
    correlation = np.corrcoef(scores.T)[np.triu_indices(models, 1)].mean()
    ratio = (1 + (models - 1) * correlation) / max(1 - correlation, 1e-15)
    return float(fdtrc(seeds - 2, (seeds - 2) * (models - 1), max(ratio, 0.0)))


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
            f"`deterministic: [{', '.join(single)}]`."
        )
