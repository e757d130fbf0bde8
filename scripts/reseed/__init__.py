"""Measures how much machine-learning results depend on random seeds and data splits.

`compare(results)` compares models by results from any source, `compare_items(scores)` by item
scores of an evaluation, `compare_means(table)` by a paper's table of means; `study(models, X, y)`
trains the models first. Each is imported when first used: the Snakefile, which imports parts of
this library, must not load pandas and matplotlib.
"""

import importlib

__version__ = "0.3.0"

#: Public name → its module.
_MODULES = {
    "compare": "reseed.comparison.compare",
    "compare_items": "reseed.comparison.items",
    "compare_means": "reseed.comparison.means",
    "Comparison": "reseed.comparison.result",
    "gate": "reseed.comparison.gate",
    "rank_models": "reseed.comparison.ranking",
    "ReseedError": "reseed.core.errors",
    "study": "reseed.session.study",
}
__all__ = [
    "Comparison", "ReseedError", "compare", "compare_items", "compare_means", "gate",
    "rank_models", "study",
]  # fmt: skip


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'reseed' has no attribute {name!r}")
    return getattr(importlib.import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
