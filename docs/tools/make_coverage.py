"""Write the table of exhibits into the README of each paper, from its exhibits.csv."""

from __future__ import annotations

import re
from pathlib import Path

from reseed.core.atomic import replace_atomically
from reseed.core.coverage import read_coverage
from reseed.pipeline.runner import run, say

PAPERS = Path(__file__).parents[2] / "scripts" / "papers"
_HEAD = "| exhibit of the paper | "
_TABLE = re.compile(rf"^{re.escape(_HEAD)}.*?(?=\n\n|\Z)", re.DOTALL | re.MULTILINE)


def with_table(page: str, coverage: Path) -> str:
    """The page with the table of a coverage file in place of its table of exhibits."""
    lines = [f"{_HEAD}status | entry of the study | note |", "| --- | --- | --- | --- |"]
    for row in read_coverage(coverage):
        entries = ", ".join(f"`{entry}`" for entry in row.entries)
        lines.append(f"| {row.exhibit} | {row.status} | {entries or '–'} | {row.note or '–'} |")
    return _TABLE.sub(lambda _: "\n".join(lines), page)


def main() -> None:
    """Write the tables."""
    for coverage in sorted(PAPERS.glob("*/exhibits.csv")):
        page = coverage.with_name("README.md")
        text = with_table(page.read_text(encoding="utf-8"), coverage)
        with replace_atomically(page) as temporary:
            Path(temporary).write_text(text, encoding="utf-8")
        say(f"Table of exhibits: {page}")


if __name__ == "__main__":
    run(main)
