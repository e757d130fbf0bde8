"""Encode the rows of a split for a model. Only tables are encoded; other inputs are unchanged."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder

from reseed.core.errors import ReseedError
from reseed.data.features import Feature
from reseed.data.inputs import Inputs

#: `training_rows`: min-max scaling is fitted on the training rows. `all_rows`: every step is fitted
#: on the whole table before the split, as in Raste et al., Section 3.2. `none`: no scaling.
SCALINGS = ("training_rows", "all_rows", "none")

KINDS = ("numeric", "categorical")


class TableEncoder:
    """Impute, scale and encode the columns of a table.

    Numeric columns: median imputation, with an indicator column if the fitted rows have missing
    values; then min-max scaling to [0, 1] without clipping, so that values outside the fitted range
    are outside [0, 1]. Categorical columns: one column for each category, and one for missing
    values; a category that is not in the fitted rows gives zeros. Columns that are constant in the
    fitted rows are dropped.
    """

    def __init__(self, features_meta: list[Feature], scaling: str = "training_rows"):
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

    def fit(self, features: pd.DataFrame) -> TableEncoder:
        """Fit medians, ranges and categories. Raises ValueError if no column varies."""
        X = np.asarray(self._transformer.fit_transform(self._typed(features)), dtype=np.float64)
        self._varies = np.ptp(X, axis=0) > 0 if X.size else np.zeros(X.shape[1], dtype=bool)
        if not self._varies.any():
            raise ValueError("every feature is constant in the training rows: one must vary")
        return self

    def transform(self, features: pd.DataFrame) -> np.ndarray:
        """Return a dense float64 array (rows, columns)."""
        X = self._transformer.transform(self._typed(features))
        return np.ascontiguousarray(np.asarray(X, dtype=np.float64)[:, self._varies])

    @property
    def width(self) -> int:
        """Number of columns that `transform` returns."""
        return int(self._varies.sum())

    def _typed(self, features: pd.DataFrame) -> pd.DataFrame:
        numeric = features[self.columns["numeric"]].astype(np.float64)
        # Text, because a column of mixed types cannot be sorted.
        text = features[self.columns["categorical"]].astype("string").astype(object)
        return pd.concat([numeric, text.where(text.notna(), np.nan)], axis=1)


@dataclass(frozen=True, eq=False)
class Arrays:
    """One split, encoded for a model: inputs (see `reseed.models.registry`) and targets (n,)."""

    X_train: Any
    y_train: np.ndarray
    X_validation: Any
    y_validation: np.ndarray
    X_test: Any
    y_test: np.ndarray

    @property
    def shape(self) -> tuple:
        """Shapes that must be equal for two splits in one stack."""
        return tuple((len(X), np.shape(X)[1:]) for X in (self.X_train, self.X_validation))

    def protected(self) -> Arrays:
        """Return read-only arrays and copies of lists of texts, for one trial.

        Trials share the arrays, so a change by one trial would affect the others.
        """
        copies: dict[str, Any] = {
            name: list(part) for name, part in vars(self).items() if isinstance(part, list)
        }
        for part in vars(self).values():
            # A part is an array, or an object with arrays, such as rows with their weights.
            for value in (part, *getattr(part, "__dict__", {}).values()):
                if isinstance(value, np.ndarray):
                    value.setflags(write=False)
        return replace(self, **copies)

    @property
    def size(self) -> int:
        """Size in bytes (a text counts as 200 bytes)."""
        parts = (self.X_train, self.X_validation, self.X_test)
        return sum(getattr(X, "nbytes", 200 * len(X)) for X in parts)


class Preparation:
    """Encodes the inputs of a problem for each split, with a cache of the last splits.

    Args:
        inputs: see `reseed.data.inputs`; None where every trial is prepared.
        target: (n,).
        features: columns of a table; None for images and texts.
        encoder: `{scaling: one of SCALINGS}`, for tables only.
        memory: size of the cache in bytes; the last split is always cached.
    """

    def __init__(
        self,
        inputs: Inputs | None,
        target: np.ndarray,
        features: list[Feature] | None,
        encoder: dict[str, Any],
        memory: int = 2**30,
    ):
        unknown = set(encoder) - {"scaling"}
        if unknown:
            raise ReseedError(
                f"encoder: unknown option {', '.join(sorted(unknown))}; allowed: scaling"
            )
        self.inputs, self.target, self.features = inputs, np.asarray(target), features
        self.scaling = encoder.get("scaling", "training_rows")
        self.memory = memory
        self._cache: OrderedDict[bytes, Arrays] = OrderedDict()
        self._table_encoder: TableEncoder | None = None

    def arrays(self, train: np.ndarray, validation: np.ndarray, test: np.ndarray) -> Arrays:
        """Return the rows of the three parts, with the encoder fitted on the training rows."""
        key = b"|".join(np.asarray(p, dtype="<i8").tobytes() for p in (train, validation, test))
        key = hashlib.sha256(key).digest()
        if key not in self._cache:
            self._cache[key] = self._prepare(train, validation, test)
        self._cache.move_to_end(key)
        while len(self._cache) > 1 and sum(a.size for a in self._cache.values()) > self.memory:
            self._cache.popitem(last=False)
        return self._cache[key]

    def _prepare(self, *parts: np.ndarray) -> Arrays:
        assert self.inputs is not None
        inputs = [self.inputs.take(np.asarray(rows)) for rows in parts]
        if self.features is not None:
            encoder = self._fit_encoder(self.inputs, self.features, inputs[0])
            empty = np.empty((0, encoder.width))
            inputs = [encoder.transform(part) if len(part) else empty for part in inputs]
        (X, Xv, Xt), (y, yv, yt) = inputs, (self.target[rows] for rows in parts)
        return Arrays(X, y, Xv, yv, Xt, yt)

    def _fit_encoder(
        self, inputs: Inputs, features: list[Feature], training_rows: pd.DataFrame
    ) -> TableEncoder:
        if self.scaling != "all_rows":
            return TableEncoder(features, self.scaling).fit(training_rows)
        if self._table_encoder is None:
            everything = inputs.take(np.arange(len(inputs)))
            self._table_encoder = TableEncoder(features, self.scaling).fit(everything)
        return self._table_encoder
