"""Time of comparing every pair of models, compared with pandas and SciPy pair by pair."""

import argparse
import resource
import time
from itertools import combinations

import numpy as np
import pandas as pd
from reseed.pipeline.runner import limit_threads
from scipy import stats


def make_trials(models: int, datasets: int, seeds: int, failing: float) -> pd.DataFrame:
    """A table of trials on shared splits; a share `failing` of them failed."""
    rng = np.random.default_rng(0)
    shape = datasets, models, seeds
    score = 0.8 + rng.normal(0, 0.02, (datasets, 1, seeds)) + rng.normal(0, 0.01, shape)
    score[rng.random(shape) < failing] = np.nan
    d, m, s = np.indices(shape).reshape(3, -1)
    fixed = {"experiment": "e", "varied": "data", "scheme": "holdout-0.2", "test_ratio": 0.2,
             "hyperparameters_source": "default", "repeat": 0, "fold": 0, "init": 0, "order": 0,
             "dropout": 0, "augment": 0}  # fmt: skip
    table = pd.DataFrame({"dataset": d, "model": m, "data_seed": s, "accuracy": score.ravel()})
    for column in ("dataset", "model"):
        table[column] = column[0] + table[column].astype(str).str.zfill(3)
    return table.assign(status=np.where(table["accuracy"].isna(), "failed", "ok"), **fixed)


def scipy_seconds(metrics: pd.DataFrame, pairs: int) -> float:
    """CPU seconds that SciPy needs for one pair, measured on `pairs` pairs of one dataset."""
    part = metrics[metrics["dataset"] == metrics["dataset"].iloc[0]]
    wide = part.pivot(index="data_seed", columns="model", values="accuracy")
    start = time.process_time()
    for a, b in list(combinations(wide, 2))[:pairs]:
        d = (wide[a] - wide[b]).dropna().to_numpy()
        stats.ttest_1samp(d, 0).confidence_interval()
        stats.wilcoxon(d)
        stats.bootstrap((d,), np.mean, n_resamples=10_000, vectorized=True, method="BCa")
    return (time.process_time() - start) / pairs


def main() -> None:
    """Print the time, the peak memory, and the speed-up over SciPy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=40)
    parser.add_argument("--datasets", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--failing", type=float, default=0.0, help="share of failed trials")
    options = parser.parse_args()
    limit_threads(1)
    from reseed.analyses.pairs import Options, analyse
    from reseed.analyses.shared.data import Data
    from reseed.core.study_info import DatasetInfo, StudyInfo

    metrics = make_trials(options.models, options.datasets, options.seeds, options.failing)
    dataset = DatasetInfo(metric="accuracy", greater_is_better=True)
    names = metrics["dataset"].unique()
    data = Data(metrics, StudyInfo(scale="demo", datasets=dict.fromkeys(names, dataset)))
    start, cpu = time.perf_counter(), time.process_time()
    table = analyse(data, Options())
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    count = int((table["dataset"] != "all datasets").sum())
    scipy_total = (
        scipy_seconds(metrics, min(20, options.models * (options.models - 1) // 2)) * count
    )
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{options.models} models × {options.datasets} datasets × {options.seeds} splits, "
          f"{100 * options.failing:g} % failed: {count:,} pairs")  # fmt: skip
    print(f"reseed: {cpu:.1f} s of one core ({seconds:.1f} s wall time), "
          f"{1e3 * cpu / count:.2f} ms for each pair, peak memory {memory:,.0f} MB")  # fmt: skip
    print(f"SciPy pair by pair: {scipy_total:,.0f} s of one core; ratio {scipy_total / cpu:.0f}")


if __name__ == "__main__":
    main()
