"""Metrics: names, functions and stored outputs. `Metric` is for metrics of your own.

Names are light; everything else is loaded when first used, so that planning stays light.
"""

from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    from reseed.metrics import registry

    return getattr(registry, name)
