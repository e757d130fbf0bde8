"""Names and paths of the command line are checked before any file is touched."""

import sys

import pandas as pd
import pytest
from reseed import cli
from reseed.core.errors import ReseedError
from reseed.planning.project import load_project
from toy_project import ENTRIES, load_toy_project

RESERVED = ("report", "index", "reference", "verify", "all")


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A project among files of others; returns its folder, which is the current one."""
    project = tmp_path / "project"
    load_toy_project(project)
    (project / "config" / "config.yaml").write_text("scale: smoke\n")
    rows = {"model": list("ab") * 9, "seed": [n // 2 for n in range(18)], "auc": range(18)}
    for path in (
        tmp_path / "victim.yaml",
        tmp_path / "victim.csv",
        project / "notes.md",
        project / "costs.csv",
        project / "config" / "studies" / "mine.txt",
        project / "results" / "store" / "thesis.pdf",
        project / "results" / "reference" / "first" / "evidence.json",
        project / "documents" / "letter.txt",
        project / "documents" / "data" / "toy" / "meta.json",
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine")
    (project / "runs").mkdir()
    pd.DataFrame(rows).to_csv(project / "runs" / "a.csv", index=False)
    (project / "link").symlink_to(tmp_path / "victim.yaml")
    (project / "runs_link").symlink_to(project / "runs")
    monkeypatch.chdir(project)
    return project


def contents(folder):
    paths = (path for path in folder.parent.rglob("*") if path.is_file())
    return {path: path.read_bytes() for path in paths}


def refuse(*arguments):
    with pytest.raises(SystemExit) as end:
        cli.main([str(one) for one in arguments])
    assert end.value.code != 0
    return str(end.value.code)


PATHS = ("{victim}", "../victim", "../../victim.yaml", "link", "a/b", ".", "..", "documents",
         "config", "results/reference", "results/store")  # fmt: skip
NAMES = (*PATHS[:7], "", *RESERVED)
GATE = ("gate", "--margin", "1", "--metric", "auc")
#: Commands, and what takes the place of a name; the first ones must refuse all of them.
COMMANDS = [
    (("verify", "{}"), NAMES, True),
    (("verify", "{}", "--delete", "--yes"), NAMES, True),
    (("verify", "--results", "{}", "--delete", "--yes"), PATHS, True),
    (("prune", "--results", "{}", "--yes", "--seeds"), PATHS, True),
    (("init", "{}", "--results", "runs/a.csv"), NAMES, True),
    (("init", "{}", "--data", "runs/a.csv", "--target", "model"), NAMES, True),
    (("init", "mine", "--results", "{}"), PATHS, True),
    (("reference", "{}"), NAMES, True),
    (("reference", "{}", "--replace"), NAMES, True),
    (("reference", "--results", "{}"), PATHS, False),
    (("cost", "--scale", "{}"), PATHS, True),
    (("compare", "{}"), PATHS, True),
    (("read", "{}"), PATHS, True),
    ((*GATE, "{}", "--baseline", "runs/a.csv"), PATHS, True),
    ((*GATE, "runs/a.csv", "--baseline", "{}"), PATHS, True),
]


@pytest.mark.parametrize(
    ("command", "names", "refuses"), COMMANDS, ids=[" ".join(one[0]) for one in COMMANDS]
)
def test_no_command_touches_the_files_of_others(tree, command, names, refuses):
    """Whatever path or reserved name it is given, as a name or in the place of a folder."""
    (tree / "config" / "studies" / "link.yaml").symlink_to(tree.parent / "new.yaml")
    before = contents(tree)
    for name in names:
        given = name.format(victim=tree.parent / "victim")
        status = 0
        try:
            cli.main([one.replace("{}", given) for one in command])
        except SystemExit as end:
            status = end.code
        after = contents(tree)
        assert {path: after.get(path) for path in before} == before, name
        own = tree / "results" / "plan"
        assert all(path.is_relative_to(own) for path in after.keys() - before.keys()), name
        assert status or not refuses, name


@pytest.mark.parametrize("name", RESERVED)
def test_a_study_with_a_reserved_name_is_refused(tree, name):
    study = ENTRIES["studies/first"] | {"name": name}
    with pytest.raises(ReseedError, match="is the name of a rule or page of the pipeline"):
        load_toy_project(tree, {f"studies/{name}": study})


@pytest.mark.parametrize("name", ["../first", "/tmp/first", "a/b", "..", "first\n"])
def test_a_study_whose_name_is_a_path_is_refused(tree, name):
    (tree / "config/studies/first.yaml").write_text(f"name: {name!r}\ntitle: x\n")
    with pytest.raises(ReseedError, match="name"):
        load_project(tree / "config", {})


@pytest.mark.parametrize("output", ["--csv", "--html", "--latex", "--figure"])
@pytest.mark.parametrize("name", ["runs/a.csv", "runs/new.csv", "runs/../runs_link/a.csv", "hard"])
def test_an_output_inside_the_input_is_refused(tree, output, name):
    (tree / "hard").hardlink_to(tree / "runs/a.csv")
    before = contents(tree)
    source = "runs/a.csv" if name == "hard" else "runs_link"
    assert "is read as input" in refuse("compare", source, output, name)
    assert contents(tree) == before


@pytest.mark.parametrize(("source", "folder"), [("runs", "runs/out"), ("runs/a.csv", "runs")])
def test_a_folder_of_outputs_around_the_input_is_refused(tree, source, folder):
    before = contents(tree)
    refuse("compare", source, "--folder", folder)
    assert contents(tree) == before


def test_costs_overwrite_no_table_of_another_kind(tree):
    """`cost --output costs.md` writes a table of models to costs.csv."""
    before = contents(tree)
    (tree / "toy.csv").write_text("y,a\nyes,1\nno,2\n")
    assert "costs.csv" in refuse("cost", "--scale", "smoke", "--output", "costs.md")
    assert {path: contents(tree)[path] for path in before} == before


def test_a_package_that_a_command_needs_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "reseed.jobs.verify", None)
    with pytest.raises(SystemExit, match=r"`reseed verify` needs the package .*\.\[workflow\]"):
        cli.main(["verify"])
