"""What a job asks of a cluster: minutes and memory, from the plan, more with each attempt.

Numbers for Snakemake's `runtime` (minutes) and `mem_mb`; a rule gives them as functions of
`attempt`, so a job that ran out of either is sent again with more.
"""

import math

# Imports, reading and a slow node; then a margin over the measured or hinted cost.
START_MINUTES = 5
MARGIN = 2.0
# An interpreter with torch, scikit-learn and xgboost loaded.
BASE_MB = 1_500
# The table, its prepared copy, the split's parts, the model's own copy (binned or scaled), and
# float64 where the file holds float32.
COPIES = 6
BYTES_PER_VALUE = 8


def minutes(seconds: float, attempt: int = 1) -> int:
    """Time limit of a job whose work takes about so many seconds.

    Twice the estimate and a start, doubled with each further attempt: estimates may be off by
    more than attempts would add one by one. Raises ValueError for an impossible input.
    """
    if seconds < 0 or attempt < 1:
        raise ValueError(f"seconds {seconds} must be 0 or more, attempt {attempt} 1 or more")
    return math.ceil((START_MINUTES + MARGIN * seconds / 60) * 2 ** (attempt - 1))


def memory_mb(rows: int, columns: int, attempt: int = 1, width: int = 1) -> int:
    """Memory of a job that trains on a table.

    Args:
        rows, columns: of the table (for images: images and pixels × channels).
        attempt: doubles it from the second on.
        width: trials trained side by side in one pass.
    """
    if rows < 0 or columns < 0 or attempt < 1 or width < 1:
        raise ValueError(f"rows {rows}, columns {columns}, attempt {attempt}, width {width}")
    table = rows * columns * BYTES_PER_VALUE * (COPIES + width - 1)
    return math.ceil((BASE_MB + table / 2**20) * 2 ** (attempt - 1))
