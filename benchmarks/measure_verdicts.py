"""Bonferroni against Holm, and the power of planned runs, for docs/methods."""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from reseed.stats import planning
from reseed.stats.comparison import holm, nadeau_bengio

#: True means in standard errors of a difference of two models, by name of the case.
_TRUTHS = {
    "equal": lambda models: np.zeros(models),
    "one better by 4 SE": lambda models: 4.0 * (np.arange(models) == 0),
    "each 2 SE better than the next": lambda models: -2.0 * np.arange(models),
}


def draw_p(rng: np.random.Generator, mean: np.ndarray, runs: int, n_sim: int) -> np.ndarray:
    """P-values (simulations, pairs) of the paired t test of Gaussian runs of SD 1."""
    i, j = np.triu_indices(mean.size, 1)
    x = rng.normal(size=(n_sim, mean.size, runs)) + mean[:, None]
    return nadeau_bengio(x[:, i] - x[:, j], 0).p_value


def families(rng: np.random.Generator, n_sim: int) -> pd.DataFrame:
    """Claims about all pairs: whether any is false, and the share of true ones."""
    rows = []
    for models in (3, 4, 8, 10):
        i, j = np.triu_indices(models, 1)
        for runs in (5, 10, 20):
            for truth, place in _TRUTHS.items():
                mean = place(models) * np.sqrt(2 / runs)
                p, differs = draw_p(rng, mean, runs, n_sim), mean[i] != mean[j]
                for rule, adjusted in (("Bonferroni", p * i.size), ("Holm", holm(p))):
                    shown = adjusted <= 0.05
                    wrong = round(float(shown[:, ~differs].any(axis=1).mean()), 4)
                    power = shown[:, differs].mean() if differs.any() else np.nan
                    error = np.sqrt(wrong * (1 - wrong) / n_sim)
                    rows.append((models, runs, truth, rule, wrong, error, n_sim, power))
    columns = ["models", "runs", "truth", "rule", "false_claims", "se", "simulations", "power"]
    return pd.DataFrame(rows, columns=columns)


def plans(rng: np.random.Generator, n_sim: int) -> pd.DataFrame:
    """Power of a verdict whose runs were planned for 0.8: for its own test, and for one pair."""
    rows = []
    for models in (2, 4, 6, 10):
        count = models * (models - 1) // 2
        for divided, name in ((1, "one pair alone"), (count, "all pairs")):
            runs = planning.seeds_for_difference(1.0, np.sqrt(2), 0.8, 0.05 / divided)
            p = draw_p(rng, 1.0 * (np.arange(models) == 0), runs, n_sim)
            power = float((p[:, 0] * count <= 0.05).mean())
            error = np.sqrt(power * (1 - power) / n_sim)
            case = f"power, planned for {name}, {count} pairs, {runs} runs"
            rows.append((case, power, error, n_sim))
    return pd.DataFrame(rows, columns=["case", "measured", "se", "simulations"])


TABLES = {"families": families, "plans": plans}


def main() -> None:
    """Print a table, and write it as CSV."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=[*TABLES])
    parser.add_argument("--simulations", type=int, default=4000)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    table = TABLES[options.what](np.random.default_rng(0), options.simulations).round(4)
    print(table.to_string(index=False))
    if options.output:
        table.to_csv(options.output, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
