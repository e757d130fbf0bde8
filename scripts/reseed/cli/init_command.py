"""`reseed init`: write a first study of the user's own results, or of the user's own data."""

from __future__ import annotations

import argparse
import os
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from reseed.core.errors import ReseedError


def add_init(commands: Any) -> None:
    """Add the command to the subparsers of `reseed`."""
    command = commands.add_parser(
        "init",
        help="write a first study with your results or your data",
        description="Write a first study of a table of results, or of models trained on a table of "
        "data: for Snakemake in a copy of Reseed's repository, elsewhere as a Python script.",
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
    from reseed.cli import init_data, init_script

    files: dict[Path, Any] = {}
    if options.results:
        results, rows = _read_results(options), 0
        files[path] = init_script.write_results_script(name, results)
        if is_project:
            title = {"name": name, "title": "Which model is better?"}
            question = "Does the better mean hold from one run to the next?"
            files[path] = title | {"question": question, "results": results}
    else:
        frame, found = init_data.read(options)
        files[path] = init_script.write_data_script(options, found)
        if is_project:
            files = init_data.describe(options, frame, found)
        rows = len(frame)
        del frame  # planning needs memory, too
    if is_project:
        from reseed.planning.validation import RESERVED

        if name in RESERVED:
            raise ReseedError(f"name {name!r}: is the name of a rule or page. Choose another.")
    _refuse_existing(*files)
    import yaml

    for path, content in files.items():
        if not isinstance(content, str):
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


def _read_results(options: argparse.Namespace) -> dict[str, Any]:
    """What a study says of a table of results, which is read once to check it."""
    from reseed.readers import import_results

    fields = ("metric", "baseline", "test_train_ratio", "seed_draws")
    given = {name: getattr(options, name) for name in fields if getattr(options, name) is not None}
    results = {"path": str(options.results)} | given
    import_results(options.results, results, {"name": options.name})
    return results


def _describe_cost(options: argparse.Namespace, rows: int) -> str:
    """The trainings of a study, and an estimate of their hours."""
    from reseed.planning.costs import measured_seconds, study_costs, total
    from reseed.planning.read_plan import read_plan

    one = {"studies": [options.name], "scale": "demo"}
    project, plan, _ = read_plan(options.config, one, tolerant=True)
    measured = measured_seconds([Path(project.main.results)])
    costs = study_costs(plan, measured, dict.fromkeys(plan.datasets, rows))
    cost = total(costs[options.name].values())
    hours = f"about {cost.cpu_seconds / 3600:.1f}" if cost.cpu_seconds >= 360 else "under 0.1"
    return f" ({cost.trials} trainings, {hours} core-hours)"
