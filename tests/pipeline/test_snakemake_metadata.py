"""Files that stand without a record of Snakemake's, or with another project's."""

import shutil

import pytest
from reseed.core.errors import ReseedError
from reseed.pipeline.snakemake_metadata import RECORDS, claim, unrecorded

persistence = pytest.importorskip("snakemake.persistence.file")


def test_a_record_is_found_where_snakemake_puts_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = ["short ü.txt", "/".join(["long" * 40] * 4)]
    snakemake = persistence.FilePersistence(nolock=True)
    for file in files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    assert unrecorded([*files, "is not there"]) == files
    for file in files:
        snakemake._io_write(snakemake._metadata_path, {}, file)
    assert unrecorded(files) == []


def test_a_results_folder_is_one_projects_alone(tmp_path):
    ours, theirs, results = (tmp_path / name for name in ("ours", "theirs", "results"))
    for project in (ours, theirs):
        (project / RECORDS).mkdir(parents=True)
    claim(results, ours, keep=False)
    claim(results, theirs)
    claim(results, theirs)
    for keep in (True, False):
        with pytest.raises(ReseedError, match=r"results folder of the project in .*theirs"):
            claim(results, ours, keep)
    theirs.rename(tmp_path / "moved")
    claim(results, ours)
    with pytest.raises(ReseedError):
        claim(results, tmp_path / "moved")


def test_a_copy_of_a_project_has_the_results_that_are_in_it(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    (one / RECORDS).mkdir(parents=True)
    claim(one / "results", one)
    shutil.copytree(one, two)
    claim(two / "results", two)
    (two / "link").symlink_to(one / "results")
    with pytest.raises(ReseedError):
        claim(two / "link", two)
