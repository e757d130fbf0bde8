"""Flags of the interpreter that can change what code does are in the record of a trial."""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"
PRINT = """
import json
from reseed.core.environment import describe_interpreter
print(json.dumps(describe_interpreter()))
"""


@cache
def described(*flags: str, **variables: str) -> dict:
    """The record of an interpreter with these flags and variables."""
    environment = os.environ | {"PYTHONPATH": str(SCRIPTS), **variables}
    command = [sys.executable, *flags, "-c", PRINT]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


@pytest.mark.parametrize(
    ("flags", "variables", "changed"),
    [
        (["-O"], {}, {"optimize": 1}),
        ([], {"PYTHONOPTIMIZE": "2"}, {"optimize": 2}),
        ([], {"PYTHONDEVMODE": "1"}, {"dev_mode": True, "warnings": ["default"]}),
        (["-X", "utf8=1"], {}, {"utf8_mode": True}),
        (["-W", "error"], {}, {"warnings": ["error"]}),
    ],
)
def test_flags_from_arguments_and_variables_are_recorded(flags, variables, changed):
    plain = described("-X", "utf8=0")
    assert plain == {"optimize": 0, "dev_mode": False, "utf8_mode": False, "warnings": []}
    shown = described(*flags, **variables)
    expected = plain | {"utf8_mode": shown["utf8_mode"]} | changed
    assert shown == expected
