"""The sentences of the front page: what was asked, what the evidence says, what this run adds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from reseed.core.identifiers import SCALES
from reseed.report.pages.statements import StatementRow
from reseed.report.pages.studies import StudyReport
from reseed.report.rendering.numbers import counted, several
from reseed.verdicts.evidence import Verdict

_DECIDED: tuple[Verdict, ...] = ("supported", "contradicted", "mixed")
_OPEN: tuple[Verdict, ...] = ("not yet", "not comparable", "not run")
_WORDS: dict[Verdict, str] = {
    "supported": "{} supported", "contradicted": "{} contradicted", "mixed": "{} mixed",
    "not yet": "{} not yet decided", "not comparable": "{} not comparable",
    "not run": "{} not run",
}  # fmt: skip


def summarise(studies: Sequence[StudyReport], left_out: Sequence[StatementRow] = ()) -> list[str]:
    """Three sentences; one where no statement is tested.

    left_out: statements of studies that were not run, by their reference results.
    """
    rows = [row for study in studies for row in study.statements]
    every = [*rows, *left_out]
    subject = describe_subject(studies, len(every))
    if not rows:
        return [subject]
    return [subject, describe_evidence(every), describe_run(studies, rows)]


def describe_subject(studies: Sequence[StudyReport], statements: int) -> str:
    """What was asked."""
    papers = len({study.info.citation for study in studies if study.info.is_reproduction})
    if not papers or not statements:
        return (
            f"How much do the scores of {counted(len(studies), 'study', 'studies')} depend on the"
            " random seed and on the data split?"
        )
    return (
        f"{counted(papers, 'paper')} on random seeds and data splits make"
        f" {counted(statements, 'statement')} that are tested here: do new trainings support them?"
    )


def describe_evidence(rows: Sequence[StatementRow]) -> str:
    """What the evidence says so far: reference results where there are some, else this run."""
    referenced = sum(row.reference is not None for row in rows)
    if not referenced:
        is_smoke = any(row.info.scale == "smoke" for row in rows)
        why = "scale smoke has none" if is_smoke else "none are in this copy"
        source = f"This run alone (reference results: {why})"
    elif referenced == len(rows):
        source = "The reference results"
    else:
        source = (
            f"The reference results ({counted(referenced, 'statement')}) and this run (the others)"
        )
    return f"{source}: {count_verdicts(row.verdict for row in rows)}."


def count_verdicts(verdicts: Iterable[Verdict]) -> str:
    """`4 supported, 2 contradicted; 3 not yet decided`."""
    counts = Counter(verdicts)
    parts = [
        ", ".join(_WORDS[name].format(counts[name]) for name in group if counts[name])
        for group in (_DECIDED, _OPEN)
    ]
    return "; ".join(filter(None, parts))


def describe_run(studies: Sequence[StudyReport], rows: Sequence[StatementRow]) -> str:
    """What this run adds, and what the verdicts speak about."""
    trained = [study for study in studies if study.info.scale in SCALES]
    scales = several(dict.fromkeys(study.info.scale for study in trained))
    trials = counted(sum(study.info.trials.ok for study in trained), "trial")
    text = f"This run (scale {scales}, {trials})"
    compared = [row for row in rows if row.reference is not None]
    if compared:
        alone = sum(row.run.verdict in _DECIDED for row in compared)
        other = sum(
            row.run.verdict in _DECIDED and row.run.verdict != row.verdict for row in compared
        )
        text += (
            f" decides {alone} of the {len(compared)} by itself,"
            f" {other or 'none'} of them otherwise than the reference"
        )
    else:
        text += " is all that these verdicts rest on"
    return (
        f"{text}; a verdict speaks about the average over the settings run, by its 95 % interval"
        " over seeds, and about no other dataset."
    )
