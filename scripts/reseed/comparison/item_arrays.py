"""Arranges item scores as arrays: models × seeds × prompts × items, repeats combined."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reseed.analyses.shared.item_scores import Array, ItemScores, ModelScores
from reseed.core.errors import ReseedError
from reseed.readers.scores import Scores
from reseed.readers.source_table import join_names
from reseed.stats.pass_at_k import pass_all_k, pass_at_k
from reseed.verdicts.formatting import count_noun

#: Ways to combine the repeats of an item; `pass@k` and `pass^k` hold the number k.
REPEATS = ("mean", "factor", "pass@k", "pass^k")
#: What to do with items that a model failed on.
FAILED = ("refuse", "drop", "zero", "repeats")
#: Factors whose levels may be taken as fixed.
FIXED = ("seed", "prompt")
_PASS = re.compile(r"pass([@^])([1-9]\d*)")
_FAVOURS = "If a model fails on hard items, this favours it."
#: Labels of a cell, in the order of the axes.
_CELL = ("seed", "prompt", "item")


def arrange_items(
    frame: pd.DataFrame, repeats: str = "mean", failed: str = "refuse", fixed: Sequence[str] = ()
) -> Iterator[ItemScores]:
    """Yield the scores of each dataset; every model must have every item of every run, unless
    `failed` is `drop`.

    Args:
        frame: `ItemTable.frame`.
        repeats: `mean`; `pass@3` or `pass^3`, the unbiased estimate for three samples; or `factor`,
            which takes repeats as runs of their own, as if each had a seed.
        failed: `refuse` scores that are missing; `drop` these items, and those that some run
            lacks, for all models; `zero`;
            or leave out failed `repeats` of items of which others have a score.
        fixed: factors whose levels are no sample (`FIXED`).

    Raises:
        ReseedError: for scores that are missing or occur twice, an item in several clusters,
            runs that differ in their items or prompts, and pass@k of scores that are not 0 and 1.
    """
    _check_choices(repeats, failed, fixed)
    for dataset, rows in frame.groupby("dataset", sort=False):
        where = f"dataset {dataset!r}: " if dataset else ""
        scores = _arrange(rows.reset_index(drop=True), str(dataset), where, repeats, failed)
        yield replace(scores, fixed=tuple(fixed))


def _check_choices(repeats: str, failed: str, fixed: Sequence[str]) -> None:
    if repeats not in REPEATS[:2] and not _PASS.fullmatch(repeats):
        raise ReseedError(f"repeats: {repeats!r} is none of {', '.join(REPEATS)} (such as pass@5).")
    if failed not in FAILED:
        raise ReseedError(f"failed: {failed!r} is none of {', '.join(FAILED)}.")
    for name in fixed:
        if name not in FIXED:
            raise ReseedError(f"fixed: {name!r} is none of {', '.join(FIXED)}.")


def _arrange(rows: pd.DataFrame, dataset: str, where: str, repeats: str, failed: str) -> ItemScores:
    notes: list[str] = []
    _refuse_several_clusters(rows, where)
    rows = _ignore_nested_prompts(rows, notes)
    if repeats == "factor":
        rows = rows.assign(seed=rows["seed"] + "/" + rows["repeat"], repeat="")
    rows = _treat_failed(rows, where, failed, notes)
    _refuse_duplicates(rows, where)
    if failed == "drop":
        rows = _drop_absent(rows, where, notes)
    item_codes, items = pd.factorize(rows["item"])
    prompt_codes, prompts = pd.factorize(rows["prompt"])
    clusters = None
    if rows["cluster"].ne("").any():
        first = rows.drop_duplicates("item")["cluster"]  # in the order of `items`
        clusters = pd.factorize(first)[0].astype(np.int64)
    models = {}
    for model, index in rows.groupby("model", sort=False).indices.items():
        part = rows.iloc[index]
        seed_codes, seeds = pd.factorize(part["seed"])
        shape = (len(seeds), len(prompts), len(items))
        cell = np.ravel_multi_index((seed_codes, prompt_codes[index], item_codes[index]), shape)
        count = np.bincount(cell, minlength=int(np.prod(shape)))
        if (count == 0).any():
            raise _describe_missing(where, str(model), count.reshape(shape), seeds, prompts, items)
        values, noise = _combine_repeats(part["score"].to_numpy(), cell, count, repeats, where)
        models[str(model)] = ModelScores(
            values.reshape(shape),
            tuple(map(str, seeds)),
            None if noise is None else noise.reshape(shape),
            (int(count.min()), int(count.max())),
            _average_people(part, cell, shape),
        )
    notes.append(where + _describe_design(models, len(prompts), len(items), clusters))
    targets = None
    if "target" in rows:
        targets = rows.drop_duplicates("item")["target"].to_numpy(dtype=np.float64)
    return ItemScores(
        dataset, tuple(map(str, items)), tuple(map(str, prompts)), clusters, models, tuple(notes),
        targets,
    )  # fmt: skip


def _average_people(part: pd.DataFrame, cell: NDArray[Any], shape: tuple[int, ...]) -> Array | None:
    """People's score of each cell, NaN where there is none; None without any."""
    if "people" not in part:
        return None
    score = part["people"].to_numpy()
    has = np.isfinite(score)
    counts, total = (
        np.bincount(cell[has], weights, int(np.prod(shape))) for weights in (None, score[has])
    )
    known = np.divide(total, counts, out=np.full(counts.size, np.nan), where=counts > 0)
    return known.reshape(shape)


def _refuse_several_clusters(rows: pd.DataFrame, where: str) -> None:
    pairs = rows[["item", "cluster"]].drop_duplicates()
    several = pairs[pairs["item"].duplicated(keep=False)]
    if several.empty:
        return
    name = several["item"].iloc[0]
    held = several.loc[several["item"] == name, "cluster"]
    raise ReseedError(
        f"{where}item {name} is in several clusters ({join_names(list(held))}). An item has "
        "one cluster: correct it; a factor that every item is scored under is a `prompt`."
    )


def _ignore_nested_prompts(rows: pd.DataFrame, notes: list[str]) -> pd.DataFrame:
    """Rows without prompts if each item has one of its own: its text is no factor."""
    pairs = rows[["item", "prompt"]].drop_duplicates()
    if rows["prompt"].nunique() < 2 or pairs["item"].duplicated().any():
        return rows
    notes.append("Each item has one prompt, which is taken as its text and is no factor.")
    return rows.assign(prompt="")


def _describe_design(
    models: dict[str, ModelScores], prompts: int, items: int, clusters: NDArray[np.int64] | None
) -> str:
    """Which factors are crossed, and which are nested."""
    seeds = [len(one.seeds) for one in models.values()]
    few, many = min(seeds), max(seeds)
    crossed = [f"{few if few == many else f'{few} to {many}'} seeds"] if many > 1 else []
    crossed += [f"{prompts} prompts"] if prompts > 1 else []
    text = " × ".join([*crossed, f"{items:,} items"]) + (", crossed" if crossed else "")
    if clusters is not None:
        text += f"; items nested in {clusters.max() + 1:,} clusters"
    repeats = [count for one in models.values() for count in one.repeats]
    if max(repeats) > 1:
        low, high = min(repeats), max(repeats)
        text += f"; {low if low == high else f'{low} to {high}'} repeats nested in each"
    return f"Design of each model: {text}."


def check_zero(failed: str, scores: Scores) -> None:
    """Refuse that failed items count 0 where 0 is a prediction, or the best score."""
    if failed != "zero" or (scores.sign > 0 and not scores.computed):
        return
    why = "would be read as a prediction" if scores.computed else "is the best score"
    raise ReseedError(
        f"failed: 'zero' {why} of {scores.metric!r}. Use `failed: drop`, or write what a failed "
        "item counts into the table."
    )


def _treat_failed(rows: pd.DataFrame, where: str, failed: str, notes: list[str]) -> pd.DataFrame:
    """The rows of one dataset without empty scores, treated as `failed` says; `notes` say how."""
    has_others = rows.groupby(["model", *_CELL])["score"].transform("count") > 0
    if failed == "repeats":
        left_out = rows["score"].isna() & has_others
        if left_out.any():
            notes.append(
                f"{where}Failed repeats are left out: {_count_by_model(rows[left_out])}. {_FAVOURS}"
            )
        rows = rows[~left_out].reset_index(drop=True)
    missing = rows["score"].isna()
    if not missing.any():
        return rows
    counts = _count_by_model(rows[missing])
    if failed in ("refuse", "repeats"):
        # Those with other repeats are left out by now if the user chose it.
        ways = ["`failed: drop` (no model is scored on it)"]
        if "target" not in rows:
            ways.append("`failed: zero` (it counts 0, where more is better)")
        if has_others[missing].all() and failed == "refuse":
            ways.append("`failed: repeats` (other repeats of the item have a score)")
        raise ReseedError(
            f"{where}scores are missing ({counts}). Say what a failed item counts: "
            f"{' or '.join(ways)}."
        )
    if failed == "zero":
        notes.append(f"{where}Failed scores count 0: {counts}.")
        return rows.assign(score=rows["score"].fillna(0.0))
    names = rows.loc[missing, "item"].unique()
    rest = rows[~rows["item"].isin(names)].reset_index(drop=True)
    if rest.empty:
        raise ReseedError(f"{where}every item failed for some model: no item is left.")
    notes.append(
        f"{where}Left out for all models: {count_noun(len(names), 'item')} of which scores are "
        f"missing: {counts}. {_FAVOURS}"
    )
    return rest


def _drop_absent(rows: pd.DataFrame, where: str, notes: list[str]) -> pd.DataFrame:
    """The rows of items that every run of every model has, under every prompt."""
    cells = rows[["model", *_CELL]].drop_duplicates()
    runs = len(cells[["model", "seed"]].drop_duplicates()) * cells["prompt"].nunique()
    counts = cells["item"].value_counts()
    kept = counts.index[counts == runs]
    if kept.empty:
        raise ReseedError(f"{where}no item has a score of every run of every model.")
    if len(kept) == len(counts):
        return rows
    notes.append(
        f"{where}{len(kept):,} of {len(counts):,} items are kept, which all runs of all models "
        f"have. {_FAVOURS}"
    )
    return rows[rows["item"].isin(kept)].reset_index(drop=True)


def _count_by_model(rows: pd.DataFrame) -> str:
    return ", ".join(f"{model} {count}" for model, count in rows["model"].value_counts().items())


def _refuse_duplicates(rows: pd.DataFrame, where: str) -> None:
    copies = rows.duplicated(["model", *_CELL, "repeat"])
    if copies.any():
        row = rows[copies].iloc[0]
        raise ReseedError(
            f"{where}model {row['model']} has item {row['item']} more than once in a run. Name the "
            "column that tells the rows apart: seed, prompt, repeat, or cluster."
        )


def _describe_missing(
    where: str, model: str, count: NDArray[Any], seeds: pd.Index, prompts: pd.Index, items: pd.Index
) -> ReseedError:
    seed, prompt, item = (int(axis[0]) for axis in np.nonzero(count == 0))
    run = [
        f"{name} {labels[code]}"
        for name, labels, code in (("seed", seeds, seed), ("prompt", prompts, prompt))
        if labels[code] != ""
    ]
    has = int((count[seed, prompt] > 0).sum())
    return ReseedError(
        f"{where}model {model}{', ' + ', '.join(run) if run else ''} has {has} of {len(items)} "
        f"items; {items[item]} is missing. Score all models on the same items and prompts, or "
        "compare on the items that all have: `failed: drop`."
    )


def _combine_repeats(
    score: Array, cell: NDArray[Any], count: NDArray[Any], repeats: str, where: str
) -> tuple[Array, Array | None]:
    """Return the value of each cell, and its variance due to repeats where it can be estimated."""
    total = np.bincount(cell, score, count.size)
    kind = _PASS.fullmatch(repeats)
    if kind is None:
        mean: Array = total / count
        if count.max() == 1:
            return mean, None
        squares = np.bincount(cell, (score - mean[cell]) ** 2, count.size)
        enough = count > 1
        pooled = squares.sum() / (count - 1).sum()
        variance = np.where(enough, squares / np.maximum(count - 1, 1), pooled)
        return mean, variance / count
    if not np.isin(score, (0, 1)).all():
        raise ReseedError(f"{where}{repeats} needs scores of 0 and 1 only.")
    estimate = pass_at_k if kind[1] == "@" else pass_all_k
    k = int(kind[2])
    if count.min() < k:
        raise ReseedError(
            f"{where}{repeats} needs {k} repeats of each item, some item has {count.min()}."
        )
    return estimate(count, total, k), _jackknife_variance(count, total, estimate, k)


def _jackknife_variance(
    count: NDArray[Any], total: NDArray[Any], estimate: Callable[..., Array], k: int
) -> Array | None:
    """Return the jackknife variance of each estimate over its repeats; None if one has k only.

    Without one repeat, c of n right become c − 1 in c of n cases, and stay c otherwise.
    """
    if count.min() <= k:
        return None
    with_right = estimate(count - 1, np.maximum(total - 1, 0), k)
    with_wrong = estimate(count - 1, np.minimum(total, count - 1), k)
    share = total / count
    return (count - 1) * share * (1 - share) * (with_right - with_wrong) ** 2
