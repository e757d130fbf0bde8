"""What docs/measured.md says of the trials in results/reference: spreads by class of model."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd
from reseed.core.coordinates import base_name
from reseed.core.layout import REFERENCES
from reseed.metrics.names import metric_title
from reseed.stats.planning import seeds_for_difference
from reseed.stats.selection import selection_optimism
from sklearn.metrics import f1_score

ROOT = Path(__file__).parents[2]
#: Class of models → (score, study → its models).
CLASSES: dict[str, tuple[str, dict[str, list[str]]]] = {
    "boosting and forests, tuned; tables": ("auc", {"tuned_trees": ["xgb", "gbm", "rf"]}),
    "boosting and forests; tables": ("auc", {"inherent_randomness": ["xgb", "gbm", "rf"]}),
    "small networks; tables": ("auc", {"inherent_randomness": ["ffnn", "ffnn_res"]}),
    "forests and a network; digits": (
        "accuracy", {"protocol": ["pixel_forest", "pixel_trees", "pixel_network"]},
    ),
    "linear models; texts": (
        "macro_f1", {"ir_consistency": ["linear_svm", "logistic_regression", "naive_bayes"]},
    ),
    "forest; texts": ("macro_f1", {"ir_consistency": ["text_forest"]}),
    "linear models and a forest; news topics": (
        "accuracy", {"protocol": ["linear_svm", "logistic_regression", "text_forest"]},
    ),
    "encoders of 17 and 23 million parameters, fine-tuned": (
        "macro_f1", {"ir_consistency": ["minilm_l3", "minilm"]},
    ),
    "encoder of 109 million parameters, fine-tuned": ("macro_f1", {"mpnet_gpu": ["mpnet"]}),
    "small CNN, 2,000 images": ("accuracy", {"training_variability": ["small_cnn"]}),
    "narrow ResNet-9, 3,000 images": ("accuracy", {"seed_3407": ["resnet9"]}),
    "ResNet-9, 50,000 images": ("accuracy", {"resnet9_gpu": ["resnet9"]}),
    "new head on a pretrained network": (
        "accuracy",
        {"seed_3407": ["pretrained_head"], "training_variability": ["pretrained_head"]},
    ),
    "pretrained network, fine-tuned on 50,000 images": (
        "accuracy", {"efficientnet_gpu": ["efficientnet_lite0_tuned"]},
    ),
}  # fmt: skip
_HEAD = (
    "models", "score", "SD over seeds", "over splits", "of the test items",
    "runs a model for half a point, on one split",
)  # fmt: skip
_CELL = ["experiment", "dataset", "scheme", "arm", "hyperparameters_source"]
HALF_A_POINT = 0.5
#: Runs of a cell.
LEAST = 5


def read_spreads(trials: pd.DataFrame, score: str) -> pd.DataFrame:
    """SD in points of each cell: of seeds on one split, and of splits at one seed or over both.

    Columns: `varied` (`seeds` or `splits`), `n` and `sd`.
    """
    rows = []
    split, seeds = ["data_seed", "repeat", "fold"], ["init", "order", "dropout", "augment"]
    for _, cell in trials.groupby(_CELL, sort=False):
        cell = cell[cell["status"] == "ok"]
        is_crossed = min(len(cell[part].drop_duplicates()) for part in (split, seeds)) > 1
        if is_crossed:  # folds of one split: seeds are compared within a fold alone
            parts = [("splits", cell.groupby(split)[score].mean())]
        else:
            varied = "splits" if len(cell[split].drop_duplicates()) > 1 else "seeds"
            parts = [(varied, cell[score])]
        rows += [(name, len(x), 100 * x.std()) for name, x in parts if len(x) >= LEAST]
    return pd.DataFrame(rows, columns=["varied", "n", "sd"])


def _resample_items(folder: Path, models: list[str], score: str) -> list[float]:
    """SD in points over 200 resamples of the test items, of one run of each cell."""
    if not (folder / "predictions.parquet").exists():
        return []
    rows, targets = (
        pd.read_parquet(folder / f"{one}.parquet") for one in ("predictions", "targets")
    )
    rows = rows[rows["model"].map(base_name).isin(models)]
    rows = rows[rows.groupby(_CELL)["init"].transform("size") >= LEAST].drop_duplicates(_CELL)
    rng, found = np.random.default_rng(0), []
    for row in rows.to_dict("records"):
        same = (targets["dataset"] == row["dataset"]) & (targets["data_seed"] == row["data_seed"])
        truth = np.asarray(targets.loc[same, "test"].iloc[0]).astype(int)
        label = np.asarray(row["test"])
        label = (label > 0).astype(int) if row["classes"] < 3 else label.astype(int)
        drawn = rng.integers(len(truth), size=(200, len(truth)))
        scores = [
            f1_score(truth[i], label[i], average="macro")
            if score == "macro_f1"
            else np.mean(truth[i] == label[i])
            for i in drawn
        ]
        found.append(100 * float(np.std(scores, ddof=1)))
    return found


def _show(sds: list[float]) -> str:
    """The median, and the ends of several."""
    if not sds:
        return "–"
    ends = [0.0 if x < 1e-6 else x for x in (min(sds), max(sds))]
    middle = float(np.median(sds))
    span = f" ({ends[0]:.2g} to {ends[1]:.2g})" if len(sds) > 1 else ""
    return f"{0 if middle < 1e-6 else middle:.2g}{span}"


def _runs(sd: float) -> str:
    """Runs of each of two models that show half a point, power 80 %."""
    if not sd > 1e-6:  # none, or no randomness
        return "–"
    return f"{seeds_for_difference(HALF_A_POINT, sd, paired=False):,}"


def _tabulate(root: Path) -> Iterable[str]:
    yield f"| {' | '.join(_HEAD)} |"
    yield "| --- " * len(_HEAD) + "|"
    for title, (score, studies) in CLASSES.items():
        parts, items = [], []
        for study, models in studies.items():
            folder = root / REFERENCES / study
            trials = pd.read_parquet(folder / "trials.parquet")
            chosen = trials["model"].map(base_name).isin(models) & trials[score].notna()
            chosen &= ~trials["dataset"].map(base_name).eq("home_mortgage_sim")
            parts.append(read_spreads(trials[chosen], score))
            items += _resample_items(folder, models, score)
        spreads = pd.concat(parts)
        sds = [spreads.loc[spreads["varied"] == one, "sd"].tolist() for one in ("seeds", "splits")]
        needed = _runs(float(np.median(sds[0]))) if sds[0] else "–"
        cells = [title, metric_title(score), *map(_show, [*sds, items]), needed]
        yield f"| {' | '.join(cells)} |"


def _describe_choice(root: Path) -> str:
    """What the best seed of the published ResNet-9 gains on images that did not choose it."""
    folder = root / REFERENCES / "resnet9_gpu"
    rows = pd.read_parquet(folder / "predictions.parquet")
    labels = np.stack(rows.loc[rows["arm"] == "short", "test"].to_list())
    [truth] = pd.read_parquet(folder / "targets.parquet")["test"]
    correct = labels == np.asarray(truth)
    found = selection_optimism(correct, 1000, rng=np.random.default_rng(0))
    accuracy = correct.mean(axis=1)
    chance = math.sqrt(np.mean(correct.var(axis=0, ddof=1)) / correct.shape[1])
    return (
        f"Of {len(correct)} seeds of the published ResNet-9, the best on half of the test images is"
        f" {100 * (found.gain + found.optimism):.2f} points above the mean there, and"
        f" {100 * found.gain:.2f} points on the other half (1,000 halvings). The SD over seeds is"
        f" {100 * accuracy.std(ddof=1):.3f} points; if each image flipped by itself, it would be"
        f" {100 * chance:.3f}. A seed that looks best has been lucky with these images."
    )


def render_tables(root: Path = ROOT) -> str:
    """The table of spreads, and what choosing a seed gains."""
    return "\n".join(
        chain(_tabulate(root), ["", "**May I keep my best seed?**", "", _describe_choice(root)])
    )
