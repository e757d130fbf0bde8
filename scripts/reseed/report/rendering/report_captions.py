"""Captions of exhibits in Snakemake's own report: their claims, as reStructuredText."""

from __future__ import annotations

import re
from pathlib import Path

from reseed.core.atomic import write_text
from reseed.report.rendering.sidecar import read_sidecar

# reStructuredText prints a character after a backslash as it is. No template of Jinja remains.
_SPECIAL = re.compile(r"[!-/:-@\[-`{-~]")


def write_caption(stem: str | Path) -> None:
    """Write `stem`.rst from the sidecar `stem`.json: headline, findings and footnote.

    Power, or smallest detectable effect, follows each finding that has one, as on the pages.
    """
    stem = Path(stem)
    sidecar = read_sidecar(stem.with_name(f"{stem.name}.json"))
    texts = [
        sidecar.empty or sidecar.headline,
        *(_with_limits(text, sidecar.limits.get(text, "")) for text in sidecar.findings),
        sidecar.caption,
        sidecar.footnote,
    ]
    paragraphs = [escape_rst(text) for text in dict.fromkeys(texts) if text]
    write_text(stem.with_name(f"{stem.name}.rst"), "\n\n".join(paragraphs) + "\n")


def _with_limits(finding: str, limits: str) -> str:
    return f"{finding} [{limits}]" if limits else finding


def escape_rst(text: str) -> str:
    """One paragraph that Snakemake's templates and reStructuredText print as it is."""
    return _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))
