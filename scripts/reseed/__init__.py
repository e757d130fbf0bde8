"""Is this difference real, or just a lucky seed?

`compare(results)` says what results from anywhere carry, `compare_means(table)` what a paper's
table does; `study(models, X, y)` trains models first.
Loaded when first used, so that the Snakefile, which imports parts of this library, stays light.
"""

import importlib

__version__ = "0.3.0"

_HOME = {
    "compare": "reseed.comparison.compare",
    "compare_means": "reseed.comparison.means",
    "Comparison": "reseed.comparison.compare",
    "ReseedError": "reseed.core.errors",
    "study": "reseed.session",
}
__all__ = ["Comparison", "ReseedError", "compare", "compare_means", "study"]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'reseed' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
