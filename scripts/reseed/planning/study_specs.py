"""Specs of a study: what collecting or importing it needs."""

from dataclasses import replace
from pathlib import Path

from reseed.config.datasets import Dataset
from reseed.config.models import Model
from reseed.config.studies import Study
from reseed.core.coordinates import Setting
from reseed.planning.plan import Plan, PlannedArm
from reseed.planning.project import Project
from reseed.planning.specs import ArmSpec, DatasetText, ExperimentSpec, ModelText, StudySpec


def build_study_spec(project: Project, plan: Plan, name: str) -> StudySpec:
    """Texts, experiments, arms, settings and blocks of a study."""
    study, experiments = project.studies[name], plan.studies[name]
    arms = [arm for arms in experiments.values() for arm in arms]
    settings = list(dict.fromkeys(arm.setting for arm in arms))
    titles = {arm.setting.model: arm.model_title for arm in reversed(arms)}  # the first one's
    datasets = {setting.dataset: plan.datasets[setting.dataset] for setting in settings}
    named = [study.metric, *(entry.metric for entry in datasets.values())]
    variants = dict.fromkeys(name for one in settings for name in (one.model, one.dataset))
    return StudySpec(
        results=str(Path(project.main.results).resolve()),
        mixed=project.main.mixed,
        study=name,
        scale=project.main.scale,
        reduced=bool({*(study.scales.get(project.main.scale) or ())} - {"statements"}),
        title=study.title,
        question=study.question,
        citation=study.citation,
        metric=study.metric,
        metrics=tuple(dict.fromkeys(metric for metric in named if metric)),
        metric_code=plan.metric_code.get(name, ""),
        titles=_imported_titles(project, study) if study.results else None,
        notes=tuple(study.notes),
        left_out=tuple(project.datasets[one].title for one in plan.left_out.get(name, [])),
        models={key: _model_text(plan.models[key], title) for key, title in titles.items()},
        datasets={key: _dataset_text(entry) for key, entry in datasets.items()},
        variants={key: plan.variants[key] for key in variants if plan.variants[key]},
        settings=tuple(plan.settings[setting].spec for setting in settings),
        blocks=tuple(
            tuple(one.seeds.name for one in plan.blocks[setting] if name in one.studies)
            for setting in settings
        ),
        experiments=tuple(
            ExperimentSpec(
                key,
                study.experiments[key].title,
                tuple(_arm_spec(plan, settings, arm) for arm in arms),
            )
            for key, arms in experiments.items()
        ),
    )


def _arm_spec(plan: Plan, settings: list[Setting], arm: PlannedArm) -> ArmSpec:
    scheme = plan.settings[arm.setting].scheme
    return ArmSpec(arm.name, arm.title, settings.index(arm.setting), scheme, arm.seeds)


def _model_text(model: Model, title: str) -> ModelText:
    entry = model.model_dump(include={"hyperparameters", "search_space", "notes"})
    return ModelText(title, **entry)


def _dataset_text(dataset: Dataset) -> DatasetText:
    return DatasetText(
        title=dataset.title,
        unit=dataset.unit,
        licence=dataset.licence,
        citation=dataset.citation,
        notes=dataset.notes,
        stand_in=dataset.stand_in_for,
        metric=dataset.metric,
    )


def _imported_titles(project: Project, study: Study) -> dict[str, dict[str, str]]:
    """Titles by name for imported results: the project's, overlaid with the study's own."""
    given_titles = study.results.titles if study.results else {}
    return {
        "datasets": {name: entry.title for name, entry in project.datasets.items()} | given_titles,
        "models": {name: entry.title for name, entry in project.models.items()} | given_titles,
    }


def narrow_to_experiment(spec: StudySpec, experiment: str) -> StudySpec:
    """The study with one experiment alone, and the settings and texts that it uses."""
    kept = [one for one in spec.experiments if one.name == experiment]
    numbers = sorted({arm.setting_number for one in kept for arm in one.arms})
    renumbered = {old: new for new, old in enumerate(numbers)}
    settings = tuple(spec.settings[number] for number in numbers)
    blocks = tuple(spec.blocks[number] for number in numbers)
    datasets = {one.setting.dataset for one in settings}
    models = {one.setting.model for one in settings}
    experiments = tuple(
        replace(
            one,
            arms=tuple(replace(a, setting_number=renumbered[a.setting_number]) for a in one.arms),
        )
        for one in kept
    )
    return replace(
        spec,
        settings=settings,
        blocks=blocks,
        experiments=experiments,
        models={name: text for name, text in spec.models.items() if name in models},
        datasets={name: text for name, text in spec.datasets.items() if name in datasets},
        variants={k: v for k, v in spec.variants.items() if k in models | datasets},
    )
