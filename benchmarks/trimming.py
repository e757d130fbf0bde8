"""Speed of exact alpha-hat, compared with a direct implementation of the published loop.

Both receive an unsorted candidate sample of n logit gaps and a reference of 20 models. Both sort
the sample and evaluate the reference. The loop has an O(n^2) body for each of the 13 alphas of the
authors' grid. "ratio to one alpha" compares the exact value with one such body.
"""

import argparse
import time

import numpy as np
from papers.banerjee.alpha_hat import AUTHORS_GRID, GRID_EXCEEDED, alpha_hat, alpha_hat_grid
from papers.banerjee.ks import ReferenceFunction, algorithm_threshold, reference_function


def loop_distance(sample, reference: ReferenceFunction, alpha: float) -> float:
    """Trimmed KS distance as the published code computes it: slices in Python loops, O(n^2)."""
    x = np.sort(sample)
    n = len(x)
    f0 = np.array([float(reference(v)) for v in x])
    fn = np.searchsorted(x, x, side="right") / n
    before = np.concatenate([[0.0], fn[:-1]])
    x_u = np.array([f0[i] - before[i] / (1 - alpha) for i in range(n)])
    x_l = np.array([f0[i] - fn[i] / (1 - alpha) for i in range(n)])
    h_up = [max(x_u[i:n]) for i in range(n)] + [-alpha / (1 - alpha)]
    h_lo = [0.0] + [min(x_l[0 : i + 1]) for i in range(n)]
    h = [max(min((h_up[i] + h_lo[i]) / 2, 0), -alpha / (1 - alpha)) for i in range(n + 1)]
    return max(max(x_u - np.array(h[:n])), max(np.array(h[1:]) - x_l))


def loop_alpha_hat(sample, reference: ReferenceFunction, delta: float) -> float:
    """Alpha-hat as published: the smallest accepted alpha of the grid."""
    accepted = [a for a in AUTHORS_GRID if loop_distance(sample, reference, a) <= delta]
    return min(accepted, default=GRID_EXCEEDED)


def measure_time(function, *arguments, repeats: int):
    """Median wall time in seconds of `function(*arguments)`, and its value."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        value = function(*arguments)
        times.append(time.perf_counter() - start)
    return float(np.median(times)), value


def main() -> None:
    """Print one row per sample size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("n", nargs="*", type=int, default=[2000, 4000, 8000], help="sample sizes")
    sizes = parser.parse_args().n
    rng = np.random.default_rng(0)
    print(f"{'n':>6} {'exact ms':>9} {'loop s':>8} {'ratio':>8} {'ratio to one alpha':>19}"
          f"   alpha-hat exact, grid, loop")  # fmt: skip
    for n in sizes:
        reference = reference_function(rng.normal(size=(20, n)))
        sample = rng.normal(0.3, 1.2, size=n)
        delta = algorithm_threshold(n)
        fast, exact = measure_time(alpha_hat, sample, reference, delta, repeats=101)
        slow, looped = measure_time(loop_alpha_hat, sample, reference, delta, repeats=1)
        on_grid = alpha_hat_grid(sample, reference, delta)
        one = slow / len(AUTHORS_GRID)
        print(f"{n:>6} {fast * 1e3:>9.3f} {slow:>8.2f} {slow / fast:>8,.0f} {one / fast:>19,.0f}"
              f"   {exact:.4f}, {on_grid}, {looped}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
