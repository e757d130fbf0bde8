"""Compares models by printed means and spreads, with Welch's test."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pandas as pd

from reseed.analyses import leaderboard
from reseed.analyses.shared.data import Data
from reseed.comparison.arguments import (
    QUESTION,
    PairChoice,
    check_columns,
    check_levels,
    check_names,
)
from reseed.comparison.by_items import ONE_SETTING
from reseed.comparison.result import STUDY_NAME, Comparison, build_comparison
from reseed.config.defaults import entries_without_runs
from reseed.core.errors import ReseedError, suggest_name
from reseed.core.schemas import MODEL_SEED_COLUMNS, SPLIT_COLUMNS
from reseed.core.study_info import DatasetInfo, TrialCounts
from reseed.plugins.options import NoOptions
from reseed.readers.metric_choice import ask_direction
from reseed.readers.metrics_schema import describe_imported_study
from reseed.readers.names import choose_direction, find_metric, normalize_name, read_arrow
from reseed.readers.paper_tables import read_means, spread_to_sd
from reseed.readers.question import Question
from reseed.readers.sources import open_source
from reseed.stats.planning import detectable_effect
from reseed.stats.unpaired import Welch, welch_of_means
from reseed.verdicts.decide import decide
from reseed.verdicts.designs import MEANS
from reseed.verdicts.formatting import count_noun
from reseed.verdicts.pair import PAIR_COLUMNS, Pair, PairTest, list_pairs

CAUTION = (
    "This assumes independent runs on one test set, which did not vary: another may say otherwise. "
    "SDs are taken to have n − 1 in the denominator; with n, as NumPy computes them, they are too "
    "small by √(n/(n − 1)), 12 % at 5 runs. If runs share splits, ± does not measure their "
    "difference: compare the runs. A table does not show what was tried and left out."
)
#: Options of the test that apply.
_OPTIONS = ("alpha", "min_runs")
#: Columns of a test.
_TESTS = ("p", "low", "high", "p_adjusted", "p_adjusted_if_sd", "detectable")
#: Columns that pairs of runs do not have.
_OF_MEANS = ["sd_a", "sd_b", "n_a", "n_b", "p_adjusted_if_sd"]
#: Power of the smallest detectable difference.
_POWER = 0.8


def compare_means(
    source: object,
    runs: int | None = None,
    metric: str | None = None,
    baseline: str | None = None,
    spread: str | None = None,
    greater_is_better: bool | Mapping[str, bool] | None = None,
    alpha: float = 0.05,
    min_runs: int = 5,
    decimals: int | None = None,
    columns: Mapping[str, str | list[str]] | None = None,
    title: str = QUESTION,
) -> Comparison:
    """Compare models by means and SDs over their runs, as papers print them.

    `verdicts` of the result has the columns of `compare`, by Welch's test. Digits are rounded, and
    a table may not say whether ± is a standard deviation or a standard error: p is the greatest and
    the interval the widest over all digits before rounding and over both readings. `detectable` is
    the smallest true difference that so many runs find in 80 % of cases.

    Args: as of `reseed.compare`.

    Raises:
        ReseedError: for a table that cannot be read, an unknown baseline, a level outside 0 to 1,
            and a metric of which nothing says whether more or less is better.
    """
    check_levels(alpha=alpha)
    if not isinstance(metric, str | None):
        raise ReseedError("`metric`: give one name.")
    means = read_means(open_source(source), runs, spread, decimals, check_columns(columns))
    metric = metric or _read_metric(means.attrs.get("caption", ""))
    attributes = means.attrs
    means = _select_metric(means, metric)
    means.attrs.update(attributes)
    models = list(dict.fromkeys(means["model"]))
    check_names(PairChoice(baseline, []), models)
    parts = []
    names, directions, notes = _choose_directions(means, metric, greater_is_better)
    for dataset, part in means.groupby("dataset", sort=False):
        direction = directions[str(dataset)]
        pairs = _list_pairs(part, baseline, direction)
        if len(pairs):
            tested = _orient(_test_pairs(pairs, alpha, min_runs), direction)
            parts.append(tested.assign(greater_is_better=direction))
    if not parts:
        raise ReseedError("The table holds no two models with a mean on the same dataset.")
    table = pd.concat(parts, ignore_index=True).assign(
        alpha=alpha,
        min_runs=min_runs,
        metric=lambda rows: rows["dataset"].map(names).replace("", "score"),
    )
    return _compare(means, table, min_runs, baseline, [*notes, CAUTION], title)


def check_means_options(pairs: object, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of `compare` that apply to printed means; ReseedError for others."""
    others = [*(["pairs"] if pairs else []), *(name for name in options if name not in _OPTIONS)]
    if others:
        raise ReseedError(
            f"{', '.join(map(repr, others))}: does not apply to printed means. Leave it out."
        )
    return dict(options)


def _compare(
    means: pd.DataFrame,
    table: pd.DataFrame,
    min_runs: int,
    baseline: str | None,
    notes: list[str],
    title: str,
) -> Comparison:
    """The comparison by the tests of `table`; the mean of a model counts as its one run."""
    means, table = (one.replace({"dataset": {"": "data"}}) for one in (means, table))
    facts = {"design": MEANS.design, "test": MEANS.test, "covers": MEANS.claim, **ONE_SETTING}
    known = table[[name for name in PAIR_COLUMNS if name in table]]
    known = known.assign(n=table[["n_a", "n_b"]].min(axis=1), family="dataset", **facts)
    tested = PairTest(least=min_runs)
    rows = [Pair(**row, tested=tested) for row in known.to_dict("records")]
    rows = [row._replace(**decide(row)._asdict()) for row in rows]
    pairs = pd.concat([list_pairs(rows), table[_OF_MEANS]], axis=1)
    notes = [*_ask_for_spread(table), *notes]
    datasets = table.drop_duplicates("dataset").set_index("dataset")
    metrics, greater = datasets["metric"], datasets["greater_is_better"]
    means = means[means["dataset"].isin(metrics.index)]
    runs = pd.DataFrame(
        {"dataset": row.dataset, "model": row.model, metrics[row.dataset]: row.mean}
        for row in means.itertuples()
    ).assign(status="ok", **dict.fromkeys((*SPLIT_COLUMNS, *MODEL_SEED_COLUMNS), 0), **ONE_SETTING)
    described = {
        str(name): DatasetInfo(title=name, metric=metrics[name], greater_is_better=greater[name])
        for name in metrics.index
    }
    texts, total = {"name": STUDY_NAME, "title": title}, int(means["n"].sum())
    info = describe_imported_study(runs.assign(error=""), described, texts, notes)
    data = Data(runs, info.model_copy(update={"trials": TrialCounts(planned=total, ok=total)}))
    board = leaderboard.analyse(data, NoOptions()).merge(
        means[["dataset", "model", "n", "sd"]], "left", ["dataset", "model"], suffixes=("", "_own")
    )
    runs_of_each = board["n_own"].fillna(board["n"]).astype(int)
    board = board.assign(n=runs_of_each, sd=board["sd_own"], low=np.nan, high=np.nan)
    return build_comparison(
        data, entries_without_runs(), PairChoice(baseline, []), {},
        _statistics={"pairs": pairs, "leaderboard": board},
    )  # fmt: skip


def _ask_for_spread(table: pd.DataFrame) -> list[str]:
    """A note if differences are shown only where ± is the SD, which nothing says."""
    alpha = table["alpha"]
    gaps = int(((table["p_adjusted_if_sd"] <= alpha) & (alpha < table["p_adjusted"])).sum())
    if not gaps:
        return []
    return [
        f"The table does not say what ± is: {count_noun(gaps, 'pair')} would differ if it "
        "is the SD, not if it is the standard error. State it (`spread`)."
    ]


def _read_metric(caption: str) -> str | None:
    """The only metric that a caption names: `Test accuracy (%), mean ± std`."""
    words = re.findall(r"[\w-]+", caption)
    phrases = [" ".join(pair) for pair in pairwise(words)]
    names = {one.name for one in map(find_metric, [*phrases, *words]) if one}
    return names.pop() if len(names) == 1 else None


def _select_metric(means: pd.DataFrame, metric: str | None) -> pd.DataFrame:
    """The rows of a metric, in a table with a column that names it."""
    if metric is None:
        return means
    for name in ("metric", "dataset"):
        is_named = means[name].map(normalize_name) == normalize_name(metric)
        if is_named.any():
            return means[is_named].reset_index(drop=True)
    if find_metric(metric) is None:
        names = [*dict.fromkeys([*means["metric"], *means["dataset"]])]
        raise ReseedError(
            f"metric {metric!r} is no column and on no list of metrics."
            f"{suggest_name(metric, names)}"
        )
    return means


def _choose_directions(
    means: pd.DataFrame, metric: str | None, requested: bool | Mapping[str, bool] | None
) -> tuple[dict[str, str], dict[str, bool], list[str]]:
    """The metric of each dataset, whether greater is better, and warnings.

    A column's own name decides before `metric`, which describes columns that name no metric.
    """
    names = {}
    for dataset, own in means[["dataset", "metric"]].drop_duplicates().itertuples(index=False):
        # `accuracy (mean ± std)` measures accuracy.
        heading = re.sub(r"\s*\([^()]*(±|\b(std|sd|sem|se)\b)[^()]*\)", "", own or dataset)
        is_known = read_arrow(heading) is not None or find_metric(heading) is not None
        names[dataset] = heading if own or is_known or metric is None else metric
    known = {one.greater for one in map(find_metric, names.values()) if one}
    if isinstance(requested, bool) and len(known) > 1:
        raise ReseedError(
            "`greater_is_better` is given for metrics of both directions: "
            f"{', '.join(dict.fromkeys(names.values()))}. State it for each metric: "
            "`greater_is_better: {auc: true, log_loss: false}`."
        )
    directions, notes = {}, []
    for dataset, name in names.items():
        wanted = requested
        if isinstance(requested, Mapping):
            by_name = {normalize_name(key): value for key, value in requested.items()}
            wanted = by_name.get(normalize_name(name), by_name.get(normalize_name(dataset)))
        try:
            greater, warning = choose_direction(name, wanted if isinstance(wanted, bool) else None)
        except ValueError as error:
            raise ReseedError(f"{error}. Leave the option out, or correct the heading.") from None
        if greater is None:
            raise Question(means.attrs["path"], [ask_direction(name or "value")])
        directions[dataset] = greater
        notes += [warning] if warning else []
    return names, directions, list(dict.fromkeys(notes))


def _list_pairs(part: pd.DataFrame, baseline: str | None, greater: bool) -> pd.DataFrame:
    """The pairs of one dataset, the better mean first."""
    rows = part.to_dict("records")
    sign = 1 if greater else -1
    pairs = []
    for pair in combinations(rows, 2):
        if baseline in (None, pair[0]["model"], pair[1]["model"]):
            a, b = sorted(pair, key=lambda row: -sign * row["mean"])
            sides = {
                f"{name}_{side}": value
                for side, row in (("a", a), ("b", b))
                for name, value in row.items()
                if name != "dataset"
            }
            pairs.append({"dataset": a["dataset"]} | sides)
    return pd.DataFrame(pairs)


def _test_pairs(pairs: pd.DataFrame, alpha: float, min_runs: int) -> pd.DataFrame:
    """Welch's test and interval of each pair that has enough runs, for all of them at once."""
    a, b = (_Side.of(pairs, side) for side in "ab")
    error_a, error_b = (_read_as_standard_error(pairs, side) for side in "ab")
    has_few_runs = (pairs[["n_a", "n_b"]] < min_runs).any(axis=1).to_numpy()
    tested = ~has_few_runs & (a.sd + b.sd > 0)
    count = int(tested.sum())
    table = pairs.assign(difference=a.mean - b.mean, pairs=count, **dict.fromkeys(_TESTS, np.nan))
    if not count:
        return table
    of_sd = _test_least_favourable(a, b, alpha / count)
    of_error = _test_least_favourable(error_a, error_b, alpha / count)
    p, half = np.maximum(of_sd.p, of_error.p), a.half_mean + b.half_mean
    columns = {
        "p": p,
        "low": np.minimum(of_sd.low, of_error.low),
        "high": np.maximum(of_sd.high, of_error.high),
        "p_adjusted": np.minimum(1, count * p),
        "p_adjusted_if_sd": np.minimum(1, count * of_sd.p),
        # The least favourable means are half a unit nearer to each other than printed.
        "detectable": detectable_effect(of_sd.df, _POWER, alpha / count) * of_sd.scale + half,
    }
    return table.assign(**{name: np.where(tested, one, np.nan) for name, one in columns.items()})


def _orient(pairs: pd.DataFrame, greater: bool) -> pd.DataFrame:
    """Differences and intervals that are positive where `model_a` is better."""
    if greater:
        return pairs
    return pairs.assign(difference=-pairs["difference"], low=-pairs["high"], high=-pairs["low"])


@dataclass(frozen=True)
class _Side:
    """One model of each pair: (pairs,) means and SDs of n runs, and half a printed unit of each."""

    mean: np.ndarray
    sd: np.ndarray
    n: np.ndarray
    half_mean: np.ndarray
    half_sd: np.ndarray

    @classmethod
    def of(cls, pairs: pd.DataFrame, side: str) -> _Side:
        """The models on side `a` or `b`."""
        return cls(*(pairs[f"{one.name}_{side}"].to_numpy(dtype=float) for one in fields(cls)))


def _test_least_favourable(a: _Side, b: _Side, alpha: float) -> Welch:
    """The greatest p and the widest interval over all digits before rounding.

    Rounding may have moved the means apart, and reduced both SDs: of these are `scale` and `df`. A
    smaller SD next to a greater one has fewer degrees of freedom, so p may be greatest if one SD is
    the smallest that is printed like this.
    """
    difference = a.mean - b.mean
    half = np.minimum(a.half_mean + b.half_mean, np.abs(difference))
    corners = []
    for sign_a, sign_b in ((1, 1), (1, -1), (-1, 1)):
        sd_a, sd_b = (
            np.maximum(side.sd + sign * side.half_sd, 0)
            for side, sign in ((a, sign_a), (b, sign_b))
        )
        for apart in (-1, 1):
            mean = a.mean + apart * np.sign(difference) * half
            corners.append(welch_of_means(mean, sd_a, a.n, b.mean, sd_b, b.n, 1 - alpha))
    return replace(
        corners[0],
        p=np.max([one.p for one in corners], axis=0),
        low=np.min([one.low for one in corners], axis=0),
        high=np.max([one.high for one in corners], axis=0),
    )


def _read_as_standard_error(pairs: pd.DataFrame, side: str) -> _Side:
    """The models on a side, with spreads of unknown meaning read as standard errors, not as SDs."""
    printed = pairs[[f"n_{side}", f"spread_{side}"]].set_axis(["n", "spread"], axis=1)
    factor = (spread_to_sd(printed, unknown="se") / spread_to_sd(printed)).to_numpy()
    models = _Side.of(pairs, side)
    return replace(models, sd=models.sd * factor, half_sd=models.half_sd * factor)
