"""What each job is told, as small content-addressed files under `results/plan/`.

A command line carries a file's name alone: nothing a user writes reaches a shell, and Snakemake
does not keep a description once for each of a block's outputs.
"""

import json
from pathlib import Path

from reseed.config.studies import Study
from reseed.core.atomic import write_text
from reseed.core.code_hash import digest
from reseed.planning.plan import TEXT_FIELDS, Block, Plan, PlannedSetting
from reseed.planning.project import Project


class PlanFiles:
    """Writes descriptions under names that are their own hashes.

    Args:
        results: the results folder.
        dry: name the files but do not write them.
    """

    def __init__(self, results: str, dry: bool = False):
        self.folder, self.dry = Path(results).resolve() / "plan", dry

    def write(self, description: object) -> str:
        """Path of the file that holds `description`; written if it is not there."""
        name = digest(description)
        path = self.folder / name[:2] / f"{name[2:]}.json"
        if not (self.dry or path.exists()):
            write_text(path, json.dumps(description, ensure_ascii=False, separators=(",", ":")))
        return str(path)


def data_job(plan: Plan, dataset: str) -> dict:
    """What preparing a dataset is told: all of its entry that decides rows."""
    entry = plan.datasets[dataset]
    return {name: value for name, value in entry.items() if name not in TEXT_FIELDS}


def training_job(project: Project, block: Block) -> dict:
    """What a training job is told: its settings, each with its trials."""
    return {
        "results": str(Path(project.main.results).resolve()),
        "mixed": project.main.mixed,
        "trial_seconds": project.main.trial_seconds,
        "settings": [
            planned.description()
            | {"own_files": planned.own_files, "trials": [list(trial) for trial in trials]}
            for planned, trials in block
        ],
    }


def tuning_job(project: Project, planned: PlannedSetting, stem: str) -> dict:
    """What a hyper-parameter search is told."""
    return {
        "results": str(Path(project.main.results).resolve()),
        "mixed": project.main.mixed,
        "setting": planned.description() | {"own_files": planned.own_files},
        "trial": list(planned.searches()[stem]),
    }


def _given_titles(project: Project, study: Study) -> dict[str, dict[str, str]]:
    """Titles by name for given results: the project's datasets and models; the study's own win."""
    return {
        part: {name: entry.title for name, entry in known.items()} | study.results.titles
        for part, known in (("datasets", project.datasets), ("models", project.models))
    }


def study_job(project: Project, plan: Plan, name: str, experiment: str | None = None) -> dict:
    """What collecting a study is told: texts, experiments, arms, settings."""
    study, experiments = project.studies[name], plan.studies[name]
    wanted = {key: arms for key, arms in experiments.items() if experiment in (None, key)}
    settings = list(dict.fromkeys(arm.setting for arms in wanted.values() for arm in arms))
    models = {setting.model: plan.models[setting.model] for setting in settings}
    every = [arm for arms in experiments.values() for arm in arms]
    titles = {arm.setting.model: arm.model_title for arm in reversed(every)}  # the first one's
    datasets = {setting.dataset: plan.datasets[setting.dataset] for setting in settings}
    named = [study.metric, *(entry["metric"] for entry in datasets.values() if "metric" in entry)]
    return {
        "results": str(Path(project.main.results).resolve()),
        "mixed": project.main.mixed,
        "study": name,
        "scale": project.main.scale,
        "reduced": bool(study.scales.get(project.main.scale)),
        **{field: getattr(study, field) for field in ("title", "question", "citation", "metric")},
        "metrics": list(dict.fromkeys(metric for metric in named if metric)),
        "metric_code": plan.metric_code.get(name, ""),
        **({"titles": _given_titles(project, study)} if study.results else {}),
        "notes": [
            *study.notes,
            *(
                f"{project.datasets[dataset].title} is left out: its files are not in a local "
                "data mirror, and it has no other source."
                for dataset in plan.left_out.get(name, ())
            ),
        ],
        "models": {
            key: {"title": titles[key]}
            | {field: model[field] for field in ("hyperparameters", "search_space", "notes")}
            for key, model in models.items()
        },
        "datasets": {
            key: {field: entry.get(field) for field in TEXT_FIELDS} | _told_as(entry)
            for key, entry in datasets.items()
        },
        "variants": {key: plan.variants[key] for key in (*models, *datasets) if plan.variants[key]},
        "settings": [plan.settings[setting].description() for setting in settings],
        "experiments": [
            {
                "experiment": key,
                "title": study.experiments[key].title,
                "arms": [
                    {
                        "arm": arm.name,
                        "title": arm.title,
                        "setting": settings.index(arm.setting),
                        "scheme": plan.settings[arm.setting].scheme,
                        "seeds": arm.seeds,
                    }
                    for arm in arms
                ],
            }
            for key, arms in wanted.items()
        ],
    }


def _told_as(entry: dict) -> dict:
    """Texts under the names that a dataset's meta gives them."""
    return {"stand_in": entry.get("stand_in_for"), "unit": entry.get("unit") or ""}
