"""A folder in which commands run."""

import pytest
from reseed.cli import main


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run a command in a folder of its own: its output, or its error."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        try:
            main([str(one) for one in arguments])
        except SystemExit as error:
            return f"Error: {error.code}" if isinstance(error.code, str) else capsys.readouterr()[0]
        return capsys.readouterr()[0]

    return call


@pytest.fixture(autouse=True)
def layouts_alone(request, monkeypatch):
    """Plain numbers move together: what seeds drew is asked in `test_seed_draws` alone."""
    if request.path.stem != "test_seed_draws":
        monkeypatch.setattr("reseed.readers.seeds._SHOWN", -1.0)
