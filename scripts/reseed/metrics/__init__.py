"""Metrics: names, functions and stored outputs. `Metric` is for metrics of your own.

Names are light; everything else is loaded when first used, so that planning stays light.
"""

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(importlib.import_module("reseed.metrics.registry"), name)
