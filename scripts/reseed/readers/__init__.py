"""Results of training done elsewhere: tables, exports of trackers, result files.

In: a path, a frame, an object in memory.
Out: long tables of scores by model, dataset and run.
Decides: what a table says: columns, direction, what a row is.
Imports: core, metrics.
Start: `import_runs.py`.
"""

from reseed.readers.import_runs import import_results
from reseed.readers.metrics_schema import EXPERIMENT

__all__ = ["EXPERIMENT", "import_results"]
