"""First projects after pip alone: one Python script, which needs no Snakemake."""

from __future__ import annotations

import argparse
from typing import Any

from reseed.cli.init_look import Look

#: Share of the times that come last, and are the test set. Numbers of splits, and of seeds of each.
LAST, SPLITS, SEEDS = 0.2, 5, 3


def write_results_script(name: str, results: dict[str, Any]) -> str:
    """A script that compares a table of results."""
    arguments = "".join(f", {key}={value!r}" for key, value in results.items() if key != "path")
    return (
        f"import reseed\n\ncomparison = reseed.compare({results['path']!r}{arguments})\n"
        f"print(comparison)\ncomparison.to_html({name + '.html'!r})\n"
    )


def write_data_script(options: argparse.Namespace, found: Look) -> str:
    """A script that trains models on a table of data, and compares them."""
    group, time, official = map(found.fields.get, ("group", "time", "official"))
    [text] = found.fields.get("text", [""])
    kind, linear = "Classifier", "LogisticRegression(max_iter=1000)"
    if found.task == "regression":
        kind, linear = "Regressor", "Ridge()"
    forest, boosting = f"RandomForest{kind}", f"HistGradientBoosting{kind}"
    if options.factory:
        imports = ""
        names = [f"{factory.partition(':')[2]!r}: {factory!r}" for factory in options.factory]
    elif text:
        imports = (
            f"from sklearn.ensemble import {forest}\n"
            "from sklearn.feature_extraction.text import TfidfVectorizer\n"
            f"from sklearn.linear_model import {linear.partition('(')[0]}\n"
            "from sklearn.pipeline import make_pipeline"
        )
        pipelines = {"linear": linear, "rf": f"{forest}()"}
        names = [f"{k!r}: make_pipeline(TfidfVectorizer(), {one})" for k, one in pipelines.items()]
    else:
        imports = f"from sklearn.ensemble import {boosting}, {forest}"
        names = [f'"rf": {forest}()', f'"gbm": {boosting}()']
    read = "read_parquet" if found.csv is None else "read_csv"
    how = "".join(f", {name}={value!r}" for name, value in (found.csv or {}).items())
    lines = [
        f"table = pd.{read}({str(options.data)!r}{how}).dropna(subset=[{options.target!r}])",
        f"y = table.pop({options.target!r})",
    ]
    for name in found.dates:
        lines += [
            f"dates = pd.to_datetime(table.pop({name!r})).dt",
            'for part in ("year", "month", "day", "weekday", "hour"):',
            f"    table[{name + '_'!r} + part] = getattr(dates, part)",
        ]
    features = f"table.drop(columns={found.apart!r})" if found.apart else "table"
    dummies = f"X = pd.get_dummies({features})  # columns of words become 0 and 1"
    lines.append(f"X = table[{text!r}]" if text else dummies)
    arguments = [f"splits={SPLITS}", f"seeds={SEEDS}"]
    if official:
        test = f"table[{official['column']!r}].isin({official['test']!r})"
        lines.append(f"is_test = {test}.to_numpy()")
        arguments = ["splits=[(~is_test, is_test)]", f"seeds={SPLITS}"]
    elif time:
        arguments = [f"time=table[{time!r}]", f"test={LAST}", f"seeds={SPLITS}"]
    arguments += [f"groups=table[{group!r}]"] if group else []
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
