"""Compute the verdicts again that rest on single test items, on shares of runs and on times.

    python docs/examples/reproduce_more_verdicts.py [results/studies]

Of the reference results, or of a run: `results/studies` has what each of its studies predicted.

From trials and raw outputs alone, with pandas, NumPy and SciPy, and none of Reseed's code. Halves
of the items and ensembles are drawn anew and in smaller numbers, so values agree to within what
such draws vary by. Intervals come from resampled runs (and items, where those are a sample, too),
from binomial shares, or from Fisher's z.
"""

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from reproduce_verdicts import OTHERS, REFERENCE, decide, gaussian_range, read_recorded, report
from scipy import special, stats
from trimmed_ks import alpha_hat, ks_distance

RNG = np.random.default_rng(0)
DRAWS = 200
SEEDS = ["init", "order", "dropout", "augment"]
PAPER_IMAGES = 10_000
#: Estimate, lower end, upper end of each setting.
Found = dict[str, tuple[float, float, float]]


class Runs:
    """Runs of one arm on one test set: raw log-odds or classes (runs, items), labels, truth."""

    def __init__(self, rows: pd.DataFrame, truth: np.ndarray) -> None:
        rows = rows[rows["status"] == "ok"].drop_duplicates(SEEDS).sort_values(SEEDS)
        self.raw = np.stack(rows["test"].to_list()).astype(float)
        self.truth = truth.astype(int)
        k = int(rows["classes"].iloc[0])
        if k > 2 and self.raw.shape[1] > len(truth):  # logits of each class
            self.raw = self.raw.reshape(len(self.raw), -1, k).argmax(axis=2)
        self.labels = (self.raw > 0 if k <= 2 else self.raw).astype(int)
        self.correct = self.labels == self.truth

    @property
    def gaps(self) -> np.ndarray:
        """Logit gaps of two classes, clipped as the paper does."""
        return np.clip(self.raw, -15, 15)


@dataclass
class Study:
    """The folder of one study: a reference, or the results of a run."""

    folder: Path

    def trials(self) -> pd.DataFrame:
        """One row a trial and experiment."""
        path = self.folder / "trials.parquet"
        return pd.read_parquet(path if path.exists() else self.folder / "metrics.parquet")

    def outputs(self, table: str, kept: str) -> pd.DataFrame:
        """All rows of a table of outputs: kept as one file, or a file an experiment."""
        path = self.folder / f"{kept}.parquet"
        files = [path] if path.exists() else self.folder.glob(f"predictions/*/{table}.parquet")
        return pd.concat([pd.read_parquet(file) for file in files])

    def arms(self, experiment: str) -> Iterator[tuple[str, str, Runs]]:
        """(dataset, arm, runs) of each arm on each test set of an experiment."""
        outputs, targets = self.outputs("scores", "predictions"), self.outputs("targets", "targets")
        test_set = ["dataset", "scheme", "data_seed", "repeat", "fold"]
        truths = targets.drop_duplicates(test_set).set_index(test_set)["test"]
        outputs = outputs[outputs["experiment"] == experiment]
        for key, rows in outputs.groupby([*test_set, "arm"], sort=False):
            runs = Runs(rows, np.array(truths[key[:-1]]))
            yield str(key[0]), str(key[-1]).partition("~")[0], runs


# --- shares and correlations ----------------------------------------------------------------------


def share(count: int, n: int) -> tuple[float, float, float]:
    """A share of n runs with its exact interval."""
    ends = stats.binomtest(count, n).proportion_ci()
    return count / n, ends.low, ends.high


def correlation(r: float, n: int, controls: int = 0) -> tuple[float, float, float]:
    """A rank correlation with its interval on Fisher's scale (Bonett and Wright 2000)."""
    reach = 1.96 * math.sqrt((1 + r * r / 2) / (n - controls - 3))
    return r, math.tanh(math.atanh(r) - reach), math.tanh(math.atanh(r) + reach)


def scores_of_ranks(x: np.ndarray) -> np.ndarray:
    """Normal scores of the ranks."""
    return special.ndtri(stats.rankdata(x) / (len(x) + 1))


def partial_correlation(x: np.ndarray, y: np.ndarray, given: list[np.ndarray]) -> float:
    """Correlation of what `given` leaves of x and y, all as normal scores."""
    design = np.column_stack([np.ones(len(x)), *map(scores_of_ranks, given)])
    both = np.column_stack([scores_of_ranks(x), scores_of_ranks(y)])
    left = both - design @ np.linalg.lstsq(design, both, rcond=None)[0]
    return float(np.corrcoef(left.T)[0, 1])


# --- text models: F1 over seeds and over resampled test items -------------------------------------


def macro_f1(truth: np.ndarray, labels: np.ndarray) -> float:
    """F1 averaged over the classes that occur, from one confusion matrix."""
    k = int(max(truth.max(), labels.max())) + 1
    matrix = np.bincount(truth.astype(int) * k + labels, minlength=k * k).reshape(k, k)
    both = matrix.sum(0) + matrix.sum(1)
    return float((2 * matrix.diagonal()[both > 0] / both[both > 0]).mean())


def f1_over_items(runs: Runs, resamples: int = 100) -> float:
    """SD of the F1 of one model over resampled test items, root mean square over ten models."""
    n = len(runs.truth)
    draws = RNG.integers(n, size=(resamples, n))
    variances = [
        np.var([macro_f1(runs.truth[d], labels[d]) for d in draws], ddof=1)
        for labels in runs.labels[:10]
    ]
    return math.sqrt(np.mean(variances))


def text_models(study: Study) -> Iterator[tuple[str, Found]]:
    """Classical models: SD of F1 over items, and SD over seeds against it.

    Forests have 30 trees, not the paper's 100, which moves their SD over seeds.
    """
    resampled, ratios = {}, {}
    for experiment in ("sentiment", "fake_news"):
        for dataset, arm, runs in study.arms(experiment):
            sd = f1_over_items(runs)
            ends = [sd * math.sqrt(99 / stats.chi2.isf(tail, 99)) for tail in (0.025, 0.975)]
            resampled[f"{dataset}, {arm}"] = sd, ends[0], ends[1]
            f1 = np.array([macro_f1(runs.truth, labels) for labels in runs.labels])
            if np.ptp(f1) > 0 and arm != "text_forest":
                drawn = f1[RNG.integers(len(f1), size=(DRAWS, len(f1)))].std(axis=1, ddof=1) / sd
                low, high = np.quantile(drawn, [0.025, 0.975])
                ratios[f"{dataset}, {arm}"] = f1.std(ddof=1) / sd, low, high
    yield "Resampled test sets change F1 by an SD around or below 0.015.", resampled
    yield "The seed changes F1 of classical models less than test items do.", ratios


def learning_rates(study: Study) -> Iterator[tuple[str, Found]]:
    """An encoder at one learning rate: SD of F1 over seeds, with the chi-squared interval."""
    for _, arm, runs in study.arms("rates"):
        if arm == "rate_2e3":
            f1 = np.array([macro_f1(runs.truth, labels) for labels in runs.labels])
            freedom, sd = len(f1) - 1, f1.std(ddof=1)
            low, high = sd * np.sqrt(freedom / stats.chi2.isf([0.025, 0.975], freedom))
            yield "At a rate of 0.002 the SD of MiniLM's F1 is over 0.075.", {arm: (sd, low, high)}


# --- images: spread over seeds at the paper's number of test images -------------------------------


def variances(correct: np.ndarray) -> tuple[float, float]:
    """Variances of a run's mark on one image: of the seed, and what else differs over seeds."""
    runs, items = correct.shape
    x = correct - correct.mean()
    x = x - x.mean(axis=0)
    between = x.mean(axis=1, keepdims=True)
    within = ((x - between) ** 2).sum() / ((runs - 1) * (items - 1))
    return max(float(between.var(ddof=1)) - within / items, 0.0), float(within)


def sd_at(correct: np.ndarray, images: int = PAPER_IMAGES) -> float:
    """SD over seeds of the accuracy on so many images: seed's part, and images' part / images."""
    seed, within = variances(correct)
    return math.sqrt(seed + within / images)


def images(study: Study) -> Iterator[tuple[str, Found]]:
    """Networks from scratch, and pretrained ones, in percentage points."""
    arms = {
        arm: (experiment, runs.correct.astype(float))
        for experiment in ("from_scratch", "transfer")
        for _, arm, runs in study.arms(experiment)
    }
    drawn = {arm: [sd_at(resample(x)) for _ in range(DRAWS)] for arm, (_, x) in arms.items()}
    sds = {arm: 100 * np.array([sd_at(x), *drawn[arm]]) for arm, (_, x) in arms.items()}
    scratch = [arm for arm, (experiment, _) in arms.items() if experiment == "from_scratch"]
    trained = [arm for arm in ("long", "short") if arm in arms]
    heads = [arm for arm in arms if arm not in scratch]
    seeds = {"long": 500, "short": 10_000} | dict.fromkeys(heads, 50)

    def interval(values: np.ndarray) -> tuple[float, float, float]:
        # Items drawn twice agree with themselves, which inflates an SD: centre the draws.
        drawn = values[1:] * values[0] / np.median(values[1:])
        return float(values[0]), *map(float, np.quantile(drawn, [0.025, 0.975]))

    def ranges(names: list[str]) -> Found:
        return {arm: interval(sds[arm] * gaussian_range(seeds[arm])) for arm in names}

    yield (
        "Over seeds the SD of accuracy is below 0.3 points.",
        {arm: interval(sds[arm]) for arm in trained},
    )
    yield "Of the paper's number of seeds some differ by over one point.", ranges(trained)
    yield "Of 50 pretrained seeds some differ by over 0.3 points.", ranges(heads)
    yield (
        "Pretrained networks vary less over seeds than networks from scratch.",
        {f"{head} to {arm}": interval(sds[head] / sds[arm]) for head in heads for arm in scratch},
    )


def resample(x: np.ndarray) -> np.ndarray:
    """Runs and items drawn again."""
    rows, columns = (RNG.integers(n, size=n) for n in x.shape)
    return x[np.ix_(rows, columns)]


# --- the trimmed KS test --------------------------------------------------------------------------


def churn(labels: np.ndarray) -> np.ndarray:
    """Mean share of items on which each run differs from another one, of two classes."""
    ones = labels.sum(axis=0)
    others = np.where(labels == 1, len(labels) - ones, ones)
    return others.mean(axis=1) / (len(labels) - 1)


def calibration_error(runs: Runs, items: np.ndarray) -> np.ndarray:
    """Expected calibration error of each run, in 15 bins of its confidence."""
    confidence = special.expit(np.abs(runs.raw[:, items]))
    bins = np.minimum((confidence * 15).astype(int), 14)
    gap = runs.correct[:, items] - confidence
    each = [np.abs(np.where(bins == b, gap, 0).mean(axis=1)) for b in range(15)]
    return np.sum(each, axis=0)


def information(runs: Runs, halves: int = 4) -> tuple[float, float, float]:
    """Partial correlation of α̂ with the churn on unseen items, given what else is measured."""
    n, found = runs.gaps.shape[1], []
    for _ in range(halves):
        first, second = np.split(RNG.permutation(n)[: n // 2 * 2], 2)
        given = [runs.correct[:, first].mean(1), churn(runs.labels[:, first])]
        given.append(calibration_error(runs, first))
        alpha = alpha_hat(runs.gaps[:, first], None, 3, RNG)
        if np.ptp(alpha) > 0:  # else it orders no runs
            found.append(partial_correlation(alpha, churn(runs.labels[:, second]), given))
    return correlation(math.tanh(np.mean(np.arctanh(found))), len(runs.gaps), 3)


def robust_testing(study: Study, bootstraps: int = 10) -> Iterator[tuple[str, Found]]:
    """The seven statements on α̂ and ensembles."""
    hidden, tied, informed = {}, {}, {}
    arms = {f"{dataset}, {arm}": runs for dataset, arm, runs in study.arms("arms")}
    for arm, runs in arms.items():
        half = len(runs.gaps) // 2
        alpha = alpha_hat(runs.gaps[half:], runs.gaps[:half], bootstraps, RNG)
        accuracy, low = runs.correct[half:].mean(axis=1), alpha <= 0.05
        if low.any() and not low.all():
            inside = (accuracy >= accuracy[low].min()) & (accuracy <= accuracy[low].max())
            hidden[arm] = share(int(inside[~low].sum()), int((~low).sum()))
        rank = stats.spearmanr(alpha, churn(runs.labels[half:])).statistic
        tied[arm] = correlation(float(rank), len(alpha))
    yield "Most models with a high α̂ have the accuracy of representative ones.", hidden
    yield "Models with a low α̂ have a low pairwise churn.", tied
    heads = {f"{dataset}, {arm}": runs for dataset, arm, runs in study.arms("transfer")}
    for arm, runs in (arms | heads).items():
        informed[arm] = information(runs)
    yield "α̂ adds information to accuracy, churn and calibration.", informed
    fewer = {}
    for arm, both in arms.items():
        if arm.endswith(", both"):
            small = (np.abs(both.gaps) <= 1).mean(axis=1)
            ensemble = (np.abs(np.clip(both.raw, -30, 30).mean(axis=0)) <= 1).mean()
            fewer[arm] = share(int((small > ensemble).sum()), len(small))
    yield "An ensemble has fewer small logit gaps than most of its models.", fewer
    closer, reliable = {}, {}
    for dataset, _, pool in study.arms("pools"):
        half = len(pool.gaps) // 2
        members, reference = np.clip(pool.raw[half:], -30, 30), pool.gaps[:half]
        state = RNG.bit_generator.state
        single = ks_distance(pool.gaps[half:], reference, RNG)
        RNG.bit_generator.state = state  # the same splits
        whole = ks_distance(np.clip(members.mean(axis=0), -15, 15)[None], reference, RNG)
        closer[dataset] = share(int((single > whole).sum()), len(single))
        for size in (3, 5, 10, 20, 30):
            drawn = np.stack([RNG.choice(half, size, replace=False) for _ in range(100)])
            ensembles = np.clip(members[drawn].mean(axis=1), -15, 15)
            part = float((alpha_hat(ensembles, reference, bootstraps, RNG) <= 0.05).mean())
            n = half // size  # ensembles that share no run
            reliable[f"{dataset}, {size} runs"] = part, *share(round(part * n), n)[1:]
    yield "A large ensemble is closer to the reference than most models.", closer
    yield "Most ensembles of up to 30 models have a low α̂.", reliable


# --- the protocol ---------------------------------------------------------------------------------


def errors_of_the_protocol(experiments: int = 300) -> int:
    """In how many simulated experiments it calls one of three equally good models better.

    Each model sees five features of its own, all of one use, of 200 rows; five folds, twice;
    Wilcoxon's test over the ten folds, adjusted by Holm for three pairs.
    """
    truth, errors = np.repeat([0, 1], 100), 0
    for _ in range(experiments):
        x = RNG.normal(size=(3, 200, 5)) + 0.5 * truth[:, None]
        fold = np.concatenate([np.argsort(RNG.random((2, 2, 100)), axis=2) % 5], axis=0)
        scores = np.empty((3, 10))
        for number, held in enumerate(one.ravel() == k for one in fold for k in range(5)):
            middle = [x[:, ~held & (truth == label)].mean(axis=1) for label in (0, 1)]
            side = (x[:, held] - (middle[0] + middle[1])[:, None] / 2) @ (middle[1] - middle[0])[
                ..., None
            ]
            scores[:, number] = ((side[..., 0] > 0) == truth[held]).mean(axis=1)
        p = sorted(
            stats.wilcoxon(scores[a], scores[b], method="asymptotic").pvalue
            if (scores[a] != scores[b]).any()
            else 1.0
            for a, b in ((0, 1), (0, 2), (1, 2))
        )
        errors += p[0] <= 0.05 / 3  # Holm's first step
    return errors


def protocol(study: Study) -> Iterator[tuple[str, Found]]:
    """Errors, reversed orders and cost of the protocol, and the time of deterministic kernels."""
    yield (
        "Among equally good models the protocol errs in at most 5 %.",
        {"simulated": share(errors_of_the_protocol(), 300)},
    )
    trials = study.trials()
    reversed_orders, cost = {}, {}
    for name in ("topics", "digits"):
        runs = trials[trials["experiment"] == f"{name}_new_folds"]
        means = runs.groupby(["data_seed", "arm"])["accuracy"].mean().unstack()
        evaluations = means.groupby(np.arange(len(means)) // 2).mean().to_numpy()
        i, j = np.triu_indices(means.shape[1], 1)
        signs = np.sign(evaluations[:, i] - evaluations[:, j])
        truth = np.sign(means.mean().to_numpy()[i] - means.mean().to_numpy()[j])
        count = ((1 - signs * truth) / 2).mean(axis=1).sum()
        ends = (share(f(count), len(evaluations)) for f in (math.floor, math.ceil))
        reversed_orders[name] = count / len(evaluations), next(ends)[1], next(ends)[2]
        folds = trials[trials["experiment"] == name].groupby("arm")
        trainings = float(
            folds.apply(lambda x: len(x[["data_seed", "fold"]].drop_duplicates())).max()
        )
        cost[name] = trainings, trainings, trainings
    yield "Under the protocol fewer than 4 % of orders are reversed.", reversed_orders
    yield "The protocol takes 1.3 times the time of a single run.", cost
    yield (
        "Deterministic kernels add at most 5 % to the training time.",
        {"kernels": time_ratio(trials[trials["experiment"] == "kernels"])},
    )


def time_ratio(timed: pd.DataFrame) -> tuple[float, float, float]:
    """Time with deterministic kernels over that with the fastest, on the same split and seeds."""
    keys = [timed["arm"].str.partition("~")[0], *(timed[key] for key in ("data_seed", *SEEDS))]
    seconds = timed["train_seconds"].groupby(keys, dropna=False).first().unstack(level=0)
    logs = np.log(seconds["deterministic"] / seconds["fastest"]).dropna()
    ends = stats.t.interval(0.95, len(logs) - 1, logs.mean(), logs.sem())
    return math.exp(logs.mean()), *map(math.exp, ends)


#: What each study is judged by.
STUDIES: dict[str, Callable[[Study], Iterator[tuple[str, Found]]]] = {
    "encoder_rates": learning_rates,
    "ir_consistency": text_models,
    "protocol": protocol,
    "seed_3407": images,
    "training_variability": robust_testing,
}


def judge(found: Found, recorded: dict) -> dict:
    """Average over the settings, with its interval, and the verdict.

    Half-widths are averaged over the settings of a dataset, and combined over datasets as roots of
    variances. Ratios, SDs and ranges are averaged as logarithms.
    """
    comparable, statement = recorded["verdict"] != "not comparable", recorded["statement"]
    if comparable:  # else the recorded average is over all
        found = {name: one for name, one in found.items() if not name.startswith(OTHERS)}
    ends = np.array([*found.values()])
    to, back = (np.log, np.exp) if statement["scale"] == "log" else (np.array, np.array)
    of_arms = "arm" in statement.get("independent", ())
    groups = pd.Series([*found] if of_arms else [name.partition(",")[0] for name in found])
    points = to(ends)
    half = [pd.Series(abs(points[:, i] - points[:, 0])).groupby(groups).sum() for i in (1, 2)]
    width = [math.sqrt((one**2).sum()) / len(ends) for one in half]
    mean = points[:, 0].mean()
    value, low, high = (float(back(x)) for x in (mean, mean - width[0], mean + width[1]))
    unit = recorded["factor"]  # of percentage points: 100
    verdict = decide(
        recorded["statement"], ends[:, 1] / unit, ends[:, 2] / unit, low / unit, high / unit
    )
    if not comparable:
        verdict = "not comparable"
    return {"value": value, "interval": [low, high], "verdict": verdict}


def main() -> None:
    """Print each statement with what is found here, and what was recorded."""
    studies = Path(sys.argv[1]) if len(sys.argv) > 1 else REFERENCE
    recorded = read_recorded(studies)
    for name, measure in STUDIES.items():
        study = Study(studies / name)
        if name != "protocol" and not any(study.folder.glob("predictions*")):
            print(f"{study.folder}: no predictions, so nothing to compute")
            continue
        for text, found in measure(study):
            if found and text in recorded:
                report(judge(found, recorded[text]), recorded[text])


if __name__ == "__main__":
    main()
