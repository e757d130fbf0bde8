"""Specs of training jobs, and of the check of trials."""

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from reseed.core.coordinates import Setting
from reseed.core.source_guard import SourceStamp
from reseed.planning.plan import Block, Plan, PlannedSetting
from reseed.planning.project import Project
from reseed.planning.specs import SettingTrials, TrainSpec, VerifySpec

#: Writes stamps of sources to a file and returns its path.
WriteSources = Callable[[Mapping[str, SourceStamp]], str]


def build_train_spec(
    project: Project, blocks: Iterable[Block], write_sources: WriteSources
) -> TrainSpec:
    """Spec that trains, or checks, the trials of some blocks."""
    main = project.main
    names: dict[Setting, list[str]] = {}
    planned: dict[Setting, PlannedSetting] = {}
    for block in blocks:
        planned[block.planned.setting] = block.planned
        names.setdefault(block.planned.setting, []).append(block.seeds.name)
    settings = tuple(
        SettingTrials(one.spec, tuple(names[setting]), write_sources(one.sources))
        for setting, one in planned.items()
    )
    results = str(Path(main.results).resolve())
    return TrainSpec(results, main.mixed, main.retry_failed, main.trial_seconds, settings)


def build_verify_spec(
    project: Project,
    blocks: Iterable[Block],
    write_sources: WriteSources,
    sample: int | None,
    study: str | None = None,
) -> VerifySpec:
    """Spec that checks the trials of some blocks.

    sample: trials to retrain; None: all. study: write a table of its repeated fits.
    """
    return VerifySpec(build_train_spec(project, blocks, write_sources), sample, study)


def list_finished(plan: Plan) -> list[Block]:
    """The blocks that have a file."""
    return [block for block in plan.all_blocks() if os.path.exists(plan.block_file(block))]
