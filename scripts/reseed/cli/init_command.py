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
from typing import TYPE_CHECKING, Any

from reseed.cli.init_look import RARE, Look, look
from reseed.cli.init_script import LAST, is_parquet, write_data_script, write_results_script
from reseed.core.errors import ReseedError

if TYPE_CHECKING:
    import pandas as pd

#: Models of a first study on a table, and its number of splits and of seeds of each model.
_MODELS, _TEXT_MODELS = ("rf", "gbm"), ("logistic_regression", "text_forest")
_SPLITS, _SEEDS = 5, 3
#: Rows from which those are drawn on which a factory is tried, and seconds that it may take.
_TRIED, _TRY_SECONDS = 2_000, 60
#: Rows at scale smoke, which has two splits and two seeds.
_SMOKE = 1_000
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
    said, many = "what init would ask (with --data)", {"action": "append", "default": []}
    add("--factory", metavar="MODULE:FUNCTION", **many, help="your own model (with --data), "
        "instead of a forest and boosting; repeat it for more")  # fmt: skip
    add("--group", metavar="COLUMN", help=f"rows of one value stay together, or none; {said}")
    add("--time", metavar="COLUMN", help=f"test on the last rows by it, or none; {said}")
    add("--text", metavar="COLUMN", help=f"models read this column of texts alone; {said}")
    add("--keep", metavar="COLUMN", **many, help="a feature that init drops")
    add("--leave-out", metavar="COLUMN", **many, help="no feature")
    add("--encoding", default="utf-8", help="of the text of a table of data (utf-8)")
    add("--metric", help="what models are compared by")
    add("--baseline", help="compare each model with this one only (with --results)")
    add("--test-train-ratio", type=float, help="of random splits or repeated folds")
    add("--seed-draws", choices=("split", "training", "both"), help="what the seed of a run drew")
    add("--config", type=Path, default=Path("config"), help="folder of configuration (config)")
    command.set_defaults(run=_init)


def _init(options: argparse.Namespace) -> None:
    name, studies = options.name, options.config / "studies"
    if not re.fullmatch(r"[A-Za-z]\w*", name):
        raise ReseedError(f"name {name!r}: use letters, digits and `_`, a letter first.")
    for factory in options.factory:
        if not re.fullmatch(r"[\w.]+:[A-Za-z]\w*", factory):
            raise ReseedError(f"--factory {factory}: write MODULE:FUNCTION, as my_models:make.")
    is_project, path = studies.is_dir(), studies / f"{name}.yaml"
    if not is_project:
        path = Path(f"{name}.py")
        if options.config != Path("config"):
            raise ReseedError(f"{studies}: no such folder. Correct `--config`.")
        if find_spec(name):
            raise ReseedError(f"name {name!r}: {path} would hide a module. Choose another name.")
    _refuse_existing(path)
    files: dict[Path, Any] = {}
    if options.results:
        study, rows = _describe_results(options), 0
        files[path] = study if is_project else write_results_script(name, study["results"])
    else:
        frame, found = _read_data(options)
        files[path] = write_data_script(options, found, _SPLITS, _SEEDS)
        if is_project:
            files = _describe_data(options, frame, found)
        rows = len(frame)
        del frame  # planning needs memory, too
    if is_project:
        from reseed.planning.validation import RESERVED

        if name in RESERVED:
            raise ReseedError(f"name {name!r}: is the name of a rule or page. Choose another.")
    _refuse_existing(*files)
    for path, content in files.items():
        if not isinstance(content, str):
            import yaml

            content = yaml.safe_dump(content, sort_keys=False, allow_unicode=True)
        path.write_text(content, encoding="utf-8")
        print(f"Wrote {path}")
    if not is_project:
        print(f"Run it: python {path}")
        print("The pipeline (cached, resumable, clusters) needs a copy of Reseed's repository.")
        return
    run = f"snakemake --cores 2 {name}"
    if rows:
        print(f"Try it in a minute: {run} --config scale=smoke")
    print(f"Run it{_describe_cost(options, rows) if rows else ''}: {run}")


def _refuse_existing(*paths: Path) -> None:
    for path in paths:
        if os.path.lexists(path):  # a link to a file that is not there is written to
            raise ReseedError(f"{path}: exists already. Choose another name, or remove it.")


def _describe_results(options: argparse.Namespace) -> dict[str, Any]:
    """The study of a table of results, which is read once to check it."""
    from reseed.readers import import_results

    results: dict[str, Any] = {"path": str(options.results)}
    for field in ("metric", "baseline", "test_train_ratio", "seed_draws"):
        if getattr(options, field) is not None:
            results[field] = getattr(options, field)
    import_results(options.results, results, {"name": options.name})
    return {
        "name": options.name,
        "title": "Which model is better?",
        "question": "Does the better mean hold from one run to the next?",
        "results": results,
    }


def _read_data(options: argparse.Namespace) -> tuple[pd.DataFrame, Look]:
    """The table, and what it holds, printed. Each of the user's models is tried on some rows."""
    from pandas.api.types import is_float_dtype, is_numeric_dtype

    from reseed.data.columns import encode_target, require_column

    if not options.target:
        raise ReseedError("--data: name the column that models predict: `--target`.")
    if not options.data.is_file():
        raise ReseedError(f"{options.data}: no such file. Give its path from this folder.")
    frame, csv = _read_table(options)
    target = require_column(str(options.data), frame, options.target, "target").dropna()
    classes = target.nunique()
    task = "binary" if classes == 2 else "multiclass"
    # Whole numbers with a gap are floats, too.
    has_fractions = is_float_dtype(target) and bool((target % 1 != 0).any())
    if has_fractions or (classes > 20 and is_numeric_dtype(target)):
        task = "regression"
    encode_target(str(options.data), target, task, None)
    found = look(options, frame, task)
    found.csv = csv
    found.show()
    for factory in options.factory:
        _try_factory(factory, options.target, frame, found)
    return frame, found


def _read_table(options: argparse.Namespace) -> tuple[pd.DataFrame, dict[str, str]]:
    """The table, and arguments of `pandas.read_csv` other than its defaults."""
    import pandas as pd
    import pyarrow.parquet as pq

    from reseed.data.number_text import convert_decimal_commas
    from reseed.readers.files import find_delimiter

    if is_parquet(options.data):  # which pandas alone would hold twice
        return pq.read_table(options.data).to_pandas(split_blocks=True, self_destruct=True), {}
    csv = {} if options.encoding == "utf-8" else {"encoding": options.encoding}
    try:
        with options.data.open(encoding=options.encoding.replace("utf-8", "utf-8-sig")) as file:
            separator = find_delimiter(file.readline())
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
    rows = frame.dropna(subset=[target])
    if found.task == "regression":
        rows = rows.sample(min(_TRIED, len(rows)), random_state=0)
    else:
        by_class = rows.groupby(target)
        rows = by_class.head(max(2, _TRIED // by_class.ngroups))
    [text] = found.fields.get("text", [None])
    X = rows[text].tolist() if text else rows.drop(columns=[target, *found.apart])
    code = (
        "import pickle, sys\nfrom reseed.training.attempt import try_rows\n"
        "try_rows(*pickle.load(sys.stdin.buffer))"
    )
    try:
        done = subprocess.run(
            [sys.executable, "-c", code],
            input=pickle.dumps((factory, X, rows[target], found.task)),
            env=os.environ | {"PYTHONPATH": os.pathsep.join([os.getcwd(), *sys.path])},
            capture_output=True,
            timeout=_TRY_SECONDS,
        )
    except subprocess.TimeoutExpired:
        print(f"--factory {factory}: a few rows take more than {_TRY_SECONDS} s to train on.")
        return
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines() or ["the process ended"]
        reason = lines[-1].removeprefix("reseed.core.errors.ReseedError: ")
        raise ReseedError(f"--factory {factory}: {reason}")


def _describe_data(
    options: argparse.Namespace, frame: pd.DataFrame, found: Look
) -> dict[Path, Any]:
    """The dataset, the study and the user's models on a table of data."""
    own = {f"{options.name}_{factory.partition(':')[2]}": factory for factory in options.factory}
    dataset: dict[str, Any] = {
        "name": options.name,
        "title": options.name.replace("_", " ").capitalize(),
        "task": found.task,
        "target": options.target,
        "sources": [{"kind": "file", "path": str(options.data.absolute())}],
    } | found.fields
    # The reader finds decimal commas by itself.
    if given := {_READER_OPTIONS[k]: v for k, v in found.csv.items() if k in _READER_OPTIONS}:
        dataset["options"] = given
    group, time, official = map(found.fields.get, ("group", "time", "official"))
    # Neither official parts nor windows of time are drawn by a seed.
    is_drawn = not (official or time)
    split: dict[str, Any] = {"kind": "holdout", "test": 0.2} if is_drawn else {"kind": "official"}
    if time and not official:
        split = {"kind": "time", "folds": 1, "test": LAST}
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

    title = {"title": "Splits and seeds" if is_drawn else "Seeds"}
    smoke: dict[str, Any] = {"experiments": {"crossed": seeds(2, 2)}}
    if (rows := max(_SMOKE, 2 * RARE * len(frame) // rarest)) < len(frame):
        smoke["datasets"] = [{"name": options.name, "rows": rows}]
    study: dict[str, Any] = {
        "name": options.name,
        "title": f"Models on {dataset['title']}",
        "question": "Which model is better, and how much of it is luck?",
        "datasets": [options.name],
        "models": list(own or (_TEXT_MODELS if "text" in found.fields else _MODELS)),
        "splits": [split],
        "experiments": {"crossed": title | seeds(_SPLITS, _SEEDS if is_drawn else _SPLITS)},
        "scales": {"smoke": smoke},
    }
    if options.metric:
        study["metric"] = options.metric
    files: dict[Path, Any] = {
        options.config / "datasets" / f"{options.name}.yaml": dataset,
        options.config / "studies" / f"{options.name}.yaml": study,
    }
    for name, factory in own.items():
        model = {"name": name, "title": factory.partition(":")[2], "factory": factory}
        files[options.config / "models" / f"{name}.yaml"] = model
    return files


def _describe_cost(options: argparse.Namespace, rows: int) -> str:
    """The trainings of a study, and an estimate of their hours."""
    from reseed.planning.costs import measured_seconds, study_costs, total
    from reseed.planning.read_plan import read_plan

    overrides = {"studies": [options.name], "scale": "demo"}
    project, plan, _ = read_plan(options.config, overrides, tolerant=True)
    measured = measured_seconds([Path(project.main.results)])
    costs = study_costs(plan, measured, dict.fromkeys(plan.datasets, rows))
    cost = total(costs[options.name].values())
    hours = f"about {cost.cpu_seconds / 3600:.1f}" if cost.cpu_seconds >= 360 else "under 0.1"
    return f" ({cost.trials} trainings, {hours} core-hours)"
