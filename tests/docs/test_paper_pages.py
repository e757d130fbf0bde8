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


def numbered(kind: str, *numbers: str | range) -> list[str]:
    """`Table 1`, `Table 2` …: the captions of a paper."""
    found = [name for one in numbers for name in ([one] if isinstance(one, str) else one)]
    return [f"{kind} {name}" for name in found]


#: Captions of the tables and figures of each paper, in its own numbering.
CAPTIONS = {
    "raste": numbered("Table", range(1, 6)) + numbered("Figure", range(1, 5)),
    "picard": numbered("Table", range(1, 3)) + numbered("Figure", range(1, 7)),
    "banerjee": numbered("Table", "I", "II", "III", "IV", "V") + numbered("Figure", range(1, 17)),
    "protocol": numbered("Table", range(1, 4)),
    "ir": numbered("Table", range(1, 8)) + numbered("Figure", "1"),
}


@pytest.mark.parametrize("paper", CAPTIONS)
def test_every_table_and_figure_of_a_paper_has_one_row(paper):
    assert {page.parent.name for page in PAPERS} == set(CAPTIONS)
    rows = [row.exhibit for row in read_coverage(PAPERS[0].parents[1] / paper / "exhibits.csv")]
    found = [
        name for row in rows for name in re.findall(r"^(?:Table|Figure) (?:\d+|[IVX]+)\b", row)
    ]
    halves = {name for name in found if found.count(name) > 1}
    assert sorted(set(found)) == sorted(CAPTIONS[paper])
    for name in halves:  # one row for each half of a figure
        parts = [row for row in rows if row.startswith(f"{name},")]
        assert len(parts) == len({row.split(",")[1] for row in parts})


SHARED = Path(__file__).parents[3] / "shared" / "papers"


@pytest.mark.skipif(not SHARED.is_dir(), reason="the papers' texts are not here")
def test_quotes_are_the_papers_own_words():
    texts = [" ".join(path.read_text("utf-8").split()) for path in SHARED.iterdir()]
    studies = (ROOT / "config" / "studies").glob("*.yaml")
    found = 0
    for study in studies:
        stated = yaml.safe_load(study.read_text("utf-8")).get("statements", {})
        for name, one in stated.items():
            found += 1
            assert any(one["quote"] in text for text in texts), (study.stem, name)
    assert found > 40


@pytest.mark.parametrize("page", PAPERS, ids=lambda page: page.parent.name)
def test_every_statement_of_the_study_is_a_tested_claim(page):
    coverage = page.with_name("exhibits.csv")
    if not coverage.exists():
        return
    study = page.parent / re.search(r"\]\((.*config/studies/.*?)\)", page.read_text("utf-8"))[1]
    statements = yaml.safe_load(study.read_text(encoding="utf-8"))["statements"]
    stated = {(one["exhibit"], one["text"]) for one in statements.values()}
    rows = read_coverage(coverage)
    assert stated == {(*row.entries, row.note) for row in rows if row.status == "tested"}
    for _, text in stated:
        assert len(text.split()) <= 12, text
