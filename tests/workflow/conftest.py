"""A small project of its own for each test."""

import subprocess
from pathlib import Path

import pytest
from projects import Project


@pytest.fixture
def project(tmp_path) -> Project:
    """A project in which nothing was run."""
    project = Project(tmp_path)
    project.lay_out()
    return project


@pytest.fixture(scope="session")
def _once(tmp_path_factory) -> Path:
    project = Project(tmp_path_factory.mktemp("finished"))
    project.lay_out()
    project.run()
    return project.folder


@pytest.fixture
def finished(_once, tmp_path) -> Project:
    """A project whose study was run to its end: a copy, links and times and all."""
    subprocess.run(["cp", "-a", f"{_once}/.", str(tmp_path)], check=True)
    project = Project(tmp_path)
    project.forget_logs()
    return project
