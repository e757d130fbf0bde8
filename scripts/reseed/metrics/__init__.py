"""Metrics: names, functions and stored outputs. `Metric` defines a custom metric.

In: a name, or raw outputs of a model.
Out: a number, and whether more is better.
Decides: what a metric is called and which way is better.
Imports: core, plugins.
Start: `names.py`.

Everything but the names is imported when it is first used, so that planning stays fast.
"""

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(importlib.import_module("reseed.metrics.registry"), name)
