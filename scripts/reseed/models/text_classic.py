"""Four classical text classifiers on TF-IDF, as in the IR consistency paper, Section 4.

The vocabulary and the document frequencies come from the training rows alone. A pair of texts has
a vocabulary for each of its two fields. Which of the four have any seed at all:

- naive Bayes has none: it counts;
- the linear SVM (liblinear) draws the order of its coordinates in the dual problem alone, which is
  what it solves where there are more words than texts; the order is felt within its tolerance;
- logistic regression by SAGA draws the rows of its steps: felt within its tolerance too;
- the random forest draws everything: bootstrap samples and the words looked at in each node.

What is drawn is the ``init`` role's. The SVM's probabilities are softmaxed margins: their order is
right, their size is not calibrated.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

from reseed.models.recent_cache import RecentCache
from reseed.models.registry import ScikitLearnEstimator

#: Hyper-parameters of TF-IDF and their defaults; every other one is the classifier's own.
TFIDF = {"ngrams": 1, "min_df": 1, "max_features": None, "sublinear_tf": False}

_encoders = RecentCache(2)
_matrices = RecentCache(6)


class Tfidf:
    """TF-IDF of texts, or of pairs of texts field by field.

    ``ngrams``: the longest run of words that counts as a term. ``min_df``: texts a term must
    stand in. ``max_features``: the most frequent terms kept, of each field.
    """

    def __init__(self, ngrams: int, min_df: int, max_features: int | None, sublinear_tf: bool):
        self.options = {
            "ngram_range": (1, ngrams),
            "min_df": min_df,
            "max_features": max_features,
            "sublinear_tf": sublinear_tf,
        }

    def fit(self, texts: list) -> Tfidf:
        """Learn the terms and their document frequencies; ValueError where there are none."""
        self.fields = [TfidfVectorizer(**self.options).fit(field) for field in _fields(texts)]
        return self

    def transform(self, texts: list) -> sparse.csr_matrix:
        """Return (texts, terms), float64; unknown terms are left out."""
        parts = zip(self.fields, _fields(texts), strict=True)
        return sparse.hstack([field.transform(part) for field, part in parts], format="csr")


def _fields(texts: list) -> list[list[str]]:
    return [list(field) for field in zip(*texts, strict=True)] if _paired(texts) else [texts]


def _paired(texts: list) -> bool:
    return bool(texts) and not isinstance(texts[0], str)


class TfidfClassifier:
    """A scikit-learn classifier that is given texts and sees their TF-IDF."""

    def __init__(self, classifier: Any, tfidf: dict[str, Any]):
        self.classifier, self.tfidf = classifier, tfidf

    def fit(self, X: list, y: np.ndarray) -> TfidfClassifier:
        """Learn the terms, then the classifier."""
        self.encoder = _encoders(X, tuple(self.tfidf.items()), lambda: Tfidf(**self.tfidf).fit(X))
        self.classifier.fit(self.encoded(X), y)
        self.classes_ = self.classifier.classes_
        return self

    def encoded(self, X: list) -> sparse.csr_matrix:
        """Return (texts, terms)."""
        return _matrices(X, self.encoder, lambda: self.encoder.transform(X))

    def __getattr__(self, name: str) -> Any:
        if name not in ("predict", "predict_proba", "decision_function"):
            raise AttributeError(name)
        method = getattr(self.classifier, name)
        return lambda X: method(self.encoded(X))


class TextClassifier(ScikitLearnEstimator):
    """The `reseed.models.registry` interface; tells whether a limit on steps ended training."""

    converged_: bool | None = None

    def fit(self, X, y, X_validation=None, y_validation=None):
        """Train; validation rows are not used."""
        super().fit(X, y)
        inner = self.estimator.classifier
        limit, steps = (getattr(inner, name, None) for name in ("max_iter", "n_iter_"))
        if limit is not None and steps is not None:
            self.converged_ = bool(np.max(steps) < limit)
        return self


def _classifier(kind, task, n_classes, hyperparameters, **fixed) -> TextClassifier:
    if task == "regression":
        raise ValueError(f"{kind.__name__} predicts classes: it has no regression")
    own = {name: v for name, v in hyperparameters.items() if name not in TFIDF}
    tfidf = {name: hyperparameters.get(name, usual) for name, usual in TFIDF.items()}
    return TextClassifier(TfidfClassifier(kind(**own, **fixed), tfidf), task, n_classes)


def linear_svm(task, n_classes, hyperparameters, seeds, device="cpu", threads=1):
    """Make a linear support vector machine (squared hinge, one against the rest)."""
    return _classifier(LinearSVC, task, n_classes, hyperparameters, random_state=seeds["init"])


def logistic_regression(task, n_classes, hyperparameters, seeds, device="cpu", threads=1):
    """Make a multinomial logistic regression, solved by SAGA (Defazio et al. 2014)."""
    fixed = {"solver": "saga", "random_state": seeds["init"]}
    return _classifier(LogisticRegression, task, n_classes, hyperparameters, **fixed)


def naive_bayes(task, n_classes, hyperparameters, seeds, device="cpu", threads=1):
    """Make a multinomial naive Bayes classifier; no seed changes it."""
    return _classifier(MultinomialNB, task, n_classes, hyperparameters)


def random_forest(task, n_classes, hyperparameters, seeds, device="cpu", threads=1):
    """Make a random forest on the terms."""
    fixed = {"random_state": seeds["init"], "n_jobs": threads}
    return _classifier(RandomForestClassifier, task, n_classes, hyperparameters, **fixed)
