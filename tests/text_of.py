"""Everything that a table or a figure says, as one text for a snapshot."""

import re
from collections.abc import Iterator
from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.text import Text
from reseed.report.rendering.tables import Table

#: Rows of a table that a snapshot holds; it counts the others.
_MOST_ROWS = 6


def text_of(*made: Any) -> str:
    """Texts, tables, figures with or without their canvas: line by line.

    Definitions stand in the snapshots of `test_every_kind`, one an exhibit; here they are left out.
    """
    return "\n".join(line.rstrip() for one in made for line in _lines(one))


def _lines(made: Any) -> Iterator[str]:
    if isinstance(made, str):
        yield from made.splitlines()
    elif isinstance(made, dict):
        yield from (f"{name}: {value}" for name, value in made.items())
    elif isinstance(made, Figure):
        yield from _drawn(made)
    elif isinstance(made, pd.DataFrame):
        yield from _grid(made, [None] * len(made))
    elif isinstance(made, list | tuple | pd.Series):
        for one in made:
            yield from _lines(one)
    elif hasattr(made, "footnote"):
        yield from _exhibit(made)
    else:
        yield str(made)


def _exhibit(made: Any) -> Iterator[str]:
    """Rows and notes of a table or of what describes a figure."""
    if made.empty:
        yield f"Empty: {made.empty}"
        return
    if isinstance(made, Table):
        yield from _grid(made.shown, made.sections or [None] * len(made.shown))
        yield from made.details[:_MOST_ROWS]
    yield from re.split(r"(?<=[.;]) (?=[A-Z*†‡§])", made.footnote)


def _grid(shown: pd.DataFrame, sections: Any) -> Iterator[str]:
    yield " | ".join(
        ": ".join(filter(None, name)) if isinstance(name, tuple) else str(name) for name in shown
    )
    last = None
    rows = shown.itertuples(index=False, name=None)
    for section, row in list(zip(sections, rows, strict=True))[:_MOST_ROWS]:
        if section not in (None, last):
            yield f"[{section}]"
        last = section
        yield " | ".join(map(str, row))
    if len(shown) > _MOST_ROWS:
        yield f"… {len(shown) - _MOST_ROWS} more rows"


def _drawn(figure: Figure) -> Iterator[str]:
    """Words of a figure, panel by panel, then those of legends and of the figure itself."""
    for panel in figure.axes:
        if panel.get_visible():
            yield "Panel: " + " | ".join(_words(panel))
    for legend in figure.legends:
        yield "Legend: " + " | ".join(_words(legend))
    yield from (text.get_text() for text in figure.texts if text.get_text().strip())


def _words(part: Any) -> Iterator[str]:
    """Visible texts of a part of a figure that are no numbers, each once."""
    texts = (one.get_text() for one in part.findobj(Text) if one.get_visible())
    words = (" ".join(text.split()) for text in texts)
    yield from dict.fromkeys(word for word in words if any(map(str.isalpha, word)))
