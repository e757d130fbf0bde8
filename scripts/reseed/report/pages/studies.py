"""A study as its page shows it: its facts, exhibits and statements, read from its folder."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
from reseed.core.checked_io import read_json
from reseed.core.coverage import PaperExhibit
from reseed.core.errors import RETRY_HINT, ReseedError
from reseed.core.identifiers import SCALES
from reseed.core.layout import EVIDENCE
from reseed.core.study_info import (
    IMPORTED_SCALE,
    StudyInfo,
    build_study_info,
    read_study_info,
)
from reseed.report.pages.pictures import Picture, embed
from reseed.report.pages.statements import StatementRow, find_rows
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.footnotes import explain_marks, marks_in, say_once, shorten
from reseed.report.rendering.numbers import counted
from reseed.report.rendering.sidecar import Sidecar, read_sidecar
from reseed.report.rendering.tables import groups
from reseed.verdicts.evidence import Evidence, read_evidence

_SHOWN_FAILURES = 20
#: Rows, and words, of a table that is shown without a click, at most.
_LONG, _WORDY = 8, 60
# Anchors of the sections of every page.
_PARTS = re.compile(r"(statements|answer|run|data|left-out|coverage|content|mark-\d+)$")
# Wider figures, in inches, span both columns of a journal page.
_COLUMN = 3.5
# Characters: of a line in upright print, between two columns, and of a column that wraps.
_PORTRAIT, _GAP, _WRAPPED = 105, 1, 30


@dataclass(frozen=True)
class Exhibit:
    """An exhibit: the content of its sidecar, its picture, its files and its command."""

    id: str
    sidecar: Sidecar
    note: str
    picture: Picture | None = None
    links: tuple[tuple[str, str], ...] = ()
    command: str = ""

    @property
    def anchor(self) -> str:
        """Anchor on the page: the name, with a prefix if a section of every page has that name."""
        return f"exhibit-{self.id}" if _PARTS.match(self.id) else self.id

    @property
    def lead(self) -> str:
        """The first sentence of the note, which says how many runs there are."""
        head, mark, _ = self.note.partition(". ")
        return head + mark.rstrip()

    @property
    def double(self) -> bool:
        """Whether the figure is drawn for both columns of a page."""
        return self.sidecar.inches[0] > _COLUMN

    @property
    def large(self) -> str:
        """Link to the picture at full size."""
        return dict(self.links).get("PNG", "")

    @property
    def head(self) -> list[list[tuple[str, int]]]:
        """Heading rows of a table as (text, columns spanned)."""
        *upper, last = self.sidecar.headings
        return [*(groups(level) for level in upper), [(name, 1) for name in last]]

    @property
    def width(self) -> int:
        """Columns of a table."""
        return len(self.sidecar.headings[-1])

    @property
    def is_long(self) -> bool:
        """Whether a table is shown on a click: many rows, or much text."""
        words = sum(len(cell.split()) for _, cells in self.sidecar.rows for cell in cells)
        return len(self.sidecar.rows) > _LONG or words > _WORDY

    @property
    def is_wide(self) -> bool:
        """Whether a table is printed on a page that is turned sideways."""
        if self.picture:
            return False
        lines = [self.sidecar.headings[-1], *(cells for _, cells in self.sidecar.rows)]
        longest = [max(map(len, column)) for column in zip(*lines, strict=True)]
        wraps = {0, *self.sidecar.paragraphs}
        shown = (min(n, _WRAPPED) if i in wraps else n for i, n in enumerate(longest))
        return sum(n + _GAP for n in shown) > _PORTRAIT

    @property
    def bodies(self) -> list[tuple[str, list[tuple[int, list[str]]]]]:
        """(section, its rows as (number, cells)) of a table."""
        sections: list = []
        for number, (section, cells) in enumerate(self.sidecar.rows):
            if section or not sections:
                sections.append((section or "", []))
            sections[-1][1].append((number, cells))
        return sections

    @property
    def marks(self) -> list[tuple[str, str, str]]:
        """(mark, its word, link) of the marks that occur in it."""
        return marks_in(json.dumps(vars(self.sidecar), ensure_ascii=False))


@dataclass(frozen=True)
class StudyReport:
    """A study's facts and its exhibits, in the order of the study.

    date: day on which the results were collected.
    coverage: the exhibits of its paper.
    answer: sentences that come first, of a comparison.
    evidence: of each of its statements.
    reference: its committed reference results (`evidence.json`), if it has some.
    """

    name: str
    info: StudyInfo
    exhibits: list[Exhibit]
    date: str = ""
    coverage: tuple[PaperExhibit, ...] = ()
    reference: dict[str, Any] | None = None
    answer: Sequence[str] = ()
    evidence: Sequence[dict[str, Any]] = ()

    @property
    def shown(self) -> list[Exhibit]:
        """Exhibits with results."""
        return [exhibit for exhibit in self.exhibits if not exhibit.sidecar.empty]

    @property
    def left_out(self) -> list[Exhibit]:
        """Exhibits without results; they state the reason."""
        return [exhibit for exhibit in self.exhibits if exhibit.sidecar.empty]

    @cached_property
    def statements(self) -> list[StatementRow]:
        """Statements that the study tests, in its order."""
        anchors = {exhibit.id: exhibit.anchor for exhibit in self.exhibits}
        return find_rows(self.name, self.info, anchors, self.evidence, self.reference)

    @property
    def covered(self) -> list[tuple[PaperExhibit, list[tuple[str, str]]]]:
        """Each exhibit of the paper, with (name, anchor) of what shows it; no anchor if nothing."""
        anchors = {exhibit.id: exhibit.anchor for exhibit in self.shown}
        return [(one, [(name, anchors.get(name, "")) for name in one.entries])
                for one in self.coverage]  # fmt: skip

    @property
    def best(self) -> Exhibit | None:
        """The first figure."""
        return next((exhibit for exhibit in self.shown if exhibit.picture), None)

    @cached_property
    def ordered(self) -> list[Exhibit]:
        """Exhibits in the order of the page: the first figure, then the order of the study.

        None repeats notes and definitions of one before it.
        """
        best = self.best
        ordered = ([best] if best else []) + [e for e in self.shown if e is not best]
        said = say_once([(e.sidecar.title, [e.note, *e.sidecar.definitions]) for e in ordered])
        shown = []
        for e, (note, *definitions) in zip(ordered, said, strict=True):
            sidecar = replace(e.sidecar, definitions=definitions)
            shown.append(replace(e, note=note, sidecar=sidecar))
        return shown

    @cached_property
    def _named(self) -> ExhibitData:
        """Looks up titles by identifier."""
        return ExhibitData(None, pd.DataFrame(), self.info)

    @property
    def machines(self) -> list[str]:
        """Processor, device and versions of each machine; equal ones once."""
        texts = (
            f"{one.cpu or 'unknown processor'}; device {one.device or 'unknown'};"
            f" {counted(one.threads or 1, 'thread')} a trial; {one.platform or 'unknown system'};"
            f" Python {one.python or '?'};"
            f" {', '.join(' '.join(pair) for pair in sorted(one.libraries.items()))}"
            for one in self.info.machines
        )
        return list(dict.fromkeys(texts))

    @property
    def titles(self) -> dict[str, str]:
        """Titles of the datasets by identifier."""
        return {name: self._named.dataset(name) for name in self.info.datasets}

    @property
    def marks(self) -> list[tuple[str, list[str]]]:
        """Explanations of the marks and units of the page, each once."""
        return explain_marks([e.sidecar.footnote for e in self.shown])

    @property
    def failures(self) -> list[tuple[int, str]]:
        """(number, dataset, model and error) of failed trials, the most frequent first."""
        named = self._named
        counts = Counter(
            f"{named.dataset(failure.dataset)}, {named.model(failure.model)}:"
            f" {failure.error or 'no reason recorded'}"
            for failure in self.info.trials.failures
        )
        return [(n, text) for text, n in counts.most_common(_SHOWN_FAILURES)]

    @property
    def retry_hint(self) -> str:
        """How failed trials are trained again; empty where Snakemake did not train them."""
        return "" if self.info.scale == IMPORTED_SCALE else f"{RETRY_HINT}."

    @property
    def same_outputs(self) -> list[str]:
        """Models for which different seeds gave bitwise identical outputs."""
        named = self._named
        return [
            f"{named.model(row.model)} on {named.dataset(row.dataset)}: {row.repeats:,} of"
            f" {row.trials:,} trials have the same outputs as another seed"
            for row in self.info.trials.same_outputs
        ]

    @property
    def failures_left(self) -> int:
        """Number of failed trials that `failures` does not list."""
        return len(self.info.trials.failures) - sum(n for n, _ in self.failures)


def read_study(
    folder: str | Path,
    exhibits: list[str] | None = None,
    page: Path | None = None,
    command: str | None = None,
    coverage: tuple[PaperExhibit, ...] = (),
    as_shown: Callable[[Path], Path] = lambda path: path,
    reference: Path | None = None,
    answer: Sequence[str] = (),
    stated: bool = False,
) -> StudyReport:
    """Read the facts of a study, and the sidecar and picture of each exhibit.

    Args:
        exhibits: names in the order of the page (None: all in the folder, sorted).
        page: path of the page, to which links to files are relative (None: no links).
        command: that makes the exhibits (None: Snakemake's; empty: not shown).
        coverage: the exhibits of the paper, for a table.
        as_shown: path of a file as Snakemake's command names it.
        reference: `evidence.json` of the committed reference results (None: there are none).
        answer: sentences that come first.
        stated: whether the study has statements, which were judged.

    Raises:
        ReseedError: if an exhibit or the facts are missing.
    """
    folder = Path(folder)
    info = read_study_info(folder / "about.json")
    if exhibits is None:
        exhibits = sorted(p.stem for part in ("tables", "figures")
                          for p in (folder / part).glob("*.json"))  # fmt: skip
    shown = [_read_exhibit(folder, info, name, page, command, as_shown) for name in exhibits]
    known = read_json(reference) if reference is not None else None
    evidence = read_json(folder / EVIDENCE)["statements"] if stated else ()
    day = _day(folder / "about.json")
    return StudyReport(folder.name, info, shown, day, coverage, known, answer, evidence)


def read_left_out(
    evidence: Path, name: str, title: str, citation: str, scale: str
) -> list[StatementRow]:
    """The statements of a study that the scale leaves out, by its reference results alone.

    evidence: its `evidence.json`. scale: of the other studies.
    """
    reference = read_json(evidence)
    info = build_study_info({}, {}, title=title, citation=citation, scale=scale)
    rows = []
    for one in reference["statements"]:
        known = read_evidence(one["evidence"])
        run = Evidence(known.statement, "not run")
        rows.append(StatementRow(name, info, one["name"], "", run, known, reference["made"]))
    return rows


def _day(path: Path) -> str:
    """Day on which a file was written, as `2 March 2026` (UTC)."""
    time = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    return f"{time.day} {time:%B %Y}"


def _read_exhibit(
    folder: Path,
    info: StudyInfo,
    exhibit: str,
    page: Path | None,
    command: str | None,
    as_shown: Callable[[Path], Path],
) -> Exhibit:
    places = [folder / form / f"{exhibit}.json" for form in ("tables", "figures")]
    path = next((place for place in places if place.is_file()), None)
    if path is None:
        raise ReseedError(f"exhibit {exhibit!r} is neither at {places[0]} nor at {places[1]}")
    sidecar = read_sidecar(path)
    links: tuple[tuple[str, str], ...] = ()
    if page is not None:
        base = Path(os.path.relpath(path.parent, page.parent)).as_posix()
        links = tuple((Path(f).suffix[1:].upper(), f"{base}/{f}") for f in sidecar.files)
    figure = sidecar.form == "figure"
    target = as_shown(path.with_suffix(".png" if figure else ".csv")).as_posix()
    return Exhibit(
        exhibit,
        sidecar,
        shorten(sidecar.footnote, info.scale),
        embed(path.with_suffix(".png")) if figure and not sidecar.empty else None,
        links,
        snakemake_command(target, info.scale) if command is None else command,
    )


def snakemake_command(target: str, scale: str) -> str:
    """The command that makes a file; imported results have no scale."""
    return f"snakemake --cores all {shlex.quote(target)}" + (
        f" --config scale={scale}" if scale in SCALES else ""
    )
