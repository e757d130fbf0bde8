"""First projects after pip alone: one Python script, which needs no Snakemake."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

#: Models of a first script on a table of data, without factories of the user.
_MODELS = {
    "binary": ("RandomForestClassifier", "HistGradientBoostingClassifier"),
    "multiclass": ("RandomForestClassifier", "HistGradientBoostingClassifier"),
    "regression": ("RandomForestRegressor", "HistGradientBoostingRegressor"),
}


def write_results_script(options: argparse.Namespace) -> str:
    """A script that compares a table of results, and says which command does the same."""
    names = ("metric", "baseline", "test_train_ratio", "seed_draws")
    given = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    arguments = "".join(f", {name}={value!r}" for name, value in given.items())
    flags = "".join(f" --{k.replace('_', '-')} {shlex.quote(str(v))}" for k, v in given.items())
    path, page = str(options.results), f"{options.name}.html"
    command = f"reseed compare {shlex.quote(path)}{flags} --html {page}"
    return f'''"""Compares the models of a table of results. The same: {command}"""

import reseed

comparison = reseed.compare({path!r}{arguments})
print(comparison)
comparison.to_html({page!r})
'''


def write_data_script(
    options: argparse.Namespace,
    csv: dict[str, str],
    dropped: list[str],
    task: str,
    splits: int,
    seeds: int,
) -> str:
    """A script that trains models on a table of data, and compares them.

    csv: arguments of `pandas.read_csv`.
    dropped: columns that are no features.
    """
    factories = {factory.partition(":")[2]: factory for factory in options.factory}
    one, other = _MODELS[task]
    sklearn = "" if factories else f"from sklearn.ensemble import {other}, {one}\n"
    models = ", ".join(f"{name!r}: {factory!r}" for name, factory in factories.items())
    if not factories:
        models = f'"rf": {one}(), "gbm": {other}()'
    metric = f", metric={options.metric!r}" if options.metric else ""
    read = "read_parquet" if is_parquet(options.data) else "read_csv"
    features = f"table.drop(columns={dropped!r})" if dropped else "table"
    how = "".join(f", {name}={value!r}" for name, value in csv.items())
    return f'''"""Trains models on {splits} random splits with {seeds} seeds, and compares them."""

import pandas as pd
import reseed
{sklearn}
table = pd.{read}({str(options.data)!r}{how}).dropna(subset=[{options.target!r}])
y = table.pop({options.target!r})
X = pd.get_dummies({features})  # columns of words become 0 and 1
models = {{{models}}}
comparison = reseed.study(models, X, y, splits={splits}, seeds={seeds}{metric})
print(comparison)
comparison.to_html({f"{options.name}.html"!r})
'''


def is_parquet(path: Path) -> bool:
    """Whether a file of data is Parquet; else it is CSV."""
    return path.suffix.lower() in (".parquet", ".pq")


def script_path(options: argparse.Namespace) -> Path:
    """The script is named after the study."""
    return Path(f"{options.name}.py")
