"""What varied in the scores of a table, hence what decides between models and what it covers.

Every door asks `choose_design`: `compare`, `gate`, imports of studies, `reseed read`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import pandas as pd
from scipy.special import fdtrc

from reseed.core.pair_tests import MIN_DATASETS
from reseed.core.schemas import SPLIT_COLUMNS
from reseed.readers.names import RUN_COLUMNS
from reseed.readers.question import propose
from reseed.readers.scores import Scores
from reseed.verdicts.designs import DesignFacts, Method, choose_method

#: Names of columns of times, and dates as text.
_TIMES = ("date", "time", "timestamp", "datetime", "year", "month", "week", "day", "hour")
#: Least share of items with a time of their own that are points in time.
_OWN_TIMES = 0.9
#: Fewest levels of a column that are asked about as clusters, and the p-value that shows them.
_FEWEST_CLUSTERS, _CORRELATED = 10, 0.001
#: Labels of what may vary, the outermost first.
_SOURCES = ("dataset", *RUN_COLUMNS, "prompt", "cluster", "item", "repetition")


@dataclass(frozen=True)
class Design:
    """What varied.

    unit: what shows the spread: `runs` (one score a run, with its items where they are known), or
        `items` with every factor that is crossed with them.
    levels: number of levels of each source that varied.
    facts: what selects the test of two models on one dataset; over datasets if a model has one run
        on each of enough.
    """

    unit: Literal["runs", "items"]
    levels: Mapping[str, int]
    facts: DesignFacts

    @property
    def method(self) -> Method:
        """The test, of models that share their seeds."""
        return choose_method(self.facts)

    def describe(self) -> str:
        """What varied, and what verdicts cover."""
        varied = " × ".join(
            f"{count:,} {name.replace('_', ' ')}s" for name, count in self.levels.items()
        )
        where = "" if self.facts.varied == "datasets" else " on a dataset"
        return f"Varied: {varied or 'nothing'}. Verdicts{where} cover {self.method.claim}."


def choose_design(scores: Scores, asks_items: bool = False) -> Design:
    """The design of a table of scores.

    Splits decide wherever they varied: no single trained model made scores of items on several.
    Else items decide where seeds alone do not describe what varied: items with clusters, prompts or
    repeats, one run of each model, one model alone, and logs of evaluation harnesses.

    asks_items: whether the user asks for a comparison over items, an error on several splits.
    """
    levels = _count_levels(scores)
    if scores.has_items:
        _ask_about_time(scores)
    if {*SPLIT_COLUMNS} & {*levels}:
        if asks_items:
            raise scores.source.error(
                "the items are on several splits, so no single trained model made their scores",
                "They are compared over the splits: leave out `cluster`, `prompt`, `repeats`, "
                "`failed` and `fixed`.",
            )
        return Design("runs", levels, DesignFacts("splits"))
    if scores.has_items:
        _ask_about_clusters(scores)
    if asks_items or _need_items(scores, levels):
        is_count = {*levels} <= {"dataset", "item"} and scores.frame["value"].isin((0, 1)).all()
        facts = DesignFacts("items", counts_items=bool(is_count) and not scores.predictions)
        return Design("items", levels, facts)
    if "seed" not in levels and levels.get("dataset", 1) >= MIN_DATASETS:
        return Design("runs", levels, DesignFacts("datasets"))
    return Design("runs", levels, DesignFacts("seeds", True, has_items=scores.has_items))


def _ask_about_time(scores: Scores) -> None:
    """Ask what makes items independent that are points in time, by their names or a column."""
    if {"cluster", "prompt"} & scores.named:
        return
    table, named = scores.source, scores.columns.get("item")
    for column in [named, *(c for c in table.columns if c not in scores.columns.values())]:
        if column not in table.columns:
            continue
        count = len(table.labels(column))
        is_time = column.lower() in _TIMES or table.are_dates(column)
        own = {} if str(named).startswith("(") else {"item": str(named)}
        if is_time and count > _OWN_TIMES * scores.frame["item"].nunique() > _OWN_TIMES:
            table.add_error(
                f"its items are points in time ({column!r}), and near ones depend on each other",
                (
                    "Name a column of blocks, such as months or series, that are independent: "
                    "`columns: {cluster: …}`.",
                    propose(
                        "If single items are: ",
                        {"columns": own | {"cluster": column}},
                    ),
                ),
            )
            table.raise_errors()


def _ask_about_clusters(scores: Scores) -> None:
    """Ask about an unused column within whose levels differences of models are correlated.

    F test of its levels on the differences of each item from the mean of all models (of one model:
    on its scores). Numbers count if the rows of each stand together, as those of a patient do and
    lengths of texts do not.
    """
    table = scores.source
    given = {column for own in scores.sources.values() for column in own}
    used = given | {*scores.columns.values(), *scores.score_columns}
    unused = [c for c in table.columns if c not in used]
    if {"cluster", "prompt"} & scores.named or scores.predictions or not unused:
        return
    rows = scores.frame[scores.frame["metric"].isin(scores.metrics.values())]
    wide = rows.pivot_table(index=["dataset", "item"], columns="model", values="value").dropna()
    values = wide.to_numpy()
    values = values - (values.mean(axis=1, keepdims=True) if wide.shape[1] > 1 else values.mean())
    firsts = rows.drop_duplicates(["dataset", "item"]).set_index(["dataset", "item"])["row"]
    firsts = firsts[wide.index].to_numpy()
    for column in unused:
        labels = table.text(column)[firsts]
        codes, levels = pd.factorize(labels)
        ordered = labels.sort_index()
        blocks = int((ordered != ordered.shift()).sum())
        is_name = blocks == len(levels) or not labels.str.fullmatch(r"[-+.\d]*").all()
        spare = len(values) - len(levels)
        if len(levels) < _FEWEST_CLUSTERS or spare < len(levels) or not is_name:
            continue
        means = pd.DataFrame(values).groupby(codes).transform("mean").to_numpy()
        within = ((values - means) ** 2).sum() / spare
        ratio = (means**2).sum() / (len(levels) - 1) / max(within, 1e-300)
        free = max(values.shape[1] - 1, 1)
        if fdtrc((len(levels) - 1) * free, spare * free, ratio) * len(unused) <= _CORRELATED:
            table.add_error(
                f"differences between models are correlated within {column!r}, so its "
                f"{len(levels)} levels may be what was sampled",
                (
                    propose("If they were: ", {"columns": {"cluster": column}}),
                    propose("If each item was drawn by itself: ", {"leave_out": column}),
                ),
            )
    table.raise_errors()


def _count_levels(scores: Scores) -> dict[str, int]:
    frame = scores.frame
    counts = {name: frame[name].nunique() for name in _SOURCES if name in frame}
    if scores.predictions:
        counts["item"] = max(one.rows["item"].nunique() for one in scores.predictions)
        if "cluster" in scores.named:
            counts["cluster"] = len(scores.source.labels(str(scores.columns["cluster"])))
    return {name: int(counts[name]) for name in _SOURCES if counts.get(name, 0) > 1}


def _need_items(scores: Scores, levels: Mapping[str, int]) -> bool:
    if scores.source.layout.is_log:
        return True
    named = scores.named
    if not scores.has_items:
        return False
    crossed = set() if scores.predictions else {"prompt", "repetition"}
    if ({"cluster", "people"} | crossed) & named:
        return True
    if scores.predictions and {*scores.metrics.values()} - {*scores.frame["metric"]}:
        return True  # such as `error`, which is no metric of runs
    runs = scores.frame.groupby("model")["seed"].nunique()
    return len(runs) == 1 or bool(runs.max() < 2)
