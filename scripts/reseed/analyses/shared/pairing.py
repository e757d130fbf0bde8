"""Which runs of two models may be compared, and how: by splits, by seeds, or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Annotated, Self

import numpy as np
import pandas as pd
from pydantic import Field, model_validator

from reseed.analyses.shared.arms import ARM
from reseed.analyses.shared.data import Data, primary_metric
from reseed.analyses.shared.shares import whole
from reseed.core.coordinates import base_name
from reseed.core.errors import ReseedError
from reseed.core.random_streams import stream
from reseed.core.schemas import COMPARISON_COLUMNS, MODEL_SEED_COLUMNS, SPLIT_COLUMNS
from reseed.plugins.options import Strict

#: Two models to compare.
Pair = Annotated[list[str], Field(min_length=2, max_length=2)]
#: What its models share. Not `varied`: arms with seeds of their own are compared as far as they
#: share splits, which `pair_up` sees.
_SHARED = [name for name in COMPARISON_COLUMNS if name != "varied"]
#: What comparisons of one kind on several datasets share, and what tells them apart where one
#: dataset has several.
_ACROSS, _SPLITTING = ["experiment", "hyperparameters_source"], ["scheme", "test_ratio"]
#: Share of each model's runs that needs a counterpart of the same seed for pairing by seed. The
#: other runs would be lost, which costs more than a pairing gains by what one seed does to both
#: models alike (power by simulation: docs/methods.md).
SHARED_SEEDS = 0.8
#: More folds than anyone uses: these are repeats without a column that says so.
MOST_FOLDS = 20


@dataclass(frozen=True)
class Group:
    """The finished trials of all models of one setting, with their score; failures by model."""

    key: dict
    metric: str
    greater_is_better: bool
    factor: float
    unit: str
    test_train_ratio: float
    trials: pd.DataFrame
    failed: dict[str, int]

    @property
    def models(self) -> list[str]:
        """Every model, those without a finished trial too."""
        return list(self.failed)

    @property
    def sign(self) -> int:
        """1 where greater is better, else −1."""
        return 1 if self.greater_is_better else -1

    def of(self, model: str) -> pd.DataFrame:
        """Trials of one model."""
        return self._of.get(model, self.trials.iloc[:0])

    @cached_property
    def _of(self) -> dict[str, pd.DataFrame]:
        return dict(iter(self.trials.groupby(ARM, sort=False)))

    @cached_property
    def _table(self) -> pd.DataFrame:
        """One row a run (its split, seeds and number of repetition), one column a model."""
        return self._wide(self.trials, [*SPLIT_COLUMNS, *MODEL_SEED_COLUMNS])

    def _wide(self, trials: pd.DataFrame, place: list[str]) -> pd.DataFrame:
        """Scores by place and number of the trial there, in rising order; one column a model."""
        number = trials.groupby([ARM, *place]).cumcount().rename("number")
        table = trials.assign(number=number).set_index([*place, "number", ARM])["score"]
        return table.unstack(ARM).reindex(columns=self.models).sort_index()

    @cached_property
    def scores(self) -> np.ndarray:
        """(models, runs) scores in the order of `models`; NaN where a model has no such run."""
        return np.ascontiguousarray(self._table.to_numpy(dtype=np.float64).T)

    @cached_property
    def by_number(self) -> np.ndarray:
        """(models, runs) scores, run i of each model on a split side by side, whatever its seed.

        In the order of their seeds, as `pair_up` has them, and not of the table's rows.
        """
        trials = self.trials.sort_values([*MODEL_SEED_COLUMNS], kind="stable")
        return np.ascontiguousarray(self._wide(trials, SPLIT_COLUMNS).to_numpy(dtype=np.float64).T)

    @cached_property
    def split(self) -> np.ndarray:
        """(runs,) number of the split that a run is on, in rising order."""
        return self._table.groupby(level=SPLIT_COLUMNS, sort=True).ngroup().to_numpy()

    def rng(self, *purpose: str) -> np.random.Generator:
        """A generator that depends on the group and the purpose alone."""
        return stream(0, "/".join([*purpose, *(str(value) for value in self.key.values())]))


@dataclass(frozen=True)
class Pairing:
    """Two models' scores, ready to compare.

    `design`: `splits` (units are splits that both ran on, seeds averaged), `seeds` (one split,
    units are shared seeds), `unpaired` (one split, few seeds shared: `a` and `b` are independent
    samples), `different splits` (nothing to compare by). `trial_a`, `trial_b` are single runs side
    by side. `left_out`: trials that entered neither.
    """

    design: str
    a: np.ndarray
    b: np.ndarray
    trial_a: np.ndarray
    trial_b: np.ndarray
    left_out: int

    @property
    def paired(self) -> bool:
        """Whether `a` and `b` belong together value by value."""
        return self.design in ("splits", "seeds")

    def swapped(self) -> Pairing:
        """The other model first."""
        return Pairing(self.design, self.b, self.a, self.trial_b, self.trial_a, self.left_out)

    @property
    def n(self) -> int:
        """Units of the smaller sample."""
        return min(len(self.a), len(self.b))


def groups(data: Data) -> Iterator[Group]:
    """Every setting in which models can be compared, in order of appearance."""
    for _, trials in data.metrics.groupby(_SHARED, sort=False, dropna=False):
        key = shared_key(trials)
        entry = data.info.datasets[key["dataset"]]
        metric = primary_metric(data.info, key["dataset"])
        score = trials[metric] if metric in trials else pd.Series(np.nan, trials.index)
        bad = (trials["status"] != "ok") | ~np.isfinite(score)
        failed = bad.groupby(trials[ARM], sort=False).sum()
        factor, unit = unit_of(metric, score[~bad], entry.metric_unit)
        yield Group(
            key,
            metric,
            entry.greater_is_better,
            factor,
            unit,
            test_train_ratio(trials),
            trials.assign(score=score)[~bad],
            {model: int(count) for model, count in failed.items()},
        )


def shared_key(places: pd.DataFrame) -> dict:
    """The values of `COMPARISON_COLUMNS` that rows share.

    Texts that differ are listed, separated by commas; numbers that differ give NaN.
    """
    values = {name: places[name].unique() for name in COMPARISON_COLUMNS}
    return {
        name: found[0] if len(found) == 1 else np.nan if found.dtype == float else ", ".join(found)
        for name, found in values.items()
    }


def across_datasets(keys: Sequence[Mapping]) -> list[list[int]]:
    """Positions of the `keys` (of `COMPARISON_COLUMNS`) that form each comparison over datasets.

    Those of one experiment and source of hyper-parameters, however each dataset was split: two
    datasets seldom have the very same test ratio. Where one dataset was split in several ways, each
    way is a comparison of its own: in none does a dataset count twice.
    """
    table = pd.DataFrame(list(keys), columns=[*_ACROSS, *_SPLITTING, "dataset"])
    way = table.groupby(_SPLITTING, sort=False, dropna=False).ngroup()
    ways = way.groupby([table[name] for name in [*_ACROSS, "dataset"]], dropna=False)
    several = (ways.transform("nunique") > 1).groupby(
        [table[name] for name in _ACROSS], dropna=False
    )
    way = way.where(several.transform("any"), -1)
    number = table.assign(way=way).groupby([*_ACROSS, "way"], sort=False, dropna=False).ngroup()
    return [np.flatnonzero(number == i).tolist() for i in range(number.nunique())]


def unit_of(metric: str, scores: pd.Series, given: str) -> tuple[float, str]:
    """(factor, name) in which differences are told: points (× 100) for a share, else as given."""
    of = whole(metric, scores)
    if of == 1:
        return 100.0, "points"
    return 1.0, given or ("points" if of else "")


def test_train_ratio(trials: pd.DataFrame) -> float:
    """n_test / n_train of the splits; 0 where there is one split only.

    From the share t of the test rows where it is known, t / (1 − t), else from the number k of
    folds, 1 / (k − 1). Validation rows count as training rows. Raises ReseedError where there are
    several splits of unknown size, and where k is more than `MOST_FOLDS`.
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


test_train_ratio.__test__ = False  # a name that pytest would take for a test


class PairOptions(Strict):
    """baseline: a model; only pairs with it are compared, so fewer p-values are adjusted.
    pairs: the only pairs to compare, [[a, b], …]; not with `baseline`.
    """

    baseline: str | None = None
    pairs: Annotated[list[Pair], Field(min_length=1)] | None = None

    @model_validator(mode="after")
    def _not_both(self) -> Self:
        if self.baseline is not None and self.pairs is not None:
            raise ValueError("give either `baseline` or `pairs`, not both")
        return self


def choose_pairs(
    groups: list[Group], options: PairOptions
) -> tuple[Callable[[str, str], bool], bool]:
    """A test of whether two models are compared, and whether that leaves out any pair.

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
    """Models of that name: itself, or all of its variants (`rf` → `rf~n_estimators=60`)."""
    chosen = {m for m in models if m == name} or {m for m in models if base_name(m) == name}
    if models and not chosen:
        raise ReseedError(f"pairs: {option} {name!r} is no model of this study. Models: "
                          f"{', '.join(models)}")  # fmt: skip
    return chosen


def pairs(
    group: Group, wanted: Callable[[str, str], bool] = lambda a, b: True
) -> list[tuple[str, str, Pairing]]:
    """Every wanted pair of models, the one with the better mean on the compared runs first.

    Pairs whose models have runs in the same places are set side by side together.
    """
    chosen = [pair for pair in combinations(range(len(group.models)), 2)
              if wanted(*(group.models[i] for i in pair))]  # fmt: skip
    alike: dict[tuple[bytes, bytes], list[int]] = {}
    patterns = [row.tobytes() for row in np.isfinite(group.scores)]
    for number, (i, j) in enumerate(chosen):
        alike.setdefault((patterns[i], patterns[j]), []).append(number)
    found: list[Pairing] = [None] * len(chosen)
    for numbers in alike.values():
        first, second = np.transpose([chosen[number] for number in numbers])
        made = pair_up(group.scores[first], group.scores[second], group.split)
        for number, pairing in zip(numbers, made, strict=True):
            found[number] = pairing
    return [
        _better_first(group, group.models[i], group.models[j], pairing)
        for (i, j), pairing in zip(chosen, found, strict=True)
    ]


def _better_first(group: Group, a: str, b: str, pairing: Pairing) -> tuple[str, str, Pairing]:
    if pairing.n and group.sign * (pairing.a.mean() - pairing.b.mean()) < 0:
        return b, a, pairing.swapped()
    return a, b, pairing


def pair_up(a: np.ndarray, b: np.ndarray, split: np.ndarray) -> list[Pairing]:
    """Find the strongest comparison that the runs of two models allow, for many pairs at once.

    a, b: (pairs, runs) scores, NaN where a model has no such run; all pairs have theirs in the
    same places. split: (runs,) which split a run is on, 0 … S − 1 in rising order.
    """
    has_a, has_b = np.isfinite(a[0]), np.isfinite(b[0])
    total = int(has_a.sum() + has_b.sum())
    places = int(split.max(initial=-1)) + 1
    common = np.logical_and(*(np.bincount(split[has], minlength=places) > 0
                              for has in (has_a, has_b)))  # fmt: skip
    none = np.empty((len(a), 0))
    if not common.any():
        return _pairings("different splits", a[:, has_a], b[:, has_b], none, none, 0)
    in_a, in_b = has_a & common[split], has_b & common[split]
    both = in_a & in_b
    shared = both.sum() >= SHARED_SEEDS * max(in_a.sum(), in_b.sum())
    first = second = np.flatnonzero(both)
    if not shared:  # independent seeds: any matching within a split is as good as another
        number_a, number_b = (_number_within(split[has]) for has in (in_a, in_b))
        places_a = np.stack([split[in_a], number_a]), np.flatnonzero(in_a)
        places_b = np.stack([split[in_b], number_b]), np.flatnonzero(in_b)
        first, second = _matched(*places_a, *places_b)
    trials = a[:, first], b[:, second]
    used = 2 * len(first)
    if common.sum() > 1:
        _, starts, counts = np.unique(split[first], return_index=True, return_counts=True)
        units = (np.add.reduceat(t, starts, axis=1) / counts for t in trials)
        return _pairings("splits", *units, *trials, total - used)
    if shared:
        return _pairings("seeds", *trials, *trials, total - used)
    return _pairings("unpaired", a[:, in_a], b[:, in_b], *trials, total - in_a.sum() - in_b.sum())


def _number_within(split: np.ndarray) -> np.ndarray:
    """0, 1, 2, … within each run of equal values of the sorted `split`."""
    starts = np.flatnonzero(np.r_[True, split[1:] != split[:-1]])
    return np.arange(len(split)) - np.repeat(starts, np.diff(np.r_[starts, len(split)]))


def _matched(key_a, runs_a, key_b, runs_b) -> tuple[np.ndarray, np.ndarray]:
    """Runs of each model whose keys (split, number within it) both have."""
    joined = np.concatenate([key_a, key_b], axis=1)
    code = np.unique(joined, axis=1, return_inverse=True)[1].reshape(-1)
    codes = code[: len(runs_a)], code[len(runs_a) :]
    _, at_a, at_b = np.intersect1d(*codes, return_indices=True)
    return runs_a[at_a], runs_b[at_b]


def _pairings(design, unit_a, unit_b, trial_a, trial_b, left_out) -> list[Pairing]:
    rows = zip(unit_a, unit_b, trial_a, trial_b, strict=True)
    return [Pairing(design, *row, left_out=int(left_out)) for row in rows]
