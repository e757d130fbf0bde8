"""`reseed init`: write a first study of the user's own results, or of the user's own data."""

from __future__ import annotations

import argparse
import os
import pickle
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from reseed.cli.init_look import Look, look
from reseed.cli.init_script import (
    LAST,
    is_parquet,
    script_path,
    write_data_script,
    write_results_script,
)
from reseed.core.errors import ReseedError

#: Models of a first study on a table, and its number of splits and of seeds of each model.
_MODELS, _TEXT_MODELS = ("rf", "gbm"), ("logistic_regression", "text_forest")
_SPLITS, _SEEDS = 5, 3
#: Groups of a stratum, fewest, for parts that are drawn from each.
_LEAST_GROUPS = 10
#: Rows (of each class) on which a factory is tried, and seconds that it may take.
_TRIED, _TRY_SECONDS = 50, 60
#: Argument of `pandas.read_csv` → option of a dataset.
_READER_OPTIONS = {"sep": "separator", "encoding": "encoding"}


def add_init(commands: Any) -> None:
    """Add the command to the subparsers of `reseed`."""
    command = commands.add_parser(
        "init",
        help="write a first study with your results or your data",
        description="Write a first study of a table of results (--results), or of models trained "
        "on a table of data (--data, --target). In a copy of Reseed's repository it is a study for "
        "Snakemake; elsewhere it is a Python script, which needs pip alone.",
        epilog="examples: reseed init mine --results runs.csv --metric auc; "
        "reseed init churn --data churn.csv --target left --factory my_models:make",
    )
    add = command.add_argument
    add("name", help="name of the study: letters, digits and `_`")
    group = command.add_mutually_exclusive_group(required=True)
    group.add_argument("--results", type=Path, help="a table of runs, as for `reseed compare`")
    group.add_argument("--data", type=Path, help="a table of data: CSV or Parquet")
    add("--target", help="the column that models predict (with --data)")
    add(
        "--factory",
        action="append",
        default=[],
        metavar="MODULE:FUNCTION",
        help="your own model (with --data), instead of a forest and boosting; repeat it for more",
    )
    said = "what init would ask (with --data)"
    add("--group", metavar="COLUMN", help=f"rows of one value stay together, or none; {said}")
    add("--time", metavar="COLUMN", help=f"test on the last rows by it, or none; {said}")
    add("--text", metavar="COLUMN", help=f"models read this column of texts alone; {said}")
    add("--keep", action="append", default=[], metavar="COLUMN", help="a feature that init drops")
    add("--leave-out", action="append", default=[], metavar="COLUMN", help="no feature")
    add("--encoding", default="utf-8", help="of the text of a table of data (utf-8)")
    add("--metric", help="what models are compared by")
    add("--baseline", help="compare each model with this one only (with --results)")
    add("--test-train-ratio", type=float, help="of random splits or repeated folds")
    add("--seed-draws", choices=("split", "training", "both"), help="what the seed of a run drew")
    add("--config", type=Path, default=Path("config"), help="folder of configuration (config)")
    command.set_defaults(run=_init)


def _init(options: argparse.Namespace) -> None:
    if not re.fullmatch(r"[A-Za-z]\w*", options.name):
        raise ReseedError(f"name {options.name!r}: use letters, digits and `_`, a letter first.")
    for factory in options.factory:
        if not re.fullmatch(r"[\w.]+:[A-Za-z]\w*", factory):
            raise ReseedError(f"--factory {factory}: write MODULE:FUNCTION, as my_models:make.")
    if not (options.config / "studies").is_dir():
        if options.config != Path("config"):
            raise ReseedError(f"{options.config}/studies: no such folder. Correct `--config`.")
        _write_script(options)
        return
    from reseed.planning.validation import RESERVED

    if options.name in RESERVED:
        raise ReseedError(f"name {options.name!r}: is the name of a rule or page. Choose another.")
    files = _describe_results(options) if options.results else _describe_data(options)
    for path in files:
        if os.path.lexists(path):  # a link to a file that is not there is written to
            raise ReseedError(f"{path}: exists already. Choose another name, or remove it.")
    import yaml

    for path, content in files.items():
        text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True)
        path.write_text(text, encoding="utf-8")
        print(f"Wrote {path}")
    print(f"Run it: snakemake --cores 2 {options.name}")


def _write_script(options: argparse.Namespace) -> None:
    """Write the study as a script, outside a copy of the repository."""
    path = script_path(options)
    if find_spec(path.stem):
        raise ReseedError(
            f"name {options.name!r}: a script {path} would hide the module {path.stem!r}, which it "
            "may import. Choose another name."
        )
    if os.path.lexists(path):
        raise ReseedError(f"{path}: exists already. Choose another name, or remove it.")
    if options.results:
        _describe_results(options)
        text = write_results_script(options)
    else:
        frame, task = _read_data(options)
        found, csv = _look(options, frame, task), _describe_csv(options, frame)
        text = write_data_script(options, csv, found, task, _SPLITS, _SEEDS)
    path.write_text(text, encoding="utf-8")
    print(f"Wrote {path}\nRun it: python {path}")
    print("The pipeline (cached, resumable, clusters) needs a copy of Reseed's repository.")


def _describe_results(options: argparse.Namespace) -> dict[Path, dict[str, Any]]:
    """The study of a table of results, which is read once to check it."""
    from reseed.readers import import_results

    results: dict[str, Any] = {"path": str(options.results)}
    for field in ("metric", "baseline", "test_train_ratio", "seed_draws"):
        if getattr(options, field) is not None:
            results[field] = getattr(options, field)
    import_results(options.results, results, {"name": options.name})
    study = {
        "name": options.name,
        "title": "Which model is better?",
        "question": "Does the better mean hold from one run to the next?",
        "results": results,
    }
    return {_study_file(options): study}


def _read_data(options: argparse.Namespace) -> tuple[Any, str]:
    """The table of data, and the task of its target."""
    import pandas as pd
    from pandas.api.types import is_float_dtype, is_numeric_dtype

    from reseed.data.columns import encode_target

    if not options.target:
        raise ReseedError("--data: name the column that models predict: `--target`.")
    if not options.data.is_file():
        raise ReseedError(f"{options.data}: no such file. Give its path from this folder.")
    if is_parquet(options.data):
        frame = pd.read_parquet(options.data)
    else:
        separator = _find_separator(options)
        frame = pd.read_csv(options.data, sep=separator, encoding=options.encoding)
    if options.target not in frame:
        raise ReseedError(
            f"{options.data}: has no column {options.target!r}. It has "
            f"{', '.join(map(str, frame.columns[:20]))}."
        )
    target = frame[options.target].dropna()
    classes = target.nunique()
    task = "binary" if classes == 2 else "multiclass"
    # Whole numbers with a gap are floats, too.
    has_fractions = is_float_dtype(target) and bool((target % 1 != 0).any())
    if has_fractions or (classes > 20 and is_numeric_dtype(target)):
        task = "regression"
    encode_target(str(options.data), target, task, None)
    return frame, task


def _look(options: argparse.Namespace, frame: Any, task: str) -> Look:
    """What the table holds, printed; each of the user's models is tried on some of its rows."""
    found = look(options, frame, task)
    found.show()
    if not options.factory:
        return found
    rows = frame.dropna(subset=[options.target])
    rows = rows.head(_TRIED) if task == "regression" else rows.groupby(options.target).head(_TRIED)
    y = rows[options.target].reset_index(drop=True)
    X = rows.drop(columns=[options.target, *found.dropped], errors="ignore").reset_index(drop=True)
    for factory in options.factory:
        _try_factory(factory, X if not found.text else X[found.text], y)
    return found


def _try_factory(factory: str, X: Any, y: Any) -> None:
    """Train a model of the user's factory in a process of its own; ReseedError if it fails."""
    import pandas as pd

    X = pd.get_dummies(X) if isinstance(X, pd.DataFrame) else X
    code = (
        "import pickle, sys\nimport reseed\n"
        "models, X, y = pickle.load(sys.stdin.buffer)\n"
        "reseed.study(models, X, y, splits=1, seeds=2, progress=False)"
    )
    try:
        done = subprocess.run(
            [sys.executable, "-c", code],
            input=pickle.dumps(({"model": factory}, X, y)),
            env=os.environ | {"PYTHONPATH": os.pathsep.join([os.getcwd(), *sys.path])},
            capture_output=True,
            timeout=_TRY_SECONDS,
        )
    except subprocess.TimeoutExpired:
        print(f"--factory {factory}: {len(y)} rows take more than {_TRY_SECONDS} s to train on.")
        return
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines() or ["the process ended"]
        reason = lines[-1].removeprefix("reseed.core.errors.ReseedError: ")
        raise ReseedError(
            f"--factory {factory}: fails on {len(y)} rows of {X.shape[-1]} features: {reason} (a "
            "factory takes task, classes, hyperparameters, seeds, device, threads and returns a "
            "model with fit and predict: docs/your-models.md)"
        )


def _find_separator(options: argparse.Namespace) -> str:
    from reseed.readers.files import find_delimiter

    try:
        with options.data.open(encoding=options.encoding.replace("utf-8", "utf-8-sig")) as file:
            line = file.readline()
            while file.read(2**20):
                pass
    except (UnicodeDecodeError, LookupError) as error:
        raise ReseedError(
            f"{options.data}: is not {options.encoding} text ({error}). Name its encoding, such as "
            "--encoding cp1252 (Windows, Western Europe), or save it as UTF-8."
        ) from None
    return find_delimiter(line)


def _describe_csv(options: argparse.Namespace, frame: Any) -> dict[str, str]:
    """Arguments of pandas.read_csv other than its defaults: encoding, separator, decimal comma."""
    import pandas as pd

    if is_parquet(options.data):
        return {}
    how = {} if options.encoding == "utf-8" else {"encoding": options.encoding}
    if (separator := _find_separator(options)) == ",":
        return how
    with_commas = pd.read_csv(options.data, sep=separator, decimal=",", **how)
    more_numbers = [one.select_dtypes("number").shape[1] for one in (with_commas, frame)]
    decimal = {"decimal": ","} if more_numbers[0] > more_numbers[1] else {}
    return how | {"sep": separator} | decimal


def _describe_data(options: argparse.Namespace) -> dict[Path, dict[str, Any]]:
    """The dataset, the study and the user's models on a table of data."""
    frame, task = _read_data(options)
    found, csv = _look(options, frame, task), _describe_csv(options, frame)
    own = {f"{options.name}_{factory.partition(':')[2]}": factory for factory in options.factory}
    dataset: dict[str, Any] = {
        "name": options.name,
        "title": options.name.replace("_", " ").capitalize(),
        "task": task,
        "target": options.target,
        "sources": [{"kind": "file", "path": str(options.data.absolute())}],
    }
    if found.text:
        dataset |= {"kind": "texts", "text": [found.text]}
    elif found.dropped:
        dataset["drop"] = found.dropped
    if found.group:
        dataset["group"] = found.group
    if found.official:
        dataset["official"] = found.official
    if found.time:
        dataset["time"] = found.time
    # The reader finds decimal commas by itself.
    if given := {new: csv[old] for old, new in _READER_OPTIONS.items() if old in csv}:
        dataset["options"] = given
    # Neither official parts nor windows of time are drawn by a seed.
    is_drawn = not (found.official or found.time)
    split: dict[str, Any] = {"kind": "holdout", "test": 0.2} if is_drawn else {"kind": "official"}
    if found.time and not found.official:
        split = {"kind": "time", "folds": 1, "test": LAST}
    if is_drawn and found.group and task != "regression":
        sizes = frame[options.target].map(frame[options.target].value_counts())
        rarest = sizes.groupby(frame[found.group]).min()  # strata are of the groups' rarest classes
        if rarest.value_counts().min() < _LEAST_GROUPS:
            split["stratify"] = False
    seeds = {"data": {"count": _SPLITS}} if is_drawn else {}
    study: dict[str, Any] = {
        "name": options.name,
        "title": f"Models on {dataset['title']}",
        "question": "Which model is better, and how much of it is luck?",
        "datasets": [options.name],
        "models": list(own or (_TEXT_MODELS if found.text else _MODELS)),
        "splits": [split],
        "experiments": {
            "crossed": {
                "title": "Splits and seeds" if is_drawn else "Seeds",
                "seeds": seeds | {"model": {"count": _SEEDS if is_drawn else _SPLITS}},
            }
        },
    }
    if options.metric:
        study["metric"] = options.metric
    models = {
        options.config / "models" / f"{name}.yaml": {
            "name": name,
            "title": name.removeprefix(f"{options.name}_"),
            "factory": factory,
        }
        for name, factory in own.items()
    }
    return models | {
        options.config / "datasets" / f"{options.name}.yaml": dataset,
        _study_file(options): study,
    }


def _study_file(options: argparse.Namespace) -> Path:
    return options.config / "studies" / f"{options.name}.yaml"
