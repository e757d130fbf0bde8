"""Metrics: names, functions and stored outputs. `Metric` defines a custom metric.

Everything but the names is imported when it is first used, so that planning stays fast.
"""

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(importlib.import_module("reseed.metrics.registry"), name)
