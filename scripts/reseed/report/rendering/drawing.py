"""Draw an exhibit, or link the one that the cache holds."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from dataclasses import replace
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path

from reseed.core.code_hash import digest
from reseed.core.file_keys import current_keys, use_keys
from reseed.core.layout import ResultsLayout, StudyLayout
from reseed.core.source_guard import SourceGuard
from reseed.planning.specs import DrawSpec, ExhibitSpec
from reseed.plugins.kinds import find_kind
from reseed.report.rendering.data import read_exhibit_data
from reseed.report.rendering.report_captions import write_caption
from reseed.report.rendering.run import make_figure, make_table
from reseed.trials.entries import add_entry, entry_path, link_entry

# Libraries that decide what a figure or a table looks like.
LIBRARIES = ("matplotlib", "numpy", "pandas", "pillow", "scipy")


@cache
def _hash_file(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def compute_key(exhibit: ExhibitSpec) -> str:
    """Hash of all that decides an exhibit's files: code, settings, libraries and input bytes."""
    inputs = [(Path(path).name, _hash_file(Path(path))) for path in exhibit.inputs]
    versions = [version(name) for name in LIBRARIES]
    return digest(exhibit.key, exhibit.name, exhibit.is_table, inputs, versions)


def draw_exhibit(exhibit: ExhibitSpec, study: StudyLayout, stem: Path) -> None:
    """Draw one exhibit and write every format of it. stem: path of its files without suffix."""
    with use_keys(replace(current_keys(), own=exhibit.key)):
        _draw(exhibit, study, stem)


def _draw(exhibit: ExhibitSpec, study: StudyLayout, stem: Path) -> None:
    kind, data = find_kind("exhibits", exhibit.kind), read_exhibit_data(study, exhibit)
    if exhibit.is_table:
        from reseed.report.rendering.table_files import write_table

        write_table(make_table(kind, data, exhibit.options), stem)
    else:
        from reseed.report.rendering.figures import write_figure

        write_figure(*make_figure(kind, data, exhibit.options), data, stem)
    write_caption(stem)


def make_exhibit(spec: DrawSpec) -> str:
    """Make the files of an exhibit: links to the cache, or drawn. Returns what was done."""
    exhibit, layout = spec.exhibit, ResultsLayout(spec.results)
    study = layout.study(spec.study)
    key, stem = compute_key(exhibit), Path(study.exhibit(exhibit.name, exhibit.is_table))
    entries = {suffix: entry_path(layout.cache, key, suffix) for suffix in exhibit.suffixes}
    is_cached = all(path.exists() for path in entries.values())
    if not is_cached:
        with tempfile.TemporaryDirectory() as folder:
            draw_exhibit(exhibit, study, Path(folder, stem.name))
            SourceGuard.read(exhibit.sources).refuse_edits()
            for suffix, entry in entries.items():
                drawn = Path(folder, stem.name + suffix)
                add_entry(entry, partial(shutil.copyfile, drawn))
    for suffix, entry in entries.items():
        link_entry(entry, stem.with_name(stem.name + suffix))
    return "linked" if is_cached else "drawn"
