"""Small classifiers of images on pixels, for small grey images and fast tests.

Every pixel is a feature in [0, 1]. The `init` seed draws everything.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer


def flatten_images(images: np.ndarray) -> np.ndarray:
    """Convert images, uint8 (n, height, width, channels), to float32 (n, pixels) in [0, 1]."""
    return np.asarray(images, dtype=np.float32).reshape(len(images), -1) / 255


def _build_classifier(
    classifier: type[ClassifierMixin], task: str, hyperparameters: dict[str, Any], **fixed: Any
) -> Pipeline:
    if task == "regression":
        raise ValueError(f"{classifier.__name__} is a classifier: regression is not supported")
    options = {k: tuple(v) if isinstance(v, list) else v for k, v in hyperparameters.items()}
    return make_pipeline(FunctionTransformer(flatten_images), classifier(**options, **fixed))


def random_forest(
    task: str,
    n_classes: int,
    hyperparameters: dict[str, Any],
    seeds: dict[str, int],
    device: str = "cpu",
    threads: int = 1,
) -> Pipeline:
    """Return a random forest (Breiman 2001)."""
    fixed = {"random_state": seeds["init"], "n_jobs": threads}
    return _build_classifier(RandomForestClassifier, task, hyperparameters, **fixed)


def extra_trees(
    task: str,
    n_classes: int,
    hyperparameters: dict[str, Any],
    seeds: dict[str, int],
    device: str = "cpu",
    threads: int = 1,
) -> Pipeline:
    """Return extremely randomised trees (Geurts et al. 2006)."""
    fixed = {"random_state": seeds["init"], "n_jobs": threads}
    return _build_classifier(ExtraTreesClassifier, task, hyperparameters, **fixed)


def network(
    task: str,
    n_classes: int,
    hyperparameters: dict[str, Any],
    seeds: dict[str, int],
    device: str = "cpu",
    threads: int = 1,
) -> Pipeline:
    """Return scikit-learn's network of fully connected layers; `init` also draws the order."""
    return _build_classifier(MLPClassifier, task, hyperparameters, random_state=seeds["init"])
