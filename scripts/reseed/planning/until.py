"""Errors in experiments that train until their pairs are settled.

The rule of `until` may look at the scores after every seed. This is valid if the scores of an arm
are independent draws: one fixed split, and one seed that varies. Splits of one dataset overlap.
"""

from collections.abc import Iterator
from pathlib import Path

from reseed.config.studies import Experiment, Study
from reseed.core.coordinates import ROLES
from reseed.core.errors import ReseedError
from reseed.planning.seed_grid import seed_values
from reseed.plugins.kinds import find_kind

#: More rounds would take longer to plan than they save.
MOST_ROUNDS = 100
_VALID = (
    "Valid designs have one split (holdout or official, one data seed), one list or range of model "
    "seeds for all arms, and hyper-parameters that are given or searched once (mode: fixed)"
)


def check_until(file: str, study: Study, project: Path) -> Iterator[str]:
    """Errors in the designs of such experiments, and in the analyses that read them."""
    names = [name for name, experiment in study.experiments.items() if experiment.until]
    for name in names:
        yield from _check_design(f"{file}: experiments.{name}", study, study.experiments[name])
    for name, analysis in study.analyses.items() if names else ():
        field = f"{file}: analyses.{name}"
        wanted = list(study.experiments) if analysis.experiments is None else analysis.experiments
        read = [one for one in wanted if one in names]
        try:
            kind = find_kind("analyses", analysis.kind, project)
        except ReseedError:  # reported with the names of the study
            continue
        if read and not kind.sequential:
            yield (
                f"{field}: {analysis.kind} is not valid for {read[0]!r}, where the scores decide "
                "how many seeds there are (until). Use the kind stopping for it, and name the "
                f"other experiments here (experiments: [{_others(study, names)}])."
            )
        unused = [option for option in ("alpha", "scale", "rope", "half_width")
               if option in analysis.options]  # fmt: skip
        if unused and wanted and set(wanted) <= set(names) and analysis.kind == "stopping":
            yield (
                f"{field}.options.{unused[0]}: {wanted[0]!r} has its own rule. Set {unused[0]} in "
                f"experiments.{wanted[0]}.until."
            )


def _others(study: Study, names: list[str]) -> str:
    return ", ".join(name for name in study.experiments if name not in names)


def _check_design(where: str, study: Study, experiment: Experiment) -> Iterator[str]:
    """An error that names the first field for which the rule is not valid."""
    until, seeds = experiment.until, experiment.seeds
    assert until is not None
    arms = experiment.arms or {}
    count = len(arms or study.resolve_field(experiment, "models"))
    varied = [role for role in ("model", *ROLES)
              if seeds is not None and len(seed_values(getattr(seeds, role))) > 1]  # fmt: skip
    seeded = next((name for name, arm in arms.items() if arm.seeds is not None), None)
    problem = ""
    if seeded is not None or seeds is None:
        problem = f"arms.{seeded}.seeds: an arm has seeds of its own"
    elif len(seed_values(seeds.data)) > 1:
        problem = "seeds.data: several data seeds; their splits overlap"
    elif any(scheme.kind == "kfold" for scheme in study.resolve_field(experiment, "splits")):
        problem = "splits: kfold; the training rows of its folds overlap"
    elif len(varied) != 1:
        problem = f"seeds: {' and '.join(varied) or 'no model seed'} varies"
        problem += ", and crossed seeds are not independent" if varied else ""
    elif study.resolve_field(experiment, "hyperparameters").mode == "tuned":
        problem = "hyperparameters.mode: tuned; every seed would be searched beforehand"
    elif count < 2:
        problem = f"{'arms' if arms else 'models'}: one arm alone has no pair to settle"
    if problem:
        field, _, why = problem.partition(": ")
        yield f"{where}.{field}: {why}, so `until` is not valid here. {_VALID}. Or remove `until`."
        return
    assert seeds is not None
    rounds = (len(seed_values(getattr(seeds, varied[0]))) - until.first) / until.batch
    if rounds > MOST_ROUNDS:
        yield (
            f"{where}.until.batch: {rounds:,.0f} rounds. Take batches of at least "
            f"{-(-rounds * until.batch // MOST_ROUNDS):.0f} seeds."
        )
