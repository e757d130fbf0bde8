"""Small classifiers of images by their pixels: enough for small grey images, quick on any machine.

Every pixel is a feature, from 0 to 1. All that is drawn is the ``init`` role's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer


def flatten_images(images: np.ndarray) -> np.ndarray:
    """Images uint8 (n, height, width, channels) as float32 (n, pixels) from 0 to 1."""
    return np.asarray(images, dtype=np.float32).reshape(len(images), -1) / 255


def _classifier(kind: Any, task: str, hyperparameters: dict, **fixed) -> Any:
    if task == "regression":
        raise ValueError(f"{kind.__name__} predicts classes: it has no regression")
    options = {k: tuple(v) if isinstance(v, list) else v for k, v in hyperparameters.items()}
    return make_pipeline(FunctionTransformer(flatten_images), kind(**options, **fixed))


def random_forest(task, n_classes, hyperparameters, seeds, device="cpu", threads=1):
    """Make a random forest (Breiman 2001)."""
    fixed = {"random_state": seeds["init"], "n_jobs": threads}
    return _classifier(RandomForestClassifier, task, hyperparameters, **fixed)


def extra_trees(task, n_classes, hyperparameters, seeds, device="cpu", threads=1):
    """Make extremely randomised trees (Geurts et al. 2006)."""
    fixed = {"random_state": seeds["init"], "n_jobs": threads}
    return _classifier(ExtraTreesClassifier, task, hyperparameters, **fixed)


def network(task, n_classes, hyperparameters, seeds, device="cpu", threads=1):
    """Make scikit-learn's network of fully connected layers; ``init`` draws its order too."""
    return _classifier(MLPClassifier, task, hyperparameters, random_state=seeds["init"])
