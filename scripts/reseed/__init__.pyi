# What type checkers and editors see of the lazy names in `__init__.py`. A stub: imports in that
# file, also those under TYPE_CHECKING, would make all of the library part of every trial's key.
from reseed.comparison.compare import compare as compare
from reseed.comparison.gate import gate as gate
from reseed.comparison.items import compare_items as compare_items
from reseed.comparison.means import compare_means as compare_means
from reseed.comparison.ranking import rank_models as rank_models
from reseed.comparison.result import Comparison as Comparison
from reseed.core.errors import ReseedError as ReseedError
from reseed.session.study import study as study

__version__: str
__all__ = [
    "Comparison", "ReseedError", "compare", "compare_items", "compare_means", "gate",
    "rank_models", "study",
]  # fmt: skip
