"""Gradient boosting: GBM of scikit-learn (Friedman 2001) and XGBoost (Chen and Guestrin 2016).

The `init` seed draws the row and column subsamples; the other roles have no effect.
"""

from __future__ import annotations

from typing import Any

from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor


def gbm(
    task: str,
    n_classes: int,
    hyperparameters: dict[str, Any],
    seeds: dict[str, int],
    device: str = "cpu",
    threads: int = 1,
) -> GradientBoostingClassifier | GradientBoostingRegressor:
    """Return scikit-learn's GBM, which uses one thread; hyper-parameters are those of the class."""
    estimator_class = (
        GradientBoostingRegressor if task == "regression" else GradientBoostingClassifier
    )
    return estimator_class(**hyperparameters, random_state=seeds["init"])


def xgb(
    task: str,
    n_classes: int,
    hyperparameters: dict[str, Any],
    seeds: dict[str, int],
    device: str = "cpu",
    threads: int = 1,
) -> Any:
    """Return XGBoost with histogram trees; hyper-parameters are those of its scikit-learn API.

    Raises TypeError for an unknown hyper-parameter, which XGBoost would ignore.
    """
    from xgboost import XGBClassifier, XGBRegressor

    estimator_class = XGBRegressor if task == "regression" else XGBClassifier
    unknown = set(hyperparameters) - set(estimator_class().get_params())
    if unknown:
        raise TypeError(f"XGBoost has no hyper-parameter {', '.join(sorted(unknown))}")
    fixed = {"tree_method": "hist", "n_jobs": threads, "device": device}
    return estimator_class(**(fixed | hyperparameters), random_state=seeds["init"])
