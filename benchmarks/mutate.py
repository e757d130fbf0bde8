"""Mutation tests of `reseed.stats`: random changes of operators and constants, each in a copy.

`python benchmarks/mutate.py evalues --mutants 20` changes `stats/evalues.py` at 20 random places
and runs `tests/stats/test_evalues.py` on each. It prints every survivor and the share killed.
Survivors are either equivalent to the original or need a test. The repository is not changed.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
_OPERATORS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.And: ast.Or, ast.Or: ast.And, ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
}  # fmt: skip


def find_mutations(tree: ast.Module) -> list[tuple[int, str]]:
    """Every place that `apply_mutation` can change: (number of the node in `ast.walk`, field)."""
    annotations = {id(part) for node in ast.walk(tree) for part in _annotated(node)}
    found = []
    for number, node in enumerate(ast.walk(tree)):
        if id(node) in annotations:
            continue
        if isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign):
            found += [(number, "op")] if type(node.op) in _OPERATORS else []
        elif isinstance(node, ast.Compare):
            found += [(number, "ops")] if type(node.ops[0]) in _OPERATORS else []
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
            found.append((number, "value"))
    return found


def _annotated(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes of the annotations of a node, which have no effect."""
    for name in ("annotation", "returns"):
        part = getattr(node, name, None)
        if isinstance(part, ast.AST):
            yield from ast.walk(part)


def apply_mutation(source: str, mutation: tuple[int, str]) -> tuple[str, int]:
    """The source with one change, and the line of it."""
    tree = ast.parse(source)
    number, field = mutation
    node = list(ast.walk(tree))[number]
    if field == "op":
        node.op = _OPERATORS[type(node.op)]()
    elif field == "ops":
        node.ops[0] = _OPERATORS[type(node.ops[0])]()
    else:
        node.value = node.value + 1
    return ast.unparse(tree), node.lineno


def run_tests(folder: Path, tests: list[str]) -> bool:
    """Whether the tests pass with the package below `folder`."""
    path = os.pathsep.join([str(folder), str(REPOSITORY / "tests")])
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    # `pythonpath` of pyproject.toml would find the original first.
    command += ["-o", f"pythonpath={path.replace(os.pathsep, ' ')}"]
    try:
        done = subprocess.run(
            command, cwd=REPOSITORY, env=os.environ | {"PYTHONPATH": path},
            capture_output=True, timeout=600, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def main() -> None:
    """Print survivors by module, and the share killed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "modules",
        nargs="+",
        help="modules of reseed.stats; `sequential:planning` has tests in test_planning.py",
    )
    parser.add_argument("--mutants", type=int, default=20, help="changes of each module")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    killed = total = 0
    for name in options.modules:
        module, _, tested_by = name.partition(":")
        tests = [f"tests/stats/test_{tested_by or module}.py"]
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary) / "scripts"
            shutil.copytree(REPOSITORY / "scripts" / "reseed", folder / "reseed")
            path = folder / "reseed" / "stats" / f"{module}.py"
            source = path.read_text("utf-8")
            if not run_tests(folder, tests):
                sys.exit(f"{tests[0]} fails without any change.")
            found = find_mutations(ast.parse(source))
            for mutation in rng.sample(found, min(options.mutants, len(found))):
                changed, line = apply_mutation(source, mutation)
                path.write_text(changed, "utf-8")
                survives = run_tests(folder, tests)
                killed, total = killed + (not survives), total + 1
                if survives:
                    print(f"survived: {module}.py:{line}, {mutation}", flush=True)
            path.write_text(source, "utf-8")
    print(f"killed {killed} of {total}")


if __name__ == "__main__":
    main()
