"""The README of each paper names the exhibits and kinds of its study."""

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PAPERS = sorted((ROOT / "scripts" / "papers").glob("*/README.md"))


@pytest.mark.parametrize("page", PAPERS, ids=lambda page: page.parent.name)
def test_page_names_existing_exhibits_and_every_kind(page):
    text = page.read_text(encoding="utf-8")
    study = page.parent / re.search(r"\]\((.*config/studies/.*?)\)", text)[1]
    config = study.read_text(encoding="utf-8")
    rows = [line.split("|") for line in text.splitlines() if line.startswith("| ")][2:]
    entries = {name for row in rows for name in re.findall(r"`(\w+)`", row[2])}
    assert entries <= set(yaml.safe_load(config)["exhibits"])
    modules = set(re.findall(rf"papers\.{page.parent.name}\.(\w+):", config))
    assert modules <= set(re.findall(r"`(\w+)`", text))
