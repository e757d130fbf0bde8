"""The files of a source: those that are given, and those in folders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from reseed.core.errors import ReseedError
from reseed.readers.files import JSON_SUFFIXES, TABLE_SUFFIXES, require_file
from reseed.readers.foreign_files import list_files, load_json, name_file
from reseed.readers.options import ReadOptions


@dataclass(frozen=True)
class FileSet:
    """Paths that a user gives, and what is said of them."""

    paths: list[Path]
    options: ReadOptions

    @cached_property
    def given(self) -> list[Path]:
        """The paths that are no folders."""
        return [path for path in self.paths if not path.is_dir()]

    @cached_property
    def in_folders(self) -> list[Path]:
        """The files in the folders among the paths."""
        return [file for folder in self.paths if folder.is_dir() for file in list_files(folder)]

    @cached_property
    def left_out(self) -> list[Path]:
        """Text files next to tables."""
        texts = [path for path in self._tables if path.suffix.lower() == ".txt"]
        return texts if len(texts) < len(self._tables) else []

    @cached_property
    def results(self) -> list[Path]:
        """The files that hold results: those given; in folders JSON named so, else tables."""
        json_files = [path for path in self.in_folders if path.suffix.lower() == ".json"]
        named = [path for path in json_files if path.name.startswith("result")]
        tables = [path for path in self._tables if path not in self.left_out]
        files = [*self.given, *(named or tables or json_files)]
        if not files:
            raise ReseedError(
                f"{self.paths[0]}: holds no table ({', '.join(TABLE_SUFFIXES)}), no JSON and no "
                "TensorBoard event file."
            )
        return files

    @cached_property
    def contents(self) -> Mapping[Path, object]:
        """The content of the results, if all are JSON or the user says so; else empty."""
        is_json = all(path.suffix.lower() in JSON_SUFFIXES for path in self.results)
        contents: dict[Path, object] = {}
        for path in self.results if is_json or self.options.format == "lm_eval" else ():
            require_file(path)
            with name_file(path, "JSON", "Set `format`, or repair the file."):
                contents[path] = load_json(path)
        return contents

    @property
    def _tables(self) -> list[Path]:
        return [path for path in self.in_folders if path.suffix.lower() in TABLE_SUFFIXES]
