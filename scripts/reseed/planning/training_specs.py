"""Specs of training jobs, and of the check of trials."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from reseed.core.coordinates import Coordinates, Setting
from reseed.core.source_guard import SourceStamp
from reseed.planning.plan import Block, Plan
from reseed.planning.project import Project
from reseed.planning.specs import SettingTrials, TrainSpec, VerifySpec

#: Writes stamps of sources to a file and returns its path.
WriteSources = Callable[[Mapping[str, SourceStamp]], str]


def build_train_spec(project: Project, block: Block, write_sources: WriteSources) -> TrainSpec:
    """Spec that trains the trials of a block."""
    main = project.main
    settings = tuple(
        SettingTrials(one.spec, tuple(part), write_sources(one.sources), decisions)
        for one, trials in block
        for decisions, part in one.parts(trials).items()
    )
    results = str(Path(main.results).resolve())
    return TrainSpec(results, main.mixed, main.retry_failed, main.trial_seconds, settings)


def build_verify_spec(
    project: Project,
    plan: Plan,
    sample: int | None,
    write_sources: WriteSources,
    finished_only: bool = False,
) -> VerifySpec:
    """Spec that checks all planned trials.

    sample: trials to retrain; None: all. finished_only: leave out trials without a file.
    """
    block = plan.all_trials()
    if finished_only:
        block = [(one, _list_finished(plan, one.setting, trials)) for one, trials in block]
        block = [(one, trials) for one, trials in block if trials]
    return VerifySpec(build_train_spec(project, block, write_sources), sample)


def build_repeat_spec(
    project: Project, block: Block, study: str, write_sources: WriteSources
) -> VerifySpec:
    """Spec that retrains a sample of a study's trials and writes a table of it."""
    training = build_train_spec(project, block, write_sources)
    return VerifySpec(training, project.main.verify_sample, study)


def _list_finished(plan: Plan, setting: Setting, trials: list[Coordinates]) -> list[Coordinates]:
    return [trial for trial in trials if os.path.exists(plan.layout.trial(setting, trial))]
