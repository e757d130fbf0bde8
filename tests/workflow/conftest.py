"""A new small project for each test."""

import subprocess
from pathlib import Path

import pytest
from projects import Project


@pytest.fixture
def project(tmp_path) -> Project:
    """A project without results."""
    project = Project(tmp_path)
    project.write_files()
    return project


@pytest.fixture(scope="session")
def _once(tmp_path_factory) -> Path:
    project = Project(tmp_path_factory.mktemp("finished"))
    project.write_files()
    project.run()
    return project.folder


@pytest.fixture
def finished(_once, tmp_path) -> Project:
    """A copy of a project with a finished study, with its links and times."""
    subprocess.run(["cp", "-a", f"{_once}/.", str(tmp_path)], check=True)
    project = Project(tmp_path)
    project.forget_logs()
    return project
