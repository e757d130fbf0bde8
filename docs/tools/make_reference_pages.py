"""Write what docs/findings.md and docs/measured.md say of the reference results."""

import re
from collections.abc import Callable
from pathlib import Path

from reference_evidence import render_references
from reference_tables import render_tables
from reseed.core.atomic import write_text
from reseed.pipeline.runner import run, say

DOCS = Path(__file__).parents[1]
_MADE = re.compile(
    r"(?<=<!-- made by make_reference_pages\.py -->\n).*?(?=<!-- end -->)", re.DOTALL
)
PAGES: dict[str, Callable[[], str]] = {
    "findings.md": render_references,
    "measured.md": render_tables,
}


def fill(page: str) -> str:
    """The text of a page with what the reference results say now."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return _MADE.sub(lambda _: PAGES[page]() + "\n", text)


def main() -> None:
    """Write the pages."""
    for page in PAGES:
        write_text(DOCS / page, fill(page))
        say(f"Reference results: {DOCS / page}")


if __name__ == "__main__":
    run(main)
