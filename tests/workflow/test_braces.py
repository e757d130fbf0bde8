"""Braces, which Snakemake takes for wildcards, in titles, file names and folders."""

import pytest
from fault_harness.workspace import FOREST, TABLE, Workspace

pytestmark = pytest.mark.workflow


def test_folder_with_braces_is_refused(tmp_path):
    project = Workspace(tmp_path / "br{ace}s").write_study({"forest": FOREST})
    text = project.run("-n", fails=True)
    assert "br{ace}s: the path of the folder contains braces" in text
    assert "Rename the folder." in text
    assert not (project.folder / "results").exists()


def test_braces_in_texts_and_paths_of_data_are_plain_text(project):
    folder = project.folder
    (folder / "table.csv").rename(folder / "ta{b}le {0} {{x}}.csv")
    table = {"sources": [{"kind": "file", "path": "ta{b}le {0} {{x}}.csv"}], "title": "Table {t}"}
    project.write("datasets/table", TABLE | table)
    model = {"title": r"Forest $\hat{\alpha}$ {n}"}
    project.write("models/forest", FOREST | model)
    exhibits = {
        name: exhibit | {"title": r"Scores $\hat{\alpha}$ {name}", "caption": "Of {all} seeds."}
        for name, exhibit in project.study["exhibits"].items()
    }
    project.change(title=r"Noise of $\hat{\alpha}$ {x}", question="Why {y}?", exhibits=exhibits)
    text = project.run()
    assert "train Forest $\\hat{\\alpha}$ {n}" in text
    page = (folder / "results" / "report" / "small.html").read_text()
    assert r"Noise of $\hat{\alpha}$ {x}" in page
    assert not project.planned()
    report = project.run("--report", "report.html")
    assert "Error" not in report
    (folder / "ta{b}le {0} {{x}}.csv").write_text(
        (folder / "ta{b}le {0} {{x}}.csv").read_text() + "1,1,1,yes\n"
    )
    assert project.planned()
