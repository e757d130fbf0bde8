"""False claims among equal models by each row of the decision table, for docs/methods.

`python benchmarks/measure_designs.py --output docs/methods/simulations/designs.csv`. The functions
are those of `compare` and of the analysis `pairs`, for many pairs at once.
A case counts simulations in which anything is claimed at 5 %. `label` groups the cases that one
cell of the table states as a range. With `--only`, other methods keep their rows.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import reseed
from measure_coverage import centroid, nearest
from numpy.typing import ArrayLike
from papers.protocol.error_rates import simulate_cv
from reseed.analyses import pairs
from reseed.analyses.shared.across_datasets import AcrossDatasets
from reseed.analyses.shared.adjustment import decide_family
from reseed.analyses.shared.item_scores import (
    ItemScores,
    ModelScores,
    compare_models,
    describe_items,
)
from reseed.analyses.shared.pairing import ModelGroup, pair_runs
from reseed.comparison import means as means_tests
from reseed.core.pair_tests import MIN_DATASETS
from reseed.readers.paper_tables import read_means
from reseed.readers.seeds import find_common_seed
from reseed.stats.comparison import OVERLAP_FACTOR
from reseed.stats.many_datasets import rank_within
from reseed.stats.sign_flips import flip_signs
from reseed.verdicts import designs
from reseed.verdicts.pair import Pair

Rng = np.random.Generator
#: Label, case, and for each simulation whether anything is claimed.
Row = tuple[str, str, ArrayLike]
_ALPHA = 0.05


def _test_runs(
    scores: np.ndarray, ratio: float, seeds: str = "shared", is_loss: bool = False
) -> list[list[Pair]]:
    """The pairs of models of each simulation, before they are adjusted.

    Args:
        scores: (simulations, models, runs); NaN where a model has no such run.
        ratio: n_test / n_train, if the runs are splits; 0: they are seeds.
        seeds: `own` if equal seeds share nothing.
    """
    _, models, runs = scores.shape
    i, j = np.triu_indices(models, 1)
    a, b = (scores[:, side].reshape(-1, runs) for side in (i, j))
    split = np.arange(runs) if ratio else np.zeros(runs, dtype=int)
    batch = pair_runs(a, b, split, seeds == "own")
    names = [(f"m{i[k % i.size]}", f"m{j[k % i.size]}") for k in range(len(batch))]
    failed = {f"m{number}": 0 for number in range(models)}
    # Scores are no share, which has a largest difference.
    trials = pd.DataFrame({"score": [9.0]})
    group = ModelGroup({}, "score", not is_loss, 1.0, "", ratio, trials, failed)
    named = [(*pair, pairing) for pair, pairing in zip(names, batch, strict=True)]
    rows = pairs.compare_batch(group, named, np.nan, pairs.Options(alpha=_ALPHA))
    return [rows[start : start + i.size] for start in range(0, len(rows), i.size)]


def _claim_by_runs(scores: np.ndarray, ratio: float = 0.0, seeds: str = "shared") -> list[bool]:
    """Whether any model is called better, for each simulation; arguments of `_test_runs`."""
    return [_find_claim(family) for family in _test_runs(scores, ratio, seeds)]


def _claim_by_compare(scores: np.ndarray, **options: object) -> np.ndarray:
    """Whether `compare` calls any model better, for each simulation, read as a dataset.

    Args:
        scores: (simulations, models, folds, seeds).
        options: of `compare`.
    """
    names = ("dataset", "model", "fold", "seed")
    labels = zip(names, np.indices(scores.shape).reshape(len(names), -1), strict=True)
    table = pd.DataFrame({name: values.astype(str) for name, values in labels})
    table = table.assign(score=scores.ravel())
    verdicts = reseed.compare(table, metric="score", greater_is_better=True, **options).verdicts
    claims = verdicts["outcome"].eq("better").groupby(verdicts["dataset"]).any()
    return claims.reindex([str(number) for number in range(len(scores))]).to_numpy()


def _find_claim(family: list[Pair]) -> bool:
    """Whether any interval of a family excludes 0."""
    return _has_claim(decide_family(family))


def _has_claim(decided: list[Pair]) -> bool:
    return any(row.low > 0 or row.high < 0 for row in decided)


def _claim_over_datasets(
    scores: np.ndarray, ratio: float = 0.0, is_loss: bool = False
) -> list[bool]:
    """Whether any model is called better on all datasets together.

    Args:
        scores: (simulations, datasets, models, runs).
        ratio: n_test / n_train, if the runs are splits; 0: they are seeds.
        is_loss: less is better.
    """
    groups, by_dataset = [], []
    for number in range(scores.shape[1]):
        key = {"dataset": f"d{number}"}
        groups.append(ModelGroup(key, "score", not is_loss, 1.0, "", ratio, pd.DataFrame(), {}))
        tested = _test_runs(scores[:, number], ratio, is_loss=is_loss)
        by_dataset.append([[replace(row, **key) for row in family] for family in tested])
    across = AcrossDatasets(_ALPHA, {})
    if len(groups) < MIN_DATASETS:
        return [_has_claim(across._pool(groups, [*rows])) for rows in zip(*by_dataset, strict=True)]
    tested = (across._known_pairs(groups, [*rows]) for rows in zip(*by_dataset, strict=True))
    return [any(row.outcome == "better" for row in across._test(pairs)) for pairs in tested]


def _claim_by_items(scores: Sequence[ItemScores]) -> list[bool]:
    """Whether any model is called better, for each test set."""
    claims = []
    for one in scores:
        rows = []
        for a, b in combinations(one.models, 2):
            test, _ = compare_models(one, a, b, 1)
            rows.append(
                Pair(
                    design=designs.ITEM_MODEL.design, n=len(one.models[a].seeds), alpha=_ALPHA,
                    difference=test.difference, p=test.p_value, tested=describe_items(test),
                )
            )  # fmt: skip
        claims.append(_find_claim(rows))
    return claims


def _as_items(values: np.ndarray, own_seeds: bool = False) -> ItemScores:
    """Scores (models, seeds, items) of one test set."""
    _, seeds, items = values.shape
    models = {
        str(number): ModelScores(one[:, None].astype(float), tuple(range(seeds)))
        for number, one in enumerate(values)
    }
    return ItemScores("", range(items), ("",), None, models, has_own_seeds=own_seeds)


def splits(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Three equal models over the same splits."""
    for n, k, repeats in ((200, 5, 1), (200, 5, 2), (200, 5, 10), (1000, 5, 2)):
        scores = simulate_cv(n_sim, n_samples=n, n_folds=k, n_repeats=repeats, rng=rng)
        where = f"{n} items, {k}×{repeats} folds"
        yield "nearest centroid", where, _claim_by_runs(scores, 1 / (k - 1))
    y = np.repeat([0, 1], 100)
    for name, classify in (("nearest centroid", centroid), ("1-nearest neighbour", nearest)):
        accuracy = np.empty((n_sim, 3, 50))
        for scores in accuracy:
            x = rng.normal(size=(3, 200, 5)) + 0.6 * y[:, None]
            scores[:] = classify(x, y, np.stack([rng.permutation(200) for _ in range(50)]))
        for n in (6, 50):
            where = f"200 items, {n} hold-outs of a fifth"
            yield name, where, _claim_by_runs(accuracy[..., :n], 0.25)
        for n, seeds, sd in ((6, 5, 1), (20, 5, 1)):
            d = _add_seeds(accuracy[:, :2, :n], seeds, sd, rng)
            where = f"{name}, {n} hold-outs × {seeds} seeds, SD of a seed {sd} SDs of a split"
            yield "seeds crossed with splits", where, _claim_by_compare(d, test_train_ratio=0.25)
    for folds in (5, 10):
        scores = simulate_cv(n_sim, n_models=2, n_folds=folds, n_repeats=1, rng=rng)
        for seeds, sd in ((2, 1), (3, 1), (5, 0), (5, 0.5), (5, 1), (5, 2), (10, 2)):
            where = f"{folds} folds × {seeds} seeds, SD of a seed {sd} SDs of a split"
            claims = _claim_by_compare(_add_seeds(scores, seeds, sd, rng))
            yield "seeds crossed with splits", where, claims


def _add_seeds(scores: np.ndarray, seeds: int, sd: float, rng: Rng) -> np.ndarray:
    """Scores (simulations, models, splits, seeds) of models with effects of their own seeds."""
    sizes, unit = (*scores.shape[:2], 1, seeds), scores.std(axis=-1).mean()
    effects = sd * rng.normal(size=sizes) + 0.5 * rng.normal(size=(*scores.shape, seeds))
    return scores[..., None] + unit * effects


def seeds_and_items(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Equal models on one test set with scores of its items."""
    for where, scores in _draw_test_sets(rng, n_sim):
        for own in (False, True):
            claims = _claim_by_items([_as_items(one, own) for one in scores])
            yield "", f"{where}, {'own' if own else 'shared'} seeds", claims


def means(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Printed means and SDs of equal models; `runs` and what ± is are given unless said."""
    for models, runs in ((2, 5), (4, 5), (4, 10)):
        for name, sds in (("equal SDs", (1.0,)), ("SDs 0.3 and 3", (0.3, 3.0))):
            x = 90 + rng.normal(size=(n_sim, models, runs)) * rng.choice(sds, (n_sim, models, 1))
            case = f"{models} models, {runs} runs, {name}"
            yield "", f"{case}, exact", _claim_by_means(x, 12)
            if models == 2:
                yield "", f"{case}, one decimal", _claim_by_means(x, 1)
                yield "", f"{case}, standard errors, not said", _claim_by_means(x, 12, False)


def _claim_by_means(x: np.ndarray, decimals: int, is_said: bool = True) -> list[bool]:
    """Whether any printed mean is called better; scores (simulations, models, runs)."""
    runs = x.shape[-1]
    mean, spread = x.mean(axis=-1), x.std(axis=-1, ddof=1)
    if not is_said:
        spread = spread / runs**0.5
    dataset, model = np.indices(mean.shape).reshape(2, -1)
    cells = [
        f"{m:.{decimals}f} ± {s:.{decimals}f}"
        for m, s in zip(mean.ravel(), spread.ravel(), strict=True)
    ]
    table = pd.DataFrame(
        {"dataset": dataset.astype(str), "model": model.astype(str), "accuracy": cells}
    )
    known = read_means(table, runs, "sd" if is_said else None, None, {})
    claims = []
    for _, part in known.groupby("dataset", sort=False):
        tested = means_tests._test_pairs(means_tests._list_pairs(part, None, True), _ALPHA, 5)
        claims.append(bool(((tested["low"] > 0) | (tested["high"] < 0)).any()))
    return claims


def seeds(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Equal models over the same seeds on one test set."""
    for models, runs in ((2, 5), (3, 5), (3, 10), (6, 10)):
        x = rng.normal(size=(n_sim, models, runs)) + rng.normal(size=(n_sim, 1, runs))
        yield "new seeds", f"{models} models, {runs} runs", _claim_by_runs(x)
    for where, scores in _draw_test_sets(rng, n_sim):
        yield "new items", where, _claim_by_runs(scores.mean(axis=-1))
    for correlation in (0.3, 0.5, 0.8):
        for runs in (5, 10, 30):
            x = _draw_splits(rng, n_sim, runs, correlation)
            is_asked = [_is_asked(one) for one in x]
            case = f"2 models, {runs} runs, correlation {correlation}"
            claims = np.array(_claim_by_runs(x)) & ~np.array(is_asked)
            yield "seeds that drew the split, where nothing is asked", case, claims
    for runs in (5, 10, 20, 50):
        a = np.stack([1 - rng.exponential(size=(n_sim, runs)), np.zeros((n_sim, runs))], axis=1)
        yield "skewed differences", f"2 models, {runs} exponential", _claim_by_runs(a)
    for runs in (10, 20, 50):
        a = rng.normal(size=(n_sim, 2, runs))
        a[:, 0] += 0.85 - 17 * (rng.random((n_sim, runs)) < 0.05)
        yield "rare collapses", f"5 % of one model's {runs} runs, 17 SD", _claim_by_runs(a)


def _draw_splits(rng: Rng, n_sim: int, runs: int, correlation: float) -> np.ndarray:
    """Scores (simulations, 2, runs) of equal models on hold-outs of 80 and 20 %, drawn by the seed.

    The scores of a model on two hold-outs are correlated by 1.5 n_test/n_train of their variance.
    """
    overlap = OVERLAP_FACTOR * 0.25 / (1 + OVERLAP_FACTOR * 0.25)
    own = overlap**0.5 * rng.normal(size=(n_sim, 2, 1))
    own = own + (1 - overlap) ** 0.5 * rng.normal(size=(n_sim, 2, runs))
    shared = rng.normal(size=(n_sim, 1, runs))
    return correlation**0.5 * shared + (1 - correlation) ** 0.5 * own


def _is_asked(scores: np.ndarray) -> bool:
    """Whether what the seeds drew is asked; scores (models, runs)."""
    model, seed = np.indices(scores.shape).reshape(2, -1)
    runs = pd.DataFrame({"model": model, "seed": seed, "score": scores.ravel()})
    return find_common_seed(runs, "score") <= _ALPHA


def unpaired(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Equal models with seeds of their own on one test set."""
    for models, runs in ((2, 5), (3, 5), (3, 10), (6, 10)):
        for name, sd in (("equal SDs", 1.0), ("one SD three times the others", 3.0)):
            x = rng.normal(size=(n_sim, models, runs))
            x[:, 0] *= sd
            case = f"{models} models, {runs} runs, {name}"
            yield "new seeds", case, _claim_by_runs(x, seeds="own")
    for where, scores in _draw_test_sets(rng, n_sim):
        yield "new items", where, _claim_by_runs(scores.mean(axis=-1), seeds="own")
    for n_a, n_b in ((5, 30), (10, 30), (20, 20)):
        x = rng.exponential(size=(n_sim, 2, 30))
        x[:, 0, n_a:], x[:, 1, n_b:] = np.nan, np.nan
        case = f"2 models, {n_a} and {n_b} exponential"
        yield "skewed runs", case, _claim_by_runs(x, seeds="own")


def item_counts(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Equal models, one run each, that are right or wrong on each item."""
    for models, items, level in ((2, 20, 0.5), (2, 100, 0.5), (2, 500, 0.5), (2, 2000, 0.5),
                                 (2, 100, 3.0), (2, 500, 3.0), (3, 100, 0.5), (3, 500, 3.0),
                                 (10, 100, 0.5), (10, 500, 0.5)):  # fmt: skip
        scores = []
        for _ in range(n_sim):
            z = level + rng.normal(0, 2**0.5, items) + rng.normal(0, 0.5, (models, 1, items))
            scores.append(_as_items(z + rng.normal(size=z.shape) > 0))
        share = np.mean([one.models["0"].values.mean() for one in scores])
        case = f"{models} models, {items} items, {share:.0%} right"
        yield "", case, _claim_by_items(scores)


def item_model(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Two equal models, one run each: skewed losses of unequal spread, and a judge that errs."""
    draws = {
        "exponential": lambda n: 1 - rng.exponential(size=(2, n)),
        "lognormal": lambda n: np.exp(0.5) - np.exp(rng.normal(size=(2, n))),
    }
    for name, draw in draws.items():
        for items in (20, 50, 200):
            scores = [_as_items((draw(items) * [[1], [4]])[:, None]) for _ in range(n_sim)]
            case = f"{items} {name} losses, spreads 1 and 4"
            yield "skewed losses", case, _claim_by_items(scores)
    for items, labels, right in ((500, 30, 0.85), (500, 100, 0.85), (2000, 50, 0.95)):
        claims = [_claim_by_judge(items, labels, right, rng) for _ in range(n_sim)]
        case = f"{labels} of {items} items scored by people, a judge {right:.0%} right"
        yield "a judge that prefers a model", case, claims


def _claim_by_judge(items: int, labels: int, right: float, rng: Rng) -> bool:
    """Whether `compare` calls one of two equal models better, by a judge that prefers the first."""
    hard = rng.normal(0.6, 1, items)
    people = (hard + rng.normal(size=(2, items)) > 0).astype(float)
    judge = np.where(rng.random((2, items)) < right, people, 1 - people)
    judge[0] = np.where(rng.random(items) < 0.15, 1, judge[0])
    people[:, rng.permutation(items)[labels:]] = np.nan
    model, item = np.indices(people.shape).reshape(2, -1)
    table = pd.DataFrame({"model": model, "item": item, "score": judge.ravel()})
    found = reseed.compare(table.assign(human=people.ravel()), metric="accuracy")
    return bool(found.verdicts["outcome"].eq("better").any())


def _draw_test_sets(rng: Rng, n_sim: int) -> Iterator[tuple[str, np.ndarray]]:
    """Scores (experiments, models, seeds, items) of equal models with hard items of their own.

    On a finite test set equal models therefore differ. Each model draws seeds of its own.
    """
    for models, runs, items, sd in ((2, 10, 300, 0.1), (3, 10, 300, 0.0), (3, 10, 300, 0.1),
                                    (3, 10, 300, 0.3), (6, 5, 1000, 0.1)):  # fmt: skip
        scores = np.empty((n_sim, models, runs, items), dtype=bool)
        for one in scores:
            hard = rng.normal(1, 1.5, items) + rng.normal(0, 0.5, (models, 1, items))
            level = hard + rng.normal(0, sd, (models, runs, 1))
            one[:] = level + rng.normal(size=one.shape) > 0
        yield f"{models} models, {runs} × {items}, SD of seeds {sd}", scores


def pooled(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Models that are equal on average over few datasets, each of its own spread."""
    for models, datasets, runs in ((2, 2, 5), (4, 2, 5), (3, 3, 10), (3, 5, 5)):
        for name, sd in (("equal SDs", 1.0), ("SDs 0.2 to 5", 5.0)):
            x = rng.normal(size=(n_sim, datasets, models, runs))
            x *= np.geomspace(1 / sd, sd, datasets)[:, None, None]
            x[:, 0, 0] += 2
            x[:, 1, 0] -= 2  # better on one, worse on another
            case = f"{models} models, {datasets} datasets, {runs}"
            yield "seeds", f"{case} seeds, {name}", _claim_over_datasets(x)
    for datasets in (2, 5):
        scores = simulate_cv(n_sim * datasets, n_samples=200, n_folds=5, n_repeats=2, rng=rng)
        x = scores.reshape(n_sim, datasets, *scores.shape[1:])
        case = f"3 models, {datasets} datasets, 5×2 folds"
        yield "splits", case, _claim_over_datasets(x, 0.25)


def draw_datasets(
    rng: Rng, n_sim: int, sizes: tuple[int, ...] = (5, 10, 20)
) -> Iterator[tuple[str, np.ndarray]]:
    """Mean differences (experiments, datasets) of two models that are equal over datasets.

    On each dataset the difference has a part of the dataset and a part of its ten runs.
    """
    draws = {"Gaussian": rng.standard_normal, "t₃": lambda size: rng.standard_t(3, size),
             "skewed": lambda size: rng.standard_exponential(size) - 1}  # fmt: skip
    for n in sizes:
        runs = rng.normal(size=(4, n_sim, n, 10)).mean(axis=-1)
        yield f"{n} datasets, no part of the dataset", runs[3]
        for name, draw, own in zip(draws, draws.values(), runs, strict=False):
            yield f"{n} datasets, {name} parts", draw((n_sim, n)) + own


def sign_flips(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Two equal models over datasets of one share; several whose scores are skewed or not."""
    for where, d in draw_datasets(rng, n_sim):
        label = "skewed" if "skewed" in where else "symmetric"
        claims = [flip_signs([one], 1000, rng=rng).p_value[0] <= _ALPHA for one in d]
        yield f"{label} differences", f"2 models, {where}", claims
    for kind, models, n, scores in draw_models(rng, n_sim):
        claims = [flips_of_models(one, rng).any() for one in scores]
        label = "skewed" if "unequal" in kind and "skewed" in kind else "symmetric"
        yield f"{label} differences", f"{models} models, {n} datasets, {kind}", claims


def rank_flips(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Several equal models over datasets of unlike scales."""
    for kind, models, n, scores in draw_models(rng, n_sim):
        claims = [flips_of_models(rank_within(one), rng).any() for one in scores]
        label = "skewed scores" if "skewed, unequal" in kind else ""
        yield label, f"{models} models, {n} datasets, {kind}", claims


def flips_of_models(scores: np.ndarray, rng: Rng) -> np.ndarray:
    """Which pairs of models are claimed; (datasets, models) scores."""
    i, j = np.triu_indices(scores.shape[1], 1)
    d = (scores[:, i] - scores[:, j]).T
    return flip_signs(d, 1000, rng=rng).p_adjusted <= _ALPHA


def draw_models(rng: Rng, n_sim: int) -> Iterator[tuple[str, int, int, np.ndarray]]:
    """Scores (experiments, datasets, models) of models that are equal over datasets."""
    for models, n in ((3, 6), (3, 10), (5, 10), (5, 20), (10, 20)):
        for kind in ("Gaussian", "skewed", "skewed, unequal SDs"):
            size = (n_sim, n, models)
            x = rng.normal(size=size) if kind == "Gaussian" else rng.exponential(size=size) - 1
            spread = np.geomspace(0.5, 2, models) if "unequal" in kind else 1.0
            yield kind, models, n, x * spread


def log_flips(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Two models whose losses on datasets of unlike scales are equal in the mean of logs."""
    draws = {
        "symmetric": rng.standard_normal,
        "symmetric, t₃": lambda size: rng.standard_t(3, size),
        "skewed": lambda size: (rng.standard_exponential(size) - 1) * [[1], [4]],
    }
    for n in (6, 8, 10, 20):
        for kind, draw in draws.items():
            scale = np.exp(rng.normal(0, 2, (n_sim, n, 1, 1)))
            own, runs = draw((n_sim, n, 2, 1)), 0.05 * rng.normal(size=(n_sim, n, 2, 10))
            losses = scale * np.exp(0.1 * own + runs)
            label = f"{kind.partition(',')[0]} differences"
            yield label, f"{n} datasets, {kind} logs", _claim_over_datasets(losses, is_loss=True)


def sign(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Two models over datasets of different metrics: each is better on half of them."""
    for n in (5, 10, 20):
        d = np.sign(rng.standard_t(3, (n_sim, n)))
        yield "", f"{n} datasets", [flip_signs([x], rng=rng).p_value[0] <= _ALPHA for x in d]


METHODS = {
    designs.SPLITS: splits,
    designs.SEEDS_AND_ITEMS: seeds_and_items,
    designs.MEANS: means,
    designs.SEEDS: seeds,
    designs.UNPAIRED: unpaired,
    designs.ITEM_COUNTS: item_counts,
    designs.ITEM_MODEL: item_model,
    designs.POOLED: pooled,
    designs.SIGN_FLIPS: sign_flips,
    designs.RANK_FLIPS: rank_flips,
    designs.LOG_FLIPS: log_flips,
    designs.SIGN: sign,
}


def main() -> None:
    """Print one line for each case: share ± Monte Carlo standard error."""
    names = [method.name for method in METHODS]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--only", nargs="+", choices=names, default=names)
    parser.add_argument("--output", type=Path, help="a CSV file of the lines")
    options = parser.parse_args()
    known = []
    if options.output and options.output.exists():
        known = pd.read_csv(options.output, dtype=str, keep_default_na=False).to_dict("records")
    table = []
    for method, simulate in METHODS.items():
        if method.name not in options.only:
            table += [row for row in known if row["method"] == method.name]
            continue
        for label, case, sample in simulate(np.random.default_rng(0), options.simulations):
            values = np.asarray(sample, dtype=np.float64)
            share = round(float(values.mean()), 3)
            error = (share * (1 - share) / values.size) ** 0.5
            print(f"{method.name}, {label}, {case}: {share:.3f} ± {error:.3f}", flush=True)
            row = {"method": method.name, "label": label, "case": case}
            numbers = {"false_claims": f"{share:.3f}", "se": f"{error:.4f}"}
            table.append(row | numbers | {"simulations": values.size})
    if options.output:
        pd.DataFrame(table).to_csv(options.output, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
