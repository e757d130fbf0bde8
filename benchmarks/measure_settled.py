"""Error rates and saved runs of training until settled, for docs/methods/stopping.md.

The scores of all seeds are drawn; the rule takes those that it needs. Models differ by a number of
SDs of one run; the SD of a difference is √2 times that.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
from reseed.config.until import Until
from reseed.stats import planning
from reseed.stats.comparison import holm, nadeau_bengio
from reseed.stats.sequential import mean_confidence_sequence

Draw = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]
CHUNK = 250


def draw_exponential(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Scores with a long tail to the bad side."""
    return 1 - rng.exponential(size=shape)


def draw_collapses(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Normal scores, of which 1 % are lower by 17 SDs."""
    return rng.normal(size=shape) - 17 * (rng.random(shape) < 0.01) + 0.17


def of_one_model(draw: Draw) -> Draw:
    """Such scores of the first model; those of the others are normal."""

    def draw_all(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        x = rng.normal(size=shape)
        x[:, 0] = draw(rng, (shape[0], shape[2]))
        return x

    return draw_all


#: Scores (simulations, models, runs) with mean 0, in units of the SD of a normal one.
SCORES: dict[str, Draw] = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "t, 3 degrees of freedom": lambda rng, shape: rng.standard_t(3, shape) / 3**0.5,
    "exponential": draw_exponential,
    "1 % collapse by 17 SD": draw_collapses,
    "one model exponential": of_one_model(draw_exponential),
    "1 % collapse of one model": of_one_model(draw_collapses),
}


@dataclass(frozen=True)
class Result:
    """Of simulated experiments: (n, pairs) by pair, (n, models) by model.

    runs: at which each pair stopped; infinity: never. claimed: sign of the claim, 0 for none.
    equal: called equivalent. missed: the interval at the end misses the true difference. used: runs
    of each model.
    """

    runs: np.ndarray
    claimed: np.ndarray
    equal: np.ndarray
    missed: np.ndarray
    used: np.ndarray


def settle(x: np.ndarray, truth: np.ndarray, until: Until) -> Result:
    """Apply the rule to scores (n, models, runs). truth: (models,) means."""
    i, j = np.triu_indices(x.shape[1], 1)
    found = mean_confidence_sequence(x[:, i] - x[:, j], until.alpha / i.size, until.scale)
    sign = (found.low > 0).astype(int) - (found.high < 0)
    assert until.rope is None or isinstance(until.rope, float)
    equal = np.zeros(sign.shape, dtype=bool)
    if until.rope is not None:
        equal = (found.low > -until.rope) & (found.high < until.rope) & (sign == 0)
    met = (sign != 0) | equal
    first, never = met.argmax(axis=-1), ~met.any(axis=-1)
    last = np.where(never, x.shape[2] - 1, first)[..., None]
    at = {name: np.take_along_axis(values, last, -1)[..., 0]
          for name, values in (("sign", sign), ("equal", equal), ("low", found.low),
                               ("high", found.high))}  # fmt: skip
    difference = truth[i] - truth[j]
    runs = np.where(never, np.inf, first + 1.0)
    borders = [0, *range(until.first, x.shape[2], until.batch), x.shape[2]]
    ends = np.array(borders[1:])
    used = np.zeros(x.shape[:2], dtype=int)
    until_end = ends[np.minimum(np.searchsorted(ends, runs), len(ends) - 1)]
    for pair, models in enumerate(zip(i, j, strict=True)):
        for model in models:
            used[:, model] = np.maximum(used[:, model], until_end[:, pair])
    missed = (at["low"] > difference) | (at["high"] < difference)
    return Result(runs, at["sign"], at["equal"], missed, used)


def simulate(
    draw: Draw, truth: np.ndarray, until: Until, n_sim: int, maximum: int
) -> Iterator[tuple[Result, np.ndarray]]:
    """Results, and the claims of a test of all runs with Holm's adjustment, in chunks."""
    rng = np.random.default_rng(0)
    i, j = np.triu_indices(len(truth), 1)
    for start, stop in pairwise([*range(0, n_sim, CHUNK), n_sim]):
        x = draw(rng, (stop - start, len(truth), maximum)) + truth[:, None]
        fixed = holm(nadeau_bengio(x[:, i] - x[:, j], 0).p_value) <= until.alpha
        yield settle(x, truth, until), fixed


def measure(
    name: str, truth: np.ndarray, until: Until, n_sim: int, maximum: int
) -> dict[str, object]:
    """One row: errors and saved runs of one case."""
    parts = list(simulate(SCORES[name], truth, until, n_sim, maximum))
    whole = {f: np.concatenate([getattr(one, f) for one, _ in parts]) for f in vars(parts[0][0])}
    fixed = np.concatenate([claims for _, claims in parts])
    i, j = np.triu_indices(len(truth), 1)
    sign = np.sign(truth[i] - truth[j]).astype(int)
    wrong = (whole["claimed"] != 0) & (whole["claimed"] != sign)
    if isinstance(until.rope, float):
        wrong |= whole["equal"] & (np.abs(truth[i] - truth[j]) >= until.rope)
    differ = sign != 0
    row: dict[str, object] = {
        "scores": name,
        "models": len(truth),
        "difference": float(np.ptp(truth)),
        "rope": until.rope,
        "wrong": _mean(wrong.any(axis=1)),
        "missed": _mean(whole["missed"].any(axis=1)),
        "found": _mean((whole["claimed"] == sign)[:, differ]) if differ.any() else "",
        "found_fixed": _mean(fixed[:, differ]) if differ.any() else "",
        "settled": _mean(np.isfinite(whole["runs"])),
        "share": _mean(whole["used"].mean(axis=1) / maximum),
    }
    if differ.any():
        sd = 2**0.5
        planned = planning.seeds_for_difference(float(np.ptp(truth)), sd, 0.8, until.alpha / i.size)
        row |= {"used": _mean(whole["used"].mean(axis=1)), "planned": planned}
    return row


def _mean(values: np.ndarray) -> str:
    """Mean over the simulations and its Monte Carlo standard error."""
    sample = np.asarray(values, dtype=float).reshape(len(values), -1).mean(axis=1)
    return f"{sample.mean():.3f} ± {sample.std() / len(sample) ** 0.5:.3f}"


def cases() -> Iterator[tuple[str, np.ndarray, Until]]:
    """Scores, means of the models, rule."""
    for name in SCORES:
        for models in (2, 4):
            yield name, np.zeros(models), Until()
        for difference in (0.5, 1.0, 2.0):
            yield name, np.array([difference, 0.0]), Until()
        yield name, np.array([1.0, 0.0, 0.0, 0.0]), Until()
        for difference in (0.0, 1.0):
            yield name, np.array([difference, 0.0]), Until(rope=1.0)


def main() -> None:
    """Print one line for each case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=4000)
    parser.add_argument("--maximum", type=int, default=100)
    parser.add_argument("--results", type=Path, help="a results folder: saved runs of its studies")
    parser.add_argument("--learners", action="store_true", help="saved runs of real learners")
    options = parser.parse_args()
    if options.learners:
        print(pd.DataFrame(train_learners()).to_string(index=False))
        return
    if options.results:
        print(saved_on(options.results).to_string(index=False))
        return
    for name, truth, until in cases():
        row = measure(name, truth, until, options.simulations, options.maximum)
        print(", ".join(f"{key} {value}" for key, value in row.items() if value != ""), flush=True)


def train_learners() -> Iterator[dict[str, object]]:
    """Four learners of scikit-learn on its data sets, until settled with at most 100 seeds."""
    import reseed
    from sklearn.datasets import load_breast_cancer, load_digits
    from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    models = {
        "forest": RandomForestClassifier(30),
        "extra trees": ExtraTreesClassifier(30),
        "tree": DecisionTreeClassifier(max_features="sqrt"),
        "network": make_pipeline(StandardScaler(), MLPClassifier(32, max_iter=30)),
    }
    for name, load in (("digits", load_digits), ("breast cancer", load_breast_cancer)):
        x, y = load(return_X_y=True)
        for rope in (None, 0.005):
            found = reseed.study(
                models, x, y, seeds=100, metric="accuracy", until={"rope": rope}, keep=False,
                progress=False, n_jobs=2, test=0.3,
            )  # fmt: skip
            outcomes = found.verdicts["outcome"].value_counts().to_dict()
            used = found.runs.set_index("model")["used"].to_dict()
            yield {"data": name, "rope": rope, **used, **outcomes}


def saved_on(results: Path) -> pd.DataFrame:
    """The rule on experiments of one split and several model seeds of a finished results folder."""
    from reseed.report.analyses.shared.data import Data, read_data
    from reseed.report.analyses.shared.pairing import group_models

    rows = []
    for study in sorted((results / "studies").iterdir()):
        whole = read_data(study, None, None)
        one_seed = whole.metrics["varied"].isin(["model", "init", "order", "dropout", "augment"])
        trials = whole.metrics[one_seed]
        if trials.empty:
            continue
        for group in group_models(Data(trials.reset_index(drop=True), whole.info)):
            x = group.scores
            if len(group.models) < 2 or len(set(group.split)) > 1 or not np.isfinite(x).all():
                continue
            found = settle(x[None], np.zeros(len(x)), Until())
            rows.append(
                {
                    "study": study.name,
                    "experiment": group.key["experiment"],
                    "dataset": group.key["dataset"],
                    "models": len(x),
                    "seeds": x.shape[1],
                    "pairs": found.runs.shape[1],
                    "settled": int(np.isfinite(found.runs).sum()),
                    "used": int(found.used.sum()),
                    "planned": x.size,
                }
            )
    return pd.DataFrame(rows)


if __name__ == "__main__":
    main()
