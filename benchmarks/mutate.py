"""Mutation tests of `reseed.stats`: random changes of operators and constants, each in a copy.

`python benchmarks/mutate.py shares --mutants 20` changes `stats/shares.py` at 20 random places
and runs `tests/stats/test_shares.py` on each, `comparison.gate` a module of another package;
without names, every module of `stats` with tests is changed, with `--part 2/7` the second of seven
parts of them. The changes of a module depend on the seed
only. It prints every survivor and the share killed. A survivor needs a test, or an entry with a
proof in `equivalent_mutants.yaml`. The repository is not changed. Each change is tested in a fork,
so libraries are imported once (Linux, macOS).
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import hypothesis  # noqa: F401  imported once, for all forks
import pytest
import scipy.stats  # noqa: F401
import sklearn.metrics  # noqa: F401
import statsmodels.api  # noqa: F401
import yaml

REPOSITORY = Path(__file__).resolve().parents[1]
#: Test files of modules that have none of their own name, below the tests of the package.
_TESTED_BY = {
    "comparison": ["comparison", "bca_quantiles"],
    "gaussian_range": ["gaussian_range", "spread", "extremes"],
    "item_model": ["item_model", "weighted_t"],
    "mean_squares": ["variance", "factorial_variance"],
    "ranking": ["ranking_instability"],
    "clusters": ["item_model", "crossed_comparison"],
    "readers.cells": ["written_cells", "marks", "percentages"],
    "readers.foreign_files": ["hard_sources", "json", "errors_and_repairs"],
    "readers.sources": ["formats", "hard_sources", "exports"],
    "readers.in_memory": ["formats", "nested_results", "layouts"],
    "analyses.shared.across_datasets": ["pairs_over_datasets"],
}
#: Test files of all modules.
_COMMON_TESTS = ["default_arguments", "smallest_sizes"]
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.yaml")
_LEAST_TIMEOUT = 60  # seconds
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


def apply_mutation(source: str, mutation: tuple[int, str]) -> tuple[str, int, str]:
    """The source with one change, the line of it, and the changed statement on one line."""
    tree = ast.parse(source)
    number, field = mutation
    node = list(ast.walk(tree))[number]
    if field == "op":
        node.op = _OPERATORS[type(node.op)]()
    elif field == "ops":
        node.ops[0] = _OPERATORS[type(node.ops[0])]()
    else:
        node.value = node.value + 1
    statements = (
        one
        for one in ast.walk(tree)
        if isinstance(one, ast.stmt) and any(part is node for part in ast.walk(one))
    )
    *_, innermost = statements  # `ast.walk` visits parents before their children
    return ast.unparse(tree), node.lineno, _header(innermost)


def _header(statement: ast.stmt) -> str:
    """The statement's text without the statements inside it."""
    if getattr(statement, "body", None):
        statement.body = [ast.Pass()]
        for name in ("orelse", "finalbody", "handlers"):
            if hasattr(statement, name):
                setattr(statement, name, [])
        return ast.unparse(statement).rsplit(":", 1)[0]
    return " ".join(ast.unparse(statement).split())


def run_tests(folder: Path, tests: list[str], timeout: int = 0) -> bool:
    """Whether the tests pass with the package below `folder`, in a fork of this process.

    timeout: in seconds, 0 for none; a change that makes a loop endless ends with it.
    """
    child = os.fork()
    if child == 0:
        signal.alarm(timeout)
        os.chdir(REPOSITORY)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        sys.dont_write_bytecode = True
        # `pythonpath` of pyproject.toml would find the original first.
        path = f"pythonpath={folder} {REPOSITORY / 'tests'} {REPOSITORY / 'scripts'}"  # `papers`
        options = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", path]
        os._exit(int(pytest.main([*options, *tests])))
    return os.waitpid(child, 0)[1] == 0


def read_equivalent(module: str) -> dict[str, str]:
    """Changed statement -> why the change has no effect on results."""
    return (yaml.safe_load(EQUIVALENT.read_text("utf-8")) or {}).get(module, {})


def list_modules() -> list[str]:
    """Names of the modules of `reseed.stats` that have tests."""
    names = sorted(path.stem for path in (REPOSITORY / "scripts/reseed/stats").glob("[!_]*.py"))
    return [
        name for name in names if all((REPOSITORY / test).exists() for test in find_tests(name))
    ]


def find_tests(module: str) -> list[str]:
    """Paths of the test files of a module."""
    package, _, own = module.rpartition(".")
    names = [*_TESTED_BY.get(module, [own]), *([] if package else _COMMON_TESTS)]
    folder = package.removesuffix(".shared").replace(".", "/") or "stats"
    return [f"tests/{folder}/test_{name}.py" for name in names]


def test_module(module: str, mutants: int, rng: random.Random) -> tuple[int, int]:
    """Print the survivors of a module; return the numbers killed and not equivalent."""
    tests = find_tests(module)
    equivalent = read_equivalent(module)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "scripts"
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(REPOSITORY / "scripts" / "reseed", folder / "reseed", ignore=ignored)
        full = module if "." in module else f"stats.{module}"
        path = folder / "reseed" / f"{full.replace('.', '/')}.py"
        source = path.read_text("utf-8")
        start = time.monotonic()
        if not run_tests(folder, tests):
            sys.exit(f"{' '.join(tests)} fails without any change.")
        timeout = _LEAST_TIMEOUT + int(5 * (time.monotonic() - start))
        found = find_mutations(ast.parse(source))
        killed = total = 0
        for mutation in rng.sample(found, min(mutants or len(found), len(found))):
            changed, line, statement = apply_mutation(source, mutation)
            if statement in equivalent:
                continue
            path.write_text(changed, "utf-8")
            is_killed = not run_tests(folder, tests, timeout)
            killed, total = killed + is_killed, total + 1
            if not is_killed:
                print(f"survived: {module}.py:{line}: {statement}", flush=True)
    print(f"{module}: killed {killed} of {total}; {len(found)} places", flush=True)
    return killed, total


def main() -> None:
    """Print survivors by module, and the share killed; exit 1 below the required share."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "modules",
        nargs="*",
        help="modules of reseed.stats, or package.module; none: all of stats that have tests",
    )
    parser.add_argument("--mutants", type=int, default=20, help="changes of each module; 0: all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--require", type=float, default=0.0, help="share killed, else exit 1")
    parser.add_argument("--part", default="1/1", help="i/n: the i-th of n parts of the modules")
    options = parser.parse_args()
    part, parts = map(int, options.part.split("/"))
    modules = (options.modules or list_modules())[part - 1 :: parts]
    results = [
        # A module's sample does not depend on the other modules.
        test_module(name, options.mutants, random.Random(f"{options.seed} {name}"))
        for name in modules
    ]
    killed, total = (sum(column) for column in zip(*results, strict=True))
    share = killed / max(total, 1)
    error = (share * (1 - share) / max(total, 1)) ** 0.5
    print(f"killed {killed} of {total} ({share:.3f}, SE {error:.3f})")
    if killed < options.require * total:
        sys.exit(1)


if __name__ == "__main__":
    main()
