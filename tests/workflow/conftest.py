"""A new small project for each test."""

import pytest
from projects import Project


@pytest.fixture
def project(tmp_path) -> Project:
    """A project without results."""
    project = Project(tmp_path)
    project.write_files()
    return project


@pytest.fixture(scope="session")
def _once(tmp_path_factory) -> Project:
    project = Project(tmp_path_factory.mktemp("finished"))
    project.write_files()
    project.run()
    return project


@pytest.fixture
def finished(_once, tmp_path) -> Project:
    """A copy of a project with a finished study."""
    return _once.copy(tmp_path)
