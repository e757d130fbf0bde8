"""What a notebook shows of a result: the answer, its rows, and the notes."""

from __future__ import annotations

import html
from collections.abc import Sequence


def show_result(answer: Sequence[str], rows: str, notes: Sequence[str]) -> str:
    """HTML of a result.

    Args:
        answer: sentences that come first.
        rows: HTML of the component.
        notes: how the source was read; folded.
    """
    listed = "".join(f"<li>{html.escape(text)}</li>" for text in notes)
    folded = f"<details><summary>Notes ({len(notes)})</summary><ul>{listed}</ul></details>"
    return (
        "".join(f"<p><strong>{html.escape(text)}</strong></p>" for text in answer)
        + rows
        + (folded if notes else "")
    )
