"""`reseed.study`: trains models in the current process and compares them.

Splits, trials, statistics and figures are those of the pipeline (`reseed.data.splits`,
`reseed.training.run`, `reseed.config.defaults`). For results that do not fit a session, or must
outlive it, use a study file (`config/studies/`).
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import pandas as pd

from reseed.analyses.shared.equivalence import rope_by_metric
from reseed.comparison.arguments import (
    QUESTION,
    PairTestOptions,
    check_direction,
    check_names,
    check_pair_options,
    check_pairs,
)
from reseed.comparison.result import Comparison, build_comparison
from reseed.comparison.speakers import in_arguments
from reseed.config.defaults import default_analyses_and_exhibits
from reseed.core.environment import describe_environment
from reseed.core.errors import ReseedError
from reseed.data.leaks import find_leaks
from reseed.pipeline.runner import pick_device
from reseed.session import tables
from reseed.session.crossing import Crossing
from reseed.session.inputs import TrainingData, read_training_data
from reseed.session.interruption import interrupt_study
from reseed.session.kept_trials import KeptTrials
from reseed.session.models import check_suitable, read_models
from reseed.session.scoring import choose_metric
from reseed.session.splits import make_design
from reseed.session.threads import check_threads
from reseed.session.training import Trainer
from reseed.training.run import Outcome

_DEFAULT_SPLITS = 10
_DEVICES = ("cpu", "gpu", "auto")


@in_arguments
def study(
    models: Mapping[Any, Any],
    X: Any,
    y: Any,
    *,
    task: str = "auto",
    splits: Any = None,
    test: float | tuple[Any, Any] = 0.2,
    seeds: int | Sequence[int] = 5,
    groups: Any = None,
    time: Any = None,
    sample_weight: Any = None,
    metric: str | Callable[..., float] | None = None,
    greater_is_better: bool | None = None,
    positive: object = None,
    baseline: str | None = None,
    pairs: Sequence[tuple[str, str]] | None = None,
    keep: bool = True,
    device: str = "cpu",
    n_jobs: int = 1,
    threads: int = 1,
    progress: bool | None = None,
    title: str = QUESTION,
    dataset: str = "data",
    resume: str | Path | None = None,
    **options: Unpack[PairTestOptions],
) -> Comparison:
    """Train every model on every split under every seed, and compare the models.

    Args:
        models: name → scikit-learn estimator, or a factory as in `config/models/` (a function,
            `"module:function"`, or {"factory": …, "hyperparameters": {…}}). Each parameter that
            holds a seed (`random_state`) is set to the model seed, and the global generators are
            seeded with it. A model whose results do not depend on the seed is trained once a split.
        X: rows as the models take them: array, frame, sparse matrix, images, a list of texts.
        y: one target; labels of any type for classes.
        task: `regression`, `binary`, `multiclass`; `auto` infers it from y.
        splits: a number of random splits (stratified, by group; 10); a scikit-learn splitter; or
            pairs (train, test) of row numbers or masks.
        test: share of the test rows of random splits; or a test set (X_test, y_test), which is one
            split, so that `splits` must be absent.
        seeds: model seeds: a number of them, or a list. All are crossed with the splits.
        groups: one label a row; no group is on both sides of a split.
        time: one time a row, date or number: the last `test` of the times are tested, in `splits`
            windows (1), each by a model of the times before. No statistic goes over windows, which
            are no random draws.
        sample_weight: one number a row, used in training; scores are not weighted.
        metric: a name of `reseed.metrics.registry` or of scikit-learn's scorers, or a function
            (y_true, y_score) of class numbers and probabilities, or of values.
        greater_is_better: for a function whose name does not state it.
        positive: the label of class 1 (by default the last in sorted order).
        baseline, pairs, title, options: as in `reseed.compare`.
        keep: keep the predictions of all test rows, to estimate the noise of the test set and the
            effect of choosing a seed.
        device: `cpu`, `gpu` or `auto`, for factories that take one.
        n_jobs: parallel trainings (-1: one for each core).
        threads: threads of OpenMP, BLAS and PyTorch in each training, and the argument `threads` of
            factories. An estimator's own `n_jobs` is not changed. The pools of this process have
            their earlier numbers of threads again afterwards.
        progress: show a progress bar (default: in a terminal or a notebook).
        dataset: title of the data.
        resume: a folder for finished trainings. The same call after a kill takes them from there.
            Edited code of a model is noticed only in its own function or class.

    Returns:
        A `Comparison`, as `reseed.compare` does; `data.metrics` has one row a training.

    Raises:
        ReseedError: for invalid input, and if no training of a model finishes.
        StudyInterrupted: on Ctrl-C, with the finished trainings (`reseed.session.interruption`).

    Example:
        >>> import reseed
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> models = {"tree": DecisionTreeClassifier(max_depth=1), "bayes": GaussianNB()}
        >>> comparison = reseed.study(models, X, y, splits=5, seeds=2, progress=False)
        >>> comparison.leaderboard[["model", "n"]]
           model   n
        0  bayes  10
        1   tree  10
    """
    pair_options = check_pair_options(options, study)
    test_share, test_set = _check_test(test, splits)
    if time is not None and test_set is not None:
        raise ReseedError("give `time` or a `test` set, not both")
    named = read_models(models, sample_weight is not None)
    choice = check_names(check_pairs(baseline, pairs), [model.name for model in named])
    data = read_training_data(X, y, test_set, task, positive, groups, time, sample_weight)
    check_suitable(named, data.task)
    if isinstance(X, pd.DataFrame) and test_set is None and groups is None and time is None:
        _warn_of_leaks(X, data, splits)
    if splits is None:
        splits = _DEFAULT_SPLITS if time is None else 1
    design = make_design(splits, test_share, data.targets, data.task, data.rows)
    chosen = choose_metric(metric, data.task, check_direction(greater_is_better))
    # Checks the region of practical equivalence before training.
    rope_by_metric(pair_options.get("rope"), {chosen.name: 100.0 if chosen.share else 1.0})
    device, threads = _check_device(device, n_jobs), check_threads(threads)
    machine = describe_environment(device, threads)
    numbers = _check_seeds(seeds)
    kept = KeptTrials(resume, data, chosen.name, machine.identifier) if resume is not None else None
    trainer = Trainer(design, data, chosen, device, n_jobs, threads, progress, kept)
    crossing = Crossing(named, numbers, trainer, machine, title, dataset)
    scores = crossing.collect(_train(crossing, resume), keep)
    defaults = default_analyses_and_exhibits(
        items=keep, trained=True, experiments=[tables.EXPERIMENT]
    )
    return build_comparison(scores, defaults, choice, pair_options)


def _train(crossing: Crossing, resume: str | Path | None) -> dict[tables.TrialKey, Outcome]:
    """Train; an interrupt after the first training raises what is finished."""
    trainer, planned = crossing.trainer, crossing.count_trials()
    try:
        return trainer.train(crossing.models, crossing.seeds)
    except KeyboardInterrupt:
        if not trainer.finished:
            raise
        raise interrupt_study(
            trainer.finished, trainer.design, planned, trainer.metric, resume
        ) from None


def _warn_of_leaks(X: pd.DataFrame, data: TrainingData, splits: Any) -> None:
    """One warning of columns of a frame that random splits should respect."""
    if splits is None or isinstance(splits, int | range):
        target = pd.Series(data.targets.target)
        frame = X.reset_index(drop=True)
        names = {"group": "groups=", "time": "time="}
        leaks = find_leaks(frame, target, data.task)
        if texts := [f"{text}: give it as {names[field]}." for field, _, text in leaks]:
            warnings.warn(" ".join(texts), stacklevel=4)


def _check_test(test: Any, splits: Any) -> tuple[float | None, tuple[Any, Any] | None]:
    """The share of the test rows, or the test set; the other is None."""
    is_set = isinstance(test, tuple | list)
    if (is_set and len(test) != 2) or isinstance(test, np.ndarray):
        raise ReseedError("test: give a share of the rows, or a pair (X_test, y_test)")
    if not is_set:
        return test, None
    if splits is not None:
        raise ReseedError("give `splits` or a `test` set, which is one split, not both")
    return None, tuple(test)


def _check_seeds(seeds: Any) -> list[int]:
    if isinstance(seeds, int | np.integer) and not isinstance(seeds, bool):
        seeds = range(int(seeds))
    try:
        numbers = [operator.index(seed) for seed in seeds]
    except TypeError:
        raise ReseedError(
            f"seeds: give a number or a list of whole numbers, not {seeds!r}"
        ) from None
    is_unique = len(set(numbers)) == len(numbers) > 0
    if not is_unique or not 0 <= min(numbers) <= max(numbers) < 2**32:
        raise ReseedError("seeds: give at least one, each once, none below 0, all below 2**32")
    return numbers


def _check_device(device: str, n_jobs: object) -> str:
    """The device to train on; ReseedError if it is unknown or `n_jobs` does not fit it."""
    if device not in _DEVICES:
        raise ReseedError(f"device {device!r}: use one of {', '.join(_DEVICES)}")
    chosen = pick_device(device, 0 if device == "cpu" else 1)
    if chosen != "cpu" and n_jobs != 1:
        raise ReseedError("n_jobs: on a GPU trainings run one at a time; leave n_jobs at 1")
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int | np.integer) or n_jobs == 0:
        raise ReseedError(f"n_jobs: give a whole number (-1: all cores), not {n_jobs!r}")
    return chosen
