"""Job specs as small content-addressed files.

A command line holds the name of such a file alone. So no text of the user reaches a shell, and
Snakemake does not store a spec once for each output of a job.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from reseed.core.content_files import content_path, read_content, write_content
from reseed.core.file_keys import FileKeys
from reseed.core.layout import ResultsLayout
from reseed.core.ownership import read_twice
from reseed.core.source_guard import SourceStamp
from reseed.planning.specs import from_json, to_json

AnySpec = TypeVar("AnySpec")
NO_KEYS = FileKeys()


class SpecFiles:
    """Writes specs to files that are named by their checksums.

    Args:
        layout: paths below the results folder.
        dry: return the path of the file, but do not write it.
    """

    def __init__(self, layout: ResultsLayout, dry: bool = False):
        self.folder, self.dry = Path(layout.specs).resolve(), dry
        self._sources: dict[int, tuple[str, Mapping[str, SourceStamp]]] = {}

    def write(self, spec: Any, keys: FileKeys = NO_KEYS) -> str:
        """Path of the file that holds a spec and the keys of the job's files.

        The file is written unless it holds them already.
        """
        content = {"spec": to_json(spec), "key": keys.own, "reads": dict(keys.reads)}
        return self._write(json.dumps(content, ensure_ascii=False, separators=(",", ":")))

    def write_sources(self, stamps: Mapping[str, SourceStamp]) -> str:
        """Path of the file that holds stamps of source files."""
        if id(stamps) not in self._sources:
            # The stamps are kept too, so that no other object gets their id.
            path = self._write(json.dumps(stamps, sort_keys=True, separators=(",", ":")))
            self._sources[id(stamps)] = (path, stamps)
        return self._sources[id(stamps)][0]

    def _write(self, text: str) -> str:
        path = content_path(self.folder, text)
        if not self.dry:
            write_content(path, text)
        return str(path)


def read_spec(cls: type[AnySpec], path: Path) -> tuple[AnySpec, FileKeys]:
    """The spec in a file, and the keys. Raises Damaged where they are not what was written."""
    text = read_content(path)

    def parse() -> tuple[AnySpec, FileKeys]:
        content = json.loads(text)
        keys = FileKeys(content["key"], content["reads"])
        return from_json(cls, json.dumps(content["spec"])), keys

    return read_twice(path, parse)
