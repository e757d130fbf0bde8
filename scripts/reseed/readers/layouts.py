"""The layouts of a table of results: what a row is, what a column is, and where the scores are.

Each function returns what it found, or None where the table has another layout; what is open is
asked of the `Draft`. They are tried in the order of `read.LAYOUTS`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
import pandas as pd

from reseed.readers.names import (
    ALL_RUN_COLUMNS,
    NAMES,
    PARTS,
    find_metric,
    is_of_numbers,
    normalize_name,
    parse_label,
    read_arrow,
)
from reseed.readers.question import Option
from reseed.readers.roles import Draft, option
from reseed.readers.shape import (
    MOST_AVERAGED,
    Crossed,
    find_difference,
    find_heading_runs,
    find_mean,
    split_headings,
)
from reseed.readers.source_table import SourceTable, join_names

#: Roles that tell the scores of a model apart.
KEYS = ("dataset", *ALL_RUN_COLUMNS, "item", "prompt")
_ONE_NUMBER = "one number a model shows nothing of chance"
_GIVE_RUNS = "Give a row a run, a dataset or a test case"
#: Questions show so many columns that may be a model.
_MOST_SHOWN = 30
#: Targets with more whole numbers than this are no classes.
_MOST_CLASSES = 20
_AFFIX = re.compile(
    r"^(?:y_?)?(?:pred(?:iction)?|prob(?:a|ability)?)[\s_\-.:]+(?=.)"
    r"|(?<=.)[\s_\-.:]+(?:y_?)?(?:pred(?:iction)?|prob(?:a|ability)?)$",
    re.I,
)


class Found(NamedTuple):
    """A reading of a table, one row a score.

    roles: Reseed's name → its column. scores: metric → the column of its scores. used: columns of
    the source that were read.
    """

    layout: str
    table: SourceTable
    roles: Mapping[str, str]
    scores: Mapping[str, str]
    used: Sequence[str]


# --- means ----------------------------------------------------------------------------------------


def find_votes(draft: Draft) -> None:
    """Raise ReseedError for rows that are votes between two models."""
    names = {normalize_name(c) for c in draft.table.columns if not draft.table.is_numeric(c)}
    if {"model_a", "model_b"} <= names and not draft.has("model"):
        raise draft.table.error(
            "a row is a vote between two models, and no score of either",
            "Give a row a model and test case, with its score.",
        )


# --- predictions ----------------------------------------------------------------------------------


def find_predictions(draft: Draft) -> Found | None:
    """Predictions of test cases, with their targets: long, or a column a model."""
    truth, table = draft.roles.get("y_true"), draft.table
    is_long = draft.has("y_pred", "y_score")
    metrics = [m for m in draft.options.metrics if draft.find(m)]
    if truth is None or metrics or (draft.has("model") and not is_long):
        return None
    classes = table.levels(truth)
    is_number = table.is_numeric(truth) and classes > 2
    heads = [] if is_long else _list_predictions(draft, truth, is_number)
    if not is_long and (not heads or any(map(find_metric, heads))):
        return None
    read = [*heads, *draft.columns_of("y_pred", "y_score")]
    dates = [c for c in draft.left() if c not in heads and table.are_dates(c)]
    if dates and not draft.options.rows and not draft.has("item"):
        text = (
            f"rows have dates ({dates[0]!r}), and cases that follow each other are not independent"
        )
        draft.ask(text, [Option({"rows": "item"}, "take them as independent cases")])
    if heads and not draft.has("item") and not dates:
        counted = [c for c in draft.left() if table.counts_rows(c)]
        if counted:
            draft.take("item", counted[0])
    if heads:
        _ask_groups(draft, heads, dates)
    may_be_classes = is_number and not table.has_fractions(truth) and classes <= _MOST_CLASSES
    is_sure = normalize_name(truth) == "y_true" or truth in draft.said or is_long
    whole = may_be_classes and not any(map(table.has_fractions, read))
    if not draft.options.metrics and (whole or not is_sure):
        shares = classes == 2 and all(map(table.has_fractions, read))
        names = (
            ("accuracy", "mae") if whole else ("mse", "mae") if is_number else ("accuracy", "f1")
        )
        names = ("auc", "accuracy") if shares else names
        text = f"what is computed of {truth!r} and the predictions {join_names(read)}"
        leave = [Option({"leave_out": [truth]}, f"{truth!r} is no target")] if heads else []
        draft.ask(text, [*(Option({"metric": name}) for name in names), *leave])
    if not heads:
        return _read_long_predictions(draft)
    return _melt_predictions(draft, heads, truth, is_number)


def _list_predictions(draft: Draft, truth: str, is_number: bool) -> list[str]:
    """Columns whose values are of the kind of the targets: numbers, its classes, probabilities."""
    table = draft.table
    heads = [c for c in draft.left() if not table.counts_rows(c)]
    if is_number:
        return [c for c in heads if table.is_numeric(c) and not table.are_hits(c)]
    known = {*table.labels(truth)} - {""}
    found = []
    for column in heads:
        values = {*table.labels(column)} - {""}
        numbers = table.parse(column).numbers
        is_share = numbers is not None and bool(numbers.dropna().between(0, 1).all())
        if 2 * len(values & known) > len(values) or (is_share and table.has_fractions(column)):
            found.append(column)
    return found


def _ask_groups(draft: Draft, heads: Sequence[str], dates: Sequence[str]) -> None:
    table, rows = draft.table, len(draft.table.frame)
    for column in draft.left():
        is_other = column in heads or column in dates or table.has_fractions(column)
        if is_other or not 1 < table.levels(column) < rows:
            continue
        draft.ask(
            f"what {column!r} is",
            [
                option("dataset", column, "each a dataset of its own"),
                option("cluster", column, "rows of one belong together"),
                option("fold", column, "the fold that left the row out of the training"),
                Option({"leave_out": [column]}, "nothing of the test"),
            ],
        )


def _read_long_predictions(draft: Draft) -> Found:
    """Predictions in one column; without a column of test cases they are numbered by position."""
    keys = draft.columns_of("model", *KEYS)
    if not draft.has("item"):
        runs = [c for c in keys if c != draft.roles.get("item")]
        number = _count_within(draft.table, runs)
        if draft.table.is_unique(runs) and len(draft.table.frame) > 1:
            number = pd.Series(np.arange(len(draft.table.frame)), draft.table.frame.index)
        labels = [c for c in draft.labels() if draft.table.is_unique([*runs, c])]
        targets = draft.table.text(draft.roles["y_true"])
        agree = targets.groupby(number).nunique().max() == 1
        if draft.options.rows == "item" or not (labels or agree):
            if not agree:
                raise draft.table.error(
                    "nothing says which test case a row is, and models have other targets in the "
                    "same order",
                    "Add a column `item`.",
                )
            draft.make("item", number)
        else:
            answers = [option("item", c, "names the test case") for c in labels]
            by_order = [Option({"rows": "item"}, "cases of all models in the same order")]
            draft.ask("which test case a row is", answers + by_order * bool(agree))
    read = ("y_true", "y_pred", "y_score", "cluster", "status")
    roles = {n: c for n, c in draft.roles.items() if n in ("model", *KEYS, *read)}
    return Found("predictions", draft.table, roles, {}, [*roles.values()])


def _melt_predictions(draft: Draft, heads: Sequence[str], truth: str, is_number: bool) -> Found:
    table, metric = draft.table, draft.options.metrics
    if not draft.has("item"):
        draft.number_rows("item", "test case")
    wants_numbers = is_number and (
        table.has_fractions(truth) or any(map(table.has_fractions, heads))
        or table.levels(truth) > _MOST_CLASSES or any(map(is_of_numbers, metric))
    )  # fmt: skip
    shares = table.levels(truth) == 2 and all(map(table.has_fractions, heads))
    name = "y_score" if wants_numbers or shares else "y_pred"
    plain = [_AFFIX.sub("", c) for c in heads]
    models = plain if len({*plain}) == len(heads) else list(heads)
    own = draft.columns_of("item", "fold", "repeat", "dataset", "cluster", "data_seed", "seed")
    labels = {c: {"(model)": model} for c, model in zip(heads, models, strict=True)}
    found = _stack(draft, labels, [*own, truth], name)
    roles = {r: c for r, c in draft.roles.items() if c in own} | {"y_true": truth}
    note = f"One column of predictions a model: {join_names(models, 10)}."
    found.note(note)
    used = [*own, truth, *heads]
    return Found("predictions", found, roles | {"model": "(model)", name: name}, {}, used)


# --- a column a model -----------------------------------------------------------------------------


def find_columns_of_models(draft: Draft) -> Found | None:
    """Each model has a column of scores; a row is a run, a dataset or a test case."""
    options, table = draft.options, draft.table
    if options.headings == "model" and draft.roles.get("model") not in draft.said:
        draft.drop("model")
    if draft.has("model") or (draft.has("value") and not options.headings):
        return None
    if options.headings not in ("", "model"):
        return None
    numbers = draft.numbers()
    exact = [c for m in options.metrics for c in draft.find(m) if c in numbers]
    known = [c for c in numbers if find_metric(c)]
    wanted = options.metrics[0] if options.metrics and not exact else ""
    if options.headings != "model":
        is_grid = len(numbers) > 1 and not exact and len(known) < len(numbers)
        grid = split_headings(numbers, wanted) if is_grid else {}
        runs = find_heading_runs(numbers)
        is_other = not grid and (exact or known or runs)
        are_mixed = any(table.parse(c).bad is not None for c in draft.left())
        if not is_other and len(numbers) < 2 and are_mixed:
            draft.refuse_mixed()
        if is_other or len(numbers) < 2:
            return None
        if not grid:
            grid = _ask_crossed(draft, numbers)
            numbers = [*grid] or numbers
    else:
        grid = split_headings(numbers, wanted)
    draft.refuse_mixed()
    step = draft.roles.get("step")
    if step is not None and table.levels(step) > 1:
        raise draft.table.error(
            f"a row is a step of training ({step!r})",
            "Write one row a run, with its model, its seed and its last score.",
        )
    heads = _choose_models(draft, numbers)
    if len(heads) < 2:
        raise draft.table.error(
            "has one column of scores, and nothing to compare", _GIVE_RUNS + "."
        )
    _name_rows(draft, heads)
    labels = {c: {"model": grid[c].name if c in grid else c} for c in heads}
    kinds = {c: grid[c].metric for c in heads if c in grid}
    return _stack_scores(draft, "models_in_columns", labels, kinds)


def _ask_crossed(draft: Draft, headings: Sequence[str]) -> dict[str, Crossed]:
    """Ask what headings are that cross two lists of words: `Dice_A`, `Dice_B`, `HD_A`, `HD_B`.

    Where the metric that the user names is one of the words, the headings with it.
    """
    words = {c: re.split(r"[\s_~]+", c) for c in headings}
    wanted = {normalize_name(m) for m in draft.options.metrics}
    for first in (True, False):
        found = {
            c: Crossed(" ".join(w[1:] if first else w[:-1]), w[0 if first else -1])
            for c, w in words.items()
        }
        metrics, names = ({one[i] for one in found.values()} for i in (1, 0))
        if "" in names or not (1 < len(metrics) < len(headings) == len(metrics) * len(names)):
            return {}
        chosen = {c: one for c, one in found.items() if normalize_name(one.metric) in wanted}
        if chosen:
            return chosen
    ends = dict.fromkeys(one[i] for i in (0, -1) for one in words.values())
    options = [Option({"metric": one}, "the metric of the headings with it") for one in ends]
    each = Option({"headings": "model"}, "each is a model")
    draft.ask("headings cross two lists of words, and one may be of metrics", [*options, each])
    return {}


def _choose_models(draft: Draft, numbers: list[str]) -> list[str]:
    """Columns of scores; asks about those of another kind or scale, or of a part of the data."""
    table, options = draft.table, draft.options
    named = {c: [w for w in normalize_name(c).split("_") if w in PARTS] for c in numbers}
    is_parted = all(len(words) == 1 for words in named.values())
    parts = {c: words[0] for c, words in named.items()} if is_parted else {}
    if len({*parts.values()}) > 1 and not options.headings:
        draft.ask(
            "headings name parts of the data",
            [
                *(Option({"leave_out": [c for c in numbers if parts[c] != part]}, f"{part} alone")
                  for part in dict.fromkeys(parts.values())),
                Option({"headings": "model"}, "each is a model"),
            ],
        )  # fmt: skip
        return numbers
    if options.headings == "model":
        return numbers
    numbers = _drop_computed(draft, numbers)
    odd = table.list_odd(numbers) if len(numbers) > 1 else []
    if not odd:
        return numbers
    rows = len(draft.table.frame)
    labels = [c for c in odd if table.levels(c) == rows and table.kind(c) == "whole"]
    is_named = draft.has(*KEYS) or any(not table.is_numeric(c) for c in draft.labels())
    if len(odd) == len(labels) == 1 and not is_named:
        return [c for c in numbers if c not in odd]  # whole numbers, each once: they label rows
    rest = [c for c in numbers if c not in odd]
    draft.ask(
        f"columns of another kind or scale: {join_names(odd, 20)}; than {join_names(rest, 20)}",
        [
            Option({"leave_out": odd}, "the former are no scores"),
            *([Option({"leave_out": rest}, "the latter are no scores")] if len(odd) > 1 else []),
            Option({"headings": "model"}, "each is a model"),
        ],
    )
    return numbers


def _drop_computed(
    draft: Draft, heads: Sequence[str], kinds: Sequence[str] = ("mean", "difference")
) -> list[str]:
    """The headings without one of the mean of all others, or of the difference of two others."""
    kept, table = [*heads], draft.table
    for kind in kinds:
        if not 3 <= len(kept) <= MOST_AVERAGED:
            break
        values = np.stack([table.numbers(c).to_numpy() for c in kept], axis=1)
        digits = int(table.decimals(kept).max())
        found = find_difference(values, digits)
        if kind == "mean":
            found = find_mean(values, np.full(len(values), digits), at_end=True)
        if found is not None:
            of = "of the others" if kind == "mean" else "of two others"
            table.note(f"Column {kept.pop(found)!r} was left out: it holds the {kind} {of}.")
    return kept


def _name_rows(draft: Draft, heads: Sequence[str]) -> None:
    """What a row is: the role that identifies it, else the answer to a question."""
    table = draft.table
    keys = draft.columns_of(*KEYS)
    metric = draft.columns_of("metric")
    if metric and not keys and table.is_unique(metric) and len(table.frame) > 1:
        raise table.error(f"has one row a metric: {_ONE_NUMBER}", f"{_GIVE_RUNS}.")
    if keys and table.is_unique([*keys, *metric]):
        return
    row = draft.options.row_role
    if row and not keys:
        unnamed = [c for c in draft.left() if c.startswith("Unnamed: ") and table.is_unique([c])]
        draft.number_rows(row)
        if unnamed:
            draft.make(row, table.text(unnamed[0]))
        return
    others = [c for c in draft.left() if c not in heads]
    labels = [c for c in others if table.may_label(c) or table.counts_rows(c)]
    alone = [c for c in labels if table.is_unique([*keys, *metric, c])]
    if not alone and len(labels) >= 2 and table.is_unique([*keys, *metric, *labels[:2]]):
        first, second = labels[:2]
        each = (first, second), (second, first)
        clusters = [
            Option({"columns": {"cluster": a, "item": [a, b]}}, f"several rows of the same {a}")
            for a, b in each
        ]
        datasets = [
            Option({"columns": {"dataset": a, "item": b}}, f"each {a} a dataset with its own cases")
            for a, b in each
        ]
        every = option("item", [first, second], "every row an independent case")
        draft.ask(f"what {first!r} and {second!r} are", [*clusters, *datasets, every])
        return
    if alone:
        draft.ask(f"what a row ({alone[0]!r}) is", _list_rows(draft, alone[0]))
    elif all(table.kind(c) == "hits" for c in heads):
        draft.number_rows("item", "test case")
    else:
        long = [
            option("model", c, "names the models: the table is long")
            for c in labels
            if not table.is_numeric(c) and table.levels(c) < len(table.frame)
        ]
        shown = join_names(heads, _MOST_SHOWN)
        text = f"nothing says what a row is, where each column ({shown}) is a model"
        draft.ask(text, [*long, *_list_rows(draft)])


def _list_rows(draft: Draft, column: str = "") -> list[Option]:
    """What a row may be: of a column, only what fits its values."""
    meanings = {
        "fold": "the same fold for every model",
        "seed": "the same seed of the training for every model",
        "data_seed": "a random split of the data, drawn by this number",
        "dataset": "a dataset",
        "item": "a test case of trained models",
        "repetition": "a run of its own, in no common order",
    }
    if column and not draft.table.may_number(column):
        meanings = {
            "item": "a test case of trained models",
            "dataset": "a dataset",
            "fold": "the case or group that was left out of the training",
            "repetition": "a run of its own",
            "model": "a model; then headings are datasets or runs",
        }
    if not column:
        return [Option({"rows": role}, meaning) for role, meaning in meanings.items()]
    return [option(role, column, meaning) for role, meaning in meanings.items()]


def _stack_scores(
    draft: Draft, layout: str, labels: Mapping[str, Mapping[str, str]], kinds: Mapping[str, str]
) -> Found:
    """The scores under these headings, one a row.

    labels: heading → what it says of its scores, by role. kinds: heading → its metric, if it names
    one.
    """
    if not labels:
        raise draft.table.error("has no columns of scores", draft.table.column_list)
    heads, named = [*labels], dict.fromkeys(kinds.values())
    said = {role: f"({role})" for role in next(iter(labels.values()))}
    others = ("model", *KEYS, "cluster", "metric", "status", "n_train", "n_test")
    own = draft.columns_of(*(role for role in others if role not in said))
    roles = {r: c for r, c in draft.roles.items() if c in own} | said
    arrows = {c: read_arrow(c) for c in heads}
    directions = {*arrows.values()}
    metrics: Mapping[str, str] = {}
    if "metric" in roles:
        _ask_metric(draft, draft.table.labels(roles["metric"]))
    elif len(named) > 1:
        metrics = kinds
        _ask_metric(draft, [*named])
    elif "dataset" in said and len(said) == 1 and directions == {True, False}:
        metrics = dict(zip(heads, heads, strict=True))  # directions differ by dataset
    if metrics:
        roles["metric"] = "(metric)"
    columns = {
        c: {f"({role})": label for role, label in one.items()}
        | ({"(metric)": metrics.get(c, "score")} if metrics else {})
        for c, one in labels.items()
    }
    table = _stack(draft, columns, own, "value")
    if "metric" in roles:
        return Found(layout, table, roles, {"": "value"}, [*own, *heads])
    hits = "model" in said and all(draft.table.kind(c) == "hits" for c in heads)
    name = [*draft.options.metrics, *named, "accuracy" if hits else "value"][0]
    if len(directions) == 1 and None not in directions:
        table = table.with_frame(table.frame, directions={name: directions == {True}})
    return Found(layout, table, roles, {name: "value"}, [*own, *heads])


def _ask_metric(draft: Draft, names: Sequence[str]) -> None:
    """Ask which of several metrics counts, if none is requested."""
    if len(names) > 1 and not draft.options.metrics:
        draft.ask("several metrics, and one is compared", [Option({"metric": n}) for n in names])


def _stack(
    draft: Draft, labels: Mapping[str, Mapping[str, str]], own: Sequence[str], value: str
) -> SourceTable:
    """One row a heading and row: `own` columns, the labels of the heading, and `value`."""
    table, rows = draft.table, len(draft.table.frame)
    read = table.text if value == "y_pred" else table.numbers
    columns = [read(heading).to_numpy() for heading in labels]
    table.raise_errors()
    frame = table.frame[[*dict.fromkeys(own)]].iloc[np.tile(np.arange(rows), len(labels))]
    more = {
        name: np.repeat(np.array([one[name] for one in labels.values()], dtype=object), rows)
        for name in next(iter(labels.values()))
    }
    return table.with_frame(frame.assign(**more, **{value: np.concatenate(columns)}))


# --- a row a model --------------------------------------------------------------------------------


def find_rows_of_models(draft: Draft) -> Found | None:
    """Each model has a row; a column is a run, a dataset or a test case, as headings say."""
    options = draft.options
    headings = options.headings if options.headings != "model" else ""
    if not draft.has("model") or (draft.has("value") and not headings):
        return None
    numbers = draft.numbers()
    runs = find_heading_runs(numbers) if not headings else {}
    keys = draft.columns_of("model", "metric", *KEYS)
    has_keys = draft.has(*KEYS)
    if not draft.table.is_unique(keys) or (has_keys and not (runs or headings)):
        return None
    if draft.has("item") and not (runs or headings):
        return None
    exact = [c for m in options.metrics for c in draft.find(m) if c in numbers]
    grid = split_headings(numbers) if len(numbers) > 1 and not runs and not exact else {}
    known = exact or [c for c in numbers if find_metric(c) and c not in grid]
    if len({find_metric(c) for c in known}) == 1 < len(known):  # `acc_1`, `acc_2`
        known = []
    words = {c: {*normalize_name(c).split("_")} for c in numbers}
    scores = {*NAMES["value"]}  # `score_test`, `score_val`
    known = known or [c for c, own in words.items() if own & scores and own <= scores | PARTS]
    if not (runs or headings):
        if known or len(numbers) < 2:
            _refuse_one_number(draft, known, numbers)
            return None
        draft.refuse_mixed()
        shown = (f"{c} ({draft.table.text(c).iloc[0]})" for c in numbers[:_MOST_SHOWN])
        odd = draft.table.list_odd(numbers)
        if odd and len(numbers) > 2:
            text = f"columns of another kind or scale than the others: {join_names(odd, 20)}"
            leave = Option({"leave_out": odd}, "they are no scores; else leave this out")
            draft.ask(text, [leave])
        draft.ask(
            f"what the columns {', '.join(shown)} are; what is no score is left out by "
            "`leave_out: COLUMN`",
            [
                Option({"headings": "dataset"}, "a dataset each"),
                Option({"headings": "seed"}, "a seed of the training each"),
                Option({"headings": "fold"}, "a fold each"),
                Option({"headings": "repetition"}, "a run of its own each"),
                Option({"headings": "item"}, "a test case each"),
            ],
        )
    return _stack_rows(draft, [*runs] or numbers, runs, headings or "dataset", grid)


def _refuse_one_number(draft: Draft, known: Sequence[str], numbers: Sequence[str]) -> None:
    """Raise ReseedError for one score a model, which shows nothing of chance."""
    table = draft.table
    draft.refuse_mixed()
    if table.levels(draft.roles["model"]) < 2 and len(table.frame) > 1:
        return
    if not known and not numbers:
        fix = f"{_GIVE_RUNS}, with its score. {table.column_list}"
        raise table.error("has one row a model, and no scores", fix)
    more = ""
    if len(numbers) > 1 and not any(map(find_metric, numbers)):
        more = f" Where the columns are datasets: {Option({'headings': 'dataset'})}."
    left = [c for c in draft.left() if c not in known]
    settings = [c for c in left if 1 < table.levels(c) <= len(table.frame) / 2]
    if settings:
        more += f" Where models have several rows: {option('model', settings[0])}."
    what = f"has one row a model ({[*known, *numbers][0]!r} is its score), and {_ONE_NUMBER}"
    raise table.error(what, f"{_GIVE_RUNS}.{more}")


def _stack_rows(
    draft: Draft, heads: Sequence[str], runs: Mapping[str, Mapping[str, str]], role: str,
    grid: Mapping[str, Crossed],
) -> Found:  # fmt: skip
    """The scores of rows of models: runs by their headings, or each heading a label of `role`."""
    heads = heads if runs else _drop_computed(draft, heads, ("mean",))
    if not runs and role == "dataset" and draft.options.headings:
        odd = draft.table.list_odd(heads) if len(heads) > 2 else []
        if odd and len({read_arrow(c) for c in heads}) == 1:
            draft.table.note(
                f"Warning: {join_names(odd, 10)} differ in kind or scale from the other columns; "
                f"what is no dataset is left out by `leave_out: {odd[0]}`."
            )
    if runs:
        known = {c: find_metric(parse_label(normalize_name(c)).rest) for c in heads}
        kinds = {c: metric.name for c, metric in known.items() if metric}
        return _stack_scores(draft, "runs_in_columns", {c: runs[c] for c in heads}, kinds)
    labels = {c: grid[c].name if c in grid else c for c in heads}
    if role in ALL_RUN_COLUMNS:  # each heading is one run: its number, or position
        numbers = [re.findall(r"\d+", c) for c in heads]
        is_one = all(len(one) == 1 for one in numbers) and len({*map(tuple, numbers)}) == len(heads)
        labels = {
            c: n[0] if is_one else str(i)
            for i, (c, n) in enumerate(zip(heads, numbers, strict=True))
        }
    kinds = {c: one.name for c in grid if (one := find_metric(grid[c].metric))}
    said = {c: {role: label} for c, label in labels.items()}
    return _stack_scores(draft, f"{role}s_in_columns", said, kinds)


# --- a long table ---------------------------------------------------------------------------------


def find_long(draft: Draft) -> Found | None:
    """A row a run (and metric, or test case) of a model, with its scores in columns."""
    if not draft.has("model"):
        _ask_model(draft)
        return None
    for role in ("y_true", "y_pred", "y_score", "mean", "sd", "se", "n"):
        if draft.roles.get(role) not in draft.said:
            draft.drop(role)
    scores = _find_scores(draft)
    if scores is None:
        return None
    _reduce_steps(draft, [*scores.values()])
    # Parents of MLflow's runs have neither a model nor a score.
    empty = _are_empty(draft.table, [draft.roles["model"], *scores.values()])
    draft.leave_out(empty, "without a model and a score")
    _drop_copies(draft, [*scores.values()])
    keys = draft.columns_of("model", *KEYS, "metric", "cluster")
    if not draft.table.is_unique(keys):
        _tell_apart(draft, [*scores.values()])
        if draft.parts:
            return None
    elif not (draft.has(*KEYS) or draft.options.rows):
        _refuse_one_number(draft, [*scores.values()], [])
    read = ("model", *KEYS, "metric", "cluster", "people", "status", "n_train", "n_test")
    roles = {r: c for r, c in draft.roles.items() if r in read}
    return Found("table", draft.table, roles, scores, [*roles.values(), *scores.values()])


def _are_empty(table: SourceTable, columns: Sequence[str]) -> pd.Series:
    return pd.concat([table.text(c) == "" for c in columns], axis=1).all(axis=1)


def _ask_model(draft: Draft) -> None:
    """Ask what is compared: columns whose values fit, each in several rows."""
    table, rows = draft.table, len(draft.table.frame)
    names = [
        c for c in sorted(draft.left(), key=table.is_numeric)
        if not (find_metric(c) or table.are_hits(c) or table.are_dates(c))
    ]  # fmt: skip
    levels = {c: table.levels(c) * (3 if table.has_fractions(c) else 1) for c in names}
    fits = [c for c in names if 1 < table.levels(c) < rows and levels[c] <= rows]
    options = [option("model", c) for c in fits]
    options += [option("model", list(pair)) for pair in [*combinations(fits, 2)][:3]]
    unique = [c for c in names if not table.is_numeric(c) and table.levels(c) == rows > 1]
    for c in unique:  # names of runs, as `rf-seed3`, come first
        named = all(parse_label(label).runs for label in draft.table.text(c))
        options.insert(0 if named else len(options), option("model", c))
    wide = [c for c in draft.numbers() if not table.are_hits(c)]
    if len(wide) > 1:
        shown = join_names(wide, 10)
        options.append(Option({"headings": "model"}, f"the columns {shown} are models"))
    if not options:
        raise draft.table.error("has no column that names the model", draft.table.column_list)
    draft.ask("nothing says what is compared", options)


def _find_scores(draft: Draft) -> dict[str, str] | None:
    """The column of scores of each metric that is compared; None where it is asked."""
    options, table = draft.options, draft.table
    value, named = draft.roles.get("value"), draft.roles.get("metric")
    exact: dict[str, str] = {}
    for metric in options.metrics:
        found = [c for c in draft.find(metric) if c not in draft.roles.values()]
        found += [c for c in draft.find(metric) if c == value]
        exact |= {metric: found[0]} if found else {}
    if exact and named is None:
        return exact
    if value is not None and named is not None:
        group = table.groups(draft.columns_of("dataset"))
        if table.text(named).groupby(group).nunique().max() > 1:
            _ask_metric(draft, [*table.labels(named)])
        return {"": value}
    if named is not None:
        free = [c for c in draft.numbers() if table.has_fractions(c)]
        if not free:
            texts = ", ".join(f"{c} ({table.text(c).iloc[0]!r:.40})" for c in draft.left()[:6])
            has = f"It has {texts}." if texts else table.column_list
            raise table.error("has no column of the values of its metrics", has)
        values = [option("value", c) for c in free]
        draft.ask("which column holds the values of the metrics", values)
        return None
    if value is not None:
        known = [c for c in draft.left() if find_metric(c) and table.is_numeric(c)]
        if known and value not in draft.said and not options.metrics:
            draft.ask("which column is the score", [Option({"metric": c}) for c in [*known, value]])
            return None
        return {options.metrics[0] if options.metrics else value: value}
    numbers = [c for c in draft.numbers() if table.levels(c) > 1 or find_metric(c)]
    known = [c for c in numbers if find_metric(c)]
    if not known:
        draft.refuse_mixed()
    wanted = {normalize_name(m) for m in options.metrics}
    known = [c for c in known if wanted & {find_metric(c).name}] or known  # type: ignore[union-attr]
    several = known or [c for c in numbers if table.has_fractions(c) or table.are_hits(c)]
    several = several or numbers
    if not several:
        draft.refuse_mixed()
        raise table.error("has no column of scores", table.column_list)
    if len(several) == 1:
        return {[*options.metrics, several[0].removeprefix("metrics.")][0]: several[0]}
    answers = [Option({"metric": c}) for c in several]
    if table.is_unique(draft.columns_of("model", *KEYS)) and not any(map(find_metric, several)):
        answers.append(Option({"headings": "dataset"}, "each column is a dataset"))
    draft.ask("which column is the score", answers)
    return None


def _reduce_steps(draft: Draft, scores: Sequence[str]) -> None:
    """Go on with one row a run, of a log with a row a step."""
    rows = draft.options.rows
    keys = draft.columns_of("model", *KEYS, "metric")
    is_log = draft.has("step") or draft.table.layout.files > 1 or rows in ("last", "mean")
    if not is_log or draft.table.is_unique(keys):
        return
    draft.leave_out(_are_empty(draft.table, scores), "of a log hold no score and")
    table = draft.table
    if table.is_unique(keys):
        return
    group = table.groups(keys)
    if rows == "last":
        order = pd.Series(np.arange(len(group)), group.index)
        if draft.has("step") and table.is_numeric(draft.roles["step"]):
            order = table.numbers(draft.roles["step"]).sort_values(kind="stable")
        last = ~group[order.index].duplicated(keep="last")
        draft.table = table.with_frame(table.frame[last.sort_index()])
        draft.table.note("Of each run the last row was read; no best step was chosen.")
    elif rows == "mean":
        means = {c: table.numbers(c).groupby(group).transform("mean") for c in scores}
        draft.table = table.with_frame(table.frame.assign(**means)[~group.duplicated()])
        draft.table.note("The score of a run is the mean of its rows.")


def _drop_copies(draft: Draft, scores: Sequence[str]) -> None:
    """Go on without rows that repeat another one in every cell, the name of a run included.

    Rows of one run repeat it too if their scores, with fractions, are equal, as DVC's workspace.
    """
    table, keys = draft.table, draft.columns_of("model", *KEYS, "metric")
    if table.is_unique(keys):
        return
    copies = table.groups(table.columns).duplicated() & draft.has(*KEYS)
    if draft.has(*ALL_RUN_COLUMNS) and all(map(table.has_fractions, scores)):
        same = table.groups([*keys, *scores]).duplicated()
        copies = copies if table.groups(keys)[~same].duplicated().any() else same
    draft.leave_out(copies, "that are copies of other rows of the same runs")


def _count_within(table: SourceTable, columns: Sequence[str]) -> pd.Series:
    """The position of each row among those that are equal in these columns."""
    group = table.groups(columns)
    return group.groupby(group).cumcount()


def _tell_apart(draft: Draft, scores: Sequence[str]) -> None:
    """Ask which columns tell the rows of a model apart; an error for a few rows that are twice."""
    table = draft.table
    keys = draft.columns_of("model", *KEYS, "metric")
    rows = draft.options.row_role
    if rows in ("repetition", "item") and rows not in draft.roles:
        draft.make(rows, _count_within(table, keys).astype(str))
        return
    if draft.is_parted:
        return
    twice = table.groups(keys).duplicated(keep=False)
    steps = draft.columns_of("step") if draft.has("item") else []
    candidates = [
        c for c in [*draft.left(), *steps]
        if c not in scores and table.may_label(c)
    ]  # fmt: skip
    answers = [*_list_answers(draft, keys, candidates, scores)]
    counted = [c for c in candidates if draft.table.is_numeric(c)]
    if draft.has("step") or table.layout.files > 1 or (counted and draft.has(*ALL_RUN_COLUMNS)):
        answers += [
            Option({"rows": "last"}, "the last row of each run"),
            Option({"rows": "mean"}, "the mean of the rows of each run"),
        ]
    is_few = 2 * int(twice.sum()) <= len(twice)
    if draft.has(*KEYS) and not answers and (is_few or draft.has("repetition")):
        differ = [c for c in table.columns if table.text(c)[twice].groupby(
            table.groups(keys)[twice]).nunique().max() > 1]  # fmt: skip
        names = ", ".join(r for r in ("model", *KEYS) if r in draft.roles)
        raise table.error(
            f"rows are equal in {names}, and differ in {join_names(differ)}",
            "Keep one of them, or number the runs in a column.",
            twice.index[twice],
        )
    if not draft.has("repetition"):
        answers.append(Option({"rows": "repetition"}, "each row is a run of its own"))
    first = table.text(draft.roles["model"])[twice].iloc[0]
    same = [role for role in KEYS if role in draft.roles]
    more = f" with the same {', '.join(same)}" if same else ""
    draft.ask(f"{first!r} has several rows{more}, and nothing tells them apart", answers)


def _list_answers(
    draft: Draft, keys: Sequence[str], candidates: Sequence[str], scores: Sequence[str]
) -> Iterator[Option]:
    """Roles of further columns with which every row is one score, where the values fit."""
    table, own = draft.table, draft.sources["model"]
    first: dict[bytes, str] = {}  # of equal columns one, text before numbers
    for column in sorted(candidates, key=table.may_number):
        first.setdefault(pd.factorize(table.text(column))[0].tobytes(), column)
    columns = [*first.values()]
    models = table.text(draft.roles["model"])
    unique = [c for c in columns if table.is_unique([*keys, c])]
    for c in unique:
        counts = models.groupby(table.text(c)).nunique()
        is_shared = models.nunique() == 1 or (counts > 1).mean() > 0.5
        is_once = table.is_unique([*draft.columns_of("model", "dataset", "metric"), c])
        if not is_once and draft.has(*KEYS):
            yield option("model", [*own, c], f"{c} is a setting: each a model")
        is_run = is_once and is_shared and table.may_number(c)
        is_item = is_shared and (is_once or not draft.has("fold"))
        for role, meaning, fits in (
            ("seed", "a seed of the training", is_run), ("data_seed", "a random split", is_run),
            ("fold", "a fold", is_run), ("item", "a test case", is_item),
            ("dataset", "a dataset", is_shared), ("repetition", "a run of its own", True),
        ):  # fmt: skip
            if fits and not draft.has(role):
                yield option(role, c, meaning)
    if not unique:
        yield from _list_pairs(draft, keys, columns, scores)
    settings = [
        c for c in draft.left()
        if 1 < table.levels(c) <= len(models) / 3
        and find_metric(c) is None and not table.are_hits(c)
    ]  # fmt: skip
    for c in settings:
        if table.has_fractions(c) and table.is_unique([*keys, c]):
            yield option("model", [*own, c], f"{c} is a setting: each a model")
    if len(settings) > 1 and table.is_unique([*keys, *settings]):
        for c in list(settings):
            rest = [one for one in settings if one != c]
            settings = rest if table.is_unique([*keys, *rest]) else settings
        if len(settings) > 1:
            yield option("model", [*own, *settings], "settings: each combination is a model")


def _list_pairs(
    draft: Draft, keys: Sequence[str], columns: Sequence[str], scores: Sequence[str]
) -> Iterator[Option]:
    """Two roles of two columns with which every row is one score."""
    table = draft.table
    roles = [("dataset", "fold"), ("dataset", "seed"), ("dataset", "repetition"),
             ("dataset", "item"), ("item", "repetition"), ("repeat", "fold")]  # fmt: skip
    if all(table.kind(c) == "hits" for c in scores):  # a hit is of a test case
        roles = [("item", "repetition"), ("prompt", "item"), ("dataset", "item")]
    roles = [pair for pair in roles if not draft.has(*pair)]
    pairs = [pair for pair in combinations(columns, 2) if table.is_unique([*keys, *pair])]
    for pair, (first, second) in product(pairs, roles):
        for a, b in (pair, pair[::-1]):
            is_odd = first == "dataset" and table.is_numeric(a)
            is_odd |= second in ("fold", "seed") and not table.may_number(b)
            if not (is_odd or (second == "repetition" and table.levels(b) > table.levels(a))):
                yield Option({"columns": {first: a, second: b}})
