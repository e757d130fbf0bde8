"""Write runs.csv, the table of the first steps: four small models on the same fifty folds.

The data are scikit-learn's breast-cancer table (569 rows); ten repeats of five folds.
"""

from pathlib import Path

import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

FOLDS, REPEATS = 5, 10
MODELS = {
    "5 neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier(5)),
    "15 neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier(15)),
    "naive Bayes": GaussianNB(),
    "tree": DecisionTreeClassifier(random_state=0),
}


def compute_runs() -> pd.DataFrame:
    """One row a model and fold, with its accuracy."""
    X, y = load_breast_cancer(return_X_y=True)
    splits = RepeatedStratifiedKFold(n_splits=FOLDS, n_repeats=REPEATS, random_state=0)
    return pd.DataFrame(
        [
            {"model": name, "repeat": i // FOLDS, "fold": i % FOLDS, "accuracy": round(value, 4)}
            for name, model in MODELS.items()
            for i, value in enumerate(cross_val_score(model, X, y, cv=splits))
        ]
    )


if __name__ == "__main__":
    compute_runs().to_csv(Path(__file__).with_name("runs.csv"), index=False)
