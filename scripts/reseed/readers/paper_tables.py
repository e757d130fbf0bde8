"""Reads a paper's table of means and spreads: one row a model and dataset."""

from __future__ import annotations

import re
from decimal import Decimal, getcontext
from pathlib import Path

import numpy as np
import pandas as pd

from reseed.core.errors import ReseedError
from reseed.readers.cells import MISSING, PLUS_MINUS, describe_interval
from reseed.readers.names import NAMES, find_metric, find_role, normalize_name
from reseed.readers.options import ColumnMap, list_columns
from reseed.readers.question import Option, Part, Question
from reseed.readers.shape import find_heading_runs
from reseed.readers.source_table import SourceTable, join_names
from reseed.readers.text_tables import LATEX, read_caption

COLUMNS = ("dataset", "metric", "model", "mean", "sd", "n", "half_mean", "half_sd", "spread")
#: Meanings of a spread: SD, standard error, half of a 95 % interval of the mean.
SPREADS = ("sd", "se", "ci95")
#: `spread` of a row whose table does not say what ± is.
UNKNOWN = "unknown"
_DIGITS = ("mean_digits", "sd_digits")
_NUMBER = r"(\d*\.?\d+(?:[eE][-+]?\d+)?)"
_MINUS = r"\-\u2212\u2013\u2014"  # typesetting uses dashes as minus too
# LaTeX commands, marks, percent; no sign (it would be lost) and no arrow (it marks a change).
_MARKS = rf"(?:\\[A-Za-z]+|[^A-Za-z0-9.+{_MINUS}←-⇿▲-◿])*?"
_MEAN = rf"{_MARKS}([+{_MINUS}]?)[\s${{}}]*{_NUMBER}"
#: `90.4 ± 0.5`, `90.4 (0.5)`, `$90.4_{\pm 0.5}$`, `\textbf{90.4} \pm 0.5`.
_CELL = re.compile(
    rf"{_MEAN}{_MARKS}(?:{PLUS_MINUS}{_MARKS}([{_MINUS}]?)|(?P<bracket>\()){_MARKS}{_NUMBER}{_MARKS}"
)
_COMMA = re.compile(r"(?<=\d),(?=\d)")
# Not a thousands separator.
_COMMA_FIRST = re.compile(r"[^\d.]*(?!(?:[1-9]\d{0,2},\d{3})(?!\d))\d+,\d[^.]*")
_MEANS = ("mean", "average", "avg", "value")
_SPREADS = {
    **dict.fromkeys(["sd", "s_d", "std", "stdev", "stddev", "std_dev", "standard_deviation"], "sd"),
    **dict.fromkeys(["se", "s_e", "sem", "stderr", "std_err", "standard_error"], "se"),
    **dict.fromkeys(["ci", "ci95", "ci_95"], "ci95"),
}
#: Floats with more significant digits were not rounded for print.
_MOST_PRINTED_DIGITS = 9
_Z95 = 1.959963984540054  # an interval by the t quantile has a smaller SD, so this one is safe
_EXPECTED = (
    "A table of means has a row a model, and either cells such as `90.4 ± 0.5` in a column a "
    "dataset, or the columns `mean` and `sd` (or `se`)"
)


#: Title (or empty), column of means, column of spreads, and what those are: `sd`, `se`, `ci95`.
_MeanColumn = tuple[str, str, str, str]


def read_means(
    table: SourceTable,
    runs: int | None = None,
    spread: str | None = None,
    decimals: int | None = None,
    mapping: ColumnMap | None = None,
) -> pd.DataFrame:
    """One row a model and dataset (`COLUMNS`), in the table's order.

    `half_mean` and `half_sd` are half a unit of the last printed digit of the mean and the SD of
    that cell. If the first column holds datasets and none the model, the other columns are models.
    `attrs["caption"]` is that of a LaTeX table.

    Args:
        table: the means.
        runs: number of runs of each mean, if no column states it.
        spread: the meaning of ± (`SPREADS`), if no heading states it; else SDs are assumed.
        decimals: number of decimals with which floats were printed, which lost trailing zeros.
        mapping: the user's `columns`: that of the model, dataset or metric.

    Raises:
        ReseedError: for a table of another form, or with a cell that is no mean with its spread.
    """
    if spread not in (None, *SPREADS):
        raise ReseedError(
            f"spread is {spread!r}: give 'sd', 'se' (of the mean) or 'ci95' (half of a 95 % "
            "interval)."
        )
    if decimals is not None and not 0 <= decimals <= 15:
        raise ReseedError(f"decimals is {decimals!r}: give a number from 0 to 15.")
    text = pd.DataFrame({column: _as_printed(table, column, decimals) for column in table.columns})
    _refuse_groups(table)
    rows = _read_columns(table, text, mapping or {}, spread or UNKNOWN, str(runs or ""))
    _ask_runs(table, rows)
    rows["n"] = _read_counts(table, rows["n"])
    _check_models(table, rows)
    for name, digits in zip(("half_mean", "half_sd"), _DIGITS, strict=True):
        rows[name] = 0.5 * 10.0 ** -rows[digits]
    rows[["sd", "half_sd"]] = rows[["sd", "half_sd"]].mul(spread_to_sd(rows), axis="index")
    if (rows["sd"] < 0).any():
        raise table.error("holds a spread below 0", "Give SDs or standard errors as they are")
    means = rows[[*COLUMNS]].reset_index(drop=True)
    if table.path.endswith(LATEX):
        means.attrs["caption"] = read_caption(Path(table.path).read_text(encoding="utf-8-sig"))
    means.attrs["path"] = table.path
    return means


def spread_to_sd(rows: pd.DataFrame, unknown: str = "sd") -> pd.Series:
    """Factor from the printed spread to the SD of the runs, by `spread` and `n`.

    unknown: the meaning of a spread that the table does not state.
    """
    root = np.sqrt(rows["n"])
    kind = rows["spread"].replace(UNKNOWN, unknown)
    return root.where(kind != "sd", 1.0) / kind.map({"sd": 1.0, "se": 1.0, "ci95": _Z95})


def _as_printed(table: SourceTable, column: str, decimals: int | None) -> pd.Series:
    """A column as text; floats with the digits that they were printed with, as far as is known.

    A column of text in which every number ends with `.0` was written from floats too.
    """
    text = table.text(column)
    present = text[~text.str.lower().isin(MISSING)]
    is_float = table.frame[column].dtype.kind == "f"
    if not is_float and not (len(present) and present.str.fullmatch(r"-?\d+\.0").all()):
        return text
    numbers = present.map(lambda value: Decimal(value).normalize())
    if not numbers.map(Decimal.is_finite).all():
        return text
    most = max((len(value.as_tuple().digits) for value in numbers), default=0)
    if decimals is None and most <= _MOST_PRINTED_DIGITS:
        # A 0 has no digits of its own.
        most = max(map(_count_decimals, numbers), default=0)
        printed = numbers.map(lambda value: value if value else Decimal((0, (0,), -most)))
    else:
        places = decimals if decimals is not None else max(map(_count_decimals, numbers))
        if places + numbers.map(Decimal.adjusted).max() >= getcontext().prec:
            return text
        printed = numbers.map(lambda value: round(value, places))
    return printed.map(lambda value: f"{value:f}").reindex(text.index, fill_value="")


def holds_means(table: SourceTable, mapping: ColumnMap) -> bool:
    """Whether a table holds means with their spread, and no runs.

    That is: cells such as `90.4 ± 0.5` in most rows of a column; or, where neither a column nor
    headings name runs, a column of means beside one of their spreads.
    """
    roles = {*map(find_role, table.columns), *mapping}
    for column in table.columns:
        if table.is_numeric(column):
            continue
        count = table.text(column).value_counts()
        count = count[~count.index.str.lower().isin(MISSING)]
        if count[count.index.map(_is_cell).astype(bool)].sum() > 0.5 * count.sum():
            return True
    names = {normalize_name(c): c for c in table.columns if table.is_numeric(c)}
    is_long = bool(roles & {"seed", "data_seed", "fold", "repeat", "repetition", "item", "step"})
    has_runs = is_long or bool(find_heading_runs([*names.values()]))
    return bool(_find_mean_columns(names)) and not has_runs


def _refuse_groups(table: SourceTable) -> None:
    for column in table.columns:
        is_part = table.text(column).str.match(r"[-–└├│>]+\s+\w")
        if is_part.any() and not is_part.all() and not table.is_numeric(column):
            raise table.error(
                f"column {column!r} holds {table.text(column)[is_part].iloc[0]!r}: some rows are "
                "parts of others",
                "Keep the groups, or their parts.",
                is_part.index[is_part],
            )


def _ask_runs(table: SourceTable, rows: pd.DataFrame) -> None:
    """Ask over how many runs each mean is, and what ± is, where no column says it."""
    if not rows["n"].eq("").all():
        return
    parts = [
        Part(
            "over how many runs each mean is; a standard error over the test cases of one run is "
            "of no runs (give the scores of the cases)",
            (Option({"runs": 5}, "each over so many"),),
        )
    ]
    if rows["spread"].eq(UNKNOWN).any():
        meanings = {"sd": "standard deviation of the runs", "se": "standard error of the mean",
                    "ci95": "half of a 95 % interval of the mean"}  # fmt: skip
        options = tuple(Option({"spread": name}, text) for name, text in meanings.items())
        parts.append(Part("what stands after ±", options))
    raise Question(table.path, parts)


def _infer_spread(heading: str, spread: str) -> str:
    """What the heading of a column of cells says of ±; `spread` if it says nothing."""
    words = re.split(r"[\W_]+", heading.lower())
    named = {_SPREADS[word] for word in words if word in _SPREADS}
    return named.pop() if len(named) == 1 else spread


def _read_columns(
    table: SourceTable, text: pd.DataFrame, mapping: ColumnMap, spread: str, runs: str
) -> pd.DataFrame:
    """Means and spreads as printed, with `dataset`, `model`, `metric`, `spread` and `n`.

    Asks which column names the models.
    """
    roles: dict[str, list[str]] = {}
    for column in table.columns:
        roles.setdefault(find_role(column), []).append(column)
    for name, mapped in mapping.items():
        missing = [c for c in list_columns(mapped) if c not in table.columns]
        if missing:
            raise table.error(
                f"has no column {missing[0]!r}, to which `columns` maps {name!r}", table.column_list
            )
        roles[name] = list_columns(mapped)
    counts = [c for c in roles.get("n", []) if table.is_numeric(c)]
    pairs = _find_mean_columns({normalize_name(column): column for column in table.columns})
    with_cells = [c for c in table.columns if text[c].map(_is_cell).mean() > 0.5]
    used = {c for _, mean, width, _ in pairs for c in (mean, width)} | {*with_cells, *counts}
    metric = [c for c in roles.get("metric", []) if c not in used]
    labels = [c for c in roles.get("dataset", []) if c not in used] + metric
    model = next(iter(roles.get("model", [])), "")
    is_transposed = not model and not pairs and table.columns[0] in roles.get("dataset", [])
    if not (model or is_transposed):
        free = [c for c in table.columns if c not in (*used, *labels) and not table.is_numeric(c)]
        if not free:
            raise table.error(
                "has no column that names the model", f"Name it `model`. {table.column_list}"
            )
        unique = [c for c in free if not text[[*labels, c]].duplicated().any()]
        if len(free) > 1 and len(unique) != 1:
            options = tuple(Option({"columns": {"model": c}}) for c in unique or free)
            raise Question(table.path, [Part("which column names the models", options)])
        model = (unique or free)[0]
    label = text[labels].agg(", ".join, axis=1) if labels else pd.Series("", text.index)
    parts = []
    for title, mean, width, kind in pairs:
        cells = _join_cells(table, text, mean, width)
        own = {"dataset": _join_titles(label, title), "model": text[model], "spread": kind}
        parts.append(_read_cells(table, mean, cells).assign(**own))
    if not pairs:
        others = text.drop(columns=[c for c in (model, *counts[:1], *labels) if c])
        columns = _find_cell_columns(table, others)
        unread = [c for c in others if c not in columns]
        if unread:
            table.note(f"Columns not used: {join_names(unread, 20)}.")
        for column, cells in columns.items():
            own = {"dataset": label, "model": column, "spread": spread}
            if not is_transposed:
                is_repeated = text[model].duplicated().any()
                dataset = _join_titles(label, column) if is_repeated else column
                kind = _infer_spread(column, spread)
                own = {"dataset": dataset, "model": text[model], "spread": kind}
            parts.append(_read_cells(table, column, cells).assign(**own))
    n = text[counts[0]] if counts else runs
    metrics = text[metric[0]] if metric else ""
    return pd.concat([one.assign(n=n, metric=metrics) for one in parts]).dropna(subset="mean")


def _find_mean_columns(names: dict[str, str]) -> list[_MeanColumn]:
    """Columns such as `mean` and `sd`, `acc_mean` and `acc_std`, `acc` and `acc_std`.

    A spread without a stem is that of `mean`, of `value`, or of the only known metric.
    """
    metrics = [name for name in names if find_metric(name) is not None]
    columns: dict[str, _MeanColumn] = {}
    for name, column in names.items():
        for ending, kind in _SPREADS.items():
            if not f"_{name}".endswith(f"_{ending}"):
                continue
            stem = name.removesuffix(ending).strip("_")
            known = [f"{stem}_{mean}".strip("_") for mean in _MEANS] + [stem]
            known += NAMES["value"] if not stem else ()
            known += metrics if not stem and len(metrics) == 1 else []
            mean = next((names[one] for one in known if one in names and one != name), None)
            if mean and stem not in columns:
                title = mean[: len(stem)] if stem else mean if find_metric(mean) else ""
                columns[stem] = (title, mean, column, kind)
    return [*columns.values()]


def _find_cell_columns(table: SourceTable, text: pd.DataFrame) -> dict[str, pd.Series]:
    """Columns with at least one mean and its spread in a cell."""
    columns = {str(column): _replace_decimal_commas(text[column]) for column in text}
    with_cells = {name: cells for name, cells in columns.items() if cells.map(_is_cell).any()}
    if not with_cells:
        interval = describe_interval(cell for cells in columns.values() for cell in cells)
        expected = interval or f"{_EXPECTED}. {table.column_list}"
        raise table.error("holds no mean with its spread", expected)
    return with_cells


def _join_cells(table: SourceTable, text: pd.DataFrame, mean: str, width: str) -> pd.Series:
    """A column of means and one of spreads as cells `mean ± spread`."""
    missing = text[[mean, width]].apply(lambda column: column.str.lower().isin(MISSING))
    incomplete = text.index[missing[width] & ~missing[mean]]
    if len(incomplete):
        raise table.error(
            f"column {width!r} is empty next to a mean",
            "Give the spread over its runs, or leave the mean out: of one run nothing is tested",
            incomplete,
        )
    cells = _replace_decimal_commas(text[mean]) + " ± " + _replace_decimal_commas(text[width])
    return cells.where(~missing[mean], "")


def _join_titles(labels: pd.Series, title: str) -> pd.Series:
    """Labels of rows, each followed by a column's title if there is one."""
    return (labels + ", " + title).str.strip(", ")


def _is_cell(text: str) -> bool:
    return _parse_cell(text) is not None


def _parse_cell(text: str) -> list[Decimal] | None:
    """Mean and spread of a cell, as printed; None for any other cell."""
    match = _CELL.fullmatch(text)
    if match is None:
        return None
    minus, mean, below, bracket, spread = match.groups()
    if bracket and "." in mean and "." not in spread:  # `0.912(3)`: ±0.003 or ±3, or a rank
        return None
    return [
        Decimal(f"{'-' if sign not in ('', None, '+') else ''}{number}")
        for sign, number in ((minus, mean), (below, spread))
    ]


def _replace_decimal_commas(cells: pd.Series) -> pd.Series:
    """The cells with points instead of decimal commas; thousands separators are not changed."""
    has_comma = cells.map(_COMMA_FIRST.fullmatch).notna()
    return cells.where(~has_comma, cells.str.replace(_COMMA, ".", regex=True))


def _read_cells(table: SourceTable, column: str, cells: pd.Series) -> pd.DataFrame:
    """Mean, SD and the decimals of either, by cell of a column; NaN for an empty cell."""
    parsed = cells.map(_parse_cell)
    parts = cells.str.lower().str.split(f"[±{_MINUS}]", regex=True)
    is_empty = parts.map(lambda texts: {text.strip() for text in texts} <= MISSING)
    wrong = cells.index[parsed.isna() & ~is_empty]
    if len(wrong):
        raise table.error(
            f"column {column!r} holds {cells[wrong[0]]!r}, which is no mean with its spread",
            f"{_EXPECTED}; leave a cell empty where a model has none",
            wrong,
        )
    rows = [
        (np.nan, np.nan, 0, 0) if one is None else (*map(float, one), *map(_count_decimals, one))
        for one in parsed
    ]
    return pd.DataFrame(rows, columns=["mean", "sd", *_DIGITS], index=cells.index)


def _count_decimals(value: Decimal) -> int:
    return max(0, -int(value.as_tuple().exponent))


def _check_models(table: SourceTable, rows: pd.DataFrame) -> None:
    """Raise ReseedError for a mean without a model, and for a model that is twice on a dataset."""
    blank = rows.index[rows["model"] == ""]
    if len(blank):
        raise table.error("names no model", "Write its name in every row", blank)
    repeated = rows.duplicated(["dataset", "model"])
    if repeated.any():
        row = rows[repeated].iloc[0]
        where = f" on {row['dataset']}" if row["dataset"] else ""
        raise table.error(
            f"{row['model']!r} occurs twice{where}",
            "Name a model once on each dataset (a column `dataset` may distinguish its rows)",
        )


def _read_counts(table: SourceTable, text: pd.Series) -> pd.Series:
    counts = pd.to_numeric(text, errors="coerce")
    wrong = text[~(counts >= 2) | (counts % 1 != 0)]
    if len(wrong):
        value = wrong.iloc[0]
        raise table.error(
            f"has {f'{value!r} runs' if value else 'no number of runs'} for a mean",
            "State over how many seeds each mean is: a column `n`, or `runs=5` (`--runs 5`); two "
            "or more, whole numbers",
            wrong.index if value else (),
        )
    return counts
