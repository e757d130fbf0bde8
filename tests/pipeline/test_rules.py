"""Rules that a person can read: few, with names, one line of help, and no code that makes rules."""

import inspect
import re
from pathlib import Path

import pytest
from reseed.pipeline.stages import Stage

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "rules").glob("*.smk"))
TEXT = "\n".join(path.read_text() for path in FILES)
RULES = dict(
    pair
    for text in (TEXT, (ROOT / "Snakefile").read_text())
    for pair in re.findall(r"^rule (\w+):\n(.+?)(?=^\w|^# |\Z)", text, re.M | re.S)
)
JOBS = {name: body for name, body in RULES.items() if "shell:" in body}


@pytest.mark.parametrize("name", JOBS)
def test_a_rule_has_a_line_of_help_and_asks_the_plan_alone(name):
    body = JOBS[name]
    [help_text] = re.findall(r'"""(.+?)"""', body, re.S)
    assert len(help_text) < 80
    assert "\n" not in help_text
    assert help_text.endswith(".")
    asked = set(re.findall(r"plan\.(\w+)\.(\w+)", body)) - {("project", "main")}
    assert {stage for stage, _ in asked} <= {name, "names"}
    methods = {method for stage, method in asked if stage == name}
    assert all(hasattr(Stage, method) for method in methods)
    assert "lambda" not in body


@pytest.mark.parametrize(
    "name", [one for one, _ in inspect.getmembers(Stage, inspect.isfunction) if one[0] != "_"]
)
def test_every_answer_of_the_plan_is_asked(name):
    assert name == "job" or re.search(rf"plan\.\w+\.{name}\b", TEXT)


def test_examples_of_paths_match_their_rules():
    """The path in the comment above a rule is one that the rule makes."""
    found = re.findall(
        r"^# (results/\S+)\n(?:# .*\n)*rule (\w+):\n(.+?)\n    log:", TEXT, re.M | re.S
    )
    assert len(found) >= 14
    for path, _, body in found:
        outputs = re.findall(r'"<results>/(.+?)"', body)
        patterns = [re.sub(r"\\\{\w+\\\}", ".+", re.escape(output)) for output in outputs]
        assert any(re.fullmatch(f"results/{one}", path) for one in patterns), path
