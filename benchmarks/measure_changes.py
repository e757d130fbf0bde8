"""Methods of earlier versions against those of now on the same simulations, for docs/methods.

`python benchmarks/measure_changes.py --output docs/methods/simulations/changes.csv` measures both
sides of each change, each with its Monte Carlo error.
"""

import argparse
import csv
from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path

import measure_items
import measure_verdicts
import numpy as np
from measure_coverage import Row as Measured
from measure_coverage import folds, hold_outs
from measure_designs import draw_datasets, draw_models, flips_of_models
from measure_items import Design
from numpy.typing import ArrayLike
from reseed.report.analyses.shared.pairing import pair_runs
from reseed.stats import clusters as cluster_variance
from reseed.stats import hierarchical, item_model
from reseed.stats.comparison import nadeau_bengio, pair_differences
from reseed.stats.error_rates import simulate_cv
from reseed.stats.item_model import Factor
from reseed.stats.item_variance import item_components
from reseed.stats.many_datasets import compare_over_datasets
from reseed.stats.sign_flips import flip_signs
from reseed.stats.signed_rank import wilcoxon_p
from reseed.stats.simultaneous import holm_in_both_directions
from reseed.stats.spread import variance_limits
from reseed.stats.unpaired import compare_unpaired, welch_of_means
from scipy import stats

Rng = np.random.Generator
#: What is measured, the case, and one value of each method for each simulation.
Change = tuple[str, str, ArrayLike, ArrayLike]


def _in_pairs(rows: Iterable[Measured], what: str, *parts: str) -> Iterator[Change]:
    """Consecutive rows of another benchmark, the earlier method first, named without `parts`."""
    for (name, before), (_, after) in zip(*[iter(rows)] * 2, strict=True):
        for part in parts:
            name = name.replace(part, "")
        yield what, name, before, after


def test_sets(rng: Rng, n_sim: int) -> Iterator[Change]:
    """One test set: the test over the seeds alone; the test over seeds and items."""
    rows = measure_verdicts.test_sets(rng, n_sim)
    yield from _in_pairs(rows, "any false claim", "any false claim, seeds alone, ")


def plans(rng: Rng, n_sim: int) -> Iterator[Change]:
    """Runs planned for one pair, with equal spreads; for Holm's first step, with Welch's df."""
    for what, name, before, after in _in_pairs(measure_verdicts.plans(rng, n_sim), "power"):
        case = name.replace("power, ", "").replace("planned for one pair alone, ", "")
        yield what, case.split(", planned")[0].rsplit(", ", 1)[0], before, after


def learners(rng: Rng, n_sim: int) -> Iterator[Change]:
    """Splits: the corrected t test; the same with 1.5 times n_test/n_train."""
    for rows in (hold_outs(rng, n_sim), folds(rng, n_sim)):
        claims = (row for row in rows if row[0].startswith("false claims"))
        yield from _in_pairs(claims, "any false claim", "false claims (Holm), ")


def families(rng: Rng, n_sim: int) -> Iterator[Change]:
    """Two equal models on many datasets: a claim on any of them; the claim over datasets."""
    for n in (10, 20):
        d = rng.normal(size=(n_sim, n, 10))
        anywhere = (nadeau_bengio(d, 0).p_value <= 0.05).any(axis=-1)
        over = [flip_signs([x], rng=rng).p_value[0] <= 0.05 for x in d.mean(axis=-1)]
        yield "any false claim", f"{n} datasets, 10 runs", anywhere, over


def datasets(rng: Rng, n_sim: int) -> Iterator[Change]:
    """Two models and an effect of dataset by model: t test over all runs; sign-flip test."""
    for n in (10, 20):
        for sd in (0.5, 1.0):
            d = rng.normal(size=(n_sim, n, 10)) + rng.normal(0, sd, (n_sim, n, 1))
            pooled = nadeau_bengio(d.reshape(n_sim, -1), 0).p_value <= 0.05
            over = [flip_signs([x], rng=rng).p_value[0] <= 0.05 for x in d.mean(axis=-1)]
            where = f"{n} datasets, 10 runs, SD of dataset by model {sd:g}"
            yield "false claims over datasets", where, pooled, over


def spread(rng: Rng, n_sim: int) -> Iterator[Change]:
    """Interval of the SD: χ² with n − 1 degrees of freedom; with fewer for heavy tails."""
    cases = {"Gaussian": stats.norm(), "t₃": stats.t(3), "exponential": stats.expon()}
    for name, distribution in cases.items():
        for n in (5, 10, 20, 50):
            x = distribution.rvs((n_sim, n), random_state=rng)
            truth, square = distribution.var(), x.var(axis=1, ddof=1) * (n - 1)
            low, high = (square / stats.chi2.isf(tail, n - 1) for tail in (0.025, 0.975))
            ends = np.array([variance_limits(one) for one in x])
            after = (ends[:, 0] <= truth) & (truth <= ends[:, 1])
            yield "coverage", f"SD, {n} {name} seeds", (low <= truth) & (truth <= high), after


def item_shares(rng: Rng, n_sim: int) -> Iterator[Change]:
    """Share of the first seed by item: jackknife with Gaussian quantiles; with t quantiles."""
    truth, variances = 1 / 3, (1.0, 0.5, 1.5)
    for own in (False, True):
        for m in (5, 8, 14):
            before, after = [], []
            for _ in range(n_sim):
                y = np.zeros((m, m, 30))
                shapes = (m, 1, 1), (1, m, 1), (m, m, 30 if own else 1)
                for variance, shape in zip(variances, shapes, strict=True):
                    load = rng.normal(size=30)
                    load /= np.sqrt(np.mean(load**2))
                    y += np.sqrt(variance) * rng.normal(size=shape) * load
                found = item_components(y)
                after.append(found.low[0] <= truth <= found.high[0])
                # Ends cut at 0 or 1 cannot be rescaled: the uncut end has the margin.
                margin = max(found.shares[0] - found.low[0], found.high[0] - found.shares[0])
                margin *= stats.norm.isf(0.025) / stats.t.isf(0.025, m - 1)
                before.append(abs(found.shares[0] - truth) <= margin)
            residual = "by item" if own else "with one load for each item"
            yield "coverage", f"share by item, {m}×{m}, residual {residual}", before, after


def shared_rows(rng: Rng, n_sim: int) -> Iterator[Change]:
    """Few shared seeds: t test of the pairs that share one; Welch's test of all runs."""
    a = np.concatenate([np.zeros(20), np.full(2, np.nan)])
    b = np.concatenate([np.full(18, np.nan), np.zeros(4)])
    for effect in (0.0, 1.5):
        before, after = [], []
        for _ in range(n_sim):
            x, y = a + rng.normal(effect, 1, 22), b + rng.normal(0, 1, 22)
            (pairing,) = pair_runs(x[None], y[None], np.zeros(22, dtype=int))
            after.append(compare_unpaired(pairing.a, pairing.b).welch_p <= 0.05)
            d = x[18:20] - y[18:20]
            before.append(stats.ttest_1samp(d, 0).pvalue <= 0.05)
        what = "power" if effect else "false claims"
        yield what, f"20 and 4 runs, 2 shared seeds, difference {effect:g} SD", before, after


def effects(rng: Rng, n_sim: int) -> Iterator[Change]:
    """Posterior mass in the 95 % interval of a mean effect: a grid near 0; one up to the largest s.

    The exact posterior is a sum over 20,000 points of the SD between datasets.
    """
    now = hierarchical._tau_posterior
    for s in ([1.0, 1.0, 1.0], [0.1, 0.1, 1.0], [0.001, 0.001, 1.0]):
        masses: dict[str, list[float]] = {"before": [], "after": []}
        for _ in range(n_sim):
            d = rng.normal(0, min(s), 3)
            for name, function in (("before", _tau_near_zero), ("after", now)):
                hierarchical._tau_posterior = function
                found = hierarchical.hierarchical_effect(d, s)
                masses[name].append(_posterior_mass(d, np.array(s), found.low, found.high))
        hierarchical._tau_posterior = now
        yield "posterior mass of the 95 % interval", f"errors {s}", *masses.values()


def _tau_near_zero(d: np.ndarray, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points and weights of τ as before version 0.3.0: on the scale of the median error."""
    v = (np.arange(800) + 0.5) / 800
    u = v**3
    tau = float(np.median(s) + d.std()) * u / (1 - u)
    density = hierarchical._log_density(d, s, np.log(tau)) - np.log(tau)
    density += 2 * np.log(v) - 2 * np.log1p(-u)
    weight = np.exp(density - density.max())
    return tau, weight / weight.sum()


def _posterior_mass(d: np.ndarray, s: np.ndarray, low: float, high: float) -> float:
    log_tau = np.linspace(np.log(s.min()) - 12, np.log(s.max()) + 12, 20_000)
    variance = s**2 + np.exp(2 * log_tau[:, None])
    precision = (1 / variance).sum(axis=1)
    mean = (d / variance).sum(axis=1) / precision
    log_density = stats.norm.logpdf(d, mean[:, None], np.sqrt(variance)).sum(axis=1)
    log_density += log_tau - 0.5 * np.log(precision)
    weight = np.exp(log_density - log_density.max())
    inside = np.diff(
        stats.norm.cdf((np.array([[low], [high]]) - mean) * np.sqrt(precision)), axis=0
    )
    return float(inside[0] @ weight / weight.sum())


def means(rng: Rng, n_sim: int) -> Iterator[Change]:
    """Printed tables: finest digits of the table, 93.0 has one, ± is an SD; those of each cell."""
    x = 90 + rng.normal(size=(n_sim, 2, 5)) * rng.choice([0.3, 3.0], (n_sim, 2, 1))
    mean, sd = x.mean(axis=2), x.std(axis=2, ddof=1)
    true_p = _bound(mean, sd, 0.0)
    own = np.maximum(0, 1 - np.floor(np.log10(sd))).astype(int)
    scale = 10.0**own
    rounded = np.round(mean * scale) / scale, np.round(sd * scale) / scale
    whole = mean.round(), sd.round()
    texts = [
        measure_verdicts._print_cells(*one, list(places))
        for *one, places in zip(mean, sd, own, strict=True)
    ]
    cases = {
        "digits of the own SD, text": (texts, rounded, 0.5 / scale.max(axis=1, keepdims=True)),
        "whole numbers as floats": (whole, whole, 0.05),
    }
    for name, (cells, values, half) in cases.items():
        found = measure_verdicts._compare_table(cells, 5, "sd")
        bounds = _bound(*values, half), found["p_rounded"].to_numpy()
        yield "true p above the bound", name, *(true_p > bound + 1e-9 for bound in bounds)
        yield "false claims", name, *(bound <= 0.05 for bound in bounds)
    errors = [
        measure_verdicts._print_cells(m, s, [2, 2]) for m, s in zip(mean, sd / 5**0.5, strict=True)
    ]
    found = [measure_verdicts._compare_table(errors, 5, spread) for spread in ("sd", None)]
    claims = [one["outcome"] == "difference" for one in found]
    yield "false claims", "± is a standard error, not said", *claims


def _bound(mean: np.ndarray, sd: np.ndarray, half: ArrayLike) -> np.ndarray:
    """Largest p of pairs (pairs, 2) whose means and SDs lie within `half` of the printed ones."""
    half = np.broadcast_to(half, (len(mean), 1))[:, 0]
    distance = np.maximum(np.abs(mean[:, 0] - mean[:, 1]) - 2 * half, 0)
    wide = sd + half[:, None]
    return welch_of_means(distance, wide[:, 0], 5, 0.0, wide[:, 1], 5).p


def directions(rng: Rng, n_sim: int) -> Iterator[Change]:
    """One better model among equal ones, 10 runs: Bonferroni; Holm over both directions."""
    for models in (3, 4, 6):
        x = rng.normal(size=(n_sim, models, 10))
        x[:, 0] += 1.6
        pairs = list(combinations(range(models), 2))
        p = np.stack([nadeau_bengio(x[:, i] - x[:, j], 0).p_value for i, j in pairs], axis=-1)
        adjusted = np.apply_along_axis(holm_in_both_directions, -1, p)
        shown = [values[:, 0] <= 0.05 for values in (p * len(pairs), adjusted)]
        yield "power", f"{models} models, difference 1.6 SD, first pair", *shown


def many_datasets(rng: Rng, n_sim: int) -> Iterator[Change]:
    """Models over datasets: Friedman and Nemenyi; sign flips of scores.

    A true difference is 3 standard errors of Gaussian scores.
    """
    for kind, models, n, scores in draw_models(rng, n_sim):
        for shift in (0.0, 3 * np.sqrt(2 / n)):
            moved = scores + shift * (np.arange(models) == 0)
            found = [compare_over_datasets(one) for one in moved]
            before = [f.friedman_p <= 0.05 and _claims(f.nemenyi_p <= 0.05, shift) for f in found]
            after = [_claims(_square(flips_of_models(one, rng), models), shift) for one in moved]
            where = f"{models} models, {n} datasets, {kind}"
            yield "power, first pair" if shift else "any false claim", where, before, after


def _square(shown: np.ndarray, models: int) -> np.ndarray:
    square = np.zeros((models, models), dtype=bool)
    square[np.triu_indices(models, 1)] = shown
    return square


def _claims(shown: np.ndarray, shift: float) -> bool:
    """Whether the first pair is shown if its difference is `shift`; any pair if that is 0."""
    return bool(shown[0, 1] if shift else shown.any())


def two_models(rng: Rng, n_sim: int) -> Iterator[Change]:
    """Two models over datasets: signed-rank test; sign flips of scores.

    A true difference is 3 standard errors of the part of the datasets.
    """
    for where, d in draw_datasets(rng, n_sim, (8, 20, 50)):
        if "no part" in where:
            continue
        for shift in (0.0, 3 / np.sqrt(d.shape[1])):
            moved = d + shift
            before = wilcoxon_p(moved) <= 0.05
            after = [flip_signs([one], 1000, rng=rng).p_value[0] <= 0.05 for one in moved]
            yield "power" if shift else "false claims", where, before, after


def drawn_splits(rng: Rng, n_sim: int) -> Iterator[Change]:
    """Seeds that drew a hold-out each: t test as on one test set; corrected for overlap."""
    for runs in (5, 10, 20):
        scores = simulate_cv(n_sim, n_models=2, n_repeats=runs, test_share=0.2, rng=rng)
        d = pair_differences(scores)[:, 0]
        before, after = (nadeau_bengio(d, ratio).p_value <= 0.05 for ratio in (0, 0.25))
        yield "false claims", f"{d.shape[1]} hold-outs of a fifth of 200 items", before, after


def clusters(rng: Rng, n_sim: int) -> Iterator[Change]:
    """Items in clusters: the jackknife CR3; CR2 with the degrees of freedom of Bell and McCaffrey.

    A true difference is 3 standard errors of one over all items and clusters.
    """
    for seeds, count, is_unequal in ((1, 8, True), (1, 10, False), (1, 50, True), (5, 10, True)):
        design = Design(seeds, 1000, count, is_unequal, seed_sd=0.2 * (seeds > 1))
        drawn = [measure_items.simulate(rng, design) for _ in range(n_sim)]
        sizes = "lognormal" if is_unequal else "equal"
        where = f"{seeds} seed{'s' * (seeds > 1)} × 1000 items in {count} clusters, {sizes} sizes"
        se = np.std([a.mean() - b.mean() for a, b, _ in drawn])
        for shift in (0.0, 3 * se):
            found: list[list[bool]] = []
            for factors, df in ((_cr3_factors, _cr3_df), (CR2_FACTORS, CR2_DF)):
                cluster_variance._cr2_factors = factors
                item_model.cluster_df = df
                found.append([_differ(*one, shift) for one in drawn])
            yield "power" if shift else "false claims", where, *found


CR2_FACTORS, CR2_DF = cluster_variance._cr2_factors, cluster_variance.cluster_df


def _differ(a: np.ndarray, b: np.ndarray, index: np.ndarray, shift: float) -> bool:
    keep = tuple(axis for axis in (0, 1) if a.shape[axis] == 1)
    factors = [Factor("seed", True)] if a.shape[0] > 1 else []
    a = a.squeeze(keep) + shift
    return item_model.item_difference(a, b.squeeze(keep), factors, clusters=index).p_value <= 0.05


def _cr3_factors(sizes: np.ndarray) -> np.ndarray:
    return (sizes.size - 1) / sizes.size / (1 - sizes) ** 2


def _cr3_df(sizes: np.ndarray) -> float:
    """Satterthwaite's, if clusters have independent effects."""
    centre = np.eye(sizes.size) - sizes
    form = centre.T @ np.diag(sizes**2 * _cr3_factors(sizes)) @ centre
    return float(min(np.trace(form) ** 2 / (form**2).sum(), sizes.size - 1))


CHANGES = {
    "1": test_sets, "2": plans, "3": learners, "4": families, "4b": datasets, "5": means,
    "6": spread, "6d": item_shares, "6e": shared_rows, "6f": effects,
    "7": directions, "8": many_datasets, "8b": two_models, "9": drawn_splits,
    "10": clusters,
}  # fmt: skip


def main() -> None:
    """Print one line for each case: both means ± their Monte Carlo standard errors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--only", nargs="+", choices=[*CHANGES], default=[*CHANGES])
    parser.add_argument("--output", type=Path, help="a CSV file of the lines")
    options = parser.parse_args()
    header = ("methods", "measure", "case", "before", "se_before", "after", "se_after")
    table: list[tuple[object, ...]] = [(*header, "simulations")]
    for name in options.only:
        simulate = CHANGES[name]
        methods = str(simulate.__doc__).splitlines()[0].rstrip(".")
        for what, case, *samples in simulate(np.random.default_rng(0), options.simulations):
            values = np.array(samples, dtype=np.float64)
            measured = [
                f"{number:.4f}"
                for one in values
                for number in (one.mean(), one.std() / np.sqrt(one.size))
            ]
            print(f"{what}, {case}: {' '.join(measured)}", flush=True)
            table.append((methods, what, case, *measured, values.shape[1]))
    if options.output:
        with options.output.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(table)


if __name__ == "__main__":
    main()
