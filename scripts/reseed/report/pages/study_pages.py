"""The report: a page for each study, and a front page with the statements of all studies.

A page is one file that embeds pictures, styles and one script; links lead to files next to it.
Functions take studies as `studies.read_study` returns them and return text, also without the
pipeline.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from reseed.core.identifiers import SCALES
from reseed.report.pages.forest import draw_axis
from reseed.report.pages.front import (
    SIGNS,
    Front,
    count_squares,
    group_papers,
    list_findings,
)
from reseed.report.pages.pictures import thumbnail
from reseed.report.pages.render import build_page
from reseed.report.pages.statements import StatementRow
from reseed.report.pages.studies import StudyReport
from reseed.report.pages.summary import count_verdicts, summarise
from reseed.report.rendering.data import source_text
from reseed.report.rendering.numbers import counted

# Imported results list these like seeds, although they are none.
_NO_SEEDS = ("fold", "repeat")


def build_study_page(study: StudyReport, index: str = "", bundle: str = "") -> str:
    """A study's page as HTML text.

    index: link to the front page, if there is one. bundle: link to the archive of the study.
    """
    return _page(
        "study.html",
        study=study,
        title=study.info.title,
        verdicts=count_verdicts(row.verdict for row in study.statements),
        index=index,
        bundle=bundle,
    )


def build_index(
    studies: list[StudyReport],
    links: list[str],
    left_out: Sequence[StatementRow] = (),
    front: Front | None = None,
) -> str:
    """The front page as HTML text: what is luck, which statements hold, and every study.

    left_out: statements of studies that were not run, by their reference results. front: the
    picture (`draw_front`).
    """
    cards = [_card(study, link) for study, link in zip(studies, links, strict=True)]
    pages = dict(zip((study.name for study in studies), links, strict=True))
    rows = [*(row for study in studies for row in study.statements), *left_out]
    leads = ((study, study.best) for study in studies)
    lead = next(
        (
            {"exhibit": best, "link": f"{pages[study.name]}#{best.anchor}"}
            for study, best in leads
            if best and best.picture
        ),
        None,
    )
    return _page(
        "index.html",
        cards=cards,
        rows=sorted(rows, key=lambda row: row.order),
        front=front,
        papers=group_papers(rows, pages),
        findings=list_findings(rows),
        squares=count_squares(rows),
        signs=SIGNS,
        link_of=lambda row: pages.get(row.study, ""),
        lead=lead,
        title="How much of a score is luck?" if rows else "Reseed: report",
        index="",
        summary=summarise(studies, left_out) if studies else [],
    )


def _card(study: StudyReport, link: str) -> dict[str, Any]:
    best = study.best
    return {
        "study": study,
        "link": link,
        "exhibits": counted(len(study.shown), "table or figure", "tables and figures"),
        "thumbnail": thumbnail(best.picture) if best and best.picture else None,
        "alt": best.sidecar.alt if best else "",
    }


def _page(template: str, **given: object) -> str:
    filters: dict[str, Callable[..., Any]] = {
        "duration": duration,
        "seeds": _seeds,
        "sorted_items": lambda value: sorted(value.items()),
        "source": source_text,
    }
    return build_page(
        template, filters, scales=SCALES, axis=draw_axis(), no_link=lambda row: "", **given
    )


def duration(seconds: float) -> str:
    """`3 h 25 min`, `4 min 10 s`, `12 s`."""
    whole = round(seconds)
    hours, minutes, rest = whole // 3600, whole % 3600 // 60, whole % 60
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _seeds(spec: Mapping[str, Any]) -> str:
    """`{data: 0, model: {count: 50}, fold: [0]}` → `data seed 0; fold 0; 50 model seeds`."""

    def text(name: str, value: int | list[int] | dict[str, Any]) -> str:
        noun = name if name in _NO_SEEDS else f"{name} seed"
        if isinstance(value, dict):
            return counted(value["count"], noun) if "count" in value else f"{name}: {value}"
        if isinstance(value, list) and len(value) != 1:
            return counted(len(value), noun)
        return f"{noun} {value[0] if isinstance(value, list) else value}"

    return "; ".join(text(name, value) for name, value in sorted(spec.items()))
