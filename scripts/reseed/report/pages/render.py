"""Fills the templates of pages. A page is one file that embeds pictures, styles and one script."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

TEMPLATES = Path(__file__).parent / "templates"


def build_page(
    template: str, filters: Mapping[str, Callable[..., Any]] | None = None, **given: object
) -> str:
    """A page of `templates` as HTML text, with non-breaking blanks before per cent signs.

    filters: further functions that the template calls as filters. given: what it shows.
    """
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "ensure_ascii": False}
    environment.filters |= {
        "code": lambda text: re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text, quote=False)),
        "unbroken": lambda text: re.sub(r"(?<=\d) (?=[^\W\d])", "\u00a0", text),
        **(filters or {}),
    }
    page = environment.get_template(template).render(**given)
    return re.sub(r" %(?<=\d %)", "\u00a0%", page)  # fast, as it starts with a text
