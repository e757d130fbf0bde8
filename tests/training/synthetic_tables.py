"""Small synthetic tables, learnable by every model."""

import numpy as np
import pandas as pd


def table(task: str, rows: int = 400):
    """Return features, target, meta, number of classes."""
    rng = np.random.default_rng(0)
    X = rng.random((rows, 4))
    signal = 3 * X[:, 0] + np.sin(6 * X[:, 1]) + X[:, 2] * X[:, 3]
    noisy = signal + 0.1 * rng.normal(size=rows)
    features = pd.DataFrame(X, columns=list("abcd"))
    meta = [{"name": c, "kind": "numeric"} for c in features]
    if task == "regression":
        return features, 1000 + 50 * noisy, meta, 0
    classes = 2 if task == "binary" else 3
    edges = np.quantile(noisy, np.arange(1, classes) / classes)
    return features, np.digitize(noisy, edges), meta, classes
