"""Compute the verdicts of the reference results again, from their trials alone.

    python docs/examples/reproduce_verdicts.py

With pandas and NumPy, and none of Reseed's code: the value of each setting, their average, and its
interval by resampling the seeds, where Reseed has a jackknife. `reproduce_more_verdicts.py` has the
statements on single test items, shares and times. Five statements have their value alone:
resampling seeds would take test rows that splits share, or the cells of a grid, as independent,
and no resample has a greater range.
"""

import json
import math
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

REFERENCE = Path(__file__).parents[2] / "results" / "reference"
TREES, NETWORKS = ["rf", "gbm", "xgb"], ["ffnn", "ffnn_res"]
#: Untuned forests have 60 trees, too few for the paper's spread over model seeds: no vote on it.
BOOSTED = ["gbm", "xgb"]
ERRORS = ["bike_sharing", "california_housing"]  # judged by MSE
DRAWS = 1000
#: Data that the papers do not have. They are measured, and have no vote.
OTHERS = ("home_mortgage_sim", "mnist_superclasses")
#: A table for each dataset: a row a seed, a column an arm (or test ratio).
Scores = dict[str, pd.DataFrame]


def read(study: str, experiment: str, metric: str = "", columns: str | list[str] = "arm") -> Scores:
    """Scores of an experiment; without `metric`, MSE where there is one, else AUC."""
    trials = pd.read_parquet(REFERENCE / study / "trials.parquet")
    trials = trials[trials["experiment"] == experiment]
    score = trials[metric] if metric else trials["mse"].fillna(trials["auc"])
    seeds = ["data_seed", "init", "order"]
    trials = trials.assign(
        arm=trials["arm"].str.partition("~")[0],
        score=score,
        seed=trials[seeds].astype("Int64").astype(str).agg(" ".join, axis=1),
    ).dropna(subset=["score"])
    return {
        str(name): part.pivot_table(index="seed", columns=columns, values="score", sort=False)
        for name, part in trials.groupby("dataset", sort=False)
    }


Measure = Callable[..., dict[str, float]]


def sd(table: pd.DataFrame) -> pd.Series:
    """SD over seeds of each column."""
    return table.std(ddof=1)


def between_groups(arms: list[str]) -> Measure:
    """SD in the first group over that in the second, of each arm."""
    return lambda first, second: {
        f"{name}, {arm}": sd(first[name])[arm] / sd(second[name])[arm]
        for name in first
        for arm in arms
        if arm in first[name] and arm in second[name]
    }


def between_arms(above: list[str], below: list[str]) -> Measure:
    """SD of each arm of `above` over that of each of `below`, on the same dataset."""
    return lambda scores: {
        f"{name}, {a} to {b}": sd(table)[a] / sd(table)[b]
        for name, table in scores.items()
        for a in above
        for b in below
    }


def gap(first: str, second: str) -> Measure:
    """By how many SDs of a score the first arm is better: greater in AUC, less in MSE."""

    def measure(scores: Scores) -> dict[str, float]:
        found = {}
        for name, table in scores.items():
            spread = np.sqrt(table[[first, second]].var(ddof=1).mean())
            sign = -1 if name in ERRORS else 1
            found[name] = sign * (table[first] - table[second]).mean() / spread
        return found

    return measure


def forest_gap(scores: Scores) -> dict[str, float]:
    """By how many SDs of a score XGB, and GBM, is better than the forest."""
    pairs = ((one, gap(one, "rf")(scores)) for one in ("xgb", "gbm"))
    return {f"{name}, {one}": value for one, found in pairs for name, value in found.items()}


NETWORK_GAP, BOOSTING_GAP, FOREST_GAP = gap("ffnn", "ffnn_res"), gap("gbm", "xgb"), forest_gap


def kendall(scores: Scores) -> dict[str, float]:
    """Mean over pairs of arms of Kendall's τ (no ties) over the shared splits."""
    found = {}
    for name, table in scores.items():
        upper = np.triu_indices(len(table), 1)
        signs = [np.sign(np.subtract.outer(x, x))[upper] for x in table.to_numpy().T]
        found[name] = float(np.mean([(a * b).mean() for a, b in combinations(signs, 2)]))
    return found


def by_test_part(scores: Scores) -> dict[str, float]:
    """SD at the largest test ratio over that at the smallest."""
    return {
        f"{name}, {arm}": sd(table[arm])[0.4] / sd(table[arm])[0.1]
        for name, table in scores.items()
        for arm in table.columns.unique(0)
    }


def data_seed_share(grids: Scores) -> dict[str, float]:
    """Share of the data seed in the variance of a score, by analysis of variance of each grid."""
    found = {}
    for name, table in grids.items():
        for arm, scores in table.items():
            keys = scores.index.str.split(" ")
            y = scores.groupby([keys.str[0], keys.str[1]]).mean().unstack().to_numpy()
            n, m = y.shape
            rest = y - y.mean(axis=0) - y.mean(axis=1, keepdims=True) + y.mean()
            interaction = (rest**2).sum() / ((n - 1) * (m - 1))
            data = max(0, y.mean(axis=1).var(ddof=1) - interaction / m)
            model = max(0, y.mean(axis=0).var(ddof=1) - interaction / n)
            found[f"{name}, {arm}"] = data / (data + model + interaction)
    return found


def gaussian_range(n: int) -> float:
    """Mean range of n Gaussian values of SD 1."""
    x = np.linspace(-9, 9, 20_001)
    p = np.array([(1 + math.erf(one / math.sqrt(2))) / 2 for one in x])
    return float(np.sum(1 - p**n - (1 - p) ** n) * (x[1] - x[0]))


def gaussian_sd(n: int) -> float:
    """Mean SD of n Gaussian values of SD 1; a sample's range in its own SD is independent of it."""
    return math.exp(math.lgamma(n / 2) - math.lgamma((n - 1) / 2)) * math.sqrt(2 / (n - 1))


def range_ratio(scores: Scores) -> dict[str, float]:
    """Range in SDs over the mean range of as many Gaussian values, of each arm."""
    return {
        arm: float(
            np.ptp(x.dropna()) / x.std() / gaussian_range(x.count()) * gaussian_sd(x.count())
        )
        for table in scores.values()
        for arm, x in table[["long", "short"]].items()
    }


#: Judged by their value here.
VALUE_ALONE = [kendall, data_seed_share, NETWORK_GAP, BOOSTING_GAP, FOREST_GAP, range_ratio]


def statements() -> dict[str, tuple[Measure, list[Scores]]]:
    """What each statement is judged by, and the scores of which seeds are resampled."""
    study = "inherent_randomness"
    data, model = read(study, "data_seeds"), read(study, "model_seeds")
    images = read("training_variability", "arms", "accuracy")
    arms = {
        name: {dataset: table[[name]].dropna() for dataset, table in images.items()}
        for name in ("init", "order")
    }
    found: dict[str, tuple[Measure, list[Scores]]] = {
        "The order of batches varies accuracy more than the initial weights do.": (
            lambda order, init: {
                dataset: sd(order[dataset])["order"] / sd(init[dataset])["init"] for dataset in init
            },
            [arms["order"], arms["init"]],
        ),
        "The same splits are best and worst for all algorithms.": (kendall, [data]),
        "The score of two seeds depends mostly on the data seed.": (
            data_seed_share,
            [{name: t.drop(columns="rf") for name, t in read(study, "grid").items()}],
        ),
        "There are black swans, a range beyond that of Gaussian scores.": (
            range_ratio, [read("seed_3407", "from_scratch", "accuracy")],
        ),
        "FFNN scores better than FFNN-Res over data seeds.": (NETWORK_GAP, [data]),
    }  # fmt: skip
    tuned = [read("tuned_trees", name) for name in ("data_seeds", "model_seeds")]
    found["Data seeds change the scores of tuned trees more than model seeds do."] = (
        between_groups(TREES), tuned,
    )  # fmt: skip
    found["Tuned GBM and XGB have similar scores over data seeds."] = BOOSTING_GAP, tuned[:1]
    found["Tuned boosting scores better than tuned forests over data seeds."] = (
        FOREST_GAP, tuned[:1],
    )  # fmt: skip
    found["Over model seeds tuned GBM and XGB vary alike."] = (
        between_arms(["gbm"], ["xgb"]), tuned[1:],
    )  # fmt: skip
    for metric, is_error in (("MSE", True), ("AUC", False)):
        found[f"Over model seeds tuned forests vary less in {metric} than tuned boosting."] = (
            between_arms(["rf"], ["gbm", "xgb"]),
            [{name: t for name, t in tuned[1].items() if (name in ERRORS) == is_error}],
        )
    for kind, arms_of in (("trees", BOOSTED), ("networks", NETWORKS)):
        text = f"Data seeds change the scores of {kind} more than model seeds do."
        found[text] = between_groups(arms_of), [data, model]
    for metric, is_error in (("MSE", True), ("AUC", False)):
        seeds = [
            {name: table for name, table in scores.items() if (name in ERRORS) == is_error}
            for scores in (data, model)
        ]
        for text, measure, group in (
            ("The model seed moves the {} of networks more than of trees.",
             between_arms(["ffnn"], BOOSTED), seeds[1]),
            ("FFNN-Res varies more in {} over model seeds than FFNN.",
             between_arms(["ffnn_res"], ["ffnn"]), seeds[1]),
            ("Over data seeds the models vary by a similar {}.",
             between_arms([*NETWORKS, "rf", "gbm"], ["xgb"]), seeds[0]),
        ):  # fmt: skip
            found[text.format(metric)] = measure, [group]
    for text, varied in (
        ("The variation over data seeds falls as the test part grows.", "data"),
        ("The variation over model seeds hardly changes with the test part.", "model"),
    ):
        ratios = read(study, f"ratios_{varied}_seeds", columns=["arm", "test_ratio"])
        found[text] = by_test_part, [ratios]
        again, once = (
            {"magic": read("tuned_trees", f"{kind}{varied}_seeds")["magic"]}
            for kind in ("retuned_", "")
        )
        text = f"Tuning for each pair hardly changes the variation over {varied} seeds."
        found[text] = between_groups(["xgb"]), [again, once]
    return found


def resample(group: Scores, rng: np.random.Generator) -> Scores:
    """Draw seeds again; the arms of a dataset keep the seeds that they share."""
    return {name: t.iloc[rng.integers(len(t), size=len(t))] for name, t in group.items()}


def average(values: dict[str, float], recorded: dict) -> float:
    """The mean, of ratios the geometric one."""
    x = np.array([*values.values()])
    return float(np.exp(np.log(x).mean()) if recorded["ratio"] else x.mean())


def judge(measure: Measure, groups: list[Scores], recorded: dict) -> dict:
    """Value and interval of the average, and the verdict that follows from them."""
    known = measure(*groups)
    if recorded["verdict"] != "not comparable":  # else the recorded average is over all
        known = {name: value for name, value in known.items() if not name.startswith(OTHERS)}
    if measure in VALUE_ALONE or recorded["verdict"] == "not comparable":
        return {"value": average(known, recorded), "interval": None, "verdict": ""}
    rng = np.random.default_rng(0)
    drawn = [measure(*(resample(group, rng) for group in groups)) for _ in range(DRAWS)]
    scale = (np.log, np.exp) if recorded["ratio"] else (np.array, np.array)
    values = scale[0]([*known.values()])
    draws = scale[0]([[one[name] for name in known] for one in drawn])
    low, high = np.quantile(draws.mean(axis=1), [0.025, 0.975])
    ends = np.quantile(draws, [0.05 / len(known), 1 - 0.05 / len(known)], axis=0)
    verdict = decide(recorded["statement"], *(scale[1](x) for x in (*ends, low, high)))
    value, *interval = (float(scale[1](one)) for one in (values.mean(), low, high))
    return {"value": value, "interval": interval, "verdict": verdict}


def decide(statement: dict, lows: np.ndarray, highs: np.ndarray, low: float, high: float) -> str:
    """The verdict on a statement, from the ends of each setting and of their average."""
    above, below = statement.get("above"), statement.get("below")
    least = -math.inf if above is None else above
    most = math.inf if below is None else below
    inside, outside = (lows > least) & (highs < most), (highs < least) | (lows > most)
    if inside.any() and outside.any():
        return "mixed"
    if statement.get("each") or None not in (above, below):
        is_supported, is_contradicted = inside.all(), outside.any()
    else:
        is_supported, is_contradicted = least < low and high < most, high < least or low > most
    return "supported" if is_supported else "contradicted" if is_contradicted else "not yet"


def read_recorded(studies: Path = REFERENCE) -> dict[str, dict]:
    """What was recorded about each statement, by its text.

    studies: of the references, or of a run (`results/studies`).
    """
    paths = sorted(studies.glob("*/evidence.json"))
    known = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    records = [one["evidence"] for part in known for one in part["statements"]]
    return {one["statement"]["text"]: one for one in records}


def main() -> None:
    """Print each statement with what the trials say, and what the reference recorded."""
    recorded = read_recorded()
    for text, (measure, groups) in statements().items():
        report(judge(measure, groups, recorded[text]), recorded[text])


def report(found: dict, recorded: dict) -> None:
    """Print value, interval and verdict as found here and as recorded."""
    average = recorded["average"]
    ends = [average["low"], average["high"]]
    print(f"{recorded['statement']['text']}")
    print(f"  here {describe(found['value'], found['interval'])} {found['verdict']}")
    print(f"  recorded {describe(average['value'], ends)} {recorded['verdict']}")


def describe(value: float, interval: list[float] | None) -> str:
    """A value with its interval, if it has one."""
    return f"{value:.3g}" + (f" [{interval[0]:.3g}, {interval[1]:.3g}]" if interval else "")


if __name__ == "__main__":
    main()
