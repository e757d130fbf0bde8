"""Judge the pairs of an experiment after a round, and decide which arms need more seeds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

from reseed.pipeline.runner import Granted, run_job, say
from reseed.planning.seed_grid import DecisionId
from reseed.planning.specs import SettleSpec, StudySpec

if TYPE_CHECKING:
    from reseed.cache.rounds import PairState, State

#: State of a pair by the reason of its stop.
_STATES: dict[str, State] = {
    "different from 0": "different",
    "equivalent": "equivalent",
    "precise enough": "precise",
    "continue": "open",
}


def run(spec: SettleSpec, granted: Granted) -> None:
    """Write the decision after the round. A pair that stopped in an earlier round stays stopped."""
    from reseed.cache.rounds import Decision, Decisions, write_decision

    (experiment,) = spec.study.experiments
    decisions = Decisions(spec.study.results)
    name = DecisionId(spec.study.study, experiment.name, spec.round)
    earlier = decisions.read(name._replace(round=spec.round - 1)).pairs if spec.round else ()
    found = {pair.name: pair for pair in _judge(spec)}
    found |= {pair.name: pair for pair in earlier if pair.state != "open"}
    pairs = tuple(found.get(pair.name, pair) for pair in _list_pairs(spec.study))
    in_play = {(p.dataset, p.scheme, arm) for p in pairs if p.state == "open" for arm in p.arms}
    settings = {arm: spec.study.settings[arm.setting].setting for arm in experiment.arms}
    needed = dict.fromkeys(
        setting.folder
        for arm, setting in settings.items()
        if (setting.dataset, setting.scheme, arm.name) in in_play
    )
    write_decision(decisions.path(name), Decision(pairs, tuple(needed)))
    still_open = sum(pair.state == "open" for pair in pairs)
    say(f"{experiment.name}, round {spec.round}: {still_open} of {len(pairs)} pairs are open")


def _judge(spec: SettleSpec) -> Iterator[PairState]:
    """Judge the pairs by the trials that were needed so far."""
    from reseed.analyses.shared.settling import judge_experiment
    from reseed.cache.rounds import PairState
    from reseed.collection.about import describe_datasets, describe_experiment
    from reseed.collection.study import StudyTrials
    from reseed.collection.trials import collect_trials

    study = StudyTrials(spec.study, spec.round + 1)
    (experiment,) = spec.study.experiments
    rule = describe_experiment(experiment).until
    assert rule is not None
    metrics = collect_trials(study)
    for pair in judge_experiment(metrics, experiment.name, rule, describe_datasets(study)):
        key, state = pair.group.key, _STATES[pair.stop.reason]
        yield PairState(key["dataset"], key["scheme"], _ordered(pair.a, pair.b), state, pair.stop.n)


def _list_pairs(spec: StudySpec) -> Iterator[PairState]:
    """Every pair that the plan compares, as an open one."""
    from reseed.cache.rounds import PairState

    (experiment,) = spec.experiments
    arms: dict[tuple[str, str], list[str]] = {}
    for arm in experiment.arms:
        arms.setdefault(spec.settings[arm.setting].setting[:2], []).append(arm.name)
    for place, names in arms.items():
        for pair in combinations(names, 2):
            yield PairState(*place, _ordered(*pair), "open")


def _ordered(a: str, b: str) -> tuple[str, str]:
    return min(a, b), max(a, b)


if __name__ == "__main__":
    run_job(run, SettleSpec)
