"""
Is my model better? (ten minutes)
=================================

You trained two models, and one has the higher score. This page shows why one score each is not
enough, and how to get an answer that holds for the next seed and the next split too.

You need Reseed (``pip install .`` in a copy of the repository) and nothing else.
"""

import reseed
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

X, y = load_breast_cancer(return_X_y=True)

# %%
# One score each
# --------------
# Two forests, one split, one seed. One of them wins, because one of two numbers is larger.

forests = {"forest": RandomForestClassifier, "extra trees": ExtraTreesClassifier}


def score(model, seed):
    """Accuracy of a model whose split and training depend on the seed."""
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=seed)
    return model(20, random_state=seed).fit(X_train, y_train).score(X_test, y_test)


for name, model in forests.items():
    print(f"{name}: {score(model, seed=0):.3f}")

# %%
# The same two lines with other seeds: the scores move, and so may the winner.

for seed in range(1, 6):
    scores = {name: score(model, seed) for name, model in forests.items()}
    print(seed, {name: round(value, 3) for name, value in scores.items()})

# %%
# Many scores each
# ----------------
# ``reseed.study`` trains every model on the same random splits with the same seeds. A parameter
# ``random_state`` is set for you. Here: 10 splits × 2 seeds × 3 models, 60 trainings.

models = {
    "forest": RandomForestClassifier(20),
    "extra trees": ExtraTreesClassifier(20),
    "single tree": DecisionTreeClassifier(),
}
found = reseed.study(models, X, y, splits=10, seeds=2, metric="accuracy", progress=False)
print(found)

# %%
# How to read it
# --------------
# One row is one model, the best mean first. It has
#
# - the **verdict** against the leader: *better*, *worse*, *undecided*, or *equal* within a width that
#   you state. *Undecided* does not mean *equal*;
# - the **difference** to the leader with its interval, in points (100 points are a share of 1). It
#   excludes 0 exactly where the verdict is *better* or *worse*;
# - **p** of that pair, times the number of pairs. The test allows for splits that share training rows.

found.plot()

# %%
# The verdicts are also a DataFrame, one row a pair.

found.verdicts[["model_a", "model_b", "difference", "low", "high", "p_adjusted", "outcome"]]

# %%
# Are the two equally good?
# -------------------------
# Reseed calls two models *equal* only if you say which difference does not matter. Here 3 points
# of accuracy (``rope=0.03``). It is your decision, and you take it before you see the scores.

small = {name: models[name] for name in ("forest", "extra trees")}
print(reseed.study(small, X, y, splits=10, seeds=2, metric="accuracy", rope=0.03, progress=False))

# %%
# How many runs would settle it?
# ------------------------------
# The runs are read as a pilot: so many runs would show the difference at hand in 80 % of cases. Where
# the number is missing, splits of these rows cannot show it, however many.

needed = found.statistics("seeds_needed").drop_duplicates(["model_a", "model_b"])
needed[["model_a", "model_b", "target_difference", "runs_for_power"]]

# %%
# What to keep
# ------------
# ``found.to_html("report.html")`` writes a page with all tables and figures, ``found.to_latex()`` a
# table for your paper. The next tutorial starts from scores that you already have.

print(found.to_markdown())
