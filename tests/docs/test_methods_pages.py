"""The examples of each page of methods run."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
INDEX = ROOT / "docs" / "methods" / "index.md"
PAGES = sorted(page for page in INDEX.parent.glob("*.md") if page != INDEX)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_run_as_printed(page, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    codes = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert codes
    for code in codes:
        exec(compile(code, page.name, "exec"), {"__name__": "example"})
    assert capsys.readouterr().out.strip()
