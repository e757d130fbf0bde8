"""Random forest (Breiman 2001) with row and column subsampling, as in Raste et al., Table 1."""

from __future__ import annotations

from typing import Any

from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor


def random_forest(
    task: str,
    n_classes: int,
    hyperparameters: dict[str, Any],
    seeds: dict[str, int],
    device: str = "cpu",
    threads: int = 1,
) -> RandomForestClassifier | RandomForestRegressor:
    """Return a random forest; hyper-parameters are those of scikit-learn.

    The `init` seed draws everything. `max_samples` is the fraction of rows in a bootstrap sample.
    """
    estimator_class = RandomForestRegressor if task == "regression" else RandomForestClassifier
    return estimator_class(**hyperparameters, random_state=seeds["init"], n_jobs=threads)
