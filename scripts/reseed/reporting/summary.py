"""The three sentences of the front page: what the report is, what was found, how sure that is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from reseed.config import SCALES
from reseed.rendering.numbers import counted, several
from reseed.reporting.statements import StatementRow
from reseed.reporting.studies import StudyReport


def summarise(studies: Sequence[StudyReport]) -> list[str]:
    """Three sentences; one where no statement is tested."""
    rows = [row for study in studies for row in study.statements]
    subject = describe_subject(studies)
    if not rows:
        return [subject]
    reduced = any(study.info.reduced and study.info.is_reproduction for study in studies)
    return [subject, describe_verdicts(rows), describe_certainty(rows, reduced)]


def describe_subject(studies: Sequence[StudyReport]) -> str:
    """What the report is: papers and trials, without those of imported results."""
    trained = [study for study in studies if study.info.scale in SCALES]
    papers = sum(study.info.is_reproduction for study in trained)
    scales = several(dict.fromkeys(study.info.scale for study in trained))
    trials = counted(sum(study.info.trials.ok for study in trained), "trial")
    done = f" ({trials}, scale {scales})" if trained else ""
    if not papers:
        number = counted(len(studies), "study", "studies")
        return (
            f"This report measures how much the scores of {number}"
            f" depend on the random seed and on the data split{done}."
        )
    return (
        f"This report trains the models of {counted(papers, 'paper')} again with other random seeds"
        f" and other data splits{done}, and compares statements of the papers with the results."
    )


def describe_verdicts(rows: Sequence[StatementRow]) -> str:
    """What was found: the number of statements by verdict."""
    counts = Counter(row.verdict for row in rows)
    return (
        f"Of {counted(len(rows), 'statement')}, {counts['held']} held, {counts['not held']} did not"
        f" hold, and {counts['cannot tell']} cannot be decided from these runs."
    )


def list_verdicts(rows: Sequence[StatementRow]) -> list[str]:
    """What was found, for a reader of one study: each decided statement, then the open ones."""
    found = [
        f"{row.verdict.capitalize()}: {row.text.rstrip('.')}. Measured: {_measurement(row)}."
        for verdict in ("held", "not held")
        for row in rows
        if row.verdict == verdict
    ]
    open_rows = [row for row in rows if row.verdict == "cannot tell"]
    if open_rows:
        unmeasured = sum(not row.is_measured for row in open_rows)
        reasons = [
            f"{number} {reason}"
            for number, reason in (
                (len(open_rows) - unmeasured, "measured, but not precisely enough"),
                (unmeasured, "not measured at this scale"),
            )
            if number
        ]
        noun = counted(len(open_rows), "statement")
        found.append(f"Cannot tell: {noun} ({', '.join(reasons)}).")
    return found


def _measurement(row: StatementRow) -> str:
    """`1.2 to 3.4 (2 estimates; SD ratio; 6 seeds)`."""
    value, _, number = row.measured.partition(" (")
    return f"{value} ({'; '.join(filter(None, [number.rstrip(')'), row.statistic, row.n]))})"


def describe_certainty(rows: Sequence[StatementRow], reduced: bool) -> str:
    """How sure the verdicts are. reduced: the runs are fewer or smaller than the papers'."""
    levels = sorted({level for row in rows for level in row.levels if level < 1})
    level = " or ".join(f"{100 * level:g} %" for level in levels) or "confidence"
    parts = [
        f"A statement is decided only if all its {level} intervals are on one side of its limit"
    ]
    open_rows = [row for row in rows if row.verdict == "cannot tell"]
    unmeasured = sum(not row.is_measured for row in open_rows)
    if open_rows:
        parts.append(
            f"of those that cannot be decided, {len(open_rows) - unmeasured} need narrower"
            f" intervals, and {unmeasured} could not be measured here"
        )
    if reduced:
        parts.append(
            "the runs are fewer or smaller than those of the papers, so read directions, not sizes"
        )
    return "; ".join(parts) + "."
