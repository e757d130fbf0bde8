"""False claims of intervals for the difference of two equal learners, by kind of learner.

`python benchmarks/measure_learners.py --store FOLDER` simulates data sets of 100 items in two
classes. Two models of one kind have Gaussian features of their own, with equal class means, so they
are exactly equally good. The methods that Schulz-Kümpel et al. (2024) found to hold are compared
with the corrected resampled t test. Each simulation is one line of a file in FOLDER; a second call
continues. Printed: share of simulations with a claim at 5 %, its Monte Carlo error, and the mean
length of the interval relative to the corrected t test of the same splits.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from reseed.stats.comparison import nadeau_bengio
from scipy import stats
from sklearn.tree import DecisionTreeRegressor

ITEMS, FEATURES, APART = 100, 5, 0.6
FOLDS, REPEATS, NESTED, HOLD_OUTS = 5, 10, 5, 20
HALVINGS, IN_HALF = 5, 10  # pairs of disjoint halves, and hold-outs in each half
Z = stats.norm.isf(0.025)
#: (items, features), signs of the classes (items,), training items (splits, items) ->
#: score of class 1 (splits, items).
Learner = Callable[[NDArray, NDArray, NDArray, np.random.Generator], NDArray]


def fit_ridge(x: NDArray, y: NDArray, train: NDArray, rng: np.random.Generator) -> NDArray:
    """Ridge regression of the sign, penalty 1."""
    z = np.c_[x, np.ones(len(x))]
    gram = np.einsum("si,ij,ik->sjk", train, z, z, optimize=True) + np.eye(z.shape[1])
    right = train @ (z * y[:, None])
    return np.linalg.solve(gram, right[..., None])[..., 0] @ z.T


def fit_nearest(x: NDArray, y: NDArray, train: NDArray, rng: np.random.Generator) -> NDArray:
    """1-nearest neighbour."""
    distance = ((x[:, None] - x) ** 2).sum(axis=-1)
    return y[np.where(train[:, None, :] > 0, distance, np.inf).argmin(axis=-1)]


def fit_tree(x: NDArray, y: NDArray, train: NDArray, rng: np.random.Generator) -> NDArray:
    """A full decision tree."""
    return np.array([_grow(x, y, weight, None, rng) for weight in train])


def fit_forest(x: NDArray, y: NDArray, train: NDArray, rng: np.random.Generator) -> NDArray:
    """Ten full trees of bootstrap samples, two features for each split."""
    out = []
    for weight in train:
        size = int(weight.sum())
        counts = rng.multinomial(size, weight / size, size=10)
        out.append(sum(_grow(x, y, count, 2, rng) for count in counts))
    return np.array(out)


def _grow(x: NDArray, y: NDArray, weight: NDArray, tried: int | None, rng: np.random.Generator):
    tree = DecisionTreeRegressor(max_features=tried, random_state=int(rng.integers(2**31)))
    rows = x.astype(np.float32)
    used = weight > 0
    tree.fit(rows[used], y[used], weight[used].astype(np.float64), check_input=False)
    return tree.predict(rows, check_input=False)


def fit_boosting(x: NDArray, y: NDArray, train: NDArray, rng: np.random.Generator) -> NDArray:
    """Gradient boosting of the squared loss: 30 stumps, learning rate 0.3."""
    order = x.argsort(axis=0).T  # (features, items)
    weight = train[:, order]  # (splits, features, items)
    below = weight.cumsum(axis=-1)
    above = below[..., -1:] - below
    score = np.zeros(train.shape)
    for _ in range(30):
        residual = (y - score)[:, order] * weight
        left = residual.cumsum(axis=-1)
        right = left[..., -1:] - left
        gain = left**2 / np.maximum(below, 1) + right**2 / np.maximum(above, 1)
        best = gain.reshape(len(train), -1).argmax(axis=1)
        feature, cut = np.divmod(best, x.shape[0])
        split = np.arange(len(train))
        threshold = x[order[feature, cut], feature]
        is_left = threshold[:, None] >= x[:, feature].T
        low = left[split, feature, cut] / np.maximum(below[split, feature, cut], 1)
        high = right[split, feature, cut] / np.maximum(above[split, feature, cut], 1)
        score += 0.3 * np.where(is_left, low[:, None], high[:, None])
    return score


def fit_network(x: NDArray, y: NDArray, train: NDArray, rng: np.random.Generator) -> NDArray:
    """Eight tanh units, logistic loss, 100 full steps of Adam at 0.05."""
    splits = len(train)
    w = [rng.normal(0, 0.5, (splits, x.shape[1] + 1, 8)), rng.normal(0, 0.3, (splits, 9, 1))]
    first, second = ([np.zeros_like(one) for one in w] for _ in "12")
    z, share = np.c_[x, np.ones(len(x))], train / train.sum(axis=1, keepdims=True)
    ones = np.ones((splits, len(x), 1))
    for step in range(1, 101):
        hidden = np.concatenate([np.tanh(z @ w[0]), ones], axis=-1)
        slope = (-y / (1 + np.exp(y * (hidden @ w[1])[..., 0])) * share)[..., None]
        back = (slope @ w[1].swapaxes(-1, -2) * (1 - hidden**2))[..., :-1]
        for k, gradient in enumerate((z.T @ back, hidden.swapaxes(-1, -2) @ slope)):
            first[k] = 0.9 * first[k] + 0.1 * gradient
            second[k] = 0.999 * second[k] + 0.001 * gradient**2
            size = np.sqrt(second[k] / (1 - 0.999**step)) + 1e-8
            w[k] -= 0.05 * first[k] / (1 - 0.9**step) / size
    return (np.concatenate([np.tanh(z @ w[0]), ones], axis=-1) @ w[1])[..., 0]


LEARNERS: dict[str, Learner] = {
    "ridge": fit_ridge,
    "network": fit_network,
    "boosting": fit_boosting,
    "tree": fit_tree,
    "forest": fit_forest,
    "1-nearest neighbour": fit_nearest,
}


def draw_splits(rng: np.random.Generator) -> tuple[NDArray, NDArray, dict[str, NDArray]]:
    """Training and test items of every split (splits, items), and the splits of each scheme."""
    train: list[NDArray] = []
    test: list[NDArray] = []
    schemes: dict[str, list[int]] = {"hold_outs": [], "folds": [], "inner": [], "halves": []}

    def add(scheme: str, tested: NDArray, left_out: NDArray) -> None:
        schemes[scheme].append(len(train))
        train.append(~(tested | left_out))
        test.append(tested)

    none, rank = np.zeros(ITEMS, dtype=bool), np.arange(ITEMS)
    for _ in range(HOLD_OUTS):
        add("hold_outs", rng.permutation(ITEMS) < ITEMS // FOLDS, none)
    for repeat in range(REPEATS):
        fold = rng.permutation(rank % FOLDS)
        for k in range(FOLDS):
            add("folds", fold == k, none)
        for i, j in combinations(range(FOLDS), 2) if repeat < NESTED else ():
            add("inner", (fold == i) | (fold == j), none)  # each fold is tested alone later
    for _ in range(HALVINGS):
        first = rng.permutation(ITEMS) < ITEMS // 2
        for half in (first, ~first):
            for _ in range(IN_HALF):
                tested = np.zeros(ITEMS, dtype=bool)
                # As many test items as in the whole sample: only training items are fewer.
                tested[rng.permutation(np.flatnonzero(half))[: ITEMS // FOLDS]] = True
                add("halves", tested, ~half)
    return np.array(train), np.array(test), {name: np.array(one) for name, one in schemes.items()}


def nested_interval(d: NDArray, test: NDArray, schemes: dict[str, NDArray]) -> tuple[float, float]:
    """Mean and half-length of nested cross-validation (Bates, Hastie and Tibshirani 2024).

    d: (splits, items) difference of the losses; entries of training items are not used.
    """
    outer = schemes["folds"][: NESTED * FOLDS].reshape(NESTED, FOLDS)
    inner = schemes["inner"].reshape(NESTED, -1)
    pairs = list(combinations(range(FOLDS), 2))
    a, b, means = [], [], []
    for r in range(NESTED):
        for k in range(FOLDS):
            # Inner loop without fold k: fold m is tested by the fit without folds k and m.
            values = [
                d[inner[r, pairs.index((min(k, m), max(k, m)))]][test[outer[r, m]]]
                for m in range(FOLDS) if m != k
            ]  # fmt: skip
            out = d[outer[r, k]][test[outer[r, k]]]
            means.append(np.concatenate(values).mean())
            a.append((means[-1] - out.mean()) ** 2)
            b.append(out.var(ddof=1) / out.size)
    raw = np.concatenate([d[s][test[s]] for s in outer.ravel()])
    naive = raw.std(ddof=1) / np.sqrt(ITEMS)
    size = np.sqrt(max(np.mean(a) - np.mean(b), 0) * (FOLDS - 1) / FOLDS)
    return float(np.mean(means)), Z * float(np.clip(size, naive, naive * np.sqrt(FOLDS)))


def intervals(
    d: NDArray, test: NDArray, schemes: dict[str, NDArray]
) -> dict[str, tuple[float, float]]:
    """Mean difference and half-length of its interval, by method."""
    mean = (d * test).sum(axis=1) / test.sum(axis=1)
    found = {}
    for scheme in ("hold_outs", "folds"):
        for factor in (1, 1.5, 2, 3):
            result = nadeau_bengio(mean[schemes[scheme]], factor / (FOLDS - 1))
            half = float(result.high - result.low) / 2
            centre = float(mean[schemes[scheme]].mean())
            found[f"corrected t, {scheme}, ratio × {factor}"] = centre, half
    found["nested cross-validation, folds"] = nested_interval(d, test, schemes)
    halves = mean[schemes["halves"]].reshape(HALVINGS, 2, IN_HALF).mean(axis=-1)
    spread = np.sqrt(np.mean((halves[:, 0] - halves[:, 1]) ** 2) / 2)
    centre = float(mean[schemes["hold_outs"]].mean())
    found["conservative z, hold_outs"] = centre, Z * float(spread)
    folds = schemes["folds"]
    by_item = (d[folds] * test[folds]).sum(axis=0) / REPEATS
    t = stats.t.isf(0.025, ITEMS - 1)
    half = t * float(by_item.std(ddof=1)) / np.sqrt(ITEMS)
    found["t over items, folds"] = float(by_item.mean()), half
    return found


def simulate(learner: str, number: int) -> dict[str, tuple[float, float]]:
    """Intervals of one simulated data set."""
    rng = np.random.default_rng([number, *learner.encode()])
    y = np.repeat([-1.0, 1.0], ITEMS // 2)
    train, test, schemes = draw_splits(rng)
    right = []
    for _ in range(2):
        x = rng.normal(size=(ITEMS, FEATURES)) + APART * (y > 0)[:, None]
        score = LEARNERS[learner](x, y, train.astype(np.float64), rng)
        right.append((score > 0) == (y > 0))
    return intervals(right[0].astype(float) - right[1], test, schemes)


def main() -> None:
    """Simulate what is missing, then print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulations", type=int, default=400)
    parser.add_argument("--learners", nargs="+", choices=[*LEARNERS], default=[*LEARNERS])
    parser.add_argument("--store", type=Path, required=True, help="folder of finished simulations")
    options = parser.parse_args()
    options.store.mkdir(parents=True, exist_ok=True)
    for learner in options.learners:
        path = options.store / f"{learner}.jsonl"
        lines = path.read_text("utf-8").splitlines() if path.exists() else []
        with path.open("a", encoding="utf-8") as file:
            for number in range(len(lines), options.simulations):
                lines.append(json.dumps(simulate(learner, number)))
                print(lines[-1], file=file, flush=True)
        results = [json.loads(line) for line in lines]
        for method in results[0]:
            mean, half = np.array([one[method] for one in results]).T
            claimed = np.abs(mean) > half
            scheme = method.split(", ")[1]
            plain = np.array([one[f"corrected t, {scheme}, ratio × 1"][1] for one in results])
            error = claimed.std() / np.sqrt(claimed.size)
            length = half.mean() / plain.mean()
            print(f"{learner}: {method}: {claimed.mean():.3f} ± {error:.3f}, length {length:.2f}")


if __name__ == "__main__":
    main()
