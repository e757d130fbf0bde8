"""The gallery of the documentation: the best figure of each study, with its command."""

from __future__ import annotations

import shutil
from pathlib import Path

from reseed.core.atomic import write_text
from reseed.core.errors import ReseedError
from reseed.core.study_info import StudyInfo
from reseed.report.pages.studies import StudyReport, read_study
from reseed.report.rendering.numbers import counted


def write_gallery(studies: list[Path], exhibits: dict[str, list[str]], folder: Path) -> None:
    """Copy the chosen figures of studies' folders to `folder`, with a page that describes them.

    `exhibits` lists the figures of each study (by folder name). By default it is the first figure
    with content. Raises ReseedError if one is missing.
    """
    parts = [
        "# Figures of the studies",
        "The pipeline drew every figure here from its own trials. The report"
        " (`results/report/index.html`) has such an entry for every exhibit.",
        "Item scores of language models: [a worked example with known truth](evaluation.md).",
    ]
    folder.mkdir(parents=True, exist_ok=True)
    for path in studies:
        report = read_study(path, exhibits.get(path.name))
        chosen = report.shown if path.name in exhibits else [report.best] if report.best else []
        parts += [f"## {report.info.title}", report.info.question or ""]
        for exhibit in chosen:
            if exhibit.picture is None:
                raise ReseedError(
                    f"{path.name}/{exhibit.id} is a table: name one of the study's figures."
                )
            name = f"{path.name}-{exhibit.id}.png"
            shutil.copyfile(path / "figures" / f"{exhibit.id}.png", folder / name)
            parts += _entry(report, exhibit, name)
    write_text(folder / "README.md", "\n\n".join(part for part in parts if part) + "\n")


def _entry(report: StudyReport, exhibit, name: str) -> list[str]:
    info = report.info
    return [
        f"### {exhibit.sidecar.title}",
        f"![{exhibit.sidecar.title}]({name})",
        exhibit.sidecar.caption,
        exhibit.sidecar.footnote,
        f"{info.trials.ok:,} trials of the study, {info.trials.failed:,} failed.{_machine(info)}",
        f"```sh\n{exhibit.command}\n```" if exhibit.command else "",
    ]


def _machine(info: StudyInfo) -> str:
    if not info.machines:
        return ""
    first, *others = info.machines
    threads = "? threads" if first.threads is None else counted(first.threads, "thread")
    more = f" and {len(others)} more" if others else ""
    return (
        f" {first.cpu or 'unknown processor'}, {threads} a trial,"
        f" device {first.device or 'unknown'}{more}."
    )
