"""Paths and commands that the pages for contributors name exist."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ("CONTRIBUTING.md", "README.md", "docs/extending.md")
#: A reader makes these, or they stand for the reader's own.
MADE = {"config/studies/my_comparison.yaml", "results/report/index.html"}


@pytest.mark.parametrize("page", PAGES)
def test_every_path_exists(page):
    text = (ROOT / page).read_text("utf-8")
    links = re.findall(r"\]\((?!\w+:|#)([^)#\s]+)", text)
    folders = "benchmarks|config|docs|envs|profiles|results|rules|scripts|tests|workflow"
    # Capitals, braces and stars stand for any name.
    named = set(
        re.findall(rf"(?<![\w/.])(?:{folders})/[a-z0-9_./-]*[a-z0-9/](?![\w*{{}}/-])", text)
    )
    missing = [path for path in sorted(named - MADE) if not (ROOT / path).exists()]
    missing += [link for link in links if not (ROOT / page).parent.joinpath(link).exists()]
    assert missing == []
    assert links or named


@pytest.mark.parametrize("page", PAGES)
def test_every_target_of_make_and_command_exists(page):
    text = (ROOT / page).read_text("utf-8")
    targets = set(re.findall(r"^(\w[\w-]*):", (ROOT / "Makefile").read_text(), re.M))
    asked = set(re.findall(r"(?:^|`|\bmake |, make )make ([a-z][a-z-]*)", text, re.M))
    assert asked <= targets
    run = [sys.executable, "-m", "reseed"]
    for command in set(re.findall(r"(?:^|`)reseed ([a-z]+)", text, re.M)):
        environment = os.environ | {"PYTHONPATH": str(ROOT / "scripts")}
        subprocess.run([*run, command, "--help"], env=environment, check=True, capture_output=True)
