"""What cells of text mean as numbers: marks of right and wrong, percentages, units, thousands."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

#: Spellings of a missing score, in lower case.
MISSING = {
    *("", "nan", "na", "n/a", "n.a.", "n.d.", "#n/a", "<na>", "null", "none", "missing", "?"),
    *("#div/0!", "#value!", "#ref!", "#num!", "diverged", "oom", "timeout", "crashed", "dnf"),
    *("-", "--", "\u2212", "\u2013", "\u2014"),
}
#: Words that mark right and wrong; an error of the program is neither.
_MARKS = (
    {"true": 1.0, "false": 0.0}, {"yes": 1.0, "no": 0.0}, 
    {"pass": 1.0, "fail": 0.0, "error": math.nan},
    {"passed": 1.0, "failed": 0.0},
    {"correct": 1.0, "incorrect": 0.0}, {"correct": 1.0, "wrong": 0.0},
)  # fmt: skip
#: Grades of Inspect (correct, incorrect, partially correct, no answer), as its `value_to_float`.
GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
#: A sign between a mean and its spread.
PLUS_MINUS = "(?:±|\\+/?[-\u2212]|\\\\pm)"
#: The start of a mean with its spread: `0.91 ± 0.02`, `85.3% +/- 2.1%`, `0.912 (0.004)`.
_SPREAD = re.compile(rf"[^\d]*\d*[.,]?\d+\s*%?\s*(?:\(?{PLUS_MINUS}\s*[.,]?\d|\(\d*[.,]\d+\)$)")
#: A score with its interval: `0.781 (0.742-0.820)`, `0.82 [0.79, 0.86]`.
_INTERVAL = re.compile(
    r"[-+]?\d*[.,]?\d+\s*%?\s*[(\[]\D*\d*[.,]?\d+\s*%?\s*(?:[-\u2013,;]|to)\s*\d*[.,]?\d+\s*%?[)\]]"
)
#: A percentage, the sign of which every cell of its column has.
_PERCENT = re.compile(r"([-+]?\d+(?:\.\d+)?)\s*%")
_THOUSANDS = re.compile("[,'\u2019\u00a0\u2009\u202f]")
_UNITS = (
    "s|secs?|ms|[uµμ]s|ns|mins?|h|hrs?|dB|[kKMGT]i?B|[kMG]?Hz|[mk]?W|k?Wh|k?J|px|mm|cm|k?m|[x×]|pp"
    "|pts|fps|FPS"
)
#: A number in bold, with a mark of a footnote, a unit, or signs between thousands.
_WRITTEN = re.compile(
    r"(?:\*\*|__|`)?"
    r"(?P<number>[-+\u2212]?(?:\d{1,3}(?:[,'\u2019\u00a0\u2009\u202f]\d{3})+(?:\.\d+)?|\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"
    rf"(?:\*\*|__|`)?(?P<mark>[*†‡§¶]*)\s*(?P<unit>{_UNITS})?[*†‡§¶]*"
)


def find_marks(cells: Iterable[str]) -> dict[str, float]:
    """1 and 0 by the cells, in lower case, if all are marks of right and wrong; else empty."""
    words = {*cells}
    return next((pair for pair in _MARKS if words and words <= {*pair}), {})


def is_number(cell: str) -> bool:
    """Whether a text is a number, as Python reads it."""
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell


def describe_interval(cells: Iterable[str]) -> str:
    """What the first interval of a score is, and what compares such models; empty without one."""
    interval = next(filter(_INTERVAL.fullmatch, cells), "")
    return interval and (
        f"An interval ({interval!r}) is of one test set, and no spread over runs: give the scores "
        "or predictions of its test cases."
    )


def read_percentages(cells: Sequence[str], are_shares: bool) -> list[str] | None:
    """Percentages as numbers, or as shares; None if a cell is none."""
    if not all(map(_PERCENT.fullmatch, cells)):
        return None
    return [f"{cell.rstrip('% ')}{'e-2' if are_shares else ''}" for cell in cells]


def read_written(cells: Sequence[str]) -> tuple[list[str], str] | None:
    """Numbers without their marks, their one unit, and signs between thousands; None elsewhere.

    And what was left out. A comma separates thousands only if a number of the column has a point
    behind it.
    """
    if not all(map(_WRITTEN.fullmatch, cells)):
        return None
    matches = [match for match in map(_WRITTEN.fullmatch, cells) if match]
    numbers, units = [match["number"] for match in matches], {match["unit"] for match in matches}
    has_commas = any("," in number for number in numbers)
    has_signs = any(map(_THOUSANDS.search, numbers))
    if len(units) > 1 or (has_commas and not any(re.search(r",.*\.", n) for n in numbers)):
        return None
    left_out = [
        *(["signs between thousands"] if has_signs else []),
        *(f"unit {unit}" for unit in units if unit),
        *(["marks"] if any(re.search("[*_`†‡§¶]", cell) for cell in cells) else []),
    ]
    plain = [_THOUSANDS.sub("", number).replace("\u2212", "-") for number in numbers]
    return plain, " and ".join(left_out)


def describe_bad_number(column: str, value: str) -> tuple[str, str]:
    """What is wrong with a cell of text, and the fix."""
    holds = f"column {column!r} holds {value!r}, which is"
    if _SPREAD.match(value):
        fix = (
            "Give the runs behind it, one row each with its seed or fold. To compare means and SDs "
            "alone, state the number of runs: `runs`."
        )
        return f"{holds} a mean with its spread, not a run", fix
    if re.fullmatch(r"[-+]?\d{1,3}(,\d{3})+", value):
        plain, point = value.replace(",", ""), value.replace(",", ".")
        return (
            f"{holds} {plain} or {point}",
            "Write numbers with a decimal point and no other sign.",
        )
    if value.startswith("["):
        return f"{holds} a list", "Give one row a run, with its score and its seed or fold."
    return f"{holds} not a number", describe_interval([value]) or (
        "Write plain numbers with a decimal point (0.853, not 85.3 % or 0,853), and leave the cell "
        "empty where a run failed."
    )
