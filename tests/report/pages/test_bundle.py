"""The archive of a study: its files, statements and citations, and equal bytes for equal input."""

import json
import zipfile

from reseed.core.study_info import DatasetInfo, StudyInfo
from reseed.report.pages.bundle import write_bundle
from reseed.report.pages.studies import Exhibit, StudyReport
from reseed.report.rendering.sidecar import Sidecar


def exhibit(name, form, empty=""):
    sidecar = Sidecar(form, f"Title of {name}", empty=empty)
    return Exhibit(name, sidecar, "")


def write(folder, archive):
    for name in ("figures/a.pdf", "figures/a.csv", "figures/a.png", "tables/b.tex", "tables/b.csv"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"content of {name}")
    info = StudyInfo(
        title="Paper", scale="demo", citation="A. Author. 2024.", commits=["abc"],
        datasets={"magic": DatasetInfo(metric="auc", greater_is_better=True, citation="B. 2004.",
                                       title="MAGIC")},
    )  # fmt: skip
    exhibits = [exhibit("a", "figure"), exhibit("b", "table"), exhibit("c", "table", "no runs")]
    study = StudyReport("paper", info, exhibits, evidence=[{"name": "higher"}])
    write_bundle(study, folder, archive)


def test_archive_holds_files_statements_and_citations(tmp_path):
    write(tmp_path, tmp_path / "paper.zip")
    with zipfile.ZipFile(tmp_path / "paper.zip") as archive:
        files = {name: archive.read(name).decode() for name in archive.namelist()}
    names = {"figures/a.pdf", "figures/a.csv", "tables/b.tex", "tables/b.csv"}
    assert set(files) == names | {"statements.json", "citation.txt"}
    assert files["tables/b.tex"] == "content of tables/b.tex"
    assert json.loads(files["statements.json"])["statements"] == [{"name": "higher"}]
    for text in ("A. Author. 2024.", "MAGIC: B. 2004.", "commit abc"):
        assert text in files["citation.txt"]


def test_equal_files_give_equal_bytes(tmp_path):
    for name in ("one", "two"):
        write(tmp_path / name, tmp_path / f"{name}.zip")
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
