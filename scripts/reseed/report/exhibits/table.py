"""Any analysis as a table, by the columns that a study's file names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import inf
from string import Formatter
from typing import Any

import pandas as pd

from reseed.core.coordinates import base_name
from reseed.core.errors import ReseedError
from reseed.core.schemas import Row
from reseed.plugins.options import Count, Names, Strict
from reseed.report.rendering import numbers
from reseed.report.rendering.arms import TEST_SET_KEY, arm_title, cell_titles
from reseed.report.rendering.data import ExhibitData, footnote, metric_title, require_rows
from reseed.report.rendering.tables import GroupedRow, Rows, Table
from reseed.verdicts.formatting import format_level, format_p
from reseed.verdicts.settings import holds

#: Columns that hold arms.
_ARMS = ("arm", "baseline", "other", "model")
#: An interval or a deviation, which is left out where a number is missing.
_OPTIONAL = re.compile(r" ?\[[^\]]*\]| ± \{[^}]*\}")
_FORMATS: dict[str, Callable[[float], str]] = {
    "count": numbers.whole,
    "epoch": lambda e: "never" if e == inf else numbers.whole(e) if e >= 100 else f"{e:.3g}",
    "failed": lambda n: f" ({n:,.0f} failed)" if n else "",
    "level": format_level,
    "p": lambda p: "< 0.001" if p < 0.001 else format_p(p),
    "percent": numbers.percent,
    "percent1": partial(numbers.percent, places=1),
    "points": lambda share: f"{100 * share:.0f}",
    "ratio": numbers.ratio,
    "two": numbers.two_digits,
}
#: Heading → cell; headings may be in groups.
Columns = dict[str, str | dict[str, str]]


class Options(Strict):
    """columns: heading → cell: a column of the analysis, or a text with some in braces, such as
        `{ratio:.2f} [{ratio_low:.2f}, {ratio_high:.2f}]`; also computed, `{high - low}`. After the
        colon stands a format of Python, or count, epoch (infinite: never), failed (` (2 failed)`,
        or nothing), level, p, percent (1: with a decimal), points, ratio, two (at least two
        digits); without one, a number has the decimals of `digits`. Or group → such columns. A
        heading or group with braces is a column for each of its values.
    line: columns; rows with the same values stand in one line (null: each row in its own).
    below: as `columns`, of a second line, such as published numbers, where one is known.
    last: as `columns`, of a last line of each section.
    where: column → values of the rows.
    least: column → least value of a row.
    most: column → greatest value of a row; rows without a value stay.
    with_reason: also rows that have a reason in place of a result.
    section: columns whose titles head a section, or texts with columns in braces.
    order: columns that order the lines of a section.
    digits: columns of which the smallest number has two digits in its section.
    least_digits: fewest decimals of such numbers.
    names: column → value → title.
    note: sentences of the footnote, with `{column}` of all rows.
    definitions: sentences that open on demand, likewise.
    empty: why there may be nothing to show.
    """

    columns: Columns
    line: Names | None = None
    below: Columns = {}
    last: Columns = {}
    where: dict[str, Names] = {}
    least: dict[str, float] = {}
    most: dict[str, float] = {}
    with_reason: bool = False
    section: Names = ["dataset", "metric"]
    order: list[str] = []
    digits: list[str] = []
    least_digits: Count = 2
    names: dict[str, dict[str, str]] = {}
    note: list[str] = []
    definitions: list[str] = []
    empty: str = "No run at this scale has what this table shows."


def table(data: ExhibitData, options: Options) -> Table:
    """A line for each row of the analysis, or for the rows that share one."""
    every = require_rows(data.rows(options.where.get("experiment")), options.empty)
    reasons = [text for text in every.get("reason", pd.Series()).unique() if text]
    left_out = f" {'; '.join(reasons)}." if reasons else ""
    rows = every[every["reason"] == ""] if reasons and not options.with_reason else every
    rows = _compute_columns(require_rows(rows, options.empty + left_out), options)
    keep = holds(rows, options.where)
    for column, number in options.least.items():
        keep &= rows[column] >= number
    for column, number in options.most.items():
        keep &= ~(rows[column] > number)
    rows = require_rows(rows[keep], options.empty + left_out)
    lines: list[tuple[GroupedRow, str]] = []
    shown: list[Row] = []
    by = [name for text in options.section for name in _read_names(text)]
    for _, part in rows.groupby(by, sort=False, dropna=False):
        places = numbers.decimals(
            part[options.digits].to_numpy(float).ravel(), least=options.least_digits
        )
        part = part.sort_values(options.order, kind="stable") if options.order else part
        titled = _titled(data, options, part)
        section = ", ".join(_fill(_in_braces(text), titled[0], 2) for text in options.section)
        of_line = part.groupby(options.line or part.index, sort=False, dropna=False).ngroup()
        for number in of_line.unique():
            same = [row for row, n in zip(titled, of_line, strict=True) if n == number]
            lines.append((_fill_line(options.columns, same, places), section))
            below = _fill_line(options.below, same, places)
            if sum(cell != numbers.NONE for cell in below.values()) > 1:
                lines.append((below, section))
        if options.last:
            lines.append((_fill_line(options.last, titled, places), section))
        shown += titled
    headings = dict.fromkeys(
        (_fill(group, row, 2), _fill(heading, row, 2))
        for group, parts in _groups(options.columns)
        for row in shown
        for heading in parts
    )
    table = Rows()
    for line, section in lines:
        table.add({one: line.get(one, numbers.NONE) for one in headings}, section)
    note = [_say(text, shown) for text in options.note]
    left_out = left_out and f"{'Not judged' if options.with_reason else 'Left out'}:{left_out}"
    return table.table(
        data,
        every,
        footnote(data, rows, *note, left_out, per="row"),
        definitions=[_say(text, shown) for text in options.definitions],
        text_columns=sum(
            not set(_read_names(cell)).isdisjoint(_ARMS)
            for _, parts in _groups(options.columns)
            for cell in parts.values()
        )
        or 1,
        drop_empty=True,
    )


def _groups(columns: Columns) -> Iterator[tuple[str, dict[str, str]]]:
    """(group, heading → cell); columns of no group stand in one without a name."""
    for name, cell in columns.items():
        yield (name, cell) if isinstance(cell, dict) else ("", {name: cell})


def _in_braces(text: str) -> str:
    return f"{{{text}}}" if text.isidentifier() else text


def _read_names(text: str) -> list[str]:
    """The columns, or what is computed of them, that a text shows."""
    return [name for _, name, *_ in Formatter().parse(_in_braces(text)) if name]


def _compute_columns(rows: pd.DataFrame, options: Options) -> pd.DataFrame:
    """The rows with a column for each text in braces that is none."""
    texts = [*options.note, *options.definitions, *options.section]
    for columns in (options.columns, options.below, options.last):
        for group, parts in _groups(columns):
            texts += [f"{group} ", *(f"{heading} " for heading in parts), *parts.values()]
    wanted = {name for text in texts for name in _read_names(text)}
    wanted |= {*options.where, *options.least, *options.most, *options.digits}
    wanted |= {*options.order, *(options.line or [])}
    try:
        return rows.assign(**{name: rows.eval(name) for name in sorted(wanted - {*rows})})
    except pd.errors.UndefinedVariableError as error:
        absent = str(error).split("'")[1]
        raise ReseedError(f"the analysis has no column {absent}") from None


def _titled(data: ExhibitData, options: Options, rows: pd.DataFrame) -> list[Row]:
    """The rows with titles in place of names; arms of one title are distinguished."""
    titles = {"dataset": data.dataset, "metric": metric_title, "experiment": data.experiment}
    has_cells = {"arm", "model"} <= {*rows} and "{arm}" not in options.columns

    def title(name: str, value: Any, row: Row) -> object:
        if name in options.names:
            of, text = options.names[name], base_name(str(value))
            parts = text.split(":")  # of an interaction
            return of.get(text) or (" × ".join(of.get(p, p) for p in parts) if parts[1:] else value)
        if name in _ARMS:
            experiment = row.get("experiment")
            of_baseline = row.get("baseline_experiment", experiment)
            return arm_title(data, value, of_baseline if name == "baseline" else experiment)
        return titles[name](value) if name in titles else value

    found = [
        {name: title(name, value, row) for name, value in row.items()}
        for row in rows.to_dict("records")
    ]
    if has_cells and "arm" not in options.names:
        by = [name for name in TEST_SET_KEY if not options.line or name in options.line]
        for row, arm in zip(found, cell_titles(data, rows, by), strict=True):
            row["arm"] = arm
    return found


def _fill_line(columns: Columns, rows: Sequence[Row], places: int) -> GroupedRow:
    return {
        (_fill(group, row, 2), _fill(heading, row, 2)): _fill(_in_braces(cell), row, places)
        or numbers.NONE
        for group, parts in _groups(columns)
        for row in rows
        for heading, cell in parts.items()
    }


def _fill(text: str, values: Mapping[str, object], places: int) -> str:
    """The text with its columns; a dash where a number outside of brackets is missing."""
    if _is_missing(_OPTIONAL.sub("", text), values):
        return numbers.NONE
    text = _OPTIONAL.sub(lambda ends: "" if _is_missing(ends[0], values) else ends[0], text)
    return "".join(
        literal + (_show(values[name], form or "", places) if name else "")
        for literal, name, form, _ in Formatter().parse(text)
    )


def _is_missing(text: str, values: Mapping[str, object]) -> bool:
    return any(pd.isna(values[name]) for _, name, *_ in Formatter().parse(text) if name)


def _show(value: object, form: str, places: int = 2) -> str:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return str(value)
    if form in _FORMATS:
        return _FORMATS[form](value)
    return format(value, form) if form else numbers.fixed(value, places)


def _say(text: str, rows: Sequence[Row]) -> str:
    """The sentence with the values of all rows, `12–50` of numbers."""
    said = ""
    for literal, name, form, _ in Formatter().parse(text):
        known = [row[name] for row in rows if name and not pd.isna(row[name])]
        said += literal
        if known and all(isinstance(value, int | float) for value in known):
            said += numbers.from_to(known, partial(_show, form=form or ""), to="–")
        elif name:
            said += numbers.several(dict.fromkeys(str(value) for value in known))
    return said
