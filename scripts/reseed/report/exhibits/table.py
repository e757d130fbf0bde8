"""Any analysis as a table, by the columns that a study's file names."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from string import Formatter

import pandas as pd

from reseed.core.errors import ReseedError
from reseed.core.schemas import Row
from reseed.plugins.options import Count, Names, Strict
from reseed.report.rendering import numbers
from reseed.report.rendering.arms import arm_title, cell_titles
from reseed.report.rendering.data import ExhibitData, footnote, metric_title, require_rows
from reseed.report.rendering.tables import Rows, Table
from reseed.verdicts.formatting import format_level, format_p
from reseed.verdicts.settings import holds

#: Columns that hold arms.
_ARMS = ("arm", "baseline", "other", "model")
#: An interval, which is left out where an end is missing.
_BRACKETS = re.compile(r" ?\[[^\]]*\]")
_FORMATS = {
    "count": numbers.whole,
    "level": format_level,
    "p": lambda p: "< 0.001" if p < 0.001 else format_p(p),
    "percent": numbers.percent,
    "ratio": numbers.ratio,
    "two": numbers.two_digits,
}


class Options(Strict):
    """columns: heading → cell: a column of the analysis, or a text with some in braces, such as
        `{ratio:.2f} [{ratio_low:.2f}, {ratio_high:.2f}]`. After the colon stands a format of
        Python, or count, level, p, percent, ratio, two (at least two digits); without one, a
        number has the decimals of `digits`.
    where: column → values of the rows.
    least: column → least value of a row.
    section: columns whose titles head a section.
    digits: columns of which the smallest number has two digits in its section.
    least_digits: fewest decimals of such numbers.
    names: column → value → title.
    note: sentences of the footnote, with `{column}` of the first row.
    definitions: sentences that open on demand, likewise.
    empty: why there may be nothing to show.
    """

    columns: dict[str, str]
    where: dict[str, Names] = {}
    least: dict[str, float] = {}
    section: Names = ["dataset", "metric"]
    digits: list[str] = []
    least_digits: Count = 2
    names: dict[str, dict[str, str]] = {}
    note: list[str] = []
    definitions: list[str] = []
    empty: str = "No run at this scale has what this table shows."


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each row of the analysis that has no reason in place of a result."""
    every = require_rows(data.rows(), options.empty)
    _check_columns(every, options)
    reasons = [text for text in every.get("reason", pd.Series()).unique() if text]
    left_out = f" {'; '.join(reasons)}." if reasons else ""
    rows = every[every["reason"] == ""] if reasons else every
    keep = holds(rows, options.where)
    for column, number in options.least.items():
        keep &= rows[column] >= number
    rows = require_rows(rows[keep], options.empty + left_out)
    lines = Rows()
    has_cells = {"arm", "model"} <= {*rows}  # arms of one title are distinguished
    titles = dict(zip(rows.index, cell_titles(data, rows), strict=True)) if has_cells else {}
    for _, part in rows.groupby(options.section, sort=False, dropna=False):
        places = numbers.decimals(
            part[options.digits].to_numpy(float).ravel(), least=options.least_digits
        )
        for index, row in part.iterrows():
            values = _titled(data, options, row.to_dict())
            if has_cells:
                values["arm"] = titles[index]
            lines.add(
                {
                    heading: _fill(text if "{" in text else f"{{{text}}}", values, places)
                    for heading, text in options.columns.items()
                },
                ", ".join(str(values[name]) for name in options.section),
            )
    first = _titled(data, options, rows.iloc[0].to_dict())
    note = [_fill(text, first, 2) for text in options.note]
    return lines.table(
        data,
        rows,
        footnote(data, rows, *note, f"Left out:{left_out}" if left_out else "", per="row"),
        definitions=[_fill(text, first, 2) for text in options.definitions],
        text_columns=sum(
            not set(_read_names(text)).isdisjoint(_ARMS) for text in options.columns.values()
        )
        or 1,
    )


def _read_names(text: str) -> list[str]:
    """The columns that a cell shows."""
    return [name for _, name, *_ in Formatter().parse(text) if name] if "{" in text else [text]


def _check_columns(rows: pd.DataFrame, options: Options) -> None:
    texts = (
        *options.columns.values(),
        *(t for t in (*options.note, *options.definitions) if "{" in t),
    )
    named = {name for text in texts for name in _read_names(text)}
    wanted = named | {*options.where, *options.least, *options.section, *options.digits}
    if absent := sorted(wanted - {*rows}):
        raise ReseedError(f"the analysis has no column {', '.join(absent)}")


def _titled(data: ExhibitData, options: Options, row: Row) -> Row:
    """The row with titles in place of names."""
    experiment = row.get("experiment")
    of_baseline = row.get("baseline_experiment", experiment)
    return {
        name: options.names[name].get(str(value), value)
        if name in options.names
        else arm_title(data, value, of_baseline if name == "baseline" else experiment)
        if name in _ARMS
        else data.dataset(value)
        if name == "dataset"
        else metric_title(value)
        if name == "metric"
        else value
        for name, value in row.items()
    }


def _fill(text: str, values: Mapping[str, object], places: int) -> str:
    """The text with its columns; a dash where the first number is missing."""
    if _is_missing(text[: text.index("[")] if "[" in text else text, values):
        return numbers.NONE
    text = _BRACKETS.sub(lambda ends: "" if _is_missing(ends[0], values) else ends[0], text)
    return "".join(
        literal + (_show(values[name], form or "", places) if name else "")
        for literal, name, form, _ in Formatter().parse(text)
    )


def _is_missing(text: str, values: Mapping[str, object]) -> bool:
    found: Iterable[object] = (values[name] for name in _read_names(text) if "{" in text)
    return any(isinstance(one, float) and math.isnan(one) for one in found)


def _show(value: object, form: str, places: int) -> str:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return str(value)
    if form in _FORMATS:
        return _FORMATS[form](value)
    return format(value, form) if form else numbers.fixed(value, places)
