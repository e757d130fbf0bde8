"""The README's first steps print what it shows, and its examples run."""

import re
import shlex
from pathlib import Path

import pytest
import reseed
from reseed.cli import main

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, flags=re.DOTALL)


def words(text: str) -> list[list[str]]:
    """The words of each line with a letter: column widths depend on the terminal."""
    return [line.split() for line in text.splitlines() if re.search(r"\w", line)]


def test_first_command_prints_the_output_shown(monkeypatch, capsys):
    command = re.search(r"^reseed (compare docs/examples/runs\.csv.*)$", TEXT, re.MULTILINE)[1]
    monkeypatch.chdir(ROOT)
    main(shlex.split(command))
    printed = words(capsys.readouterr().out)
    [shown] = blocks("text")
    assert len(words(shown)) == 8
    verdicts = [line.split() for line in shown.splitlines()]
    assert {word for line in verdicts for word in line} >= {"worse", "undecided"}
    for line in words(shown):
        assert line in printed, " ".join(line)


def test_training_loop_runs_as_printed(capsys):
    pytest.importorskip("torch")
    [code] = [code for code in blocks("python") if "torch" in code]
    space = {"__name__": "example"}
    exec(compile(code, "README.md", "exec"), space)
    assert isinstance(space["comparison"], reseed.Comparison)
    assert space["comparison"].data.info.trials.ok == 16
    assert len(capsys.readouterr().out) > 100
