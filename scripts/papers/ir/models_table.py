"""Which model was trained for which task, in the form of the paper's Table 3."""

from __future__ import annotations

import pandas as pd
from reseed.core.coordinates import base_name
from reseed.plugins.options import Names, Strict
from reseed.report.rendering.data import ExhibitData, marks, require_rows
from reseed.report.rendering.tables import Rows, Table

YES, NO = "✓", "–"
_OTHERS = "Not in the paper"


class Options(Strict):
    """groups: type of model → models, in the order of the rows. Other models follow."""

    groups: dict[str, Names] = {}


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each model, one column for each experiment."""
    trials = require_rows(data.metrics, "No model was run at this scale.")
    experiments = list(dict.fromkeys(trials["experiment"]))
    lines, raw = Rows(), []
    for group, model in _ordered(list(dict.fromkeys(trials["model"])), options.groups):
        ran = [bool(((trials["model"] == model) & (trials["experiment"] == e)).any())
               for e in experiments]  # fmt: skip
        marked = (YES if one else NO for one in ran)
        titles = map(data.experiment, experiments)
        lines.add({"Model": data.model(model), **dict(zip(titles, marked, strict=True))}, group)
        raw.append({"model": model, **dict(zip(experiments, ran, strict=True))})
    note = [
        data.scale,
        f"{YES}: trained for the task. {NO}: not.",
        *marks(data, (), trials["model"]),
    ]
    return lines.table(data, pd.DataFrame(raw), " ".join(note))


def _ordered(models: list[str], groups: dict[str, Names]) -> list[tuple[str, str]]:
    """(type, model) of each model in the order of the groups, then those of no group."""
    group_of = {
        model: group
        for group, names in groups.items()
        for name in names
        for model in models
        if base_name(model) == name
    }
    others = _OTHERS if group_of else ""
    return [(group, model) for model, group in group_of.items()] + [
        (others, model) for model in models if model not in group_of
    ]
