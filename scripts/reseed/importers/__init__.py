"""Imports results of training done elsewhere: tables, trackers' exports, result files.

`import_results` reads a table of runs (long, wide, a tracker's export, results of scikit-learn,
lm-eval's JSON, TensorBoard's files) or predictions of items.
"""

from reseed.importers.import_runs import import_results
from reseed.importers.metrics_schema import EXPERIMENT

__all__ = ["EXPERIMENT", "import_results"]
