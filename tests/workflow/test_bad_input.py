"""Bad input gives one error that names the file, the field and the fix."""

import shutil

import numpy as np
import pandas as pd
import pytest

pytestmark = pytest.mark.workflow

FILE = {"kind": "file", "path": "table.csv"}


def rows(**changes) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    return frame.assign(y=np.where(np.arange(60) % 2, "yes", "no")).assign(**changes)


def test_error_in_a_study(project):
    project.write("studies/small", project.study | {"models": ["forrest"]})
    text = project.run(fails=True)
    assert "unknown model 'forrest'" in text
    assert "config/studies/small.yaml" in text
    assert "Traceback" not in text


def test_a_bad_study_does_not_stop_the_others(finished):
    project = finished
    shutil.rmtree(project.results / "report")
    project.write("studies/other", project.study | {"name": "other", "titel": "x"})
    copied = project.study | {"experiments": {"two": {"arms": {}}}}
    project.write("studies/copied", copied)
    project.run("small")
    index = project.results / "report" / "index.html"  # a list, to which the page links
    assert index.read_text().endswith('<li><a href="small.html">A small study</a></li>\n</ul>')
    assert "FAILED other, whose file has errors" in project.run("other", fails=True)
    for arguments in ((), ("-n",), ("small",)):
        text = project.run(*arguments, fails=not arguments)
        last = text[text.index("Left out, because of errors: copied, other.") :]
        assert "config/studies/copied.yaml" in last
        assert "titel: unknown field" in last
    assert not index.read_text().endswith("</ul>")


def test_study_name_among_configuration_values_is_refused(project):
    text = project.run("--config", "scale=smoke", "small", fails=True)
    assert "name=value pairs" in text
    assert "'small'" in text


def test_error_in_the_data(project):
    project.table(rows(y="yes"))
    text = project.run(fails=True)
    message = next(line for line in text.splitlines() if line.strip().startswith("Error: "))
    assert "config/datasets/table.yaml" in message
    assert "has one class only ('yes')" in " ".join(text.split())
    assert "Traceback" not in text


def test_missing_data_file(project):
    project.table(rows(), sources=[FILE | {"path": "absent.csv"}])
    text = project.run(fails=True)
    assert "config/datasets/table.yaml: sources: there is no file absent.csv" in text


def test_a_results_folder_that_cannot_be_written(project):
    (project.folder / "file").write_text("")
    text = project.run("--config", "results=file/results", fails=True)
    assert "cannot be written to" in text
    assert "--config results=" in text


@pytest.mark.parametrize(
    ("results", "why"),
    [
        ("{project}/..", "is the project's folder or contains it"),
        ("results/../..", "is outside the project's folder"),
        ("{other}", "contains 'thesis.tex', which is no result of Reseed"),
    ],
)
def test_results_folder_with_other_content_is_refused(project, tmp_path_factory, results, why):
    other = tmp_path_factory.mktemp("other")
    (other / "thesis.tex").touch()
    before = sorted(project.folder.rglob("*"))
    given = results.format(project=project.folder, other=other)
    text = " ".join(project.run("-n", "--config", f"results={given}", fails=True).split())
    assert f"config/config.yaml: results: {given!r} {why}. Name a folder of its own" in text
    assert text.count("results: ") == 1
    assert "Traceback" not in text
    ignored = {".snakemake", "__pycache__"}
    after = [path for path in project.folder.rglob("*") if not ignored & set(path.parts)]
    assert sorted(after) == [path for path in before if not ignored & set(path.parts)]
    assert [path.name for path in other.iterdir()] == ["thesis.tex"]


def test_results_folder_on_a_scratch_disk_is_accepted(project, tmp_path_factory):
    scratch = tmp_path_factory.mktemp("scratch")
    (project.folder / "linked").symlink_to(scratch / "linked")
    (scratch / "linked").mkdir()
    for results in (scratch / "new" / "results", scratch / "linked", "linked", "sub/results/"):
        text = project.run("-n", "--config", f"results={results}")
        assert "config/config.yaml" not in text, "no error of the configuration"
