"""The one way in: any table → `Scores`.

`compare`, `gate`, imports of studies and `reseed read` all call `read_scores`. What decides is what
the user says, then whole names whose values fit (`roles`), then the shape (`layouts`). Where two
readings are possible, one `Question` holds all open points.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from reseed.core.errors import ReseedError
from reseed.readers.items import read_item_predictions, score_predictions
from reseed.readers.layouts import (
    Found,
    find_columns_of_models,
    find_long,
    find_predictions,
    find_rows_of_models,
    find_votes,
)
from reseed.readers.metric_choice import (
    ask_about_guessing,
    ask_direction,
    check_shares,
    choose_directions,
    choose_metrics,
)
from reseed.readers.names import ALL_RUN_COLUMNS, RUN_COLUMNS, find_metric
from reseed.readers.options import ReadOptions
from reseed.readers.paper_tables import holds_means
from reseed.readers.question import Option, Part, Question, TableError, propose
from reseed.readers.roles import Draft, list_unused, start_draft
from reseed.readers.run_keys import METRIC_KEY, read_labels, read_run_keys
from reseed.readers.scores import ITEM_LABELS, Scores, refuse_item_metric
from reseed.readers.shape import find_mean
from reseed.readers.source_table import IN_MEMORY, SourceTable, join_names

#: In the order in which they are tried.
LAYOUTS = (find_votes, find_predictions, find_columns_of_models, find_rows_of_models, find_long)
#: Larger tables are not read once more for each answer of a question.
_MOST_TRIED = 20_000
_MOST_COLUMNS = 200


def read_scores(
    table: SourceTable, options: ReadOptions, required: Sequence[str] = ("model",)
) -> Scores:
    """Read the scores of a table, as `sources.open_source` opens it.

    required: Reseed's columns that must exist. Without `model` a table is of one model.

    Raises ReseedError for all problems of the table, with rows and fixes; `Question` for what is
    open, with the option of each answer.
    """
    if not table.layout.is_log and holds_means(table, options.columns):
        raise table.error(
            "holds means with their spread, and no runs",
            "Give the runs behind them. `reseed compare` compares means: give their number of "
            "runs, `runs: 5`.",
        )
    try:
        return _read(table, options, required)
    except Question as question:
        if table.frame.size > _MOST_TRIED or table.frame.shape[1] > _MOST_COLUMNS:
            raise
        parts = [
            _keep_useful(table, options, required, part, question.parts) for part in question.parts
        ]
        first = _show_first_rows(table, options, required, parts)
        raise Question(question.path, parts, first) from None


def _read(table: SourceTable, options: ReadOptions, required: Sequence[str]) -> Scores:
    draft = start_draft(table, options)
    _name_one_model(draft, required)
    try:
        found = next(filter(None, (layout(draft) for layout in LAYOUTS)), None)
    except TableError:
        if draft.parts:  # the answer may change what is wrong
            raise Question(table.path, draft.parts) from None
        raise
    if found is None:
        raise Question(table.path, draft.parts)
    found.table.raise_errors()
    if found.layout == "predictions":
        scores = _read_predictions(draft, found)
    else:
        scores = _read_table(draft, found)
    if "item" in required and not scores.has_items:
        labels = [c for c in draft.left() if draft.table.may_label(c)]
        names = ({"columns": {"item": c}} for c in labels or ["…"])
        raise scores.source.error("no column names test cases", propose("Name it: ", *names))
    unused = list_unused(draft, found.used)
    if unused:
        scores.source.note(f"Columns not used: {join_names(unused, 20)}.")
    return scores


def _name_one_model(draft: Draft, required: Sequence[str]) -> None:
    """Name the model of a table of one model after its file."""
    if draft.has("model") or draft.options.headings:
        return
    table, left = draft.table, draft.left()
    name = Path(table.path).stem
    if "model" in required:
        are_runs = draft.has(*ALL_RUN_COLUMNS) and all(map(find_metric, left))
        if table.path == IN_MEMORY or not (are_runs and (left or draft.has("value"))):
            return
        table.note(f"No column names a model: all rows are runs of one model, {name!r}.")
    draft.make("model", pd.Series(name, table.frame.index), [])


def _read_table(draft: Draft, found: Found) -> Scores:
    table, options, roles = found.table, draft.options, found.roles
    runs = read_run_keys(table, roles)
    runs["row"] = runs.index
    parts = []
    for metric, column in found.scores.items():
        name = metric if metric else read_labels(table, roles["metric"])
        parts.append(runs.assign(metric=name, value=table.numbers(column)))
    table.raise_errors()
    long = pd.concat(parts, ignore_index=True)
    is_one_run = not {*roles} & {*ALL_RUN_COLUMNS}
    has_items = "item" in roles and (is_one_run or long.duplicated(METRIC_KEY).any())
    long = _label_items(table, found, long, has_items)
    if not table.layout.is_log:
        for name in ("dataset", "model", *(["item"] if has_items else [])):
            long = _drop_means(long, name, table)
    rows, primary = choose_metrics(table, long, options.metric)
    directions = choose_directions(table, long, primary.values(), options.greater_is_better)
    if table.problems and draft.parts:  # the answer may change what is wrong
        raise Question(table.path, draft.parts)
    table.raise_errors()
    for name, up in directions.items():
        if up is None:
            draft.parts.append(ask_direction(name, long["value"][long["metric"] == name]))
            break
    if draft.parts:
        raise Question(table.path, draft.parts)
    check_shares(table, long, primary, options.unit)
    table.raise_errors()
    if options.greater_is_better is None and (doubts := ask_about_guessing(table, long, primary)):
        raise Question(table.path, doubts)
    named = set(roles) - (set() if has_items else {"item"})
    named |= {name for name in RUN_COLUMNS if runs[name].nunique() > 1}
    greater = {name: bool(up) for name, up in directions.items()}
    sources = {r: draft.sources.get(r, ["the headings"]) for r in roles}
    if table.layout.format == "table":
        table = table.with_frame(table.frame, format=found.layout)
    return Scores(
        rows, primary, greater, frozenset(named), dict(roles), tuple(found.scores.values()), table,
        sources=sources,
    )  # fmt: skip


def _drop_means(long: pd.DataFrame, name: str, table: SourceTable) -> pd.DataFrame:
    """The scores without a label that holds the mean of all others of its kind in each run."""
    keys = [key for key in (*METRIC_KEY, "repetition", "item") if key != name]
    if len(long) > _MOST_TRIED or long[name].nunique() < 4 or long.duplicated([*keys, name]).any():
        return long
    wide = long.pivot(index=keys, columns=name, values="value")
    digits = wide.map(lambda value: len(f"{value:.12g}".partition(".")[2])).max(axis=1)
    found = find_mean(wide.to_numpy(), digits.to_numpy())
    if found is None:
        return long
    label = wide.columns[found]
    table.note(f"The {name} {label!r} was left out: it holds the mean of the others.")
    return long[long[name] != label].reset_index(drop=True)


def _label_items(
    table: SourceTable, found: Found, long: pd.DataFrame, has_items: bool
) -> pd.DataFrame:
    """The long table with `ITEM_LABELS`, empty where the source has none.

    Items that are numbered within clusters are named by both.
    """
    labels = {name: pd.Series("", table.frame.index) for name in ITEM_LABELS}
    labels |= {n: table.text(found.roles[n]) for n in ("prompt", "cluster") if n in found.roles}
    labels |= {"item": read_labels(table, found.roles["item"])} if has_items else {}
    long = long.assign(**{n: text.loc[long["row"]].to_numpy() for n, text in labels.items()})
    pairs = long[["dataset", "item", "cluster"]].drop_duplicates()
    cell = [*METRIC_KEY, "prompt", "repetition", "item"]
    if not pairs.duplicated(["dataset", "item"]).any() or not long.duplicated(cell).any():
        return long
    table.note("Items are numbered within clusters: cluster and item name an item together.")
    return long.assign(item=long["cluster"] + "/" + long["item"])


def _read_predictions(draft: Draft, found: Found) -> Scores:
    """The scores of runs by predictions of items, which are kept."""
    table, requested = found.table, draft.options.metric
    if draft.parts:
        raise Question(table.path, draft.parts)
    predictions = read_item_predictions(table, found.roles, requested)
    long, names = score_predictions(table, predictions, requested)
    for one in predictions:
        refuse_item_metric(table, names[one.dataset], one.task, long["metric"].unique())
    wanted = long["metric"].isin(names.values())
    rows, primary = (long, names) if not wanted.any() else choose_metrics(table, long, names)
    directions = choose_directions(table, long, primary.values(), None)
    table.raise_errors()
    greater = {name: bool(up) for name, up in directions.items()}
    sources = {r: draft.sources.get(r, ["the headings"]) for r in found.roles}
    table = table.with_frame(table.frame, format=found.layout)
    return Scores(
        rows, primary, greater, frozenset(found.roles), dict(found.roles), (), table, predictions,
        sources,
    )  # fmt: skip


# --- questions ------------------------------------------------------------------------------------


def _answer(options: ReadOptions, chosen: Iterable[Option]) -> ReadOptions:
    """The options with those of several answers."""
    for one in chosen:
        changes = {**one.changes}
        for name in {"columns", "keep"} & {*changes}:
            changes[name] = {**getattr(options, name), **changes[name]}
        if "leave_out" in changes:
            changes["leave_out"] = [*options.leave_out, *changes["leave_out"]]
        options = replace(options, **changes)
    return options


def _keep_useful(
    table: SourceTable, options: ReadOptions, required: Sequence[str], part: Part,
    parts: Sequence[Part],
) -> Part:  # fmt: skip
    """An open point with the answers that lead to a reading, or to a further question.

    parts: all points; an answer may need one of another.
    """
    others = [one.options[0] for one in parts if one is not part]

    def leads_on(*answers: Option) -> bool:
        try:
            _read(table.copy(), _answer(options, answers), required)
        except ReseedError as error:
            return isinstance(error, Question)
        return True

    kept = [
        one for one in part.options
        if "paths" in one.changes or leads_on(one) or (others and leads_on(*others, one))
    ]  # fmt: skip
    return Part(part.text, tuple(kept) or part.options)


def _show_first_rows(
    table: SourceTable, options: ReadOptions, required: Sequence[str], parts: Sequence[Part]
) -> str:
    """The first rows as they would be read by the first answer of each point."""
    try:
        chosen = _answer(options, [part.options[0] for part in parts])
        scores = _read(table.copy(), chosen, required)
    except ReseedError:
        return ""
    names = [
        name for name in ("model", "dataset", *ALL_RUN_COLUMNS, "item") if name in scores.named
    ]
    rows = scores.frame.head(2)
    texts = [
        ", ".join(
            [*(f"{n} {row[n]}" for n in names if n in row), f"{row['metric']} {row['value']:g}"]
        )
        for row in rows.to_dict("records")
    ]
    return f"First rows, by the first answer of each: {'; '.join(texts)}."
