"""`reseed.study`: train and compare models in this process, without files, as a study does.

Splits, trials, statistics and figures are the pipeline's own (`reseed.data.splits`,
`reseed.training.run`, `reseed.config.defaults`). For more than a session holds, with results that
outlive it, there are studies (`config/studies/`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from reseed.analyses.shared.data import Data
from reseed.analyses.shared.predictions import Predictions
from reseed.analyses.shared.region import region
from reseed.comparison.arguments import chosen_pairs, options_of_pairs, truth, with_options
from reseed.comparison.compare import Comparison
from reseed.config.defaults import apply_pair_options, default_analyses_and_exhibits
from reseed.core.environment import compute_environment_id, describe_environment
from reseed.core.errors import ReseedError, suggest_name
from reseed.pipeline.runner import pick_device
from reseed.session import inputs, tables
from reseed.session.models import Model, read_models, refuse_unsuited
from reseed.session.scoring import chosen_metric
from reseed.session.splits import design
from reseed.session.training import train

_SPLITS = 10
_DEVICES = ("cpu", "gpu", "auto")
# What estimators say of features that they cannot take.
_ABOUT_X = ("could not convert", "NaN", "missing values", "Input X", "dtype")


def study(
    models: dict[str, Any],
    X: Any,
    y: Any,
    *,
    task: str = "auto",
    splits: Any = None,
    test: float | tuple[Any, Any] = 0.2,
    seeds: int | list[int] | range = 5,
    groups: Any = None,
    sample_weight: Any = None,
    metric: str | Callable | None = None,
    greater_is_better: bool | None = None,
    positive: object = None,
    baseline: str | None = None,
    pairs: list[tuple[str, str]] | None = None,
    keep: bool = True,
    device: str = "cpu",
    n_jobs: int = 1,
    progress: bool | None = None,
    title: str = "Which model is better?",
    dataset: str = "data",
    **options: Any,
) -> Comparison:
    """Train every model on every split under every seed, and compare them as far as that carries.

    Args:
        models: name → scikit-learn estimator, or a factory as `config/models/` names them
            (a function, `"module:function"`, or {"factory": …, "hyperparameters": {…}}). Each
            parameter that holds a seed (`random_state`) is set to the model seed, and the global
            generators are seeded by it; a model that it moves in no way is trained once a split.
        X: rows as the models take them: array, frame, sparse matrix, images, a list of texts.
        y: one target; labels of any kind for classes.
        task: `regression`, `binary`, `multiclass`; `auto` looks at y.
        splits: a number of random splits (stratified, by group; 10); a scikit-learn splitter; or
            pairs (train, test) of row numbers or masks.
        test: share of the test rows of random splits; or an own test set (X_test, y_test), which
            makes one split, so that `splits` has no use.
        seeds: model seeds: a number, or the seeds. All are crossed with the splits.
        groups: one label a row; a group is never on both sides of a split.
        sample_weight: one number a row, used in training; scores are not weighted.
        metric: a name of `reseed.metrics.registry` or of scikit-learn's scorers, or a function
            (y_true, y_score) of class numbers and probabilities, or of values.
        greater_is_better: of a function whose name does not say.
        positive: the label of class 1 (the last in sorted order).
        baseline, pairs, title, options: as of `reseed.compare`.
        keep: keep what is predicted for each test row, so that the noise of the test set and the
            cost of choosing a seed are told.
        device: `cpu`, `gpu` or `auto`, for factories that take one.
        n_jobs: trainings side by side (-1: as many as there are cores).
        progress: show a bar (default: on a terminal or in a notebook).
        dataset: what the data are called.

    Returns:
        A `Comparison`, as of `reseed.compare`; `data.metrics` holds one row a training.

    Raises:
        ReseedError: for input that cannot be right, and where no training of a model finished.
    """
    options = options_of_pairs(options, study)
    own_test = tuple(test) if isinstance(test, tuple | list) else None
    if (own_test is not None and len(own_test) != 2) or isinstance(test, np.ndarray):
        raise ReseedError("test: give a share of the rows, or a pair (X_test, y_test)")
    if own_test is not None and splits is not None:
        raise ReseedError("give `splits` or an own `test` set, which makes one split, not both")
    named = read_models(models, sample_weight is not None)
    compared = _compared(baseline, pairs, [model.name for model in named])
    data = inputs.learnt(X, y, own_test, task, positive, groups, sample_weight)
    refuse_unsuited(named, data.task)
    share = None if own_test is not None else test
    drawn = design(_SPLITS if splits is None else splits, share, data.targets, data.task, data.rows)
    numbers = _seeds(seeds)
    chosen = chosen_metric(metric, data.task, truth(greater_is_better))
    region(options.get("rope"), {chosen.name: 100.0 if chosen.share else 1.0})  # before training
    if device not in _DEVICES:
        raise ReseedError(f"device {device!r}: use one of {', '.join(_DEVICES)}")
    device = pick_device(device, 0 if device == "cpu" else 1)
    if device != "cpu" and n_jobs != 1:
        raise ReseedError("n_jobs: on a GPU trainings run one at a time; leave n_jobs at 1")
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int | np.integer) or n_jobs == 0:
        raise ReseedError(f"n_jobs: give a whole number (-1: all cores), not {n_jobs!r}")
    trained = train(named, drawn, numbers, data, chosen, device, n_jobs, progress)
    outcomes = {
        (model, place, seed): trained.get((model, place, seed)) or trained[model, place, numbers[0]]
        for place in drawn.places
        for model in named
        for seed in numbers
    }
    several = {"data": len(drawn.places) > 1, "model": len(numbers) > 1}
    varied = "+".join(name for name, many in several.items() if many) or "none"
    where = compute_environment_id(describe_environment(device, 1))
    frame = tables.rows_of(outcomes, drawn, varied, where)
    made = frame[[key in trained for key in outcomes]]
    _refuse_without_runs(made)
    notes = [*data.notes, *_unseeded(named, numbers, trained), *tables.failure_notes(made)]
    told = {"study": "results", "title": title, "question": "", "citation": "", "dataset": dataset}
    info = tables.describe(told, data, named, chosen, made, device, notes)
    folder = tables.predictions(outcomes, drawn, varied, data) if keep else None
    standard = default_analyses_and_exhibits(
        items=keep, binary=data.task == "binary", trained=True, experiments=[tables.EXPERIMENT]
    )
    analyses = with_options(apply_pair_options(standard["analyses"], compared), options)
    tasks = {tables.DATASET: data.task}
    read = Predictions(Path(folder.name), tasks=tasks, held=folder) if folder else None
    found = Data(frame, info, predictions=read)
    return Comparison(found, analyses, standard["exhibits"], "reseed.study")


def _compared(baseline: object, pairs: object, models: list[str]) -> dict:
    """`baseline` and `pairs`; ReseedError for a name that no model has."""
    found = chosen_pairs(baseline, pairs)
    asked = [found["baseline"], *(name for pair in found["pairs"] for name in pair)]
    for name in asked:
        if name is not None and name not in models:
            raise ReseedError(
                f"`baseline` or `pairs` names {name!r}, which is no model. There are "
                f"{', '.join(models)}.{suggest_name(name, models)}"
            )
    return found


def _seeds(seeds: Any) -> list[int]:
    if isinstance(seeds, int | np.integer) and not isinstance(seeds, bool):
        seeds = range(int(seeds))
    try:
        numbers = [operator.index(seed) for seed in seeds]
    except TypeError:
        raise ReseedError(
            f"seeds: give a number or a list of whole numbers, not {seeds!r}"
        ) from None
    if (
        not numbers
        or len(set(numbers)) < len(numbers)
        or not 0 <= min(numbers) <= max(numbers) < 2**32
    ):
        raise ReseedError("seeds: give at least one, each once, none below 0, all below 2**32")
    return numbers


def _refuse_without_runs(frame: Any) -> None:
    """An error where a model has nothing to show: its first failure says why."""
    for model, rows in frame.groupby("model", sort=False):
        if (rows["status"] != "ok").all():
            why = str(rows["error"].iloc[0]).rstrip(".")
            hint = " X reaches a model as it is: encode, impute or scale in a scikit-learn Pipeline"
            raise ReseedError(
                f"model {model!r}: none of {len(rows)} trainings finished: {why}."
                f"{hint * any(words in why for words in _ABOUT_X)}"
            )


def _unseeded(models: list[Model], seeds: list[int], trained: dict) -> Iterator[str]:
    """What is to be known of models of which no parameter holds a seed."""
    moved = {model for model, _, seed in trained if seed == seeds[-1]}
    unseeded = [model for model in models if not model.seeded and len(seeds) > 1]
    for text, names in (
        ("so one training a split stands for all seeds.",
         [model.name for model in unseeded if model not in moved]),
        ("yet trainings differ: each is its own, with the global generators so seeded.",
         [model.name for model in unseeded if model in moved]),
    ):  # fmt: skip
        if names:
            yield f"{', '.join(names)}: no parameter holds a seed, {text}"
