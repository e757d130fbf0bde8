"""Spec files are named by their content and verified when they are read."""

from dataclasses import replace
from pathlib import Path

import pytest
from reseed.config.datasets import Dataset
from reseed.core.errors import Damaged
from reseed.core.file_keys import FileKeys
from reseed.core.layout import ResultsLayout
from reseed.pipeline.spec_files import SpecFiles, read_spec
from reseed.planning.specs import DataSpec, ExportSpec

SPEC = DataSpec("results", "toy", Dataset(name="toy", title="Tö{y}", task="binary", target="y"))


@pytest.fixture
def files(tmp_path):
    return SpecFiles(ResultsLayout(str(tmp_path)))


def test_spec_is_read_as_the_class_that_wrote_it(files):
    keys = FileKeys("own", {"/results/metrics.parquet": "other"})
    assert read_spec(DataSpec, Path(files.write(SPEC, keys))) == (SPEC, keys)
    assert read_spec(DataSpec, Path(files.write(SPEC))) == (SPEC, FileKeys())


def test_path_depends_on_the_content_alone(files, tmp_path, monkeypatch):
    path = Path(files.write(SPEC))
    written = path.stat().st_mtime_ns
    assert files.write(replace(SPEC)) == str(path)
    assert path.stat().st_mtime_ns == written
    assert files.write(replace(SPEC, identifier="other")) != str(path)
    monkeypatch.chdir(tmp_path)
    assert SpecFiles(ResultsLayout(".")).write(SPEC) == str(path)


def test_damaged_file_is_written_again(files):
    path = Path(files.write(SPEC))
    whole = path.read_text()
    path.write_text(whole[:-1])
    assert files.write(SPEC) == str(path)
    assert path.read_text() == whole


def test_dry_run_writes_nothing(files, tmp_path):
    dry = SpecFiles(ResultsLayout(str(tmp_path)), dry=True).write(SPEC)
    assert list(tmp_path.iterdir()) == []
    assert files.write(SPEC) == dry


@pytest.mark.parametrize("text", ["", "{}", "[", '{"results": "other"}'])
def test_altered_file_is_damaged_and_not_deleted(files, text):
    path = Path(files.write(SPEC))
    path.write_text(text)
    with pytest.raises(Damaged, match="does not match its name") as caught:
        read_spec(DataSpec, path)
    assert caught.value.files == (path,)
    assert path.exists()


def test_file_of_another_class_is_damaged(files):
    path = Path(files.write(SPEC))
    with pytest.raises(Damaged, match="cannot be read"):
        read_spec(ExportSpec, path)


def test_missing_file_is_damaged(tmp_path):
    with pytest.raises(Damaged, match=r"ab/cd\.json: is missing"):
        read_spec(DataSpec, tmp_path / "ab" / "cd.json")
