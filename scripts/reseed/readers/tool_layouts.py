"""Tables of caret, Weka, Nixtla, OpenML, OpenCompass, Inspect, promptfoo, TabArena and others."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from reseed.core.errors import ReseedError
from reseed.metrics.directions import infer_direction
from reseed.readers.columns import normalize_name
from reseed.readers.options import ReadOptions
from reseed.readers.run_columns import POSITION_NOTE, find_crossed_columns
from reseed.readers.source_table import SourceTable, join_names
from reseed.readers.vocabulary import is_error_heading, is_summary

#: Ends of columns of prediction intervals: `AutoARIMA-lo-90`.
_FORECAST_BOUND = re.compile(r"-(lo|hi)-\d+(\.\d+)?$")
_TABARENA_FOLDS = 3
#: Repeated 3-fold cross-validation of TabArena (Erickson et al. 2025, section 3): 3 or 10 repeats.
_TABARENA_SPLITS = (3 * _TABARENA_FOLDS, 10 * _TABARENA_FOLDS)
SKORE_MARKS = ("name", "verbose_name", "data_source", "greater_is_better", "score", "estimator")
_TIMES = ("fit_time", "predict_time")
#: A column of DVC: the file of metrics or settings, and the name in it.
_DVC_FILE = re.compile(r"(?:.*/)?([\w.\-]+\.(?:json|ya?ml|toml|py)):(.+)")
_DVC_SETTINGS = ("params.yaml", "params.toml", "params.json", "params.py")
#: Between the run and the metric in the heading of a line.
_LINE = " - "
#: Ends of promptfoo's headings behind that of a prompt, which hold no scores.
_NO_SCORES = ("Named Scores", "Grader Reason", "Comment")
_OPENCOMPASS = ["dataset", "version", "metric", "mode"]


def is_caret(table: SourceTable, options: ReadOptions) -> bool:
    """Whether a table is caret's `resamples()$values`: columns `rf~ROC`, a row a resample."""
    return sum(0 < c.find("~") < len(c) - 1 for c in table.columns) > 1


def tidy_caret(table: SourceTable, options: ReadOptions) -> SourceTable:
    """One row a model, resample and metric."""
    pairs = [c for c in table.columns if "~" in c]
    rest = [c for c in table.columns if c not in pairs]
    long = table.with_numbers(pairs).melt(rest, pairs, "model", "value", ignore_index=False)
    parts = long["model"].str.partition("~")
    return table.with_frame(long.assign(model=parts[0], metric=parts[2]))


def tidy_dvc(table: SourceTable, options: ReadOptions) -> SourceTable:
    """Columns without the files that DVC names: `metrics.json:acc` is `acc`, of settings too."""
    files = {c: match for c in table.columns if (match := _DVC_FILE.fullmatch(c))}
    names = {c: f"params.{m[2]}" if m[1] in _DVC_SETTINGS else m[2] for c, m in files.items()}
    unique = {c: name for c, name in names.items() if [*names.values()].count(name) == 1}
    return table.with_frame(table.frame.rename(columns=unique))


def tidy_wandb(table: SourceTable, options: ReadOptions) -> SourceTable:
    """Dicts of settings and last values, as W&B's example of its API writes them, as columns."""
    parts = [table.frame]
    for column in ("config", "summary"):
        cells = table.text(column) if column in table.columns else pd.Series(dtype="str")
        if len(cells) and cells.str.startswith("{").all():
            plain = cells.str.replace(r"\b(nan|inf|NaN|Infinity|null)\b", "None", regex=True)
            parts.append(pd.json_normalize([*map(ast.literal_eval, plain)]))
            parts[0] = parts[0].drop(columns=column)
    return table.with_frame(pd.concat(parts, axis=1).rename(columns=str))


def is_wandb_chart(table: SourceTable, options: ReadOptions) -> bool:
    """Whether the lines of a chart are several runs of each of several models, by their names."""
    return bool(find_crossed_columns({c.partition(_LINE)[0] for c in table.columns if _LINE in c}))


def tidy_wandb_chart(table: SourceTable, options: ReadOptions) -> SourceTable:
    """One row a line of the chart (a run) and metric: its last value."""
    lines = [c for c in table.columns if _LINE in c and not c.endswith(("__MIN", "__MAX"))]
    last = table.with_numbers(lines)[lines].ffill().iloc[-1]
    named = {column: column.partition(_LINE) for column in lines}
    runs = find_crossed_columns({run for run, _, _ in named.values()})
    rows = pd.DataFrame(
        {"model": runs[run].metric, **runs[run].numbers, "metric": metric, "value": last[column]}
        for column, (run, _, metric) in named.items()
        if run in runs
    )
    return table.with_frame(rows.set_axis([len(table.frame) - 1] * len(rows)))


def tidy_weka(table: SourceTable, options: ReadOptions) -> SourceTable:
    """Dataset, run, fold and scheme of Weka's experimenter; with options if they differ."""
    names = {"Key_Dataset": "dataset", "Key_Run": "repeat", "Key_Fold": "fold"}
    scheme = table.text("Key_Scheme").str.rpartition(".")[2]
    given = "Key_Scheme_options"
    if (
        given in table.columns
        and table.joined_text(["Key_Scheme", given]).nunique() > scheme.nunique()
    ):
        scheme = (scheme + " " + table.text(given)).str.strip()
    left_out = [c for c in table.columns if c.startswith("Key_") and c not in names]
    frame = table.frame.drop(columns=left_out).rename(columns=names)
    return table.with_frame(frame.assign(model=scheme))


def tidy_nixtla(table: SourceTable, options: ReadOptions) -> SourceTable:
    """One row a model and forecast; forecasts of one series are a cluster."""
    keys = [c for c in ("unique_id", "ds", "cutoff") if c in table.columns]
    free = [c for c in options.find_free_numeric_columns(table) if c not in (*keys, "y")]
    models = [c for c in free if not _FORECAST_BOUND.search(c)]
    frame = table.frame.assign(item=table.joined_text(keys).str.replace("\x1f", " "))
    named = frame.rename(columns={"unique_id": "cluster", "y": "y_true"})
    rest = ["item", "cluster", "y_true"]
    long = named.melt(rest, models, "model", "y_score", ignore_index=False)
    note = f"One column of forecasts a model: {join_names(models, 10)}; each is one test case."
    return table.with_frame(long, note)


def tidy_openml(table: SourceTable, options: ReadOptions) -> SourceTable:
    """One row an evaluation, or a fold of it where `values` holds them."""
    identifiers = [
        c for c in table.columns if c.endswith("_id") and c not in options.columns.values()
    ]
    frame = table.frame.rename(columns={"function": "metric"}).drop(columns=identifiers)
    notes = []
    if "values" in table.columns:
        per_fold = table.text("values")
        if (per_fold != "").all():
            try:
                lists = per_fold.map(ast.literal_eval)
            except (SyntaxError, ValueError):
                raise table.error(
                    "column 'values' holds no lists of numbers", "Write `[0.9, 0.8]`."
                ) from None
            frame = frame.assign(value=lists).drop(columns="values").explode("value")
            frame["fold"] = frame.groupby(level=0).cumcount()
            notes.append("Each number of 'values' was read as a fold.")
    return table.with_frame(frame, *notes)


def is_opencompass(table: SourceTable, options: ReadOptions) -> bool:
    """Whether a table is OpenCompass' `summary.csv`: a column a model, a row a dataset."""
    return [normalize_name(c) for c in table.columns[:4]] == _OPENCOMPASS


def tidy_opencompass(table: SourceTable, options: ReadOptions) -> SourceTable:
    """One row a model and dataset; rows of averages are left out."""
    models = list(table.columns[4:])
    names = table.text("dataset").str.lower()
    averages = names.map(lambda name: is_summary(name, "dataset"))
    is_group = names.map(lambda name: sum(name in other for other in names) > 1)
    averages |= table.text("metric").str.contains("average") & is_group
    rows = table.frame[~averages & (table.text("metric") != "-")]
    part = replace(table, frame=rows)
    frame = part.with_numbers(models).drop(columns=["version", "mode"])
    long = frame.melt(["dataset", "metric"], models, "model", "value", ignore_index=False)
    left_out = [f"Left out: {int(averages.sum())} rows of averages."] if averages.any() else []
    return table.with_frame(long, *left_out)


def tidy_autogluon(table: SourceTable, options: ReadOptions) -> SourceTable:
    """The score on test data as the value, named by `eval_metric` where the table has it."""
    score = "score_test" if "score_test" in table.columns else "score_val"
    metric = table.text("eval_metric") if "eval_metric" in table.columns else score
    frame = table.frame.rename(columns={score: "value"})
    return table.with_frame(frame.assign(metric=metric), f"The score is {score!r}.")


def tidy_inspect_evals(table: SourceTable, options: ReadOptions) -> SourceTable:
    """The first score of each evaluation as the value, named by its metric; a task is a dataset."""
    names = {"task_name": "dataset"}
    if "value" not in options.columns and not {*options.metrics} & {*table.columns}:
        stated = "score_headline_metric"
        metric = stated if stated in table.columns else "score_headline_name"
        names |= {"score_headline_value": "value", metric: "metric"}
    return table.with_frame(table.frame.rename(columns=names))


def tidy_inspect_samples(table: SourceTable, options: ReadOptions) -> SourceTable:
    """Samples as items of their task; epochs, and evaluations of one model, are repetitions."""
    scores = [c for c in table.columns if c.startswith("score_")]
    texts = [c for c in scores if not (table.is_numeric(c) or table.holds_grades(c))]
    names = {"id": "item", "epoch": "repetition", "task_name": "dataset"}
    frame = table.frame.drop(columns=[*texts, "target"], errors="ignore").rename(columns=names)
    if {"model", "dataset"} <= {*frame}:
        runs = frame.groupby(["model", "dataset", "item"], sort=False, dropna=False)
        frame["repetition"] = runs.cumcount()
    return table.with_frame(frame)


def tidy_promptfoo(table: SourceTable, options: ReadOptions) -> SourceTable:
    """One row a prompt with its provider, test case and score: whether it passed, unless requested.

    Rows of the same variables are repetitions of a test case; one with an error has failed.
    """
    if "Status" in table.columns:  # of one prompt
        at = table.columns.index("Status")
        of_prompt = {c: f"{table.columns[at - 1]} {c}" for c in table.columns[at:]}
        table = replace(table, frame=table.frame.rename(columns=of_prompt))
    models = [c.removesuffix(" Status") for c in table.columns if c.endswith(" Status")]
    starts = [*map(table.columns.index, models)]
    variables = table.columns[: starts[0]]
    cases = table.joined_text(variables) if variables else pd.Series(table.frame.index)
    item = pd.Series(pd.factorize(cases)[0] + 1, table.frame.index)
    labels = pd.DataFrame({"item": item, "repetition": item.groupby(item).cumcount()})
    parts, names = [], {"Status": "passed", "Score": "score"}
    for model, start, end in zip(models, starts, [*starts[1:], None], strict=True):
        passed = table.numbers(f"{model} Status")
        for column in table.columns[start + 1 : end]:
            name = column.removeprefix(f"{model} ").removeprefix("Metric: ")
            if name not in (column, *_NO_SCORES):
                value = table.numbers(column).where(passed.notna())
                metric = names.get(name, name)
                parts.append(labels.assign(model=model, metric=metric, value=value))
    long = pd.concat(parts)
    known = [*dict.fromkeys(long["metric"])]
    wanted = {*options.metrics} & {*known} or ({"passed"} if not options.metrics else {*known})
    rest = [name for name in known if name not in wanted]
    note = (
        [f"Left out: {join_names(rest)}; to compare by one of them, give `metric`."] if rest else []
    )
    rows = long[long["metric"].isin(wanted)]
    return table.with_frame(rows, *note, directions=dict.fromkeys(known, True))


def is_tabarena(table: SourceTable, options: ReadOptions) -> bool:
    """Whether a table has a metric's name and its error, so that less of each number is better."""
    names = {normalize_name(column) for column in table.columns}
    maps_error = is_error_heading(str(options.columns.get("value", "metric_error")))
    return {"metric", "metric_error"} <= names and maps_error


def tidy_tabarena(table: SourceTable, options: ReadOptions) -> SourceTable:
    """Errors named after their metric, with the direction of errors; splits numbered by repeat.

    TabArena numbers the splits of its repeated 3-fold cross-validation from 0 to 8 or from 0 to 29.
    """
    by_name = {normalize_name(column): column for column in table.columns}
    metric, value = by_name["metric"], by_name["metric_error"]
    names = {
        name: f"{name}_error" if infer_direction(name) is True else name
        for name in dict.fromkeys(table.text(metric))
    }
    requested = set(options.metrics)
    # The user may request the metric by the name that the table states.
    kept = {name: name if name in requested else new for name, new in names.items()}
    frame = table.frame.assign(**{metric: table.text(metric).map(kept)})
    if "value" not in options.columns:
        frame = frame.rename(columns={value: "value"})
    notes = [
        f"Read as TabArena's errors: less of {value!r} is better "
        f"({join_names(sorted(set(kept.values())))})."
    ]
    frame, note = _split_repeats(table, frame, options)
    directions = dict.fromkeys([*kept.values(), *names], False)
    return table.with_frame(frame, *notes, *note, directions=directions)


def _split_repeats(
    table: SourceTable, frame: pd.DataFrame, options: ReadOptions
) -> tuple[pd.DataFrame, list[str]]:
    """Repeat and fold of splits that are numbered through, where a dataset has 9 or 30 of them."""
    standard = {options.find_standard_name(column): column for column in table.columns}
    fold, dataset = standard.get("fold"), standard.get("dataset")
    if fold is None or "repeat" in standard or not table.is_numeric(fold):
        return frame, []
    number = table.numbers(fold)
    group = table.text(dataset) if dataset else pd.Series("", frame.index)
    count = number.groupby(group).transform("nunique")
    greatest = number.groupby(group).transform("max")
    flat = count.isin(_TABARENA_SPLITS) & (greatest == count - 1)
    if not flat.any():
        return frame, []
    frame = frame.assign(
        repeat=(number // _TABARENA_FOLDS).where(flat, 0).astype(int),
        **{fold: (number % _TABARENA_FOLDS).where(flat, number).astype(int)},
    )
    sizes = " or ".join(f"{int(n) // _TABARENA_FOLDS} × 3" for n in sorted(count[flat].unique()))
    return frame, [
        f"{fold!r} was read as TabArena's repeated cross-validation ({sizes}): split s is fold "
        "s mod 3 of repeat s div 3."
    ]


def is_report(value: object) -> bool:
    """Whether an object is a report of skore (the package is not imported)."""
    return hasattr(getattr(value, "metrics", None), "summarize")


def are_reports(value: object) -> bool:
    """Whether an object is a dict of reports by model."""
    return isinstance(value, Mapping) and bool(value) and all(map(is_report, value.values()))


def read_report(report: Any, model: str | None = None) -> pd.DataFrame:
    """The summary of a report: CrossValidationReport, ComparisonReport or EstimatorReport.

    Args:
        report: the report.
        model: name of its model, in place of the estimator's class.

    Raises:
        ReseedError: for a report of a version of skore whose summary has other columns.
    """
    display = report.metrics.summarize()
    summary = getattr(display, "summary", None)
    if not isinstance(summary, pd.DataFrame) or not {*SKORE_MARKS} <= {*summary.columns}:
        raise ReseedError(
            "The summary of this skore report has other columns than those of skore 0.28. Give its "
            "scores as a table: model, fold, metric, value."
        )
    return summary if model is None else summary.assign(estimator=model)


def read_reports(reports: Mapping[str, Any]) -> pd.DataFrame:
    """The summaries of reports by model."""
    return pd.concat([read_report(one, name) for name, one in reports.items()], ignore_index=True)


def tidy_skore(table: SourceTable, options: ReadOptions) -> SourceTable:
    """One row a model, split and metric of the test data; a metric of a class has its label."""
    frame = table.frame
    rows = frame[(frame["data_source"] == "test") & ~frame["name"].isin(_TIMES)]
    metric = rows["name"].astype(str)
    for column in ("label", "output"):
        if column in rows:
            label = rows[column].astype(object).where(rows[column].notna(), "").astype(str)
            metric = metric.where(label.isin(("", "None")), metric + "_" + label)
    tidy = pd.DataFrame({"model": rows["estimator"], "metric": metric, "value": rows["score"]})
    is_split = "split" in rows and bool(rows["split"].notna().any())
    if is_split:
        tidy["fold"] = rows["split"]
    known = rows.assign(metric=metric).dropna(subset=["greater_is_better"])
    directions = {
        str(name): str(value).lower() in ("true", "1", "1.0")
        for name, value in zip(known["metric"], known["greater_is_better"], strict=True)
    }
    return table.with_frame(tidy, *[POSITION_NOTE][:is_split], directions=directions)
