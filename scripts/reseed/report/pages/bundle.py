"""The files of a study for a paper: one ZIP of figures, tables, statements and citations."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

from reseed.core.atomic import replace_atomically
from reseed.report.pages.studies import StudyReport

# The same date in every archive, so that equal files give equal bytes.
_DATE = (1980, 1, 1, 0, 0, 0)
# Formats of a paper; pages show the others.
_SUFFIXES = {"figure": ("pdf", "csv"), "table": ("tex", "csv")}


def write_bundle(study: StudyReport, folder: str | Path, path: str | Path) -> None:
    """Write the archive of a study.

    It holds `figures/` (PDF, CSV), `tables/` (LaTeX, CSV), `statements.json` and
    `citation.txt`. Exhibits without results are left out.

    Args:
        folder: of the study.
    """
    folder = Path(folder)
    with (
        replace_atomically(Path(path)) as temporary,
        zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for exhibit in study.shown:
            form = exhibit.sidecar.form
            for suffix in _SUFFIXES[form]:
                name = f"{form}s/{exhibit.id}.{suffix}"
                _add(archive, name, (folder / name).read_bytes())
        _add(archive, "statements.json", _statements(study).encode())
        _add(archive, "citation.txt", _citation(study).encode())


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    entry = zipfile.ZipInfo(name, _DATE)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, data)


def _statements(study: StudyReport) -> str:
    facts = {"study": study.name, "scale": study.info.scale, "commits": study.info.commits}
    content = facts | {"statements": list(study.evidence)}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _citation(study: StudyReport) -> str:
    """What to cite: the paper, each dataset, and the code that trained."""
    info = study.info
    lines = [info.title, f"Scale: {info.scale}."]
    if info.citation:
        lines += ["", "Paper:", info.citation]
    cited = [
        f"{study.titles[name]}: {dataset.citation}"
        for name, dataset in sorted(info.datasets.items())
        if dataset.citation
    ]
    if cited:
        lines += ["", "Data:", *cited]
    if info.commits:
        lines += ["", f"Made with Reseed, commit {', '.join(info.commits)}."]
    return "\n".join(lines) + "\n"
