"""Jobs that decide after a round which arms need more seeds (experiments with `until`)."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import groupby

from reseed.core.code_hash import code_hash, digest
from reseed.pipeline.jobs import Context, Job
from reseed.planning.specs import SettleSpec, StudySpec, without_paths
from reseed.planning.study_specs import narrow_to_experiment, without_texts


def settle_jobs(context: Context, study_spec: Callable[[str], StudySpec]) -> Iterator[Job]:
    """Trials of a round and the decision before → the decision after the round.

    study_spec: returns the spec of a study.
    """
    plan, layout = context.plan, context.layout
    decisions = plan.decisions()
    code = code_hash("reseed.jobs.settle") if decisions else ""
    sources = context.sources_of("reseed.jobs.settle") if decisions else ""
    for (study, experiment), group in groupby(decisions, key=lambda one: one[:2]):
        spec = without_texts(narrow_to_experiment(study_spec(study), experiment))
        parts = digest(code, without_paths(spec))
        arms = [(arm.setting, plan.rounds(arm)) for arm in plan.studies[study][experiment]]
        before: list[str] = []
        for decision in group:
            number, files = decision.round, plan.decision_files([decision])
            trials = {
                layout.trial(setting, trial): None
                for setting, rounds in arms
                for trial in rounds[number]
            }
            yield Job(
                name=f"settle-{study}-{experiment}-{number}",
                label=f"judge the pairs of {study}, {experiment}, after round {number}",
                inputs=[*trials, *before],
                outputs=files,
                log=layout.log(f"studies/{study}/settle-{experiment}-{number}"),
                key=digest(parts, number),
                spec=partial(SettleSpec, spec, number, sources),
                environment="statistics",
                priority=context.high_priority,
            )
            before = files
