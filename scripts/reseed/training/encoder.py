"""From rows to what a model sees: tables as their training rows say, other kinds as they are."""

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

#: ``training_rows``: min-max scaling fitted on the training rows. ``all_rows``: every step fitted
#: on the whole table before it is split, as in Raste et al., Section 3.2. ``none``: not scaled.
SCALINGS = ("training_rows", "all_rows", "none")

KINDS = ("numeric", "categorical")


class TableEncoder:
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

    def fit(self, features: pd.DataFrame) -> TableEncoder:
        """Learn medians, ranges and categories; ValueError if no column varies."""
        X = np.asarray(self._transformer.fit_transform(self._typed(features)), dtype=np.float64)
        self._varies = np.ptp(X, axis=0) > 0 if X.size else np.zeros(X.shape[1], dtype=bool)
        if not self._varies.any():
            raise ValueError("every feature is constant in the training rows: nothing to learn")
        return self

    def transform(self, features: pd.DataFrame) -> np.ndarray:
        """Return a dense float64 array (rows, columns)."""
        X = self._transformer.transform(self._typed(features))
        return np.ascontiguousarray(np.asarray(X, dtype=np.float64)[:, self._varies])

    @property
    def width(self) -> int:
        """Number of columns that `transform` gives."""
        return int(self._varies.sum())

    def _typed(self, features: pd.DataFrame) -> pd.DataFrame:
        numeric = features[self.columns["numeric"]].astype(np.float64)
        # As text, so that one column never mixes types that cannot be sorted.
        text = features[self.columns["categorical"]].astype("string").astype(object)
        return pd.concat([numeric, text.where(text.notna(), np.nan)], axis=1)


@dataclass(frozen=True, eq=False)
class Arrays:
    """One split, ready for a model: inputs (see `reseed.models.registry`) and targets (n,)."""

    X_train: Any
    y_train: np.ndarray
    X_validation: Any
    y_validation: np.ndarray
    X_test: Any
    y_test: np.ndarray

    @property
    def shape(self) -> tuple:
        """What must agree for two splits to be trained in one stack."""
        return tuple((len(X), np.shape(X)[1:]) for X in (self.X_train, self.X_validation))

    def guarded(self) -> Arrays:
        """The same for one trial: arrays locked, and lists of texts its own.

        Trials share them, and what one wrote would reach those after it.
        """
        own = {name: list(part) for name, part in vars(self).items() if isinstance(part, list)}
        for part in vars(self).values():
            # A part is an array, or an object that holds some: rows beside their weights.
            for held in (part, *getattr(part, "__dict__", {}).values()):
                if isinstance(held, np.ndarray):
                    held.setflags(write=False)
        return replace(self, **own)

    @property
    def size(self) -> int:
        """Bytes held (texts count as 200 bytes a row)."""
        parts = (self.X_train, self.X_validation, self.X_test)
        return sum(getattr(X, "nbytes", 200 * len(X)) for X in parts)


class Preparation:
    """A problem's inputs, ready for a model, split by split; the last ones stay in memory.

    Args:
        inputs: `reseed.data` inputs: ``len``, ``take(rows)``; a table's rows come as a DataFrame.
        target: (n,).
        features: columns of a table (``name``, ``kind``); None for images and texts.
        encoder: ``{scaling: one of SCALINGS}``, of tables only.
        memory: bytes of prepared splits to keep, beside the last one.
    """

    def __init__(
        self,
        inputs: Any,
        target: np.ndarray,
        features: list[dict] | None,
        encoder: dict[str, Any],
        memory: int = 2**30,
    ):
        unknown = set(encoder) - {"scaling"}
        if unknown:
            raise ReseedError(f"encoder: no option {', '.join(sorted(unknown))}; there is scaling")
        self.inputs, self.target, self.features = inputs, np.asarray(target), features
        self.scaling = encoder.get("scaling", "training_rows")
        self.memory = memory
        self._held: OrderedDict[bytes, Arrays] = OrderedDict()
        self._table: TableEncoder | None = None

    def arrays(self, train: np.ndarray, validation: np.ndarray, test: np.ndarray) -> Arrays:
        """Return the three parts (row numbers), encoded as the training rows say."""
        key = b"|".join(np.asarray(p, dtype="<i8").tobytes() for p in (train, validation, test))
        key = hashlib.sha256(key).digest()
        if key not in self._held:
            self._held[key] = self._prepare(train, validation, test)
        self._held.move_to_end(key)
        while len(self._held) > 1 and sum(a.size for a in self._held.values()) > self.memory:
            self._held.popitem(last=False)
        return self._held[key]

    def _prepare(self, *parts: np.ndarray) -> Arrays:
        taken = [self.inputs.take(np.asarray(rows)) for rows in parts]
        if self.features is not None:
            encoder = self._fitted(taken[0])
            empty = np.empty((0, encoder.width))
            taken = [encoder.transform(part) if len(part) else empty for part in taken]
        (X, Xv, Xt), (y, yv, yt) = taken, (self.target[rows] for rows in parts)
        return Arrays(X, y, Xv, yv, Xt, yt)

    def _fitted(self, training_rows: pd.DataFrame) -> TableEncoder:
        if self.scaling != "all_rows":
            return TableEncoder(self.features, self.scaling).fit(training_rows)
        if self._table is None:
            everything = self.inputs.take(np.arange(len(self.inputs)))
            self._table = TableEncoder(self.features, self.scaling).fit(everything)
        return self._table
