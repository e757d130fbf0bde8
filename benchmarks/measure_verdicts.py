"""Error rates of whole verdicts among several equal models, for docs/methods."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pandas as pd
from measure_coverage import Row, Tables, main
from reseed.comparison.means import compare_means
from reseed.stats import planning
from reseed.stats.comparison import holm, nadeau_bengio
from reseed.stats.item_model import Factor, item_difference
from reseed.stats.simultaneous import holm_in_both_directions
from reseed.stats.skewness import skewed_p, skewness_of_difference, skewness_of_mean
from reseed.stats.unpaired import (
    compare_unpaired,
    compare_with_baseline,
    equal_spread_p,
    welch_of_means,
)

Rng = np.random.Generator


def test_sets(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Claims among equal models on one test set: over the seeds alone, and with the items.

    Each model has its own hard items, so on a finite test set equal models differ.
    """
    for models, seeds, items, sd in ((3, 10, 300, 0.0), (3, 10, 300, 0.1), (3, 10, 300, 0.3),
                                     (6, 5, 1000, 0.1), (2, 10, 300, 0.1)):  # fmt: skip
        alone, joint = [], []
        for _ in range(n_sim):
            hard = rng.normal(1, 1.5, items) + rng.normal(0, 0.5, (models, 1, items))
            level = hard + rng.normal(0, sd, (models, seeds, 1))
            right = (level + rng.normal(size=(models, seeds, items)) > 0).astype(float)
            pairs = list(combinations(right, 2))
            means = np.stack([(a - b).mean(axis=1) for a, b in pairs])
            alone.append((holm(nadeau_bengio(means, 0).p_value) <= 0.05).any())
            p = [item_difference(a, b, [Factor("seed", True)]).p_value for a, b in pairs]
            joint.append((holm(p) <= 0.05).any())
        where = f"{models} models, {seeds} seeds × {items} items, SD of seed {sd}"
        yield f"any false claim, seeds alone, {where}", alone
        yield f"any false claim, seeds and items, {where}", joint


def plans(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Power of a verdict whose runs were planned for 0.8, without and with Holm's adjustment."""
    for models in (2, 4, 6, 10):
        i, j = np.triu_indices(models, 1)
        for step, name in ((1, "one pair alone"), (i.size, "Holm's strictest step")):
            n = planning.seeds_for_difference(1.0, np.sqrt(2), 0.8, 0.05 / step)
            x = rng.normal(size=(n_sim, models, n))
            x[:, 0] += 1.0
            raw = nadeau_bengio(x[:, i] - x[:, j], 0).p_value
            p = np.apply_along_axis(holm_in_both_directions, -1, raw)
            where = f"{i.size} pairs, {n} runs"
            yield f"power, planned for {name}, {where}", p[:, 0] <= 0.05
    for sd_b, name in ((None, "equal SDs"), (0.1, "Welch's degrees of freedom")):
        sd = np.sqrt((1 + 0.1**2) / 2) if sd_b is None else 1.0
        n = planning.seeds_for_difference(1.5, sd, paired=False, sd_b=sd_b)
        a, b = rng.normal(1.5, 1, (n_sim, n)), rng.normal(0, 0.1, (n_sim, n))
        p = compare_unpaired(a, b).welch_p
        yield f"power, SD 1 and 0.1, planned for {name}, {n} runs", p <= 0.05


def means(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Printed tables of two equal models: false claims, and p-values above the printed bound."""
    runs = 5
    x = 90 + rng.normal(size=(n_sim, 2, runs)) * rng.choice([0.3, 3.0], (n_sim, 2, 1))
    mean, sd = x.mean(axis=2), x.std(axis=2, ddof=1)
    true_p = welch_of_means(*(v[:, k] for k in (0, 1) for v in (mean, sd, mean * 0 + runs))).p
    # Digits as far as the own SD has two significant ones; integers as floats; one decimal.
    own = np.maximum(0, 1 - np.floor(np.log10(sd))).astype(int)
    whole = mean.round(), sd.round()
    kinds = {
        "digits of the own SD, text": [_print_cells(*c) for c in zip(mean, sd, own, strict=True)],
        "whole numbers as floats": whole,
        "one decimal as floats": (mean.round(1), sd.round(1)),
    }
    for name, cells in kinds.items():
        found = _compare_table(cells, runs, "sd")
        above = true_p > found["p_rounded"] + 1e-9
        yield f"true p above the bound, {name}, {runs} runs", above
        yield f"false claims, {name}, {runs} runs", found["outcome"] == "difference"
    errors = [_print_cells(m, s, [2, 2]) for m, s in zip(mean, sd / runs**0.5, strict=True)]
    found = _compare_table(errors, runs, None)
    yield (
        f"false claims, ± is a standard error, not said, {runs} runs",
        (found["outcome"] == "difference"),
    )


def baselines(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Three models equal to a baseline: Dunnett's test against Welch's with Holm."""
    for name, sds in {"equal SDs": (1, 1, 1, 1), "baseline of SD 3": (3, 1, 1, 1),
                      "a model of SD 3": (1, 3, 1, 1)}.items():  # fmt: skip
        for runs in (5, 10):
            claims: dict[str, list[bool]] = {"Dunnett": [], "Welch and Holm": []}
            for _ in range(n_sim):
                baseline, *samples = rng.normal(size=(4, runs)) * np.array(sds)[:, None]
                found = compare_with_baseline(samples, baseline)
                claims["Dunnett"].append((found.p_value <= 0.05).any())
                p = compare_unpaired(np.stack(samples), np.stack([baseline] * 3)).welch_p
                claims["Welch and Holm"].append((holm(p) <= 0.05).any())
            for test, found_claims in claims.items():
                yield f"any false claim, {test}, {name}, {runs} runs", found_claims


def spreads(rng: Rng, n_sim: int) -> Iterator[Row]:
    """Brown–Forsythe test: false claims with equal SDs, and power with SDs 1 and 3."""
    draws = {"Gaussian": rng.standard_normal, "t3": lambda size: rng.standard_t(3, size),
             "exponential": rng.standard_exponential}  # fmt: skip
    for name, draw in draws.items():
        for runs in (5, 10, 20):
            a, b = draw(size=(n_sim, runs)), draw(size=(n_sim, runs))
            yield f"false claims, {name}, {runs} runs", equal_spread_p(a, b) <= 0.05
            yield f"power, SD 1 and 3, {name}, {runs} runs", equal_spread_p(a, 3 * b) <= 0.05


def skewed(rng: Rng, n_sim: int) -> Iterator[Row]:
    """False claims between models of equal means whose runs or items are skewed, and of Gaussian.

    Before: the t test. After: with the correction where skewness is seen. Seen: how often.
    """

    def gaussian(*size: int) -> np.ndarray:
        return rng.normal(size=(n_sim, *size))

    def exponential(*size: int) -> np.ndarray:
        return 1 - rng.exponential(size=(n_sim, *size))

    def collapsing(*size: int) -> np.ndarray:
        return gaussian(*size) - 17 * (rng.random((n_sim, *size)) < 0.05) + 0.85

    paired = {f"Gaussian, {n} runs": gaussian(n) for n in (5, 10, 20, 50)}
    paired |= {f"exponential differences, {n} runs": exponential(n) for n in (5, 10, 20, 50)}
    for n in (10, 20, 50):
        paired[f"5 % of the runs of one collapse, {n} runs"] = collapsing(n) - gaussian(n)
    for n in (20, 50, 200):
        losses = exponential(n) - 4 * exponential(n)
        paired[f"items, exponential losses of spread 1 and 4, {n} items"] = losses
        losses = np.exp(gaussian(n)) - 4 * np.exp(gaussian(n)) + 3 * np.exp(0.5)
        paired[f"items, lognormal losses of spread 1 and 4, {n} items"] = losses
    for name, d in paired.items():
        test, skew = nadeau_bengio(d, 0), skewness_of_mean(d)
        after = skewed_p(test.t, test.df, skew) <= 0.05
        yield from _skewed_rows(name, skew, test.p_value <= 0.05, after)
        if "collapse" in name:
            is_hidden = d.min(axis=1) > -8
            hidden = f"{name}, of samples without a collapse"
            rows = (values[is_hidden] for values in (skew, test.p_value <= 0.05, after))
            yield from _skewed_rows(hidden, *rows)
    for name, draw in (("Gaussian", gaussian), ("exponential", exponential)):
        for n_a, n_b in ((5, 30), (10, 30), (20, 20)):
            a, b = draw(n_a), draw(n_b)
            test, skew = compare_unpaired(a, b), skewness_of_difference(a, b)
            after = np.where(skew != 0, np.maximum(test.welch_p, test.mann_whitney_p), test.welch_p)
            case = f"{name}, {n_a} and {n_b} runs of their own"
            yield from _skewed_rows(case, skew, test.welch_p <= 0.05, after <= 0.05)


def _skewed_rows(name: str, skew: np.ndarray, before: np.ndarray, after: np.ndarray):
    yield f"seen, {name}", skew != 0
    yield f"before, {name}", before
    yield f"after, {name}", after


def _print_cells(mean: np.ndarray, sd: np.ndarray, digits: list[int]) -> list[str]:
    return [f"{m:.{k}f} ± {s:.{k}f}" for m, s, k in zip(mean, sd, digits, strict=True)]


def _compare_table(cells: list | tuple, runs: int, spread: str | None) -> pd.DataFrame:
    """One row a simulated pair: cells of text, or means and SDs as floats."""
    options = {"runs": runs, "min_runs": 2} | ({"spread": spread} if spread else {})
    if isinstance(cells, list):
        mean, sd = (np.array([[one.split(" ± ")[k] for one in pair] for pair in cells])
                    for k in (0, 1))  # fmt: skip
        cells = mean, sd
    mean, sd = (values.ravel() for values in cells)
    names = np.repeat(np.arange(len(mean) // 2), 2).astype(str)
    table = pd.DataFrame({"dataset": names, "model": ["a", "b"] * (len(mean) // 2)})
    if not spread:
        cells_of_text = [f"{m} ± {s}" for m, s in zip(mean, sd, strict=True)]
        return compare_means(table.assign(score=cells_of_text), **options).verdicts
    return compare_means(table.assign(mean=mean, sd=sd), **options).verdicts


TABLES: Tables = {
    "test_sets": test_sets,
    "plans": plans,
    "means": means,
    "baselines": baselines,
    "spreads": spreads,
    "skewed": skewed,
}

if __name__ == "__main__":
    main(TABLES)
