"""Comparisons of models, grouped and named by the setting in which they were run."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
from reseed.comparison.claims.designs import SIGN
from reseed.comparison.claims.estimates import Estimate, Sample
from reseed.comparison.claims.formatting import format_p, format_share
from reseed.comparison.claims.pair_row import PairRow, is_over_datasets, is_shown
from reseed.comparison.claims.phrases import Phrase
from reseed.comparison.claims.typed_row import ComparedRow
from reseed.comparison.claims.verdicts import ALL_DATASETS
from reseed.core.schemas import COMPARISON_COLUMNS, Row
from reseed.metrics.names import is_share
from reseed.report.analyses.shared.keys import group_across_datasets, merge_keys
from reseed.report.rendering import numbers
from reseed.report.rendering.arms import arm_title
from reseed.report.rendering.data import ExhibitData, footnote, metric_title

#: Columns that identify a comparison over datasets.
CROSS_DATASET_COLUMNS = ["experiment", "scheme", "test_ratio", "hyperparameters_source"]
#: Noun for a run, by design of the comparison.
RUNS = {
    "splits": "splits",
    "seeds": "model seeds",
    "unpaired": "model seeds",
    "seeds and items": "model seeds",
    "datasets": "datasets",
}
#: With longer labels there is one panel a line.
LONG_LABEL = 20


def group_by_setting(data: ExhibitData, rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """(title, rows) of each setting; the title names only what differs between settings."""
    if rows.empty:
        return []
    within = rows.groupby("dataset")
    columns = ("experiment", "scheme", "hyperparameters_source")
    differ = [name for name in columns if within[name].nunique().max() > 1]
    titled = []
    setting = [name for name in COMPARISON_COLUMNS if name in rows]
    for _, part in rows.groupby(setting, sort=False, dropna=False):
        row = ComparedRow.read_first(part)
        texts = (data.experiment(row.experiment), row.scheme, row.hyperparameters_source)
        shown = [text for name, text in zip(columns, texts, strict=True) if name in differ]
        titled.append((join_titles(dataset_title(data, row.dataset), *shown), part))
    return titled


def group_over_datasets(data: ExhibitData, rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """(title, rows on single datasets) of each comparison over datasets."""
    number = rows.groupby(COMPARISON_COLUMNS, sort=False, dropna=False).ngroup()
    compared = rows.drop_duplicates(COMPARISON_COLUMNS)
    chosen = group_across_datasets(compared.to_dict("records"))
    titles = _board_titles(data, [merge_keys(compared.iloc[which]) for which in chosen])
    return [(t, rows[number.isin(which)]) for t, which in zip(titles, chosen, strict=True)]


def _board_titles(data: ExhibitData, keys: list[Row]) -> list[str]:
    """Titles of comparisons over datasets; empty if there is one."""
    columns = [name for name in CROSS_DATASET_COLUMNS if name != "test_ratio" and name in keys[0]]
    differ = [name for name in columns if len({key[name] for key in keys}) > 1]
    show = {"experiment": data.experiment}
    return [join_titles(*(show.get(name, str)(key[name]) for name in differ)) for key in keys]


def join_titles(*titles: str) -> str:
    """`Grid · Magic`: the titles that are not empty."""
    return " · ".join(filter(None, titles))


def counted_settings(rows: pd.DataFrame) -> str:
    """`3 datasets`; `12 settings` if a dataset occurs in several, as with test ratios."""
    number = len(rows[COMPARISON_COLUMNS].drop_duplicates())
    same = number == rows["dataset"].nunique()
    return numbers.counted(number, "dataset" if same else "setting")


def count_settings(rows: pd.DataFrame) -> Phrase:
    """`counted_settings` as a phrase of the rows."""
    return Phrase(counted_settings(rows), "count", tuple(rows.index))


def cell_noun(cells: pd.DataFrame) -> tuple[str, str]:
    """Singular and plural noun for the rows of `cells`."""
    if cells.duplicated(["dataset", "arm"]).any():
        return "setting", "settings"
    return "pair of dataset and algorithm", "pairs of dataset and algorithm"


def dataset_title(data: ExhibitData, dataset: str) -> str:
    """Title of a dataset, or of all of them."""
    return "All datasets" if dataset == ALL_DATASETS else data.dataset(dataset)


def pair_title(data: ExhibitData, row: PairRow) -> str:
    """`XGB – RF`."""
    return " – ".join(pair_titles(data, row))


def pair_titles(data: ExhibitData, row: PairRow) -> list[str]:
    """Titles of the two compared arms, the first one first; one title if the other is empty."""
    arms = filter(None, (row.model_a, row.model_b))
    return [arm_title(data, arm, row.experiment) for arm in arms]


def with_titles(data: ExhibitData, row: PairRow) -> PairRow:
    """The row with titles for names."""
    first, second = pair_titles(data, row)
    return replace(row, model_a=first, model_b=second, metric=metric_title(row.metric))


def in_unit(metric: str, unit: str) -> str:
    """Unit of a difference: `points of AUC`, `MSE (kW²)`."""
    title = "mean rank" if metric == "rank" else metric_title(metric)
    if unit == "points":
        return f"points of {title}"
    return f"{title} ({unit})" if unit else title


def with_unit(title: str, rows: pd.DataFrame) -> str:
    """`Magic, points of AUC`; the title alone if the differences have several units."""
    # Scores of different metrics, of which signs are counted, have no common unit.
    named = rows.loc[rows["test"] != SIGN.test, ["metric", "unit"]].drop_duplicates()
    units = {in_unit(*one) for one in named.itertuples(index=False)}
    return ", ".join([title, *units]) if len(units) == 1 else title


def count_difference_decimals(rows: pd.DataFrame) -> int:
    """Decimals for differences, by their intervals, or by the differences themselves."""
    ends = rows[["low", "high"]].mul(rows["factor"], axis="index")
    return numbers.interval_decimals(
        ends.itertuples(index=False, name=None), otherwise=rows["difference"] * rows["factor"]
    )


def difference_and_interval(row: PairRow, places: int) -> tuple[str, str]:
    """Difference and interval in the unit of the comparison; a dash for a missing one.

    Equal differences have no interval: they show nothing of how much others would vary.
    """
    size, low, high = row.shown_difference
    size = math.nan if row.test == SIGN.test else size
    interval = numbers.interval(low, high, places) if low < high else ""
    return numbers.fixed(size, places), interval or numbers.NONE


def p_cell(p: float) -> str:
    """A p-value in a cell: `< 0.001`, `0.013`, a dash."""
    return format_p(p).replace("below ", "< ") if math.isfinite(p) else numbers.NONE


def tail_cell(tail: str) -> str:
    """`heavier`, `lighter`, or `neither shown`: the test shows no equality; a dash without it."""
    return {"as Gaussian": "neither shown"}.get(tail, tail) or numbers.NONE


def adjusted_over(rows: pd.DataFrame, part: str = "section") -> str:
    """Sentence on what p-values are adjusted over. part: of the exhibit, for one dataset."""
    if (rows["family"] == "study").any():
        return "all pairs of the study"
    alone = len(rows[COMPARISON_COLUMNS].drop_duplicates()) == rows["dataset"].nunique()
    return f"the pairs of a {'dataset' if alone else part}"


def pair_runs(rows: pd.DataFrame) -> Sample:
    """The n of pairs in runs of their design: `6 to 8 model seeds`; 0 where a pair shares none."""
    return Sample.of(rows, "n", *_run_nouns(rows), least=0, each="a pair")


def run_ends(pairs: pd.DataFrame) -> dict[str, float]:
    """Least and greatest n of the pairs, as columns of a row that stands for them."""
    n = pairs["n"].fillna(0)
    return {"n_least": n.min(), "n_most": n.max()}


def sample_of_ends(rows: pd.DataFrame, pairs: pd.DataFrame) -> Sample:
    """The n of rows with the columns of `run_ends`, in runs of the design of the pairs."""
    return Sample.of(rows, list(run_ends(pairs)), *_run_nouns(pairs), least=0, each="a pair")


def _run_nouns(pairs: pd.DataFrame) -> tuple[str, str]:
    nouns = dict.fromkeys(RUNS.get(design, "runs") for design in pairs["design"])
    return numbers.several(noun.removesuffix("s") for noun in nouns), numbers.several(nouns)


def difference_estimates(data: ExhibitData, rows: pd.DataFrame) -> list[Estimate]:
    """Each known difference with its interval, in units of the score."""
    estimates = []
    for row in filter(lambda row: math.isfinite(row.difference), PairRow.read(rows)):
        # Shares are shown in points, so `factor` says if the scores are in percent already.
        most = 100 / row.factor if is_share(row.metric) and row.unit else np.inf
        subject = f"{dataset_title(data, row.dataset)}: {pair_title(data, row)}"
        ends = (row.low, row.high)
        estimates.append(
            Estimate.truncated(subject, row.difference, ends, row.level, (-most, most))
        )
    return estimates


def describe_half_widths(rows: pd.DataFrame) -> str:
    """`95 % intervals of ±0.3 to 1.2 points of AUC`; empty where no pair has an interval."""
    known = rows[
        np.isfinite(rows["low"]) & np.isfinite(rows["high"]) & (rows["low"] < rows["high"])
    ]
    if known.empty:
        return ""
    half = (known["high"] - known["low"]) / 2 * known["factor"]
    parts = [
        f"±{numbers.from_to(part, numbers.two_digits)} {unit}"
        for unit, part in half.groupby(_list_units(known), sort=False)
    ]
    return f"{format_share(known['level'].max())} intervals of {'; '.join(parts)}"


def _list_units(rows: pd.DataFrame) -> pd.Series[str]:
    """The unit of each row."""
    units = [in_unit(*one) for one in rows[["metric", "unit"]].itertuples(index=False)]
    return pd.Series(units, rows.index)  # pandas takes a list of one unit for a list of keys


def describe_detectable(rows: pd.DataFrame) -> str:
    """`detectable with a power of 80 %: 0.3 to 1.2 points of AUC`; empty if unknown.

    Of the pairs without a shown difference; those over datasets in SDs between datasets.
    """
    rows = rows[~is_shown(rows)]
    over = is_over_datasets(rows)
    texts = (
        _describe_detectable_by_dataset(rows[~over]),
        _describe_detectable_over_datasets(rows[over]),
    )
    return "; ".join(filter(None, texts))


def _describe_detectable_over_datasets(rows: pd.DataFrame) -> str:
    """Smallest mean difference in SDs between datasets that the tests find, or that none is found.

    Empty for pairs on too few datasets for a test.
    """
    if rows.empty or rows["detectable_sd"].isna().all():
        return ""
    shifts = rows["detectable_sd"].dropna()
    finite = shifts[np.isfinite(shifts)]
    none = "no difference, however large, is found with a power of 80 % on so few datasets"
    if finite.empty:
        return none
    sizes = numbers.from_to(finite, "{:.1f}".format)
    text = f"detectable with a power of 80 %: a mean difference of {sizes} SD between datasets"
    others = numbers.counted(len(shifts) - len(finite), "pair")
    return text if len(finite) == len(shifts) else f"{text}; for {others}, {none}"


def _describe_detectable_by_dataset(rows: pd.DataFrame) -> str:
    known = rows[rows["detectable"].gt(0) & np.isfinite(rows["detectable"])]
    if known.empty:
        return ""
    sizes = known["detectable"] * known["factor"]
    parts = [
        f"{numbers.from_to(part, numbers.two_digits)} {unit}"
        for unit, part in sizes.groupby(_list_units(known), sort=False)
    ]
    power = format_share(PairRow.read_first(known).target_power)
    return f"detectable with a power of {power}: {'; '.join(parts)}"


def select_leaders(rows: pd.DataFrame) -> pd.DataFrame:
    """The row of each setting that compares its best mean with the next one."""
    known = rows[rows["difference"].notna()]
    leaders = []
    for _, part in known.groupby(COMPARISON_COLUMNS, sort=False, dropna=False):
        best = part[~part["model_a"].isin(part["model_b"])]
        leaders.append((best if len(best) else part).nsmallest(1, "difference"))
    return pd.concat(leaders) if leaders else known


def has_every_pair(rows: pd.DataFrame) -> bool:
    """Whether every pair of models was compared in each setting, so that one can be best."""
    for _, part in rows.groupby(COMPARISON_COLUMNS, sort=False, dropna=False):
        models = len({*part["model_a"], *part["model_b"]})
        if len(part) < models * (models - 1) // 2:
            return False
    return True


def footnote_pairs(
    data: ExhibitData, rows: pd.DataFrame, *sentences: str, per: str = "pair"
) -> str:
    """Footnote of comparisons; it counts runs by their noun instead of seeds."""
    known = rows[rows["dataset"] != ALL_DATASETS]
    common = footnote(data, known.drop(columns=["n"], errors="ignore"))
    counts = []
    if "n" in known and len(known):
        counts = [f"Runs per {per}: {numbers.from_to(known['n'], to='–')}."]
    return " ".join([common, *counts, *(text for text in sentences if text)])
