"""A model that the tests of trials watch."""

import pytest
from reseed.training import run
from synthetic_tables import Spy


@pytest.fixture
def spy(monkeypatch):
    """Let a recipe's factory return a given spy."""

    def use(**options):
        model = Spy(**options)
        monkeypatch.setattr(run, "load_factory", lambda path: lambda *_: model)
        return model

    return use
