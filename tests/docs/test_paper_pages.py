"""The README of each paper names the exhibits and kinds of its study."""

import re
from pathlib import Path

import pytest
import yaml
from make_coverage import with_table
from reseed.core.coverage import read_coverage

ROOT = Path(__file__).parents[2]
PAPERS = sorted((ROOT / "scripts" / "papers").glob("*/README.md"))


@pytest.mark.parametrize("page", PAPERS, ids=lambda page: page.parent.name)
def test_page_names_existing_exhibits_and_every_kind(page):
    text = page.read_text(encoding="utf-8")
    study = page.parent / re.search(r"\]\((.*config/studies/.*?)\)", text)[1]
    config = study.read_text(encoding="utf-8")
    rows = [line.split("|") for line in text.splitlines() if line.startswith("| ")][2:]
    entries = {name for row in rows for name in re.findall(r"`(\w+)`", row[-3])}
    assert entries <= set(yaml.safe_load(config)["exhibits"])
    modules = set(re.findall(rf"papers\.{page.parent.name}\.(\w+):", config))
    assert modules <= set(re.findall(r"`(\w+)`", text))


@pytest.mark.parametrize(
    "page",
    [page for page in PAPERS if page.with_name("exhibits.csv").exists()],
    ids=lambda page: page.parent.name,
)
def test_table_of_exhibits_is_that_of_the_coverage_file(page):
    coverage, text = page.with_name("exhibits.csv"), page.read_text(encoding="utf-8")
    assert with_table(text, coverage) == text
    assert f"| {read_coverage(coverage)[0].exhibit} |" in text
    study = page.parent / re.search(r"\]\((.*config/studies/.*?)\)", text)[1]
    config = yaml.safe_load(study.read_text(encoding="utf-8"))
    assert config["coverage"] == coverage.relative_to(ROOT).as_posix()
    entries = {entry for row in read_coverage(coverage) for entry in row.entries}
    assert entries <= set(config["exhibits"])
