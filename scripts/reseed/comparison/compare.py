"""`reseed.compare`: compares models by results from any source.

Analyses and exhibits are those of studies (`reseed.config.defaults`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Unpack

import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from reseed.analyses.shared.data import Data, primary_metric
from reseed.analyses.shared.predictions import Predictions, TemporaryFolder
from reseed.comparison.arguments import (
    QUESTION,
    Entries,
    RunTestOptions,
    check_columns,
    check_directions,
    check_names,
    check_pair_options,
    check_pairs,
    check_seed_draws,
    choose_item_options,
    to_text,
)
from reseed.comparison.by_items import tabulate_items
from reseed.comparison.means import check_means_options, compare_means
from reseed.comparison.resolution import check_resolution
from reseed.comparison.result import STUDY_NAME, Comparison, build_comparison
from reseed.comparison.speakers import in_arguments
from reseed.config.defaults import default_analyses_and_exhibits, entries_without_runs
from reseed.core.schemas import SPLIT_COLUMNS
from reseed.core.study_info import StudyInfo
from reseed.readers import EXPERIMENT
from reseed.readers.design import choose_design
from reseed.readers.options import ReadOptions
from reseed.readers.paper_tables import holds_means
from reseed.readers.read import read_scores
from reseed.readers.scores import Scores
from reseed.readers.source_table import SourceTable
from reseed.readers.sources import open_source
from reseed.readers.study_tables import build_item_tables, tabulate_runs

#: How scores of items are combined by default: `repeats`, `failed` and `fixed`.
_COMBINED: tuple[str, str, tuple[str, ...]] = ("mean", "refuse", ())


@in_arguments
def compare(
    results: object,
    *,
    metric: str | list[str] | dict[str, str] | None = None,
    baseline: str | None = None,
    pairs: Sequence[tuple[str, str]] | None = None,
    deterministic: str | Sequence[str] = (),
    seed_draws: Literal["split", "training", "both"] | None = None,
    columns: Mapping[str, str | list[str]] | None = None,
    leave_out: str | Sequence[str] = (),
    keep: Mapping[str, str] | None = None,
    paths: str = "",
    headings: str = "",
    rows: str = "",
    greater_is_better: bool | Mapping[str, bool] | None = None,
    test_train_ratio: float | None = None,
    format: str = "auto",
    unit: str = "",
    title: str = QUESTION,
    cluster: str | None = None,
    repeats: str = "mean",
    fixed: Sequence[str] = (),
    failed: str = "refuse",
    runs: int | None = None,
    spread: Literal["sd", "se", "ci95"] | None = None,
    decimals: int | None = None,
    **options: Unpack[RunTestOptions],
) -> Comparison:
    """Compare models by the results of their runs, or by scores of items.

    Logs of evaluation harnesses, and tables of items with clusters, prompts or repeats, or with one
    run of each model, are compared over items and what is crossed with them.

    Args:
        results: a table of runs: a path (CSV, Parquet, lm-eval's JSON, a folder), several paths, a
            DataFrame, or a dict by model of scores or of results of `cross_validate`. One row is a
            run (and metric or item); a column names the model, another the seed, fold or split.
            Whole names of a list are known (docs/your-results.md); what else is open is asked.
        metric: what to compare by; a list if datasets differ (the first that a dataset has), or a
            dict by dataset. Required if the table holds several.
        baseline: compare each model with this one only, so that fewer p-values are adjusted for.
        pairs: or compare these pairs only, as (model, model).
        deterministic: models without randomness, such as BM25: one run on a split stands for the
            runs of all seeds.
        seed_draws: what the seed of a run drew: `training`, the `split` of the data, or `both`. By
            default, seeds without a column of the split are taken to draw the training, and the
            verdict says so.
        columns: Reseed's name → the table's, for columns that are not recognised.
        leave_out: columns that are not read.
        keep: column → the value of the rows that are read.
        paths: what the parts of the paths of files are: `{model}_x_{seed}`.
        headings: what the headings of columns of scores are, where they do not say it: `fold`,
            `seed`, `data_seed`, `repeat`, `repetition` (of an evaluation), `model` or `dataset`.
        rows: what a row is, where no column says it: `fold`, `seed`, `data_seed`, `repetition` (a
            run of its own), `dataset` or `item`; or what is read of several rows of a run: the
            `last`, or their `mean`.
        greater_is_better: if the metric's name does not state it; or by metric.
        test_train_ratio: test rows / training rows of repeated random splits or folds; 0 if each
            run has new data.
        format: of files, if their names do not say it (`reseed.readers.sources.FORMATS`).
        unit: unit of the scores, for the text.
        title: heading of the report.
        cluster: of scores of items, the column (of logs: field of the metadata) that names the
            cluster of each.
        repeats: how repeats of an item are combined: `mean`; `pass@3` or `pass^3`, the unbiased
            estimate for three samples; or `factor`, as runs of their own.
        fixed: factors whose levels are not a sample: `seed` or `prompt` are then averaged.
        failed: what an item without a score means: `refuse`, `drop` it for all models, `zero`, or
            leave out failed `repeats`.
        runs: of means ± SD, as papers print them: the number of runs of each mean, if no column
            states it. With this or one of the next two, the table is read as such means: a row a
            model with cells such as `90.4 ± 0.5`, or columns `model`, `mean`, `sd` and `n`.
        spread: of means, the meaning of ±: `sd`, `se` (standard error) or `ci95` (half of a 95 %
            interval of the mean). Without it and a word in the headings, both readings, SD and
            standard error, must show a difference.
        decimals: of means in a frame of floats, the decimals with which they were printed.
        options: of the analysis `pairs`: `alpha`, the size of the tests and 1 minus the level of
            the intervals, for all pairs at once (0.05), `min_runs` for a verdict (5), `family`, the
            pairs that hold at once (those of a `dataset`, or of the `study`), `target_power` (0.8),
            `seeds` (`shared`: equal seeds of two models are paired; `own`: they share nothing), and
            `rope`, the largest difference that does not matter, in units of the score (0.01: one
            point of a share), or a dict by metric. Without `rope` no pair is called equivalent: the
            scores cannot show what matters.

    Returns:
        A `Comparison`: `print` it, or see its `verdicts`, `leaderboard`, `plot`, `to_latex`,
        `to_html`.

    Raises:
        ReseedError: for all problems of the table, with fixes.

    Example:
        >>> import pandas as pd, reseed
        >>> runs = pd.DataFrame(
        ...     [
        ...         {"model": model, "seed": seed, "accuracy": base + 0.01 * (seed % step)}
        ...         for model, base, step in [("small", 0.71, 3), ("large", 0.80, 2)]
        ...         for seed in range(6)
        ...     ]
        ... )
        >>> found = reseed.compare(runs, metric="accuracy")
        >>> print(*found.answer)
        large has the best mean accuracy, 0.805: better than small by 8.5 points [7.4, 9.6]...
        >>> found.leaderboard[["model", "rank", "mean", "n"]]
           model  rank  mean  n
        0  large   1.0  0.805  6
        1  small   2.0  0.720  6
    """
    choice = check_pairs(baseline, pairs)
    mapping = check_columns(columns) | ({"cluster": cluster} if cluster else {})
    read_options = ReadOptions(
        format=format,
        columns=mapping,
        leave_out=[leave_out] if isinstance(leave_out, str) else to_text(leave_out),
        keep=to_text(keep or {}),
        paths=paths,
        headings=headings,
        rows=rows,
        metric=to_text(metric),
        greater_is_better=check_directions(greater_is_better),
        test_train_ratio=test_train_ratio,
        unit=unit,
        baseline=choice.baseline,
        pairs=choice.pairs,
        deterministic=[deterministic] if isinstance(deterministic, str) else to_text(deterministic),
        seed_draws=check_seed_draws(seed_draws),
    )
    table = open_source(results, read_options)
    if (runs, spread, decimals) != (None, None, None) or holds_means(table, mapping):
        return compare_means(
            table, runs, to_text(metric), choice.baseline, spread, read_options.greater_is_better,
            decimals=decimals, columns=mapping, title=title, **check_means_options(pairs, options),
        )  # fmt: skip
    pair_options = check_pair_options(options, compare)
    combined = (repeats, failed, tuple(fixed))
    asks_items = combined != _COMBINED or "cluster" in mapping or "prompt" in mapping
    scores, data, entries = read_data(table, read_options, combined, title, asks_items)
    if not data.items:
        return build_comparison(data, entries, choice, pair_options)
    chosen = choose_item_options(scores, read_options, pair_options)
    for one in data.items.values():
        check_names(choice, list(one.models))
    return build_comparison(data, entries, choice, chosen)


def read_data(
    table: SourceTable,
    options: ReadOptions,
    combined: tuple[str, str, tuple[str, ...]],
    title: str,
    asks_items: bool,
) -> tuple[Scores, Data, dict[str, Entries]]:
    """Scores as analyses read them, with the default analyses and exhibits of their design.

    Args:
        table: the results.
        options: how it is read.
        combined: `repeats`, `failed` and `fixed`, of scores of items.
        title: of the report.
        asks_items: whether to compare over items also where runs decide.
    """
    texts = {"name": STUDY_NAME, "title": title}
    scores = read_scores(table, options, ("model", "item") if asks_items else ("model",))
    if choose_design(scores, asks_items).unit == "items":
        scores.source.raise_errors()
        return scores, tabulate_items(scores, combined, texts), entries_without_runs()
    return scores, *_arrange_runs(scores, *tabulate_runs(scores, options, texts))


def _arrange_runs(
    scores: Scores, metrics: pd.DataFrame, info: StudyInfo
) -> tuple[Data, dict[str, Entries]]:
    """Runs as analyses read them, with the analyses and exhibits of studies."""
    tasks = {name: one.task for name, one in info.datasets.items()}
    predictions = None
    for name, rows in metrics.groupby("dataset", sort=False):
        metric = primary_metric(info, str(name))
        check_resolution(rows.get(metric, []), str(name), metric)
    if set(tasks.values()) - {None}:
        folder = _write_predictions(*build_item_tables(scores, metrics))
        predictions = Predictions(folder.path, tasks=tasks, held=folder)
    has_splits = metrics.groupby("dataset")[SPLIT_COLUMNS].nunique().gt(1).to_numpy().any()
    further = ["variance"] if has_splits and metrics["init"].nunique() > 1 else []
    further += ["folds"] if has_splits and metrics["model"].nunique() == 1 else []
    entries = default_analyses_and_exhibits(predictions is not None, further=further)
    return Data(metrics, info, predictions=predictions), entries


def _write_predictions(scores: pa.Table, targets: pa.Table) -> TemporaryFolder:
    """Write predictions as a study's files to a folder that is deleted with the returned object."""
    folder = TemporaryFolder()
    path = folder.path / EXPERIMENT
    path.mkdir()
    for name, table in {"scores": scores, "targets": targets}.items():
        parquet.write_table(table, path / f"{name}.parquet")
    return folder
