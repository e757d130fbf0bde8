"""Is this difference real, or just a lucky seed?

`compare(results)` says what results from anywhere carry; `study(models, X, y)` trains them first.
Loaded when first used, so that the Snakefile, which imports parts of this library, stays light.
"""

import importlib

_HOME = {
    "compare": "reseed.comparison",
    "Comparison": "reseed.comparison",
    "ReseedError": "reseed.errors",
    "study": "reseed.in_process",
}
__all__ = ["Comparison", "ReseedError", "compare", "study"]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'reseed' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
