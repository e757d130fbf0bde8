"""Alternative texts describe the picture; results are for claims to state."""

import ast
import re
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[3] / "scripts"
FIGURES = sorted(
    path for path in SCRIPTS.rglob("*.py") if "FigureInfo(" in path.read_text(encoding="utf-8")
)
RESULT = re.compile(
    r"\d|\b(ris(e|es|ing)|fall(s|ing)?|grow(s|ing)?|narrow(s|ing)?|widen(s|ing)?|shrink(s|ing)?"
    r"|increas\w+|decreas\w+|beats?|wins?|larger|smaller|higher|lower|better|worse|best model"
    r"|most of|differs?|shows? that)\b",
    re.IGNORECASE,
)


def literals(node):
    """Texts of an expression: string constants, and those of f-strings."""
    return [
        part.value
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    ]


def alternatives(path):
    """Texts that a module passes as `alt`, or assigns to a name that it passes."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    keywords = [k for node in nodes if isinstance(node, ast.Call) for k in node.keywords]
    given = [keyword.value for keyword in keywords if keyword.arg == "alt"]
    names = {node.id for node in given if isinstance(node, ast.Name)}
    assigned = [
        node.value
        for node in nodes
        if isinstance(node, ast.Assign) and {getattr(t, "id", "") for t in node.targets} & names
    ]
    return [text for node in [*given, *assigned] for text in literals(node)]


def test_the_figures_are_found():
    assert len(FIGURES) > 15


@pytest.mark.parametrize("path", FIGURES, ids=lambda path: path.stem)
def test_alternative_texts_state_no_result(path):
    assert not [text for text in alternatives(path) if RESULT.search(text)]
