"""The configuration of a tiny project, by file."""

import copy
from pathlib import Path

import yaml
from reseed.planning.build import make_plan
from reseed.planning.plan import Plan
from reseed.planning.project import Project, load_project
from reseed.planning.seed_grid import expand_seeds
from reseed.planning.specs import StudySpec
from reseed.planning.study_specs import build_study_spec

ENTRIES = {
    "datasets/toy": {"name": "toy", "title": "Toy", "task": "binary", "target": "y"}
    | {"sources": [{"kind": "file", "path": "toy.csv"}]},
    "models/forest": {
        "name": "forest",
        "title": "Forest",
        "factory": "reseed.models.forest:random_forest",
    },
    "studies/first": {
        "name": "first",
        "title": "First",
        "datasets": ["toy"],
        "models": ["forest"],
        "splits": [{"kind": "holdout", "test": 0.2}],
        "experiments": {"models": {"seeds": {"model": {"count": 3}}}},
    },
}


def write_entries(folder: Path, entries: dict) -> None:
    """Write each entry as `FOLDER/NAME.yaml`; a text is written as it is."""
    for name, entry in entries.items():
        path = Path(folder, f"{name}.yaml")
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(entry if isinstance(entry, str) else yaml.safe_dump(entry))


def load_toy_project(folder: Path, changes: dict | None = None, **main) -> tuple[Project, Plan]:
    """Write the configuration below `folder`, then load and plan it.

    changes: fields by entry, as `{"studies/first": {"keep": ["test"]}}`. main: values of
    config.yaml. The results folder is `FOLDER/results`.
    """
    entries = copy.deepcopy(ENTRIES)
    for name, fields in (changes or {}).items():
        entries[name] = entries.get(name, {}) | fields
    write_entries(folder / "config", entries)
    main = {"results": str(folder / "results")} | main
    project = load_project(folder / "config", main)
    return project, make_plan(project, folder)


def toy_study_spec(folder: Path, changes: dict | None = None) -> StudySpec:
    """Spec of the study `first`."""
    return build_study_spec(*load_toy_project(folder, changes), "first")


def study_trials(plan, study):
    """A study's own trials by setting, each once."""
    wanted = {}
    for arm in (arm for arms in plan.studies[study].values() for arm in arms):
        trials = expand_seeds(arm.seeds, plan.settings[arm.setting].scheme)
        wanted.setdefault(arm.setting, {}).update(dict.fromkeys(trials))
    return wanted
