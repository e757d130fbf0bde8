"""Whether runs with equal seeds should be paired: false claims and power of three rules.

Gaussian scores of two models over shared seeds, with a correlation. `shown` pairs only where the
correlation of the runs is shown at .05 (one-sided), else uses Welch's test.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

REPEATS = 40_000
#: True difference by number of seeds, in SDs of a difference of runs / √2.
SHIFTS = {5: 1.8, 10: 1.2, 20: 0.85}
TABLE = Path("docs/methods/simulations/pairing.csv")


def measure(seeds: int, correlation: float, shift: float, rng: np.random.Generator) -> list[float]:
    """Rates of p ≤ .05 of the paired test, of Welch's test, and of the rule `shown`."""
    a, own = rng.normal(size=(2, REPEATS, seeds))
    b = correlation * a + np.sqrt(1 - correlation**2) * own
    paired = stats.ttest_rel(a + shift, b, axis=1).pvalue
    welch = stats.ttest_ind(a + shift, b, axis=1, equal_var=False).pvalue
    shown = stats.pearsonr(a, b, axis=1, alternative="greater").pvalue <= 0.05
    return [float((p <= 0.05).mean()) for p in (paired, welch, np.where(shown, paired, welch))]


def main() -> None:
    """Write the table."""
    rng, rows = np.random.default_rng(0), []
    for seeds, shift in SHIFTS.items():
        for correlation in (-0.5, 0.0, 0.3, 0.5, 0.8):
            equal = measure(seeds, correlation, 0.0, rng)
            apart = measure(seeds, correlation, shift * np.sqrt(1 - correlation), rng)
            for rule, wrong, power in zip(("paired", "Welch", "shown"), equal, apart, strict=True):
                error = np.sqrt(wrong * (1 - wrong) / REPEATS)
                rows.append([seeds, correlation, rule, wrong, error, REPEATS, power])
    columns = ["seeds", "correlation", "rule", "false_claims", "se", "simulations", "power"]
    pd.DataFrame(rows, columns=columns).round(4).to_csv(TABLE, index=False)


if __name__ == "__main__":
    main()
