"""The reproducibility checklist, filled in from the records of the trials."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pandas as pd

from reseed.analyses.shared.arms import with_arms
from reseed.core.study_info import ModelInfo
from reseed.plugins.options import NoOptions
from reseed.report.rendering.arms import arm_title
from reseed.report.rendering.data import ExhibitData, drop_shared, source_text
from reseed.report.rendering.numbers import counted, several
from reseed.report.rendering.settings import join_titles
from reseed.report.rendering.tables import Table

_FLAGS = {
    "deterministic_algorithms": "torch.use_deterministic_algorithms",
    "cudnn_deterministic": "cudnn.deterministic",
    "cudnn_benchmark": "cudnn.benchmark",
    "allow_tf32": "allow_tf32",
    "cublas_workspace_config": "CUBLAS_WORKSPACE_CONFIG",
}
_ROLES = ("init", "order", "dropout", "augment")
_SPLITS = "Splits, the same rows for every model"


def table(data: ExhibitData, options: NoOptions) -> Table:
    """One row for each item of the checklist, with the recorded value or `not recorded`."""
    rows = [
        *_of_data(data),
        *_of_splits(data),
        *_of_seeds(data),
        *_of_models(data),
        *_of_machines(data),
        *_of_trials(data),
    ]
    frame = pd.DataFrame(rows, columns=["section", "Item", "As recorded"])
    shown = frame[["Item", "As recorded"]]
    note = f"{data.scale} Filled in from the records of the trials, not by hand."
    return Table(
        data, shown, frame, note, sections=list(frame["section"]), text_columns=2, paragraphs=(1,)
    )


def _of_data(data: ExhibitData) -> Iterator[tuple]:
    for name, entry in data.info.datasets.items():
        source = source_text(entry)
        digest = entry.content_sha256 or entry.sha256
        parts = [
            f"{entry.rows:,} rows" if entry.rows else "",
            f"from {source}" if source else "",
            f"licence: {entry.licence}" if entry.licence else "",
            f"content SHA-256 {digest}" if digest else "hash not recorded",
        ]
        yield "Data", data.dataset(name), "; ".join(part for part in parts if part)


def _of_splits(data: ExhibitData) -> Iterator[tuple]:
    trials = data.metrics
    for (experiment, scheme), part in trials.groupby(["experiment", "scheme"], sort=False):
        seeds = sorted(part["data_seed"].unique())
        folds = part["fold"].nunique()
        text = f"{scheme}; data seeds {_numbers(seeds)}"
        text += f"; {folds} folds each" if folds > 1 else ""
        yield _SPLITS, data.experiment(experiment), text
    for digest in data.info.splits:
        splits = counted(digest.splits, "split")
        text = f"{digest.scheme}: {splits}, SHA-256 of the rows {digest.sha256}"
        yield _SPLITS, data.dataset(digest.dataset), text


def _of_seeds(data: ExhibitData) -> Iterator[tuple]:
    """Seeds of each experiment, or of each of its arms if they differ."""
    for experiment, part in with_arms(data.metrics).groupby("experiment", sort=False):
        title = data.experiment(experiment)
        seeds = {arm: _by_role(trials) for arm, trials in part.groupby("arm", sort=False)}
        if len(set(seeds.values())) == 1:
            yield "Model seeds", title, next(iter(seeds.values()))
            continue
        for arm, text in seeds.items():
            yield "Model seeds", join_titles(title, arm_title(data, arm, experiment)), text


def _by_role(trials: pd.DataFrame) -> str:
    """`all roles: 0–5`, or `init: 0–5; order, dropout, augment: 0` with most seeds first."""
    groups_of_roles: dict[tuple, list[str]] = {}
    for role in (role for role in _ROLES if role in trials):
        groups_of_roles.setdefault(tuple(sorted(trials[role].unique())), []).append(role)
    if len(groups_of_roles) == 1:
        return f"all roles: {_numbers(next(iter(groups_of_roles)))}"
    parts = sorted(groups_of_roles.items(), key=lambda part: -len(part[0]))
    return "; ".join(f"{', '.join(roles)}: {_numbers(seeds)}" for seeds, roles in parts)


def _of_models(data: ExhibitData) -> Iterator[tuple]:
    for name in dict.fromkeys(data.metrics["model"]):
        model = data.info.models.get(name, ModelInfo())
        sources = set(data.metrics.loc[data.metrics["model"] == name, "hyperparameters_source"])
        none = "not recorded" if sources == {"given"} else "the library's defaults"
        text = ", ".join(f"{key}={value}" for key, value in model.hyperparameters.items()) or none
        if model.search_space and sources != {"default"}:
            text += "; searched: " + ", ".join(model.search_space)
        yield "Models", data.model(name), text


def _of_machines(data: ExhibitData) -> Iterator[tuple]:
    machines = data.info.machines
    for number, machine in enumerate(machines, 1):
        title = "Machine" if len(machines) == 1 else f"Machine {number}"
        hardware = [machine.cpu, machine.platform, machine.device]
        threads = machine.threads
        text = ", ".join(str(part) for part in hardware if part and part != "cpu")
        text += f"; {threads} thread{'s' if threads != 1 else ''} a trial" if threads else ""
        yield "Hardware and software", title, text or "not recorded"
        versions = {"python": machine.python, **machine.libraries, **machine.packages}
        listed = ", ".join(f"{name} {version}" for name, version in versions.items() if version)
        yield "Hardware and software", f"{title}: versions", listed or "not recorded"
        flags = ", ".join(
            f"{_FLAGS.get(name, name)}={value}" for name, value in machine.determinism.items()
        )
        yield "Hardware and software", f"{title}: determinism flags", flags or "not recorded"
    if not machines:
        yield "Hardware and software", "Machine", "not recorded"
    commits = data.info.commits
    yield "Hardware and software", "Code, commit", several(commits) if commits else "not recorded"


def _of_trials(data: ExhibitData) -> Iterator[tuple]:
    counts = data.info.trials
    text = f"{counts.planned:,} planned, {counts.ok:,} finished, {counts.failed:,} failed"
    if counts.not_converged:
        text += f", {counts.not_converged:,} ended by a limit"
    yield "Trials", "Outcome", text
    if "fingerprint" in data.metrics:
        known = drop_shared(data.metrics)["fingerprint"].fillna("").ne("").sum()
        text = f"SHA-256 of the test outputs recorded for {known:,} trials"
        yield "Trials", "Outputs", text if known else "not recorded"
    if data.info.train_seconds:
        yield "Trials", "Training time", f"{data.info.train_seconds:,.0f} seconds in all"


def _numbers(values: Iterable) -> str:
    """`0–49` for consecutive numbers, else the numbers; the first 20 of many."""
    numbers = [int(value) for value in values]
    if len(numbers) > 2 and numbers == list(range(numbers[0], numbers[-1] + 1)):
        return f"{numbers[0]}–{numbers[-1]}"
    if len(numbers) > 20:
        return f"{', '.join(map(str, numbers[:20]))} and {len(numbers) - 20} more"
    return ", ".join(map(str, numbers))
