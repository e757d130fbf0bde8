"""Measures how much machine-learning results depend on random seeds and data splits.

`compare(results)` compares models by results from any source: runs, scores of items, a paper's
table of means; `gate` decides whether one model may replace another; `study(models, X, y)` trains
the models first. Each is imported when first used: the Snakefile, which imports parts of
this library, must not load pandas and matplotlib.
"""

import importlib

__version__ = "0.4.0"

#: Public name → its module.
_MODULES = {
    "compare": "reseed.comparison.compare",
    "Comparison": "reseed.comparison.result",
    "gate": "reseed.comparison.gate",
    "ReseedError": "reseed.core.errors",
    "study": "reseed.session.study",
}
__all__ = ["Comparison", "ReseedError", "compare", "gate", "study"]


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'reseed' has no attribute {name!r}")
    return getattr(importlib.import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
