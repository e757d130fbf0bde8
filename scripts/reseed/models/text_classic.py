"""Four classical text classifiers on TF-IDF, as in the IR consistency paper, Section 4.

The vocabulary and the document frequencies are fitted on the training rows. A pair of texts has a
vocabulary for each of its two fields. The `init` seed draws all randomness:

- naive Bayes has none;
- the linear SVM (liblinear) draws the order of coordinates in the dual problem, which it solves if
  there are more words than texts; the effect is within its tolerance;
- logistic regression with SAGA draws the row of each step; the effect is within its tolerance;
- the random forest draws bootstrap samples and the words that each node considers.

The probabilities of the SVM are the softmax of its margins: the ranking is right, but they are not
calibrated.
"""

from __future__ import annotations

from typing import Any, Self, cast

import numpy as np
from scipy import sparse
from sklearn.base import ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

from reseed.models.recent_cache import RecentCache
from reseed.models.registry import ScikitLearnEstimator

#: Hyper-parameters of TF-IDF with their defaults; all others are those of the classifier.
TFIDF = {"ngrams": 1, "min_df": 1, "max_features": None, "sublinear_tf": False}

#: Texts, or pairs of texts.
Texts = list[str] | list[tuple[str, str]]

_encoders = RecentCache(2)
_matrices = RecentCache(6)


class Tfidf:
    """TF-IDF of texts, or of pairs of texts field by field.

    ngrams: largest number of words in a term. min_df: least number of texts with a term.
    max_features: number of the most frequent terms of each field.
    """

    def __init__(self, ngrams: int, min_df: int, max_features: int | None, sublinear_tf: bool):
        self.options = {
            "ngram_range": (1, ngrams),
            "min_df": min_df,
            "max_features": max_features,
            "sublinear_tf": sublinear_tf,
        }

    def fit(self, texts: Texts) -> Tfidf:
        """Fit the terms and their document frequencies. Raises ValueError without terms."""
        self.fields = [TfidfVectorizer(**self.options).fit(field) for field in _split_fields(texts)]
        return self

    def transform(self, texts: Texts) -> sparse.csr_matrix:
        """Return (texts, terms), float64; unknown terms are ignored."""
        parts = zip(self.fields, _split_fields(texts), strict=True)
        return sparse.hstack([field.transform(part) for field, part in parts], format="csr")


def _split_fields(texts: Texts) -> list[list[str]]:
    if texts and not isinstance(texts[0], str):
        return [list(field) for field in zip(*texts, strict=True)]
    return [cast(list[str], texts)]


class TfidfClassifier:
    """A scikit-learn classifier on the TF-IDF of texts."""

    def __init__(self, classifier: Any, tfidf: dict[str, Any]):
        self.classifier, self.tfidf = classifier, tfidf

    def fit(self, X: list, y: np.ndarray) -> TfidfClassifier:
        """Fit the terms, then the classifier."""
        self.encoder = _encoders(X, tuple(self.tfidf.items()), lambda: Tfidf(**self.tfidf).fit(X))
        self.classifier.fit(self.encode(X), y)
        self.classes_ = self.classifier.classes_
        return self

    def encode(self, X: Texts) -> sparse.csr_matrix:
        """Return the TF-IDF of texts, (texts, terms)."""
        return _matrices(X, self.encoder, lambda: self.encoder.transform(X))

    def __getattr__(self, name: str) -> Any:
        if name not in ("predict", "predict_proba", "decision_function"):
            raise AttributeError(name)
        method = getattr(self.classifier, name)
        return lambda X: method(self.encode(X))


class TextClassifier(ScikitLearnEstimator):
    """The `Estimator` interface, with `converged_` for classifiers with a limit on steps."""

    converged_: bool | None = None

    def fit(
        self,
        X: Texts,
        y: np.ndarray,
        X_validation: Texts | None = None,
        y_validation: np.ndarray | None = None,
    ) -> Self:
        """Train; validation rows are not used."""
        super().fit(X, y)
        inner = self.estimator.classifier
        limit, steps = (getattr(inner, name, None) for name in ("max_iter", "n_iter_"))
        if limit is not None and steps is not None:
            self.converged_ = bool(np.max(steps) < limit)
        return self


def _build_classifier(
    classifier: type[ClassifierMixin],
    task: str,
    n_classes: int,
    hyperparameters: dict[str, Any],
    **fixed: Any,
) -> TextClassifier:
    if task == "regression":
        raise ValueError(f"{classifier.__name__} is a classifier: regression is not supported")
    options = {name: v for name, v in hyperparameters.items() if name not in TFIDF}
    tfidf = {name: hyperparameters.get(name, default) for name, default in TFIDF.items()}
    model = TfidfClassifier(classifier(**options, **fixed), tfidf)
    return TextClassifier(model, task, n_classes)


def linear_svm(
    task: str,
    n_classes: int,
    hyperparameters: dict[str, Any],
    seeds: dict[str, int],
    device: str = "cpu",
    threads: int = 1,
) -> TextClassifier:
    """Return a linear support vector machine (squared hinge, one against the rest)."""
    return _build_classifier(
        LinearSVC, task, n_classes, hyperparameters, random_state=seeds["init"]
    )


def logistic_regression(
    task: str,
    n_classes: int,
    hyperparameters: dict[str, Any],
    seeds: dict[str, int],
    device: str = "cpu",
    threads: int = 1,
) -> TextClassifier:
    """Return a multinomial logistic regression with the solver SAGA (Defazio et al. 2014)."""
    fixed = {"solver": "saga", "random_state": seeds["init"]}
    return _build_classifier(LogisticRegression, task, n_classes, hyperparameters, **fixed)


def naive_bayes(
    task: str,
    n_classes: int,
    hyperparameters: dict[str, Any],
    seeds: dict[str, int],
    device: str = "cpu",
    threads: int = 1,
) -> TextClassifier:
    """Return a multinomial naive Bayes classifier; seeds have no effect."""
    return _build_classifier(MultinomialNB, task, n_classes, hyperparameters)


def random_forest(
    task: str,
    n_classes: int,
    hyperparameters: dict[str, Any],
    seeds: dict[str, int],
    device: str = "cpu",
    threads: int = 1,
) -> TextClassifier:
    """Return a random forest on the terms."""
    fixed = {"random_state": seeds["init"], "n_jobs": threads}
    return _build_classifier(RandomForestClassifier, task, n_classes, hyperparameters, **fixed)
