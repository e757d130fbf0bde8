"""First projects after pip alone: one Python script, which needs no Snakemake."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from reseed.cli.init_look import Look

#: Share of the times that come last, and are the test set.
LAST = 0.2

#: Models of a first script on a table of data, without factories of the user.
_MODELS = {
    "binary": ("RandomForestClassifier", "HistGradientBoostingClassifier"),
    "multiclass": ("RandomForestClassifier", "HistGradientBoostingClassifier"),
    "regression": ("RandomForestRegressor", "HistGradientBoostingRegressor"),
}

#: Of texts: models of their words.
_TEXT_MODELS = {
    "binary": ("LogisticRegression(max_iter=1000)", "RandomForestClassifier"),
    "multiclass": ("LogisticRegression(max_iter=1000)", "RandomForestClassifier"),
    "regression": ("Ridge()", "RandomForestRegressor"),
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
    found: Look,
    task: str,
    splits: int,
    seeds: int,
) -> str:
    """A script that trains models on a table of data, and compares them.

    csv: arguments of `pandas.read_csv`.
    """
    factories = {factory.partition(":")[2]: factory for factory in options.factory}
    names = [f"{name!r}: {factory!r}" for name, factory in factories.items()]
    imports = "" if names else "from sklearn.ensemble import " + ", ".join(sorted(_MODELS[task]))
    if not names and found.text:
        linear, forest = _TEXT_MODELS[task]
        imports = (
            f"from sklearn.ensemble import {forest}\n"
            "from sklearn.feature_extraction.text import TfidfVectorizer\n"
            f"from sklearn.linear_model import {linear.partition('(')[0]}\n"
            "from sklearn.pipeline import make_pipeline"
        )
        pipelines = (f"make_pipeline(TfidfVectorizer(), {one})" for one in (linear, f"{forest}()"))
        names = [f"{name!r}: {one}" for name, one in zip(("linear", "rf"), pipelines, strict=True)]
    elif not names:
        names = [f'"rf": {_MODELS[task][0]}()', f'"gbm": {_MODELS[task][1]}()']
    read = "read_parquet" if is_parquet(options.data) else "read_csv"
    how = "".join(f", {name}={value!r}" for name, value in csv.items())
    apart = [one for one in (found.group, found.time) if one]
    apart += [found.official["column"]] if found.official else []
    dropped = [*found.dropped, *(one for one in apart if one not in found.dropped)]
    features = f"table.drop(columns={dropped!r})" if dropped else "table"
    dates = [
        line
        for name in found.dates
        for line in (
            f"dates = pd.to_datetime(table.pop({name!r})).dt",
            'for part in ("year", "month", "day", "weekday", "hour"):',
            f"    table[{name + '_'!r} + part] = getattr(dates, part)",
        )
    ]
    lines = [
        f"table = pd.{read}({str(options.data)!r}{how}).dropna(subset=[{options.target!r}])",
        f"y = table.pop({options.target!r})",
        *dates,
        f"X = table[{found.text!r}]"
        if found.text
        else f"X = pd.get_dummies({features})  # columns of words become 0 and 1",
    ]
    arguments = [f"splits={splits}"]
    if found.official:
        column, test = found.official["column"], found.official["test"]
        lines.append(f"is_test = table[{column!r}].isin({test!r}).to_numpy()")
        arguments, seeds = ["splits=[(~is_test, is_test)]"], splits
    elif found.time:
        arguments, seeds = [f"time=table[{found.time!r}]", f"test={LAST}"], splits
    arguments.append(f"seeds={seeds}")
    arguments += [f"groups=table[{found.group!r}]"] if found.group else []
    arguments += [f"metric={options.metric!r}"] if options.metric else []
    body = "\n".join(lines)
    return f'''"""Trains models and compares them."""

import pandas as pd
import reseed
{imports}

{body}
models = {{{", ".join(names)}}}
comparison = reseed.study(models, X, y, {", ".join(arguments)})
print(comparison)
comparison.to_html({f"{options.name}.html"!r})
'''


def is_parquet(path: Path) -> bool:
    """Whether a file of data is Parquet; else it is CSV."""
    return path.suffix.lower() in (".parquet", ".pq")


def script_path(options: argparse.Namespace) -> Path:
    """The script is named after the study."""
    return Path(f"{options.name}.py")
