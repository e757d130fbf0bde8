"""What made a file: content hashes of the code and settings behind it, and of the machine.

Snakemake does not notice an edited imported module and reruns everything for a touched script.
So each rule carries the hash computed here: it follows a script's imports inside the library and
ignores comments, docstrings and layout, so it changes exactly when the code's meaning can.
"""

import ast
import hashlib
import json
import os
import platform
import subprocess
from functools import cache
from importlib import metadata
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent.parent


def digest(*parts: object) -> str:
    """SHA-256 (hex) of any JSON-able values, stable across runs and platforms."""
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _module_file(name: str) -> Path | None:
    """The source of a module of the library, or of the user's own beside the configuration."""
    for root in (SCRIPTS, Path.cwd()):
        base = root / Path(*name.split("."))
        for path in (base.with_suffix(".py"), base / "__init__.py"):
            if path.is_file():
                return path
    return None


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        first = body[0] if body else None
        value = first.value if isinstance(first, ast.Expr) else None
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            node.body = body[1:] or [ast.Pass()]
    return tree


def _imported(tree: ast.Module) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names.add(node.module)
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


@cache
def _read(path: Path) -> tuple[str, frozenset[Path]]:
    """Meaning of one source file (hash of its syntax tree) and the library files it imports."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imported = frozenset(f for name in _imported(tree) if (f := _module_file(name)))
    meaning = ast.dump(_without_docstrings(tree))
    return hashlib.sha256(meaning.encode()).hexdigest(), imported


def code_files(*entries: str) -> list[Path]:
    """The source files reached from scripts or modules through their imports.

    An entry is a path below `scripts/` (`train.py`) or a module name (`reseed.models.forest`, or
    a user's own module in the working folder). Installed packages contribute nothing: their
    versions stand in the lock and in every trial's record.
    """
    pending = [
        SCRIPTS / entry if entry.endswith(".py") else _module_file(entry) for entry in entries
    ]
    seen: set[Path] = set()
    while pending:
        path = pending.pop()
        if path is None or path in seen:
            continue
        seen.add(path)
        pending.extend(_read(path)[1])
    return sorted(seen)


@cache
def code_hash(*entries: str) -> str:
    """Hash of all code reached from `entries` (see `code_files`)."""
    files = code_files(*entries)
    return digest(sorted((path.name, _read(path)[0]) for path in files))


def _cpu_name() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _git_commit() -> str:
    command = ["git", "-C", str(SCRIPTS), "describe", "--always", "--dirty", "--abbrev=40"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def machine(libraries: tuple[str, ...], device: str, threads: int) -> dict:
    """What a record says of where it was made: versions, processor, device, threads, commit."""
    versions = {}
    for name in libraries:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = "absent"
    return {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cpu": _cpu_name(),
        "cores": os.cpu_count(),
        "device": device,
        "threads": threads,
        "libraries": versions,
        "git_commit": _git_commit(),
    }
