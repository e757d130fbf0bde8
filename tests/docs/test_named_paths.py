"""Paths and commands that the pages for contributors name exist."""

import re
from pathlib import Path

import pytest
from reseed.cli import main

ROOT = Path(__file__).parents[2]
PAGES = ("CONTRIBUTING.md", "README.md", "docs/extending.md")
#: A reader makes these, or they stand for the reader's own.
MADE = {"config/studies/my_comparison.yaml", "results/report/index.html"}


@pytest.mark.parametrize("page", PAGES)
def test_every_path_exists(page):
    text = (ROOT / page).read_text("utf-8")
    folders = "benchmarks|config|docs|envs|profiles|results|rules|scripts|tests|workflow"
    # Capitals, braces and stars stand for any name.
    named = set(
        re.findall(rf"(?<![\w/.])(?:{folders})/[a-z0-9_./-]*[a-z0-9/](?![\w*{{}}/-])", text)
    )
    missing = [path for path in sorted(named - MADE) if not (ROOT / path).exists()]
    assert missing == []
    assert named


@pytest.mark.parametrize("page", PAGES)
def test_every_target_of_make_and_command_exists(page):
    text = (ROOT / page).read_text("utf-8")
    targets = set(re.findall(r"^(\w[\w-]*):", (ROOT / "Makefile").read_text(), re.M))
    asked = set(re.findall(r"(?:^|`|\bmake |, make )make ([a-z][a-z-]*)", text, re.M))
    assert asked <= targets
    for command in set(re.findall(r"(?:^|`)reseed ([a-z]+)", text, re.M)):
        with pytest.raises(SystemExit) as end:
            main([command, "--help"])
        assert end.value.code == 0
