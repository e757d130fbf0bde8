"""Gradient boosting: scikit-learn's GBM (Friedman 2001) and XGBoost (Chen & Guestrin 2016).

The ``init`` seed draws the row and column subsamples; no other role has a part.
"""

from __future__ import annotations

from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor


def gbm(task, n_classes, hyperparameters, seeds, device="cpu", threads=1):
    """Make scikit-learn's GBM (one thread by design); hyper-parameters are scikit-learn's."""
    kind = GradientBoostingRegressor if task == "regression" else GradientBoostingClassifier
    return kind(**hyperparameters, random_state=seeds["init"])


def xgb(task, n_classes, hyperparameters, seeds, device="cpu", threads=1):
    """Make XGBoost with histogram trees; hyper-parameters are its scikit-learn API's.

    Raises TypeError for a hyper-parameter that XGBoost does not know, which it would ignore.
    """
    from xgboost import XGBClassifier, XGBRegressor

    kind = XGBRegressor if task == "regression" else XGBClassifier
    unknown = set(hyperparameters) - set(kind().get_params())
    if unknown:
        raise TypeError(f"XGBoost has no hyper-parameter {', '.join(sorted(unknown))}")
    fixed = {"tree_method": "hist", "n_jobs": threads, "device": device}
    return kind(**(fixed | hyperparameters), random_state=seeds["init"])
