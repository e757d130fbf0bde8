"""What the jobs after exhibits do: pages, and reference results (`planning.specs`)."""

from dataclasses import dataclass

from reseed.core.coverage import PaperExhibit


@dataclass(frozen=True)
class ReportSpec:
    """Write a page.

    shown: the results folder as the user names it.
    exhibits: names by study, in the order of the page.
    page: its study; None: index.
    coverage: exhibits and claims of the paper, by study.
    references: folder of committed reference results.
    left_out: title and citation of studies that this scale leaves out and that have reference
        results, which the index shows.
    scale: of the studies.
    stated: those with statements.
    """

    results: str
    shown: str
    exhibits: dict[str, tuple[str, ...]]
    page: str | None
    coverage: dict[str, tuple[PaperExhibit, ...]]
    references: str
    left_out: dict[str, tuple[str, str]]
    scale: str
    stated: tuple[str, ...] = ()
    sources: str = ""


@dataclass(frozen=True)
class ReferenceSpec:
    """Gather the reference results of a study."""

    results: str
    study: str
