"""Groups of models that can be compared, and how the runs of two models are paired."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Annotated, Literal, Self

import numpy as np
import pandas as pd
from pydantic import Field, model_validator

from reseed.analyses.shared.arms import ARM
from reseed.analyses.shared.data import Data, primary_metric
from reseed.analyses.shared.keys import merge_keys
from reseed.analyses.shared.shares import share_maximum
from reseed.core.coordinates import base_name
from reseed.core.errors import ReseedError
from reseed.core.random_streams import stream
from reseed.core.schemas import COMPARISON_COLUMNS, MODEL_SEED_COLUMNS, SPLIT_COLUMNS, Row
from reseed.plugins.options import Strict, pair_test
from reseed.verdicts.designs import SEEDS, SPLITS, DesignFacts, choose_method, match_seeds

#: Two models to compare.
Pair = Annotated[list[str], Field(min_length=2, max_length=2)]
Design = Literal["splits", "seeds", "unpaired", "different splits"]
#: What the models of a group share. `varied` may differ: models whose seeds vary differently are
#: compared on the splits that they share (`pair_runs`).
# Models of one experiment may have their own seeds, and searches of their own size.
_OF_ARMS = ("varied", "hyperparameters_source")
_GROUP_COLUMNS = [name for name in COMPARISON_COLUMNS if name not in _OF_ARMS]
#: With more folds than this, the folds are repeats without a column that says so.
MOST_FOLDS = 20


@dataclass(frozen=True)
class ModelGroup:
    """The finished trials of all models that can be compared with each other.

    key: values of `COMPARISON_COLUMNS`.
    factor, unit: differences times `factor` are in `unit`.
    test_train_ratio: n_test / n_train of the splits; 0 with one split only.
    trials: one row a finished trial, with its `score` on `metric`.
    failed: number of trials without a score, by model.
    is_split_assumed, by_items: of `DatasetInfo`.
    """

    key: Row
    metric: str
    greater_is_better: bool
    factor: float
    unit: str
    test_train_ratio: float
    trials: pd.DataFrame
    failed: dict[str, int]
    is_split_assumed: bool = False
    by_items: bool = False

    @property
    def models(self) -> list[str]:
        """Every model, including those without a finished trial."""
        return list(self.failed)

    @property
    def sign(self) -> int:
        """1 if greater is better, else −1."""
        return 1 if self.greater_is_better else -1

    @cached_property
    def scores_by_model(self) -> dict[str, np.ndarray]:
        """Scores of the finished trials of each of `models`, in the order of `trials`."""
        number = pd.Index(self.models).get_indexer(self.trials[ARM])
        scores = self.trials["score"].to_numpy(dtype=np.float64)[np.argsort(number, kind="stable")]
        ends = np.cumsum(np.bincount(number, minlength=len(self.models)))
        return dict(zip(self.models, np.split(scores, ends[:-1]), strict=True))

    @cached_property
    def _table(self) -> tuple[np.ndarray, np.ndarray]:
        """Scores (models, runs), and the split, seeds and number of each run, in rising order."""
        trials, columns = self.trials, [*SPLIT_COLUMNS, *MODEL_SEED_COLUMNS]
        model = pd.Index(self.models).get_indexer(trials[ARM])
        cell = pd.Series(_number_rows(np.column_stack([model, trials[columns]])))
        keys = np.column_stack([trials[columns], cell.groupby(cell).cumcount()])
        run = _number_rows(keys)
        keys = keys[np.unique(run, return_index=True)[1]]
        table = np.full((len(self.models), len(keys)), np.nan)
        table[model, run] = trials["score"]
        return table, keys

    @property
    def scores(self) -> np.ndarray:
        """(models, runs) scores in the order of `models`; NaN if a model has no such run."""
        return self._table[0]

    @cached_property
    def split(self) -> np.ndarray:
        """(runs,) number of the split of each run, in rising order."""
        splits = self._table[1][:, : len(SPLIT_COLUMNS)]
        return _number_rows(splits)

    @cached_property
    def seed(self) -> np.ndarray:
        """(runs,) number of the model seed of each run."""
        seeds = self._table[1][:, len(SPLIT_COLUMNS) : -1]
        return _number_rows(seeds)

    def rng(self, *purpose: str) -> np.random.Generator:
        """A generator that depends on the group and the purpose only."""
        return stream(0, "/".join([*purpose, *(str(value) for value in self.key.values())]))


@dataclass(frozen=True)
class Pairing:
    """Two models' scores, ready to compare.

    design: `splits` (units are splits that both ran on, seeds averaged), `seeds` (one split, units
        are shared seeds), `unpaired` (one split, few shared seeds: `a` and `b` are independent
        samples), `different splits` (no comparison is possible).
    a, b: scores of the units.
    trial_a, trial_b: scores of single runs, matched one to one.
    left_out: number of trials that are in neither sample.
    cells: (2, runs) split and seed of each of these runs, of `splits`.
    """

    design: Design
    a: np.ndarray
    b: np.ndarray
    trial_a: np.ndarray
    trial_b: np.ndarray
    left_out: int
    cells: np.ndarray | None = None

    @property
    def is_paired(self) -> bool:
        """Whether the values of `a` and `b` are paired."""
        return self.design in ("splits", "seeds")

    def swap(self) -> Pairing:
        """The pairing with the other model first."""
        return replace(self, a=self.b, b=self.a, trial_a=self.trial_b, trial_b=self.trial_a)

    @property
    def n(self) -> int:
        """Units of the smaller sample."""
        return min(len(self.a), len(self.b))


def _number_rows(table: np.ndarray) -> np.ndarray:
    """(rows,) number of each row among the different ones, in rising order of their columns."""
    numbers = np.zeros(len(table), dtype=np.int64)
    for column in table.T:  # faster than `np.unique(axis=0)`
        levels, codes = np.unique(column, return_inverse=True)
        numbers = np.unique(numbers * len(levels) + codes, return_inverse=True)[1]
    return numbers


def group_models(data: Data) -> list[ModelGroup]:
    """Every group of models that can be compared, in order of appearance.

    The groups are computed once for the data: analyses share their tables of scores.
    """
    if "groups" not in data.shared:
        data.shared["groups"] = list(_group_models(data))
    return data.shared["groups"]


def _group_models(data: Data) -> Iterator[ModelGroup]:
    for _, trials in data.metrics.groupby(_GROUP_COLUMNS, sort=False, dropna=False):
        key = merge_keys(trials)
        dataset = data.info.datasets[key["dataset"]]
        metric = primary_metric(data.info, key["dataset"])
        score = trials[metric] if metric in trials else pd.Series(np.nan, trials.index)
        bad = (trials["status"] != "ok") | ~np.isfinite(score)
        failed = bad.groupby(trials[ARM], sort=False).sum()
        factor, unit = difference_unit(metric, score[~bad], dataset.metric_unit)
        if dataset.by_items:
            factor, unit = (100.0, "points") if dataset.metric_is_share else (1.0, "")
        yield ModelGroup(
            key,
            metric,
            dataset.greater_is_better,
            factor,
            unit,
            compute_test_train_ratio(trials),
            trials.assign(score=score)[~bad],
            {model: int(count) for model, count in failed.items()},
            dataset.is_split_assumed,
            dataset.by_items,
        )


def difference_unit(metric: str, scores: pd.Series, metric_unit: str) -> tuple[float, str]:
    """(factor, name) of the unit of differences: points (× 100) for a share of 1.

    Other metrics keep `metric_unit`; shares in percent without one are in points.
    """
    maximum = share_maximum(metric, scores)
    if maximum == 1:
        return 100.0, "points"
    return 1.0, metric_unit or ("points" if maximum else "")


def compute_test_train_ratio(trials: pd.DataFrame) -> float:
    """n_test / n_train of the splits; 0 if there is one split only.

    For a share t of test rows it is t / (1 − t); if that is unknown, 1 / (k − 1) for k folds.
    Validation rows count as training rows. Raises ReseedError for several splits of unknown size,
    and for more than `MOST_FOLDS` folds.
    """
    if len(trials[SPLIT_COLUMNS].drop_duplicates()) < 2:
        return 0.0
    test = trials["test_ratio"].iloc[0]
    if np.isfinite(test):
        return float(test / (1 - test))
    name = f"dataset {trials['dataset'].iloc[0]}"
    folds = trials["fold"].nunique()
    if folds > MOST_FOLDS:
        raise ReseedError(
            f"{name}: {folds} folds and no repeats. Repeats of a cross-validation share their "
            f"rows, so taking them for one {folds}-fold would call noise a difference. Add a "
            "column `repeat`, or give `test_train_ratio`: test rows over training rows, 0.25 for "
            f"5 folds, 0.111 for 10, {1 / (folds - 1):.3g} if it truly is {folds}-fold."
        )
    if folds > 1:
        return 1 / (folds - 1)
    raise ReseedError(
        f"{name}: there are several splits, but not how many rows they test and train on. Give "
        "`test_train_ratio`."
    )


class PairOptions(Strict):
    """baseline: a model; only pairs with it are compared, so fewer p-values are adjusted.
    pairs: the only pairs to compare, [[a, b], …]; not with `baseline`.
    """

    baseline: str | None = None
    pairs: Annotated[list[Pair], Field(min_length=1)] | None = None
    seeds: Literal["shared", "own"] = pair_test("seeds")

    @model_validator(mode="after")
    def _not_both(self) -> Self:
        if self.baseline is not None and self.pairs is not None:
            raise ValueError("give either `baseline` or `pairs`, not both")
        return self


def choose_pairs(
    groups: list[ModelGroup], options: PairOptions
) -> tuple[Callable[[str, str], bool], bool]:
    """A test of whether two models are compared, and whether it leaves out any pair.

    Raises ReseedError for a model that no group has, and for a pair of a model with itself.
    """
    models = list(dict.fromkeys(model for group in groups for model in group.models))
    if options.baseline is not None:
        baselines = _matching_models(options.baseline, models, "baseline")
        return (lambda a, b: (a in baselines) != (b in baselines)), True
    if options.pairs is not None:
        sides = [[_matching_models(name, models, "pairs") for name in p] for p in options.pairs]
        if any(first & second for first, second in sides):
            raise ReseedError("pairs: `pairs` must list two different models each: [[a, b], …]")
        sides += [pair[::-1] for pair in sides]
        return (lambda a, b: any(a in first and b in second for first, second in sides)), True
    return (lambda a, b: True), False


def _matching_models(name: str, models: Iterable[str], option: str) -> set[str]:
    """The model of that name, or all of its variants (`rf` → `rf~n_estimators=60`)."""
    matching = {m for m in models if m == name} or {m for m in models if base_name(m) == name}
    if models and not matching:
        raise ReseedError(f"pairs: {option} {name!r} is no model of this study. Models: "
                          f"{', '.join(models)}")  # fmt: skip
    return matching


def pair_models(
    group: ModelGroup,
    is_compared: Callable[[str, str], bool] = lambda a, b: True,
    own_seeds: bool = False,
) -> list[tuple[str, str, Pairing]]:
    """Every compared pair of models, the one with the better mean on the compared runs first.

    Pairs whose models have the same runs are computed together. `own_seeds`: see `pair_runs`.
    """
    pairs = [
        pair
        for pair in combinations(range(len(group.models)), 2)
        if is_compared(*(group.models[i] for i in pair))
    ]
    batches: dict[tuple[bytes, bytes], list[int]] = {}
    patterns = [row.tobytes() for row in np.isfinite(group.scores)]
    for number, (i, j) in enumerate(pairs):
        batches.setdefault((patterns[i], patterns[j]), []).append(number)
    by_number: dict[int, tuple[str, str, Pairing]] = {}
    for numbers in batches.values():
        first, second = np.transpose([pairs[number] for number in numbers])
        scores = group.scores[first], group.scores[second]
        batch = pair_runs(*scores, group.split, own_seeds, group.seed)
        by_number |= zip(numbers, _put_better_first(group, first, second, batch), strict=True)
    return [by_number[number] for number in range(len(pairs))]


def _put_better_first(
    group: ModelGroup, first: Iterable[int], second: Iterable[int], batch: list[Pairing]
) -> list[tuple[str, str, Pairing]]:
    """The models and runs of pairs of one design and size, the better mean first."""
    is_worse = np.zeros(len(batch), dtype=bool)
    if batch[0].n:
        a, b = (np.stack([getattr(p, side) for p in batch]).mean(axis=1) for side in "ab")
        is_worse = group.sign * (a - b) < 0
    return [
        (group.models[j], group.models[i], pairing.swap())
        if is_swapped
        else (group.models[i], group.models[j], pairing)
        for i, j, pairing, is_swapped in zip(first, second, batch, is_worse, strict=True)
    ]


def pair_runs(
    a: np.ndarray,
    b: np.ndarray,
    split: np.ndarray,
    own_seeds: bool = False,
    seed: np.ndarray | None = None,
) -> list[Pairing]:
    """Find the strongest comparison that the runs of two models allow, for many pairs at once.

    a, b: (pairs, runs) scores, NaN if a model has no such run, in the same runs for all pairs.
    split: (runs,) number of the split of each run, 0 … S − 1 in rising order.
    own_seeds: equal seeds share nothing, so runs on one split are not paired.
    seed: (runs,) number of the seed of each run (None: each has its own).
    """
    has_a, has_b = np.isfinite(a[0]), np.isfinite(b[0])
    total = int(has_a.sum() + has_b.sum())
    n_splits = int(split.max(initial=-1)) + 1
    common = np.logical_and(*(np.bincount(split[has], minlength=n_splits) > 0
                              for has in (has_a, has_b)))  # fmt: skip
    none = np.empty((len(a), 0))
    if not common.any():
        return _as_pairings("different splits", a[:, has_a], b[:, has_b], none, none, 0)
    in_a, in_b = has_a & common[split], has_b & common[split]
    runs = np.flatnonzero(in_a), np.flatnonzero(in_b)
    match = match_seeds(runs[0].tolist(), runs[1].tolist(), own_seeds and common.sum() == 1)
    first = second = runs[0][match.rows[0]]
    seed = np.arange(len(split)) if seed is None else seed
    if not match.is_shared:  # independent seeds: any matching within a split is valid
        number_a, number_b = (_number_within(split[has]) for has in (in_a, in_b))
        first, second = _match_runs(
            np.stack([split[in_a], number_a]), runs[0],
            np.stack([split[in_b], number_b]), runs[1],
        )  # fmt: skip
    trials = a[:, first], b[:, second]
    used = 2 * len(first)
    varied: Literal["splits", "seeds"] = "splits" if common.sum() > 1 else "seeds"
    method = choose_method(DesignFacts(varied, shares_seeds=match.is_shared))
    if method is SPLITS:
        _, starts, counts = np.unique(split[first], return_index=True, return_counts=True)
        unit_a, unit_b = (np.add.reduceat(t, starts, axis=1) / counts for t in trials)
        # Seeds of which a model has fewer are those that it crosses with splits.
        seeds = min((seed[first], seed[second]), key=lambda one: len(np.unique(one)))
        cells = np.stack([split[first], seeds])
        return _as_pairings("splits", unit_a, unit_b, *trials, total - used, cells)
    if method is SEEDS:
        return _as_pairings("seeds", *trials, *trials, total - used)
    left_out = total - in_a.sum() - in_b.sum()
    return _as_pairings("unpaired", a[:, in_a], b[:, in_b], *trials, left_out)


def _number_within(split: np.ndarray) -> np.ndarray:
    """0, 1, 2, … within each run of equal values of the sorted `split`."""
    starts = np.flatnonzero(np.r_[True, split[1:] != split[:-1]])
    return np.arange(len(split)) - np.repeat(starts, np.diff(np.r_[starts, len(split)]))


def _match_runs(
    key_a: np.ndarray, runs_a: np.ndarray, key_b: np.ndarray, runs_b: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Runs of each model whose keys (split, number within it) both models have."""
    joined = np.concatenate([key_a, key_b], axis=1)
    code = np.unique(joined, axis=1, return_inverse=True)[1].reshape(-1)
    codes = code[: len(runs_a)], code[len(runs_a) :]
    _, at_a, at_b = np.intersect1d(*codes, return_indices=True)
    return runs_a[at_a], runs_b[at_b]


def _as_pairings(
    design: Design,
    unit_a: np.ndarray,
    unit_b: np.ndarray,
    trial_a: np.ndarray,
    trial_b: np.ndarray,
    left_out: int,
    cells: np.ndarray | None = None,
) -> list[Pairing]:
    rows = zip(unit_a, unit_b, trial_a, trial_b, strict=True)
    return [Pairing(design, *row, int(left_out), cells) for row in rows]
