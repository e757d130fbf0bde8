"""What a job asks of a cluster: minutes and memory, from the plan, more with each attempt.

Numbers for Snakemake's `runtime` (minutes) and `mem_mb`; a rule gives them as functions of
`attempt`, so a job that ran out of either is sent again with more.
"""

import json
import math
import os
from collections.abc import Mapping
from typing import Any

from reseed.core.layout import ResultsLayout
from reseed.planning.costs import Measured, seconds_of, trial_bytes
from reseed.planning.plan import HINT_ROWS, Block, PlannedSetting
from reseed.planning.search_shards import search_seconds

# Imports, reading and a slow node; then a margin over the measured or hinted cost.
START_MINUTES = 5
MARGIN = 2.0
# An interpreter with torch, scikit-learn and xgboost loaded; beside that CUDA's context, or a
# transformer's weights, their gradients and Adam's two moments.
BASE_MB, NETWORK_MB = 1_500, 4_000
# The table, its prepared copy, the split's parts, the model's own copy (binned or scaled), and
# float64 where the file holds float32. A network takes images as they are, a byte a value, and
# makes numbers of a batch at a time.
COPIES = 6
BYTES_PER_VALUE, BYTES_OF_IMAGES = 8, 1


def minutes(seconds: float, attempt: int = 1) -> int:
    """Time limit in minutes of a job whose work takes about `seconds`.

    Twice the estimate and a start, doubled with each further attempt: estimates may be off by
    more than attempts would add one by one. Raises ValueError for an impossible input.
    """
    if seconds < 0 or attempt < 1:
        raise ValueError(f"seconds {seconds} must be 0 or more, attempt {attempt} 1 or more")
    return math.ceil((START_MINUTES + MARGIN * seconds / 60) * 2 ** (attempt - 1))


def memory_mb(
    rows: int,
    columns: int,
    attempt: int = 1,
    width: int = 1,
    base: int = BASE_MB,
    value: int = BYTES_PER_VALUE,
) -> int:
    """Memory of a job that trains on a table.

    Args:
        rows, columns: of the table (for images: images and pixels × channels).
        attempt: doubles it from the second on.
        width: trials trained side by side in one pass.
        base: what is needed without any data.
        value: bytes of a number in memory.
    """
    if rows < 0 or columns < 0 or attempt < 1 or width < 1:
        raise ValueError(f"rows {rows}, columns {columns}, attempt {attempt}, width {width}")
    table = rows * columns * value * (COPIES + width - 1)
    return math.ceil((base + table / 2**20) * 2 ** (attempt - 1))


class JobSizes:
    """Sizes of the jobs of a plan, once the data that they train on are prepared.

    Args:
        layout: paths below the results folder.
        measured: seconds of a trial by setting folder (`costs.measured_seconds`).
        dry: assume a small dataset before the data are prepared.
    """

    def __init__(self, layout: ResultsLayout, measured: Mapping[str, Measured], dry: bool = False):
        self.layout, self.measured, self.dry = layout, measured, dry

    def _meta(self, planned: PlannedSetting) -> dict[str, Any]:
        """Description of the prepared dataset. Raises FileNotFoundError before it is prepared."""
        # As the rules name it: Snakemake looks for the missing file among a job's inputs.
        path = self.layout.data_meta(planned.setting.dataset)
        if self.dry and not os.path.exists(path):
            return {"rows": HINT_ROWS}
        with open(path, encoding="utf-8") as stream:
            try:
                return json.load(stream)
            except ValueError:  # the job that reads the data reports it; until then, use a default
                return {"rows": HINT_ROWS}

    def _seconds(self, planned: PlannedSetting) -> float:
        return seconds_of(planned, self.measured, self._meta(planned)["rows"])[0]

    def block_minutes(self, block: Block, threads: int = 1, attempt: int = 1) -> int:
        """Time limit of a training job."""
        return minutes(len(block.seeds) * self._seconds(block.planned), attempt)

    def search_minutes(
        self, planned: PlannedSetting, share: float, processes: int, attempt: int = 1
    ) -> int:
        """Time limit of a job that makes a share of the fits of a search, divided among processes.

        share: of the seconds of all fits, by the model's hint.
        """
        rows = self._meta(planned)["rows"]
        seconds = search_seconds(planned, self._seconds(planned), rows)
        return minutes(share * seconds / processes, attempt)

    def block_memory(self, block: Block, threads: int = 1, attempt: int = 1) -> int:
        """Memory of a training job."""
        return self._memory(block.planned, attempt)

    def block_disk(self, block: Block, threads: int = 1, attempt: int = 1) -> int:
        """Megabytes that the trials of a training job take in the cache."""
        rows = self._meta(block.planned)["rows"]
        return math.ceil(len(block.seeds) * trial_bytes(block.planned, rows) / 1e6)

    def search_memory(self, planned: PlannedSetting, processes: int, attempt: int = 1) -> int:
        """Memory of a hyper-parameter search, each process with its own interpreter."""
        return self._memory(planned, attempt) * processes

    def _memory(self, planned: PlannedSetting, attempt: int) -> int:
        meta = self._meta(planned)
        features, shape = meta.get("features") or [], meta.get("shape") or []
        network = planned.model.device != "cpu"
        # A stack of tables holds each lane's rows; images are taken batch by batch.
        width = planned.stack_width if features else 1
        values = len(features) if features else math.prod(shape) if shape else 0
        base = BASE_MB if features and not network else NETWORK_MB
        value = BYTES_OF_IMAGES if shape and network else BYTES_PER_VALUE
        return memory_mb(meta["rows"], values, attempt, width, base, value)
