"""`reseed init --data`: read the table, try the user's models, describe a study."""

from __future__ import annotations

import argparse
from multiprocessing import TimeoutError, get_context
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
from pandas.api.types import is_float_dtype, is_numeric_dtype

from reseed.cli.init_look import RARE, Look, look
from reseed.cli.init_script import LAST, SEEDS, SPLITS
from reseed.core.errors import ReseedError
from reseed.data.columns import encode_target, require_column
from reseed.data.number_text import convert_decimal_commas

#: Most rows on which a factory is tried, and seconds that it may take. Rows at scale smoke.
_TRIED, _TRY_SECONDS, _SMOKE = 2_000, 60, 1_000
#: Argument of `pandas.read_csv` → option of a dataset. The reader finds decimal commas by itself.
_READER_OPTIONS = {"sep": "separator", "encoding": "encoding"}


def read(options: argparse.Namespace) -> tuple[pd.DataFrame, Look]:
    """The table, and what it holds, printed. Each of the user's models is tried on some rows."""
    if not options.target:
        raise ReseedError("--data: name the column that models predict: `--target`.")
    if not options.data.is_file():
        raise ReseedError(f"{options.data}: no such file. Give its path from this folder.")
    frame, csv = _read_table(options)
    target = require_column(str(options.data), frame, options.target, "target").dropna()
    classes = target.nunique()
    task = "binary" if classes == 2 else "multiclass"
    has_fractions = is_float_dtype(target) and bool((target % 1 != 0).any())  # 3.0 is whole
    if has_fractions or (classes > 20 and is_numeric_dtype(target)):
        task = "regression"
    encode_target(str(options.data), target, task, None)
    found = look(options, frame, task)
    found.csv = csv
    print(*found.lines, sep="\n")
    for factory in options.factory:
        _try_factory(factory, options.target, frame, found)
    return frame, found


def _read_table(options: argparse.Namespace) -> tuple[pd.DataFrame, dict[str, str] | None]:
    """The table, and arguments of `pandas.read_csv` other than its defaults; None for Parquet."""
    if options.data.suffix.lower() in (".parquet", ".pq"):  # which pandas alone would hold twice
        return pq.read_table(options.data).to_pandas(split_blocks=True, self_destruct=True), None
    csv = {} if options.encoding == "utf-8" else {"encoding": options.encoding}
    try:
        with options.data.open(encoding=options.encoding.replace("utf-8", "utf-8-sig")) as file:
            separator = max(",;\t|", key=file.readline().count)
        csv |= {"sep": separator} if separator != "," else {}
        frame = pd.read_csv(options.data, **csv)
    except (UnicodeDecodeError, LookupError) as error:
        raise ReseedError(
            f"{options.data}: is not {options.encoding} text ({error}). Name its encoding, such as "
            "--encoding cp1252 (Windows, Western Europe), or save it as UTF-8."
        ) from None
    if separator == ",":
        return frame, csv
    frame, notes = convert_decimal_commas(frame)
    return frame, csv | ({"decimal": ","} if notes else {})


def _try_factory(factory: str, target: str, frame: pd.DataFrame, found: Look) -> None:
    """Try a model of the user's factory in a process of its own; ReseedError if it fails."""
    from reseed.training.attempt import try_rows

    rows = frame.dropna(subset=[target])
    if found.task == "regression":
        rows = rows.sample(min(_TRIED, len(rows)), random_state=0)
    else:
        by_class = rows.groupby(target)
        rows = by_class.head(max(2, _TRIED // by_class.ngroups))
    [text] = found.fields.get("text", [None])
    X = rows[text].tolist() if text else rows.drop(columns=[target, *found.apart])
    with get_context("spawn").Pool(1) as pool:  # its end ends the process
        try:
            pool.apply_async(try_rows, (factory, X, rows[target], found.task)).get(_TRY_SECONDS)
        except TimeoutError:
            print(f"--factory {factory}: not trained on a few rows in {_TRY_SECONDS} s.")
        except ReseedError as error:
            raise ReseedError(f"--factory {factory}: {error}") from None


def describe(options: argparse.Namespace, frame: pd.DataFrame, found: Look) -> dict[Path, Any]:
    """The dataset, the study and the user's models on a table of data."""
    own = {f"{options.name}_{factory.partition(':')[2]}": factory for factory in options.factory}
    dataset: dict[str, Any] = {
        "name": options.name,
        "title": options.name.replace("_", " ").capitalize(),
        "task": found.task,
        "target": options.target,
        "sources": [{"kind": "file", "path": str(options.data.absolute())}],
    } | found.fields
    given = {_READER_OPTIONS[k]: v for k, v in (found.csv or {}).items() if k in _READER_OPTIONS}
    dataset |= {"options": given} if given else {}
    group, time, official = map(found.fields.get, ("group", "time", "official"))
    # Neither official parts nor windows of time are drawn by a seed.
    is_drawn = not (official or time)
    split: dict[str, Any] = {"kind": "holdout", "test": 0.2}
    if not is_drawn:
        split = {"kind": "official"} if official else {"kind": "time", "folds": 1, "test": LAST}
    rarest = len(frame)
    if found.task != "regression":
        classes = frame[options.target].dropna()
        sizes = classes.map(classes.value_counts())
        rarest = int(sizes.min())
        if group:  # strata are of the groups' rarest classes
            sizes = sizes.groupby(frame[group]).min()
        if is_drawn and min(rarest, sizes.value_counts().min()) < RARE:
            split["stratify"] = False

    def seeds(splits: int, models: int) -> dict[str, Any]:
        data = {"data": {"count": splits}} if is_drawn else {}
        return {"seeds": data | {"model": {"count": models}}}

    is_text = "text" in found.fields
    models = ["logistic_regression", "text_forest"] if is_text else ["rf", "gbm"]
    title = {"title": "Splits and seeds" if is_drawn else "Seeds"}
    smoke: dict[str, Any] = {"experiments": {"crossed": seeds(2, 2)}}
    if (rows := max(_SMOKE, 2 * RARE * len(frame) // rarest)) < len(frame):
        smoke["datasets"] = [{"name": options.name, "rows": rows}]
    if not (own or is_text):
        few = {"hyperparameters": {"n_estimators": 20}}
        smoke["models"] = [{"name": model} | few for model in models]
    study: dict[str, Any] = {
        "name": options.name,
        "title": f"Models on {dataset['title']}",
        "question": "Which model is better, and how much of it is luck?",
        "datasets": [options.name],
        "models": list(own or models),
        "splits": [split],
        "experiments": {"crossed": title | seeds(SPLITS, SEEDS if is_drawn else SPLITS)},
        "scales": {"smoke": smoke},
    }
    study |= {"metric": options.metric} if options.metric else {}
    files: dict[Path, Any] = {
        options.config / "datasets" / f"{options.name}.yaml": dataset,
        options.config / "studies" / f"{options.name}.yaml": study,
    }
    for name, factory in own.items():
        model = {"name": name, "title": factory.partition(":")[2], "factory": factory}
        files[options.config / "models" / f"{name}.yaml"] = model
    return files
