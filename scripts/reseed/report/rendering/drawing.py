"""Draw an exhibit."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

from reseed.core.atomic import replace_atomically
from reseed.core.file_keys import current_keys, use_keys
from reseed.core.layout import ResultsLayout, StudyLayout
from reseed.core.source_guard import SourceGuard
from reseed.planning.specs import DrawSpec, ExhibitSpec
from reseed.plugins.kinds import find_kind
from reseed.report.rendering.data import read_exhibit_data
from reseed.report.rendering.report_captions import write_caption
from reseed.report.rendering.run import make_figure, make_table


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


def make_exhibit(spec: DrawSpec) -> None:
    """Make the files of an exhibit, each in one step; one that fails leaves no file."""
    exhibit = spec.exhibit
    study = ResultsLayout(spec.results).study(spec.study)
    stem = Path(study.exhibit(exhibit.name, exhibit.is_table))
    with tempfile.TemporaryDirectory() as folder:
        draw_exhibit(exhibit, study, Path(folder, stem.name))
        SourceGuard.read(exhibit.sources).refuse_edits()
        for suffix in exhibit.suffixes:
            name = stem.name + suffix
            with replace_atomically(stem.with_name(name)) as temporary:
                shutil.copyfile(Path(folder, name), temporary)
