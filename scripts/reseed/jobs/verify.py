"""Check results: trials against their outputs, a sample by retraining, tables against trials.

Nothing is deleted: a training that does not repeat took as long as one that does. `reseed verify
--delete` deletes what is wrong.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path

from reseed.core.blocks import trial_name
from reseed.core.checked_io import read_json
from reseed.core.errors import Damaged, ReseedError
from reseed.core.layout import REFERENCES, ResultsLayout
from reseed.core.source_facts import find_false_facts
from reseed.data.files import hash_file, read_weights_meta
from reseed.data.kinds import META
from reseed.jobs.judge_references import is_same, judge_references
from reseed.jobs.replay import Finding, find_false_files
from reseed.pipeline.runner import Granted, pick_device, run_job, say
from reseed.planning.specs import SettingTrials, TrainSpec, VerifySpec


def run(spec: VerifySpec, granted: Granted) -> None:
    """Raise ReseedError with every file that differs from what it is made from."""
    if findings := check(spec, granted):
        raise ReseedError(
            f"{describe(findings)}\nNothing is deleted. `reseed verify --delete` deletes what can "
            "be made again."
        )


def check(spec: VerifySpec, granted: Granted) -> list[Finding]:
    """Every file that differs from what it is made from; each is printed once it is found."""
    from reseed.report.pages.reference import find_wrong_tables

    results = Path(spec.training.results)
    if not any(part.trials for part in spec.training.settings) and not any(
        (results / output).exists() for step in spec.steps for output in step.outputs
    ):
        raise ReseedError(f"{results}: holds no finished trial and no table. Nothing to verify.")
    findings: list[Finding] = []
    folder = Path(spec.references or REFERENCES)
    references = [Finding(*one) for one in find_wrong_tables(folder)]
    if not references and spec.config:
        references = [*_check_evidence(folder, Path(spec.config))]
    sources = _check_sources(spec.training.results)
    weights = list(_check_weights(spec.training))
    trials = iter(()) if weights else _check_all(spec, granted)
    for finding in chain(references, sources, weights, trials):
        say(f"{finding.path}: {finding.text}")
        findings.append(finding)
    if weights:
        say("Trials are not checked, because weights that they start from are wrong.")
    if not findings:
        say("Verified: every checked file follows bit for bit from what it is made from.")
    return findings


def _check_evidence(references: Path, config: Path) -> Iterator[Finding]:
    """Judge the statements again that the committed trials decide alone."""
    for path, _, found in judge_references(references, config):
        known = {one["name"]: one["evidence"] for one in read_json(path)["statements"]}
        for name, evidence in ((one["name"], one["evidence"]) for one in found):
            said = known.get(name, evidence)
            if said["statement"] == evidence["statement"] and not is_same(said, evidence):
                yield Finding(path, f"{name}: its committed trials give other numbers", ())


def _check_sources(results: str) -> Iterator[Finding]:
    """Parse the source files again whose facts, which keys are made of, were remembered."""
    memory = Path(ResultsLayout(results).source_memory)
    false = [str(path) for path in find_false_facts(memory)]
    if false:
        text = f"holds false facts of {', '.join(false)}"
        yield Finding(memory, text, (memory,))


def _check_weights(training: TrainSpec) -> Iterator[Finding]:
    """Hash all files of pretrained weights: a job does so only if size or time has changed."""
    layout = ResultsLayout(training.results)
    names = {part.spec.model.weights for part in training.settings}
    for folder in (Path(layout.weights(name)) for name in sorted(filter(None, names))):
        try:
            files = read_weights_meta(folder).files
        except Damaged:
            continue  # the check of trials names it
        wrong = [name for name in files if hash_file(folder / name) != files[name]["sha256"]]
        if wrong:
            text = f"{', '.join(wrong)} beside it has other bytes than it says"
            yield Finding(folder / META, text, (folder / META,))


def _check_all(spec: VerifySpec, granted: Granted) -> Iterator[Finding]:
    """Check trials, then the tables that follow from them."""
    training = spec.training
    total = sum(len(part.trials) for part in training.settings)
    wrong: set[Path] = set()
    computed = retrained = 0
    for one in _check_records(training):
        if isinstance(one, int):
            computed = one
        else:
            wrong.add(one.path)
            yield one
    say(f"Fingerprints and metrics were compared with the outputs of {computed} of {total} trials.")
    for path, difference in _check_sample(_without(training, wrong), spec.sample, granted):
        retrained += 1
        if difference:
            # Another machine may give other bits. The record is right then, and its tables too.
            wrong.update([path] if difference.files else [])
            yield difference
    say(f"{retrained} of {total} trials were retrained.")
    if wrong:
        say("Tables are not checked, because trials that they follow from are wrong.")
        return
    files = sum(len(step.outputs) for step in spec.steps)
    say(f"Compare up to {files} files of {len(spec.steps)} jobs with what the trials give.")
    yield from find_false_files(spec.steps, Path(training.results), granted)


def _check_records(training: TrainSpec) -> Iterator[Finding | int]:
    """Compare every trial with the outputs that it keeps. Ends with the number of such trials."""
    from reseed.training.verification import check_records
    from reseed.trials.trial_cache import TrialCache

    computed = 0
    for part in training.settings:
        cache = TrialCache(training.results, part.spec, part.blocks)
        for path, check in check_records(cache, part.trials):
            computed += check.made
            if not check.same:
                yield Finding(path, check.text, check.files)
    yield computed


def _check_sample(
    training: TrainSpec, count: int | None, granted: Granted
) -> Iterator[tuple[Path, Finding | None]]:
    """Retrain a sample. Yields each path, with a finding where retraining gives other results."""
    from reseed.training.verification import check_sample, sample

    device_for = partial(pick_device, gpus=granted.gpus)
    for cache, trial, check in check_sample(training, sample(training, count), device_for):
        path = cache.trial_path(trial)
        text = f"{trial_name(trial)}: {check.text}"
        if check.same:
            say(f"{path}: {text}")
        yield path, None if check.same else Finding(path, text, check.files)


def _without(training: TrainSpec, wrong: set[Path]) -> TrainSpec:
    """The blocks without those whose files are wrong."""
    layout = ResultsLayout(training.results)

    def keep(part: SettingTrials) -> SettingTrials:
        files = {one: Path(layout.block(part.spec.setting, one)) for one in part.blocks}
        return replace(part, blocks=tuple(one for one in files if files[one] not in wrong))

    return replace(training, settings=tuple(map(keep, training.settings))) if wrong else training


def describe(findings: list[Finding]) -> str:
    """One line for each finding, with a heading."""
    listed = "\n  ".join(f"{finding.path}: {finding.text}" for finding in findings)
    count = f"{len(findings)} file{'s' if len(findings) > 1 else ''}"
    verb = "differ" if len(findings) > 1 else "differs"
    made = "them" if len(findings) > 1 else "it"
    return f"{count} {verb} from what made {made}:\n  {listed}"


if __name__ == "__main__":
    run_job(run)
