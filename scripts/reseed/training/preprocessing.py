"""From a table's rows to the numbers a model sees, fitted on the training rows only."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder

from reseed.errors import ReseedError

#: ``training_rows``: min-max scaling fitted on the training rows. ``all_rows``: every step fitted
#: on the whole table before it is split, as in Raste et al., Section 3.2. ``none``: not scaled.
SCALINGS = ("training_rows", "all_rows", "none")

KINDS = ("numeric", "categorical")


class Preprocessor:
    """Impute, scale and encode the columns of a table.

    Numeric columns: median imputation, with an indicator column where the fitted rows miss
    values; then min-max scaling to [0, 1], not clipped, so that rows outside the fitted range lie
    outside it. Categorical columns: one column a category, a missing value being a category of
    its own; a category unseen when fitting gives zeros. Columns constant in the fitted rows are
    dropped.
    """

    def __init__(self, features_meta: list[dict], scaling: str = "training_rows"):
        if scaling not in SCALINGS:
            raise ReseedError(f"scaling {scaling!r}: use one of {', '.join(SCALINGS)}")
        for feature in features_meta:
            if feature["kind"] not in KINDS:
                raise ReseedError(
                    f"column {feature['name']!r}: kind {feature['kind']!r} is not one of"
                    f" {', '.join(KINDS)}"
                )
        self.columns = {k: [f["name"] for f in features_meta if f["kind"] == k] for k in KINDS}
        numeric = [SimpleImputer(strategy="median", add_indicator=True)]
        if scaling != "none":
            numeric.append(MinMaxScaler())
        categories = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        self._transformer = ColumnTransformer(
            [
                ("numeric", make_pipeline(*numeric), self.columns["numeric"]),
                ("categorical", categories, self.columns["categorical"]),
            ],
            sparse_threshold=0,
        )

    def fit(self, features: pd.DataFrame) -> Preprocessor:
        """Learn medians, ranges and categories; ReseedError if no column varies."""
        X = np.asarray(self._transformer.fit_transform(self._typed(features)), dtype=np.float64)
        self._varies = np.ptp(X, axis=0) > 0 if X.size else np.zeros(X.shape[1], dtype=bool)
        if not self._varies.any():
            raise ReseedError("every feature is constant in the training rows: nothing to learn")
        return self

    def transform(self, features: pd.DataFrame) -> np.ndarray:
        """Return a dense float64 array (rows, columns)."""
        X = self._transformer.transform(self._typed(features))
        return np.ascontiguousarray(np.asarray(X, dtype=np.float64)[:, self._varies])

    def _typed(self, features: pd.DataFrame) -> pd.DataFrame:
        numeric = features[self.columns["numeric"]].astype(np.float64)
        # As text, so that one column never mixes types that cannot be sorted.
        text = features[self.columns["categorical"]].astype("string").astype(object)
        return pd.concat([numeric, text.where(text.notna(), np.nan)], axis=1)


@dataclass(frozen=True, eq=False)
class Arrays:
    """One split, ready for a model: features (n, d) float64 and targets (n,)."""

    X_train: np.ndarray
    y_train: np.ndarray
    X_validation: np.ndarray
    y_validation: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray


def prepare(
    features: pd.DataFrame,
    target: np.ndarray,
    features_meta: list[dict],
    train: np.ndarray,
    validation: np.ndarray,
    test: np.ndarray,
    scaling: str = "training_rows",
) -> Arrays:
    """Fit a `Preprocessor` on the training rows (index array) and apply it to all three parts."""
    preprocessor = Preprocessor(features_meta, scaling)
    preprocessor.fit(features if scaling == "all_rows" else features.iloc[train])
    empty = np.empty((0, int(preprocessor._varies.sum())))
    parts = []
    for rows in (train, validation, test):
        parts += [preprocessor.transform(features.iloc[rows]) if len(rows) else empty, target[rows]]
    return Arrays(*parts)


class PreparationCache:
    """Keeps the last split prepared, for trials that differ in their model seed only."""

    def __init__(self):
        self._key, self._table, self._arrays = None, None, None

    def prepare(self, features, target, features_meta, train, validation, test, scaling) -> Arrays:
        """Return `prepare` of the same arguments, from memory if they are the last ones."""
        digest = hashlib.sha256(repr((features_meta, scaling)).encode())
        for rows in (train, validation, test):
            digest.update(np.asarray(rows, dtype=np.int64).tobytes() + b"|")
        key = digest.digest()
        # The table is compared by identity; holding it keeps its identity from being reused.
        held = self._table is not None and all(
            a is b for a, b in zip(self._table, (features, target), strict=True)
        )
        if not (held and key == self._key):
            self._arrays = prepare(
                features, target, features_meta, train, validation, test, scaling
            )
            self._key, self._table = key, (features, target)
        return self._arrays
