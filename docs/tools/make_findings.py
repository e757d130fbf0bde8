"""Write docs/findings.md from the records in docs/findings."""

from pathlib import Path

from findings import render_page
from reseed.core.atomic import replace_atomically
from reseed.pipeline.runner import run, say

DOCS = Path(__file__).parents[1]


def main() -> None:
    """Write the page."""
    with replace_atomically(DOCS / "findings.md") as temporary:
        Path(temporary).write_text(render_page(DOCS / "findings"), encoding="utf-8")
    say(f"Findings: {DOCS / 'findings.md'}")


if __name__ == "__main__":
    run(main)
