"""The coverage table of each paper names the exhibits and statements of its study."""

import re
from pathlib import Path

import pytest
import yaml
from reseed.core.coverage import read_coverage

ROOT = Path(__file__).parents[2]
STUDIES = {
    path.stem: yaml.safe_load(path.read_text("utf-8"))
    for path in sorted((ROOT / "config" / "studies").glob("*.yaml"))
}
#: Coverage table → its study.
COVERED = {study["coverage"]: study for study in STUDIES.values() if "coverage" in study}


def test_every_paper_has_a_study():
    found = (ROOT / "scripts" / "papers").glob("*/exhibits.csv")
    assert {path.relative_to(ROOT).as_posix() for path in found} == set(COVERED)


@pytest.mark.parametrize("table", COVERED)
def test_table_names_exhibits_and_statements_of_the_study(table):
    study, rows = COVERED[table], read_coverage(ROOT / table)
    assert {entry for row in rows for entry in row.entries} <= set(study["exhibits"])
    stated = {(one["exhibit"], one["text"]) for one in study["statements"].values()}
    assert stated == {(*row.entries, row.note) for row in rows if row.status == "tested"}
    for _, text in stated:
        assert len(text.split()) <= 12, text


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
    assert {Path(table).parent.name for table in COVERED} == set(CAPTIONS)
    table = ROOT / "scripts" / "papers" / paper / "exhibits.csv"
    rows = [row.exhibit for row in read_coverage(table)]
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
    folders = {study["citation"]: Path(table).parent.name for table, study in COVERED.items()}
    texts = {
        word: " ".join(path.read_text("utf-8").split())
        for path in SHARED.iterdir()
        for word in re.split("[-.]", path.name)
    }
    stated = [
        (one, texts[folders[config["citation"]]])
        for config in STUDIES.values()
        for one in config.get("statements", {}).values()
    ]
    assert len(stated) > 40
    for one, text in stated:
        assert one["quote"], one["text"]
        assert one["quote"] in text, one["text"]
        assert one["source"].startswith(("Abstract", "Section", "Table")), one["text"]
