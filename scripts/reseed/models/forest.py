"""Random forest (Breiman 2001) with row and column subsampling, as in Raste et al., Table 1."""

from __future__ import annotations

from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor


def random_forest(task, n_classes, hyperparameters, seeds, device="cpu", threads=1):
    """Make a forest; hyper-parameters are scikit-learn's, the ``init`` seed draws everything.

    ``max_samples`` is the share of rows in each tree's bootstrap sample.
    """
    kind = RandomForestRegressor if task == "regression" else RandomForestClassifier
    return kind(**hyperparameters, random_state=seeds["init"], n_jobs=threads)
