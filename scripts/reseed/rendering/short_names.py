"""Names that a figure has room for: very long ones lose their middle, and stay apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import count

from reseed.rendering.data import ExhibitData, Titled, title_of

#: Characters of the name of a model or arm that is drawn whole; a pair's label holds two.
LONGEST_MODEL = 36
#: Of a dataset or an experiment.
LONGEST_PLACE = 48
SAID = "Long names are drawn without their middle (…)."


def with_short_names(data: ExhibitData) -> ExhibitData:
    """The same with short titles of datasets, experiments, models and arms; `data` if all are."""
    info = data.info
    arms = (title for entry in info.experiments.values() for title in entry.arms.values())
    models = [*_names(info.models), *arms]
    places = [*_names(info.datasets), *_names(info.experiments)]
    short = _shortened(models, LONGEST_MODEL) | _shortened(places, LONGEST_PLACE)
    if not short:
        return data
    experiments = {
        name: entry.model_copy(
            update={"arms": {arm: short.get(title, title) for arm, title in entry.arms.items()}}
        )
        for name, entry in _retitled(info.experiments, short).items()
    }
    changes = {
        "datasets": _retitled(info.datasets, short),
        "models": _retitled(info.models, short),
        "experiments": experiments,
    }
    return replace(data, info=info.model_copy(update=changes))


def _names(entries: Mapping[str, Titled]) -> list[str]:
    return [title_of(entry, identifier) for identifier, entry in entries.items()]


def _retitled(entries: Mapping[str, Titled], short: dict[str, str]) -> dict[str, Titled]:
    """Copies of the entries; what has no long name keeps what it has, a title or none."""
    names = zip(_names(entries), entries.items(), strict=True)
    return {
        identifier: entry.model_copy(update={"title": short[name]}) if name in short else entry
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
