"""Comparisons of models, grouped and named by the setting in which they were run."""

from __future__ import annotations

import math

import pandas as pd
from reseed.analyses.shared.keys import group_across_datasets, merge_keys
from reseed.core.schemas import COMPARISON_COLUMNS, Row
from reseed.report.rendering import numbers
from reseed.report.rendering.arms import arm_title
from reseed.report.rendering.data import ExhibitData, footnote, metric_title
from reseed.verdicts.decide import ALL_DATASETS
from reseed.verdicts.designs import SIGN
from reseed.verdicts.formatting import format_p
from reseed.verdicts.pair import Pair

#: Columns that identify a comparison over datasets.
CROSS_DATASET_COLUMNS = ["experiment", "scheme", "test_ratio", "hyperparameters_source"]
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
        row = next(part.itertuples())
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


def dataset_title(data: ExhibitData, dataset: str) -> str:
    """Title of a dataset, or of all of them."""
    return "All datasets" if dataset == ALL_DATASETS else data.dataset(dataset)


def pair_title(data: ExhibitData, row: Pair) -> str:
    """`XGB – RF`."""
    return " – ".join(pair_titles(data, row))


def pair_titles(data: ExhibitData, row: Pair) -> list[str]:
    """Titles of the two compared arms, the first one first; one title if the other is empty."""
    arms = filter(None, (row.model_a, row.model_b))
    return [arm_title(data, arm, row.experiment) for arm in arms]


def in_unit(metric: str, unit: str) -> str:
    """Unit of a difference: `points of AUC`, `MSE (kW²)`."""
    title = "mean rank" if metric == "rank" else metric_title(metric)
    if unit in ("points", "%"):
        return f"{unit} of {title}"
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


def difference_and_interval(row: Pair, places: int) -> tuple[str, str]:
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


def select_leaders(rows: pd.DataFrame) -> pd.DataFrame:
    """The row of each setting that compares its best mean with the next one."""
    known = rows[rows["difference"].notna()]
    leaders = []
    for _, part in known.groupby(COMPARISON_COLUMNS, sort=False, dropna=False):
        best = part[~part["model_a"].isin(part["model_b"])]
        leaders.append((best if len(best) else part).nsmallest(1, "difference"))
    return pd.concat(leaders) if leaders else known


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
