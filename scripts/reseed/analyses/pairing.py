"""Which runs of two models may be compared, and how: by splits, by seeds, or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from reseed.analyses.data import CELL, MODEL_SEED, Data, primary_metric
from reseed.errors import ReseedError
from reseed.metric_names import is_share
from reseed.seeds import stream

#: What the models of one comparison share.
GROUP = [name for name in CELL if name not in ("arm", "model")]
SPLIT = ["data_seed", "repeat", "fold"]


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
        return self.trials[self.trials["model"] == model]

    def rng(self, *purpose: str) -> np.random.Generator:
        """A generator that depends on the group and the purpose alone."""
        return stream(0, "/".join([*purpose, *(str(value) for value in self.key.values())]))


@dataclass(frozen=True)
class Pairing:
    """Two models' scores, ready to compare.

    `design`: `splits` (units are splits that both ran on, seeds averaged), `seeds` (one split,
    units are shared seeds), `unpaired` (one split, seeds not shared: `a` and `b` are independent
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
    for values, trials in data.metrics.groupby(GROUP, sort=False, dropna=False):
        key = dict(zip(GROUP, values, strict=True))
        entry = data.about["datasets"][key["dataset"]]
        metric = primary_metric(data.about, key["dataset"])
        score = trials[metric] if metric in trials else pd.Series(np.nan, trials.index)
        bad = (trials["status"] != "ok") | ~np.isfinite(score)
        failed = bad.groupby(trials["model"], sort=False).sum()
        factor, unit = unit_of(metric, score[~bad], entry.get("metric_unit", ""))
        yield Group(
            key,
            metric,
            entry["greater_is_better"],
            factor,
            unit,
            test_train_ratio(trials),
            trials.assign(score=score)[~bad],
            {model: int(count) for model, count in failed.items()},
        )


def unit_of(metric: str, scores: pd.Series, given: str) -> tuple[float, str]:
    """(factor, name) in which differences are told: points (× 100) for a share, else as given."""
    if not is_share(metric) or scores.empty or scores.min() < 0:
        return 1.0, given
    if scores.max() <= 1:
        return 100.0, "points"
    return 1.0, given or ("points" if scores.max() <= 100 else "")


def test_train_ratio(trials: pd.DataFrame) -> float:
    """n_test / n_train of the splits; 0 where there is one split only.

    A hold-out of share t gives t / (1 − t), k folds give 1 / (k − 1). Validation rows count as
    training rows. Raises ReseedError where there are several splits of unknown size.
    """
    test = trials["test_ratio"].iloc[0]
    folds = trials["fold"].nunique()
    if len(trials[SPLIT].drop_duplicates()) < 2:
        return 0.0
    if np.isfinite(test):
        return float(test / (1 - test))
    if folds > 1:
        return 1 / (folds - 1)
    raise ReseedError(
        f"dataset {trials['dataset'].iloc[0]}: there are several splits, but not how many rows "
        "they test and train on. Give `test_train_ratio`."
    )


test_train_ratio.__test__ = False  # a name that pytest would take for a test


def pairs(group: Group) -> Iterator[tuple[str, str, Pairing]]:
    """Every pair of models, the one with the better mean on the compared runs first."""
    for first, second in combinations(group.models, 2):
        pairing = pair_up(group.of(first), group.of(second))
        if pairing.n and group.sign * (pairing.a.mean() - pairing.b.mean()) < 0:
            first, second, pairing = second, first, pairing.swapped()
        yield first, second, pairing


def pair_up(a: pd.DataFrame, b: pd.DataFrame) -> Pairing:
    """Find the strongest comparison that the runs of two models allow (columns as in metrics)."""
    splits_a, splits_b = (frame[SPLIT].drop_duplicates() for frame in (a, b))
    common = splits_a.merge(splits_b)
    if common.empty:
        return _pairing("different splits", a, b, a["score"], b["score"], a.head(0), b.head(0))
    in_a, in_b = a.merge(common), b.merge(common)
    side = in_a.merge(in_b, on=SPLIT + MODEL_SEED, suffixes=("_a", "_b"))
    shared = len(side) >= max(1, min(len(in_a), len(in_b)) / 2)
    if not shared:  # independent seeds: any matching within a split is as good as another
        place = [*SPLIT, "number"]
        numbered = [f.assign(number=f.groupby(SPLIT).cumcount()) for f in (in_a, in_b)]
        side = numbered[0].merge(numbered[1], on=place, suffixes=("_a", "_b"))
    trials = side["score_a"], side["score_b"]
    if len(common) > 1:
        units = side.groupby(SPLIT)[["score_a", "score_b"]].mean()
        return _pairing("splits", a, b, units["score_a"], units["score_b"], *trials)
    if shared:
        return _pairing("seeds", a, b, *trials, *trials)
    return _pairing("unpaired", a, b, in_a["score"], in_b["score"], *trials)


def _pairing(design, a, b, unit_a, unit_b, trial_a, trial_b) -> Pairing:
    used = 2 * len(trial_a) if design in ("splits", "seeds") else len(unit_a) + len(unit_b)
    arrays = (np.asarray(x, dtype=np.float64) for x in (unit_a, unit_b, trial_a, trial_b))
    return Pairing(design, *arrays, left_out=len(a) + len(b) - used)
