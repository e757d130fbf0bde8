"""docs/newcomer.md shows the steps of tests/wheel/newcomer.py."""

import runpy
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_has_every_step():
    """`make newcomer` runs the steps from a wheel, and writes the page."""
    newcomer = runpy.run_path(str(ROOT / "tests/wheel/newcomer.py"))
    page = (ROOT / "docs/newcomer.md").read_text(encoding="utf-8")
    for number, step in enumerate(newcomer["list_steps"](), 1):
        head = newcomer["show_step"](number, step, "", 0.0).partition("Exit status")[0]
        assert head in page, f"{step.title}: run `make newcomer`"
