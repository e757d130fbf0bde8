"""`reseed.rank_models`: intervals of ranks, and the models that may be the best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reseed.comparison.arguments import check_levels, choose_read_options
from reseed.comparison.claims.designs import SIGN_FLIPS, SIGNS_SEED, DesignFacts, choose_method
from reseed.comparison.claims.formatting import count_noun, format_level
from reseed.comparison.claims.formatting import join_names as join_and
from reseed.comparison.claims.possible_ranks import format_ranks
from reseed.comparison.compare import read_data
from reseed.comparison.item_arrays import FAILED, check_zero
from reseed.comparison.output import Result
from reseed.comparison.rank_pairs import Sources, rank_on_tasks
from reseed.comparison.rank_tables import (
    MISSING,
    keep_complete,
    tabulate_means,
    treat_failed_runs,
)
from reseed.comparison.shown import ResultRow, Shown
from reseed.comparison.speakers import in_arguments
from reseed.core.errors import ReseedError
from reseed.core.pair_tests import MIN_DATASETS
from reseed.metrics.directions import AGAINST
from reseed.metrics.names import is_share
from reseed.readers.source_table import join_names
from reseed.report.analyses.shared.data import Data, primary_metric
from reseed.stats.many_datasets import rank_within
from reseed.stats.rank_sets import (
    RankSets,
    levels_to_separate,
    rank_over_tasks,
    skewness_of_differences,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Arguments on runs, as of `compare`.
_RUNS = ("test_train_ratio", "seed_draws", "deterministic")
#: What is averaged over tasks.
SCALES = ("score", "rank")
#: Mean skewness of differences, in SDs of one, from which the level is doubted (two models; more).
_SKEWED = (1.5, 0.75)


@dataclass(frozen=True, repr=False)
class Ranking(Result):
    """Models by rank.

    table: one row a model, the best first: `mean`, `rank`; `low_new`, `high_new`, the interval of
        the rank on new tasks, and `low_these`, `high_these`, on exactly these tasks (empty where
        the scores do not support one); `tasks_needed`, about how many tasks would show the
        difference to the next model, and `seeds_needed`, `items_needed` or `clusters_needed`, how
        many of these would if the numbers of the others stay (infinity: none would).
    new_tasks, these_tasks: the rank sets behind them, in the order of `table`.
    sources: what varies in the statement on these tasks, such as `5 seeds and 200 items`.
    is_skewed: whether differences over tasks are so skewed that the level on new tasks may not
        hold; a note gives the numbers.
    """

    table: pd.DataFrame
    new_tasks: RankSets | None
    these_tasks: RankSets | None
    level: float
    sources: str
    notes: tuple[str, ...]
    is_skewed: bool = False

    def sentences(self) -> list[str]:
        """Which models may be the best, for new tasks and for these."""
        texts = []
        percent = format_level(self.level)
        for name, where in (("new", "On new tasks"), ("these", "On exactly these tasks")):
            if f"low_{name}" not in self.table:
                continue
            first = list(self.table.loc[self.table[f"low_{name}"] == 1, "model"])
            counted = count_noun(len(self.table), "model")
            verb = f"{first[0]} is" if len(first) == 1 else f"{join_names(first, 20)} may each be"
            extra = f", over {self.sources}" if name == "these" else ""
            holds = f"{percent} for all ranks at once"
            if name == "new" and self.is_skewed:
                holds = f"nominally {holds}; the level may not hold, as differences are skewed"
            texts.append(f"{where}{extra}: {verb} the best of {counted} ({holds}).")
        return texts

    @cached_property
    def shown(self) -> Shown:
        """What all outputs show."""
        against = [note for note in self.notes if note.startswith(AGAINST)]
        return Shown(
            title="Which models may be the best?",
            answer=[*against, *self.sentences()],
            rows=[_build_row(row) for row in self.table.to_dict("records")],
            tables={"ranking": self.table},
            notes=[note for note in self.notes if note not in against],
            noun="Model",
            heading="Rank",
            null=np.nan,
            figures={"ranks": "Which rank each model may have"},
        )

    def _draw(self, name: str) -> Figure:
        """Intervals of the ranks: on new tasks (thin), on these (thick), and the rank (dot)."""
        from reseed.comparison.rank_figure import draw_ranks

        return draw_ranks(self.table, self.level)


def _build_row(row: Mapping[Any, Any]) -> ResultRow:
    cells = {"Mean": f"{row['mean']:#.4g}"}
    ends = []
    for name, heading in (("new", "On new tasks"), ("these", "On these tasks")):
        if f"low_{name}" in row:
            ends.append((row[f"low_{name}"], row[f"high_{name}"]))
            cells[heading] = format_ranks(*ends[-1])
    for name, value in row.items():
        if str(name).endswith("_needed"):
            text = "none" if np.isinf(value) else f"{value:.0f}"
            cells[str(name).replace("_", " ").capitalize()] = text if value == value else "–"
    return ResultRow(row["model"], f"{row['rank']}", float(row["rank"]), *ends[0], cells)


@in_arguments
def rank_models(
    source: pd.DataFrame | str | Path | Sequence[str | Path],
    *,
    metric: str | None = None,
    columns: Mapping[str, str] | None = None,
    cluster: str | None = None,
    repeats: str = "mean",
    fixed: Sequence[str] = (),
    failed: str = "refuse",
    greater_is_better: bool | None = None,
    missing: str = "refuse",
    scale: str | None = None,
    level: float = 0.95,
    **reading: Any,
) -> Ranking:
    """Rank models by their mean over tasks, with simultaneous intervals of the ranks.

    Args:
        source: a table with `model` and the score, and `dataset` (task), `seed` or `item`; or one
            row a model and one column a task.
        metric: the score, if there are several.
        columns: standard name → the table's column.
        cluster, repeats, fixed: of scores of items, as in `compare_items`.
        failed: `refuse` empty scores of runs or items, and absent items; `drop` these items for all
            models, or these runs; count empty scores as `zero`; or leave out failed `repeats` of
            items of which others have a score.
        greater_is_better: if the metric's name does not state it.
        missing: `refuse` a model that lacks a task (has no score on it); keep the `tasks` that all
            models have; or the `models` that have all tasks.
        scale: average the `score` over tasks, or the `rank` within each task (new tasks only). By
            default as in `reseed.compare`: scores of a share such as accuracy; else ranks, as tasks
            may have unlike scales.
        level: simultaneous level of all intervals.
        reading: `headings`, `rows`, `format`, `unit`, `test_train_ratio`, `seed_draws` and
            `deterministic`, as of `reseed.compare`.

    Raises:
        ReseedError: for a table that cannot be read, missing tasks, and scores that support no
            interval: fewer than six tasks, and neither runs nor items.

    Example:
        >>> import pandas as pd, reseed
        >>> tasks = pd.DataFrame({"model": ["base", "ours", "theirs"]})
        >>> for task in range(8):
        ...     tasks[f"task {task}"] = [0.5 + 0.01 * task, 0.6 + 0.012 * task, 0.55 + 0.009 * task]
        >>> ranking = reseed.rank_models(tasks, greater_is_better=True)
        >>> print(*ranking.sentences())
        On new tasks: ours is the best of 3 models (95 % for all ranks at once).
    """
    _check_options(missing, failed, scale, level)
    given = choose_read_options(metric, columns, cluster, greater_is_better, reading, _RUNS)
    given = replace(given, of_tasks=True)
    scores, data, _ = read_data(source, given, (repeats, failed, tuple(fixed)), "", None)
    check_zero(failed, scores)
    notes: list[str] = []
    if not data.items:
        data = treat_failed_runs(data, failed, notes)
    data = keep_complete(data, missing, notes)
    if data.metrics["model"].nunique() < 2:
        raise ReseedError("The table holds one model: a ranking needs two or more.")
    run = "seed" if "seed" in scores.named else "run"
    return _rank(data, scale, level, [*(data.info.notes or ()), *notes], run)


def _check_options(missing: str, failed: str, scale: str | None, level: float) -> None:
    choices = (
        ("missing", missing, MISSING),
        ("failed", failed, FAILED),
        ("scale", scale or SCALES[0], SCALES),
    )
    for name, value, known in choices:
        if value not in known:
            raise ReseedError(f"{name}: {value!r} is none of {', '.join(known)}.")
    check_levels(level=level)


def _rank(data: Data, scale: str | None, level: float, notes: list[str], run: str) -> Ranking:
    cells = tabulate_means(data, notes)
    metrics = list(dict.fromkeys(primary_metric(data.info, name) for name in cells))
    if scale is None:
        scale = _choose_scale(cells, metrics, notes)
    elif scale == "score" and len(metrics) > 1:
        raise ReseedError(
            f"tasks differ in their metric ({join_names(metrics)}), so their scores have no mean. "
            "Average ranks within tasks: `scale: rank`."
        )
    cells = cells.iloc[np.argsort(-_scale(cells, scale).mean(axis=1), kind="stable")]
    new = _rank_on_new_tasks(cells, scale, level, notes)
    these = None
    if len(metrics) > 1:
        notes.append("No statement on exactly these tasks: they differ in their metric.")
    else:
        these = _rank_on_these_tasks(data, cells, scale, level, run, notes)
    if new is None and these is None:
        raise ReseedError(
            "The scores support no interval of ranks: give six tasks or more, five runs of each "
            "model (column `seed`), or scores of items (column `item`)."
        )
    sets, sources = these or (None, {})
    text = join_and(_count_range(levels, name) for name, levels in sources.items())
    table = _tabulate(data, cells, scale, new, sets, sources)
    skew_note = _describe_skew(_scale(cells, scale)) if new else None
    notes += [skew_note] if skew_note else []
    return Ranking(table, new, sets, level, text, tuple(notes), skew_note is not None)


def _choose_scale(cells: pd.DataFrame, metrics: list[str], notes: list[str]) -> str:
    """What is averaged over tasks, by the rule of `reseed.compare`."""
    has_one_share = len(metrics) == 1 and is_share(*metrics)
    facts = DesignFacts("datasets", has_one_share=has_one_share, ranks_models=True)
    is_one = len(metrics) == 1
    if (cells.shape[1] < MIN_DATASETS and is_one) or choose_method(facts) is SIGN_FLIPS:
        return "score"
    notes.append(
        "New tasks: ranks within tasks are compared, as nothing says that the scores of all tasks "
        "have one scale. The scale 'score' would compare mean scores."
    )
    return "rank"


def _scale(cells: pd.DataFrame, scale: str) -> NDArray[np.float64]:
    """What is averaged over tasks (models, tasks); greater is better."""
    scores = cells.to_numpy(dtype=np.float64)
    return -rank_within(scores.T).T if scale == "rank" else scores


def _rank_on_new_tasks(
    cells: pd.DataFrame, scale: str, level: float, notes: list[str]
) -> RankSets | None:
    if cells.shape[1] >= MIN_DATASETS:
        rng = np.random.default_rng(SIGNS_SEED)
        return rank_over_tasks(_scale(cells, scale), level, rng=rng)
    notes.append(
        f"No statement on new tasks: {count_noun(cells.shape[1], 'task')}, at least "
        f"{MIN_DATASETS} are needed."
    )
    return None


def _rank_on_these_tasks(
    data: Data, cells: pd.DataFrame, scale: str, level: float, run: str, notes: list[str]
) -> tuple[RankSets, Sources] | None:
    has_runs = bool(data.items) or data.metrics.duplicated(["model", "dataset"]).any()
    these = rank_on_tasks(data, cells, level, run) if has_runs else None
    if these is None:
        notes.append(
            "No statement on exactly these tasks: without items it needs five runs of each model "
            "on a task, or as many on several."
        )
    elif scale == "rank":
        notes.append("On exactly these tasks mean scores are compared.")
    return these


def _tabulate(
    data: Data, cells: pd.DataFrame, scale: str, new: RankSets | None, these: RankSets | None,
    sources: Sources,
) -> pd.DataFrame:  # fmt: skip
    """The table of `Ranking`."""
    mean = _scale(cells, scale).mean(axis=1)
    ups = {info.greater_is_better for info in data.info.datasets.values()}
    sign = 1 if ups == {True} and scale == "score" else -1
    rank = (new or these).rank  # type: ignore[union-attr]
    table = pd.DataFrame({"model": list(cells.index), "mean": sign * mean, "rank": rank})
    for name, sets in (("new", new), ("these", these)):
        if sets is not None:
            table[f"low_{name}"], table[f"high_{name}"] = sets.low, sets.high
    if new is not None:
        table["tasks_needed"] = levels_to_separate(new, cells.shape[1])
    if these is not None:
        table = table.assign(**_needed_levels(these, sources))
    return table


def _describe_skew(scores: NDArray[np.float64]) -> str | None:
    """What skewed differences do to the level, with the numbers; None if they are not skewed.

    The errors were measured by simulation (docs/methods, Sets of ranks).
    """
    skewness, noise = skewness_of_differences(scores)
    if abs(skewness) <= _SKEWED[len(scores) > 2] * noise:
        return None
    spread = (scores - scores.mean(axis=0)).std(axis=1)
    ratio = f"{spread.max() / spread.min():.1f}" if spread.min() > 0 else "infinity"
    return (
        "The level on new tasks may not hold: differences of models are skewed over tasks (mean "
        f"skewness {skewness:.2f}; one of a Gaussian sample has SD {noise:.2f}). The SDs of models "
        f"around the mean of a task differ by a factor of up to {ratio}. With exponential scores "
        "and factors of up to 4, 10 to 16 % of such statements are wrong in place of 5 %. Ranks "
        "within tasks (`scale: rank`) are bounded, hence less skewed."
    )


def _needed_levels(these: RankSets, sources: Sources) -> dict[str, NDArray[np.float64]]:
    """How many seeds, and how many items or clusters, separate neighbours; others stay the same.

    A source of which some model has one level shows no spread, hence no number. Numbers of items
    are those of the smallest task; the others grow in proportion.
    """
    needed = {}
    for name, levels in sources.items():
        is_within = name == "item" and "cluster" in sources
        if min(levels) > 1 and not is_within and name in these.by_source:
            part = these.by_source[name]
            needed[f"{name}s_needed"] = levels_to_separate(these, min(levels), part=part)
    return needed


def _count_range(counts: set[int], noun: str) -> str:
    few, many = min(counts), max(counts)
    return count_noun(few, noun) if few == many else f"{few:,} to {many:,} {noun}s"
