"""Short names for figures: long names lose their middle and remain distinct."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import count
from typing import TypeVar

from reseed.core.study_info import DatasetInfo, ExperimentInfo, ModelInfo
from reseed.report.rendering.data import ExhibitData, Titled, title_of

Entry = TypeVar("Entry", DatasetInfo, ModelInfo, ExperimentInfo)

#: Most characters of the name of a model or arm; the label of a pair holds two.
LONGEST_MODEL = 36
#: Most characters of the name of a dataset or an experiment.
LONGEST_PLACE = 48
SAID = "Long names are drawn without their middle (…)."


def with_short_names(data: ExhibitData) -> ExhibitData:
    """The data with short titles; `data` itself if all titles are short."""
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


def _retitled(entries: Mapping[str, Entry], short: dict[str, str]) -> dict[str, Entry]:
    """Entries with short titles in place of the long ones."""
    names = zip(_names(entries), entries.items(), strict=True)
    return {
        identifier: entry.model_copy(update={"title": short[name]}) if name in short else entry
        for name, (identifier, entry) in names
    }


def _shortened(names: Iterable[str], longest: int) -> dict[str, str]:
    """Each name that is too long → a distinct short name."""
    short: dict[str, str] = {}
    for name in dict.fromkeys(names):
        if len(name) > longest:
            cuts = (_without_middle(name, longest, number) for number in count(1))
            short[name] = next(cut for cut in cuts if cut not in short.values())
    return short


def _without_middle(name: str, longest: int, number: int) -> str:
    end = f" ({number})" if number > 1 else ""
    keep = longest - 1 - len(end)
    tail = keep // 2
    return f"{name[: keep - tail]}…{name[-tail:]}{end}"
