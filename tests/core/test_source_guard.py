"""Stamps of source files, and the check that no file was edited after planning."""

import os
from pathlib import Path

import pytest
from reseed.core.errors import Damaged, ReseedError
from reseed.core.layout import ResultsLayout
from reseed.core.module_finder import SCRIPTS
from reseed.core.source_guard import SourceGuard, stamp_sources
from reseed.pipeline.data_files import DataFiles
from reseed.pipeline.spec_files import SpecFiles


@pytest.fixture
def guarded(tmp_path):
    """Return the files of a key and a guard of them."""
    (tmp_path / "watched.py").write_text("import numpy\nfrom imported_by_watched import X\n")
    (tmp_path / "imported_by_watched.py").write_text("X = 1\n")
    (tmp_path / "settings.json").write_text("{}")
    stamps = stamp_sources(("watched", "reseed.models.forest"), ("settings.json",), tmp_path)
    return tmp_path, stamps, SourceGuard(stamps)


def test_file_stats_cover_user_files_and_the_library(guarded):
    folder, stamps, _ = guarded
    names = {"watched.py", "imported_by_watched.py", "settings.json"}
    assert {path for path in stamps if path.startswith(str(folder))} == {
        str(folder / name) for name in names
    }
    assert str(SCRIPTS / "reseed" / "models" / "forest.py") in stamps
    assert not [path for path in stamps if "site-packages" in path]


def test_file_edited_after_planning_is_refused(guarded):
    folder, _, guard = guarded
    guard.refuse_edits()
    (folder / "imported_by_watched.py").write_text("X = 1  # one\n")
    guard.refuse_edits()
    for name, text in (("imported_by_watched.py", "X = 2\n"), ("settings.json", "[]")):
        before = (folder / name).read_text()
        (folder / name).write_text(text)
        with pytest.raises(ReseedError, match=f"{name}: was edited after the run was planned"):
            guard.refuse_edits()
        (folder / name).write_text(before)
        guard.refuse_edits()
    (folder / "watched.py").unlink()
    with pytest.raises(ReseedError, match=r"watched\.py: was edited"):
        guard.refuse_edits()


def test_file_stats_are_read_from_their_file(guarded):
    folder, stamps, _ = guarded
    path = Path(SpecFiles(ResultsLayout(str(folder))).write_sources(stamps))
    assert SourceGuard.read(path).stamps == stamps
    whole = path.read_text()
    for text in ("{", "", whole.replace("watched.py", "watchad.py")):
        path.write_text(text)
        with pytest.raises(Damaged, match="does not match its name"):
            SourceGuard.read(path)
    path.unlink()
    with pytest.raises(Damaged):
        SourceGuard.read(path)


@pytest.mark.parametrize("checked", [True, False])
def test_data_swapped_while_a_job_reads_them_are_refused(tmp_path, checked):
    """Also if the first bytes and times are back when the job ends."""
    path = tmp_path / "table.csv"
    path.write_text("a\n1\n")
    status, stamps = path.stat(), DataFiles().stamp([str(path)])
    if not checked:  # a large file, of which no hash is known
        stamps = {name: stamp._replace(content="") for name, stamp in stamps.items()}
    guard = SourceGuard(stamps)
    guard.refuse_edits()
    for text in ("a\n2\n", "a\n1\n"):
        path.write_text(text)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    with pytest.raises(ReseedError, match=r"table\.csv: was edited after the run was planned"):
        guard.refuse_edits()
    if checked:  # before a job reads them, equal bytes are enough
        SourceGuard(stamps).refuse_edits()
