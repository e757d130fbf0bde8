"""A new small project for each test."""

import pytest
from fault_harness.workspace import BOOST, FOREST, Workspace


def make(folder) -> Workspace:
    return Workspace(folder).write_study({"forest": FOREST, "boost": BOOST})


@pytest.fixture
def project(tmp_path) -> Workspace:
    """A project without results."""
    return make(tmp_path)


@pytest.fixture(scope="session")
def _once(tmp_path_factory) -> Workspace:
    project = make(tmp_path_factory.mktemp("finished"))
    project.run()
    return project


@pytest.fixture
def finished(_once, tmp_path) -> Workspace:
    """A copy of a project with a finished study."""
    return _once.copy(tmp_path)
