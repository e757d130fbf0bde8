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
