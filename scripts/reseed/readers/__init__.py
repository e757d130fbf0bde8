"""Results of training done elsewhere: tables, exports of trackers, result files.

In: a path, a frame, an object in memory.
Out: `Scores`, one long table; of imports, the tables of a study.
Decides: what a table says: columns, direction, what a row is.
Imports: core, verdicts, metrics.
Start: `sources.py` opens, `read.py` reads.
"""

from reseed.readers.metrics_schema import EXPERIMENT
from reseed.readers.study_tables import import_results

__all__ = ["EXPERIMENT", "import_results"]
