"""Pytest plug-in: the fixture `assert_not_worse`, which fails a test with the evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import pytest

if TYPE_CHECKING:
    from reseed.comparison.gate import Gate


class NotWorse(Protocol):
    """Takes the arguments of `reseed.gate`; returns its result if the candidate passes."""

    def __call__(self, candidate: Any, baseline: Any, margin: float, **options: Any) -> Gate:
        """Raise AssertionError unless the candidate is better, or not worse by the margin."""


@pytest.fixture(scope="session")
def assert_not_worse() -> NotWorse:
    """Assert that a candidate is better than a baseline, or not worse by `margin` (`reseed.gate`).

    An undecided comparison fails too: absence of evidence does not pass.
    """

    def check(candidate: Any, baseline: Any, margin: float, **options: Any) -> Gate:
        __tracebackhide__ = True
        from reseed.comparison.gate import gate

        result = gate(candidate, baseline, margin, **options)
        if result.exit_code:
            notes = "".join(f"\nNote: {note}" for note in result.notes)
            raise AssertionError(result.sentence() + notes)
        return result

    return check
