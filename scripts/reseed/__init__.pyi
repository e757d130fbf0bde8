# What type checkers and editors see of the lazy names in `__init__.py`.
from reseed.comparison.compare import compare as compare
from reseed.comparison.gate import gate as gate
from reseed.comparison.result import Comparison as Comparison
from reseed.core.errors import ReseedError as ReseedError
from reseed.session.study import study as study

__version__: str
__all__ = ["Comparison", "ReseedError", "compare", "gate", "study"]
