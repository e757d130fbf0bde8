"""Jobs that decide after a round which arms need more seeds (experiments with `until`)."""

from collections.abc import Callable, Iterator
from functools import partial

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
    for decision in decisions:
        study, experiment, number = decision
        spec = without_texts(narrow_to_experiment(study_spec(study), experiment))
        arms = plan.studies[study][experiment]
        trials = {
            layout.trial(arm.setting, trial): None
            for arm in arms
            for trial in plan.rounds(arm)[number]
        }
        before = [decision._replace(round=number - 1)] if number else []
        yield Job(
            name=f"settle-{study}-{experiment}-{number}",
            label=f"judge the pairs of {study}, {experiment}, after round {number}",
            inputs=[*trials, *plan.decision_files(before)],
            outputs=plan.decision_files([decision]),
            log=layout.log(f"studies/{study}/settle-{experiment}-{number}"),
            key=digest(code, without_paths(spec), number),
            spec=partial(SettleSpec, spec, number, sources),
            environment="statistics",
            priority=context.high_priority,
        )
