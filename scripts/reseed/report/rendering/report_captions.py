"""Captions of exhibits in Snakemake's own report, as reStructuredText."""

from __future__ import annotations

import re
from pathlib import Path

from reseed.core.atomic import write_text
from reseed.report.rendering.sidecar import read_sidecar

# reStructuredText prints a character after a backslash as it is. No template of Jinja remains.
_SPECIAL = re.compile(r"[!-/:-@\[-`{-~]")


def write_caption(stem: str | Path) -> None:
    """Write `stem`.rst from the sidecar `stem`.json: caption and footnote, or why it is empty."""
    stem = Path(stem)
    sidecar = read_sidecar(stem.with_name(f"{stem.name}.json"))
    texts = [sidecar.empty or sidecar.caption or sidecar.title, sidecar.footnote]
    paragraphs = [escape_rst(text) for text in dict.fromkeys(texts) if text]
    write_text(stem.with_name(f"{stem.name}.rst"), "\n\n".join(paragraphs) + "\n")


def escape_rst(text: str) -> str:
    """One paragraph that Snakemake's templates and reStructuredText print as it is."""
    return _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))
