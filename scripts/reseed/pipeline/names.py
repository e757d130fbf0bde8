"""Names of the configuration, as the wildcards of the rules match them.

A file of a name that no study plans is then a file that no rule makes, which Snakemake reports
in one line. It would report an error in a function of wildcards with its whole traceback.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from reseed.data.kinds import INPUTS_FILE
from reseed.pipeline.job import Context
from reseed.plugins.kinds import find_kind


@dataclass(frozen=True)
class Names:
    """A regular expression for each wildcard that stands for names."""

    study: str
    trained_study: str
    imported_study: str
    exported_study: str
    experiment: str
    dataset: str
    table_dataset: str
    image_dataset: str
    scheme: str
    model: str
    hyperparameters: str
    analysis: str
    stated_study: str
    table: str
    figure: str


def list_names(context: Context) -> Names:
    """The names that the plan of a project has."""
    plan, studies = context.plan, context.project.studies
    files = {name: INPUTS_FILE[entry.kind] for name, entry in plan.datasets.items()}
    exhibits = {
        (name, find_kind("exhibits", one.kind, context.folder).function)
        for study in studies.values()
        for name, one in study.exhibits.items()
    }
    results = ((name, study.results) for name, study in studies.items())
    return Names(
        study=_one_of(studies),
        trained_study=_one_of(context.trained),
        imported_study=_one_of(context.imported),
        exported_study=_one_of(name for name, one in results if one and one.made_from),
        experiment=_one_of(name for study in plan.studies.values() for name in study),
        dataset=_one_of(files),
        table_dataset=_one_of(name for name, file in files.items() if file.endswith(".parquet")),
        image_dataset=_one_of(name for name, file in files.items() if file.endswith(".npy")),
        scheme=_one_of(setting.scheme for setting in plan.settings),
        model=_one_of(setting.model for setting in plan.settings),
        hyperparameters=_one_of(setting.hyperparameters for setting in plan.settings),
        analysis=_one_of(name for study in studies.values() for name in study.analyses),
        stated_study=_one_of(name for name, study in studies.items() if study.statements),
        table=_one_of(name for name, function in exhibits if function == "table"),
        figure=_one_of(name for name, function in exhibits if function != "table"),
    )


def _one_of(names: Iterable[str]) -> str:
    """A regular expression that matches these names; without names, nothing."""
    return "|".join(sorted({re.escape(name) for name in names})) or "(?!)"
