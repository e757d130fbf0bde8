"""Names that a figure has room for: very long ones lose their middle, and stay apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import count

from reseed.rendering.data import ExhibitData, title_of

#: Characters of the name of a model or arm that is drawn whole; a pair's label holds two.
LONGEST_MODEL = 36
#: Of a dataset or an experiment.
LONGEST_PLACE = 48
SAID = "Long names are drawn without their middle (…)."


def with_short_names(data: ExhibitData) -> ExhibitData:
    """The same with short titles of datasets, experiments, models and arms; `data` if all are."""
    named = {kind: data.about.get(kind, {}) for kind in ("datasets", "experiments", "models")}
    arms = [entry.get("arms") or {} for entry in named["experiments"].values()]
    models = [*_names(named["models"]), *(title for of in arms for title in of.values())]
    places = [*_names(named["datasets"]), *_names(named["experiments"])]
    short = _shortened(models, LONGEST_MODEL) | _shortened(places, LONGEST_PLACE)
    if not short:
        return data
    about = data.about | {kind: _retitled(entries, short) for kind, entries in named.items()}
    for entry, of in zip(about["experiments"].values(), arms, strict=True):
        entry["arms"] = {arm: short.get(title, title) for arm, title in of.items()}
    return replace(data, about=about)


def _names(entries: dict[str, dict]) -> list[str]:
    return [title_of(entry, identifier) for identifier, entry in entries.items()]


def _retitled(entries: dict[str, dict], short: dict[str, str]) -> dict[str, dict]:
    """Copies of the entries; what has no long name keeps what it has, a title or none."""
    names = zip(_names(entries), entries.items(), strict=True)
    return {
        identifier: entry | ({"title": short[name]} if name in short else {})
        for name, (identifier, entry) in names
    }


def _shortened(names: Iterable[str], longest: int) -> dict[str, str]:
    """Each name that is too long → a short one, no two alike."""
    found: dict[str, str] = {}
    for name in dict.fromkeys(names):
        if len(name) > longest:
            cuts = (_without_middle(name, longest, number) for number in count(1))
            found[name] = next(cut for cut in cuts if cut not in found.values())
    return found


def _without_middle(name: str, longest: int, number: int) -> str:
    end = f" ({number})" if number > 1 else ""
    keep = longest - 1 - len(end)
    tail = keep // 2
    return f"{name[: keep - tail]}…{name[-tail:]}{end}"
