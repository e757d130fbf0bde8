"""What a notebook shows of a result: the answer, rows, tables, a figure, and the notes."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Figures are drawn on white. Dark themes of Jupyter, of VS Code and of a browser show them
#: inverted, with the colours' hues as they were.
_STYLE = """<style>
.jp-mod-dark .reseed-figure, [data-jp-theme-light="false"] .reseed-figure,
.vscode-dark .reseed-figure, html[data-theme="dark"] .reseed-figure
{filter: invert(.9) hue-rotate(180deg)}
</style>"""


def show_result(
    answer: Sequence[str],
    rows: str,
    boards: str,
    figure: Figure | None,
    alternative: str,
    sentences: Sequence[str],
    notes: Sequence[str],
) -> str:
    """HTML of a result.

    Args:
        answer: sentences that come first.
        rows, boards: HTML tables.
        figure: shown after them, if any.
        alternative: text instead of the figure.
        sentences: verdicts in words; folded.
        notes: how the source was read; folded.
    """
    return (
        _STYLE
        + "".join(f"<p><strong>{html.escape(text)}</strong></p>" for text in answer)
        + boards
        + rows
        + (_embed(figure, alternative) if figure else "")
        + _fold("In words", [one for one in sentences if one not in answer])
        + _fold("Notes", notes)
    )


def _fold(heading: str, texts: Sequence[str]) -> str:
    if not texts:
        return ""
    listed = "".join(f"<li>{html.escape(text)}</li>" for text in texts)
    return f"<details><summary>{heading} ({len(texts)})</summary><ul>{listed}</ul></details>"


def _embed(figure: Figure, alternative: str) -> str:
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=110)
    image = base64.b64encode(picture.getvalue()).decode("ascii")
    return (
        f'<img class="reseed-figure" alt="{html.escape(alternative)}" '
        f'src="data:image/png;base64,{image}">'
    )
