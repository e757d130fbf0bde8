"""Models, splits and seeds that a session crosses, and what their trainings say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from reseed.analyses.shared.data import Data
from reseed.analyses.shared.predictions import Predictions
from reseed.comparison.result import STUDY_NAME
from reseed.core.environment import Environment
from reseed.core.errors import ReseedError
from reseed.session import tables
from reseed.session.models import Model
from reseed.session.training import Trainer
from reseed.training.run import Outcome
from reseed.trials.windows import NOTE, average_windows

#: Share of rows of one class from which its accuracy is stated.
_LARGE_CLASS = 0.75
# In the message of a metric that needs rows of several classes.
_UNDEFINED = "is undefined on these test rows"
# Words in the messages of estimators that cannot use the features.
_FEATURE_ERRORS = ("could not convert", "NaN", "missing values", "Input X", "dtype")


@dataclass(frozen=True)
class Crossing:
    """Models that are trained on every split under every seed.

    models, seeds: are crossed with the splits of the trainer.
    trainer: trains them; it has the design, the data and the metric.
    machine: where they are trained.
    title, dataset: texts of the report.
    """

    models: list[Model]
    seeds: list[int]
    trainer: Trainer
    machine: Environment
    title: str
    dataset: str

    def count_trials(self) -> int:
        """The number of trials, if each is trained."""
        return len(self.models) * len(self.trainer.design.splits) * len(self.seeds)

    def collect(self, trained: dict[tables.TrialKey, Outcome], keep: bool) -> Data:
        """Scores of all trials and facts of the study. keep: with the outputs of all test rows.

        Raises ReseedError if no training of a model finished.
        """
        # Of a model that does not depend on the seed, the outcome of the first seed is that of all.
        outcomes = {
            (model, split, seed): trained.get((model, split, seed))
            or trained[model, split, self.seeds[0]]
            for split in self.trainer.design.splits
            for model in self.models
            for seed in self.seeds
        }
        metrics = tables.build_metrics(
            outcomes, self.trainer.design, self._varied, self.machine.identifier
        )
        trials = average_windows(metrics[[key in trained for key in outcomes]])
        metrics = average_windows(metrics)
        _refuse_failed_models(trials)
        data = self.trainer.data
        notes = [
            *data.notes,
            *[NOTE] * self.trainer.design.are_windows,
            *_describe_majority(data.targets.target, data.task, self.trainer.metric.name),
            *_describe_unseeded(self.models, self.seeds, trained),
            *tables.describe_failures(trials),
        ]
        texts = {"study": STUDY_NAME, "title": self.title, "question": "", "citation": ""}
        info = tables.describe_study(
            texts | {"dataset": self.dataset},
            data,
            self.models,
            self.trainer.metric,
            trials,
            self.machine,
            notes,
        )
        # Neighbours in time resemble each other, so the rows of a window are no sample.
        keep = keep and not self.trainer.design.are_windows
        predictions = self._write_predictions(outcomes) if keep else None
        return Data(metrics, info, predictions=predictions)

    def _write_predictions(self, outcomes: dict[tables.TrialKey, Outcome]) -> Predictions:
        folder = tables.write_predictions(
            outcomes, self.trainer.design, self._varied, self.trainer.data
        )
        tasks: dict[str, str | None] = {tables.DATASET: self.trainer.data.task}
        return Predictions(folder.path, tasks=tasks, held=folder)

    @property
    def _varied(self) -> str:
        """Names of the seeds that take several values: `data`, `model`, `data+model` or `none`."""
        design = self.trainer.design
        splits = 1 if design.are_windows else len(design.splits)
        counts = {"data": splits, "model": len(self.seeds)}
        return "+".join(name for name, count in counts.items() if count > 1) or "none"


def _refuse_failed_models(trials: pd.DataFrame) -> None:
    """Raise ReseedError with the first failure of a model of which no training finished."""
    for model, rows in trials.groupby("model", sort=False):
        if (rows["status"] != "ok").all():
            why = str(rows["error"].iloc[0]).rstrip(".")
            hint = ""
            if _UNDEFINED in why:
                hint = " Give another metric, such as metric='accuracy', or splits with all classes"
            elif any(words in why for words in _FEATURE_ERRORS):
                hint = (
                    " X is passed to a model unchanged: encode, impute or scale in a scikit-learn"
                    " Pipeline"
                )
            raise ReseedError(
                f"model {model!r}: none of {len(rows)} trainings finished: {why}.{hint}"
            )


def _describe_majority(target: np.ndarray, task: str, metric: str) -> list[str]:
    """The accuracy of always predicting the largest class, where that is most of the rows."""
    if task == "regression" or metric != "accuracy":
        return []
    share = np.unique(target, return_counts=True)[1].max() / len(target)
    if share < _LARGE_CLASS:
        return []
    return [
        f"{100 * share:.0f} % of the rows are of one class: always predicting it has an accuracy "
        f"of {share:.3g}. `metric='auc'` or `'balanced_accuracy'` does not reward that."
    ]


def _describe_unseeded(
    models: list[Model], seeds: list[int], trained: dict[tables.TrialKey, Outcome]
) -> Iterator[str]:
    """Notes on models of which no parameter holds a seed."""
    unseeded = [model for model in models if not model.is_seeded and len(seeds) > 1]
    counts = Counter(model for model, _ in {(model, seed) for model, _, seed in trained})
    repeated = {model for model, count in counts.items() if count > 1}
    constant = ", ".join(model.name for model in unseeded if model not in repeated)
    varying = ", ".join(model.name for model in unseeded if model in repeated)
    if constant:
        yield (f"{constant}: no parameter holds a seed, so one training a split is enough.")
    if varying:
        yield (
            f"{varying}: no parameter holds a seed, yet trainings differ: each seed was trained, "
            "with the global generators seeded."
        )
