"""Contrast of the texts of figures on white (WCAG 2.2, success criterion 1.4.3)."""

from __future__ import annotations

from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text

#: Least contrast of a text with its ground.
LEAST = 4.5
# Texts as light as this stand on dark cells of a heat map.
_LIGHT = 0.8


def luminance(colour: str) -> float:
    """Relative luminance, 0 (black) to 1 (white) (WCAG 2.2, definition)."""
    parts = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in to_rgb(colour))
    red, green, blue = parts
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str = "white") -> float:
    """Ratio of luminances, 1 to 21 (WCAG 2.2, definition)."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def readable(colour: str) -> str:
    """The colour, darkened at constant hue until its contrast with white is at least 4.5."""
    red, green, blue = to_rgb(colour)
    share = 1.0
    while contrast(colour) < LEAST:
        share -= 0.01
        colour = to_hex((share * red, share * green, share * blue))
    return colour


def darken_texts(figure: Figure) -> None:
    """Make all texts of a figure readable on white; light texts stand on dark ground."""
    for text in figure.findobj(Text):
        colour = to_hex(text.get_color())
        if luminance(colour) < _LIGHT:
            text.set_color(readable(colour))
