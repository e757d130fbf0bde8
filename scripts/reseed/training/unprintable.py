"""Trials whose model raises an error without a text; `run` cannot record these.

It stands outside `run` because the code of `run` is in the key of every trial.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reseed.core.errors import ReseedError
from reseed.core.plain_text import describe_error
from reseed.training.failures import InfrastructureError
from reseed.training.run import Outcome, Problem, Recipe, Trial, run_trials


def train_trials(problem: Problem, recipe: Recipe, trials: Sequence[Trial]) -> Iterator[Outcome]:
    """The outcomes of `run_trials`; an error whose `__str__` raises is a failed trial too."""
    done = 0
    try:
        for outcome in run_trials(problem, recipe, trials):
            done += 1
            yield outcome
    except ReseedError:
        raise
    except Exception as error:
        cause = _find_unprintable(error)
        if cause is None:
            raise
        # Any trial of a stack may be the one. Alone, each has the bits that it has in a stack.
        rest = trials[done:]
        if len(rest) == 1:
            yield _record(cause)
            return
        for trial in rest:
            yield from train_trials(problem, recipe, [trial])


def _find_unprintable(error: BaseException) -> BaseException | None:
    """The model's error that was handled when making its text, or that of its cause, raised."""
    cause = link = error.__context__
    seen: set[int] = set()  # an error may be its own cause
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        try:
            str(link)
        except Exception:
            return cause
        link = link.__cause__ or link.__context__
    return None


def _record(cause: BaseException) -> Outcome:
    text = describe_error(cause)
    if isinstance(cause, (MemoryError, OSError, ImportError)):
        raise InfrastructureError(f"training failed, but the model is not the cause: {text}.")
    return Outcome("failed", error=text)
