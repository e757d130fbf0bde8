"""What a file of Python source contributes to keys: its normalised code and its imports.

Parsing takes milliseconds a file, and a project reaches hundreds of files at every start. So the
facts of a file are remembered by the hash of its bytes (`SourceMemory`). They follow from nothing
else but this module and the interpreter, which are part of the memory's version.
"""

import ast
import contextlib
import hashlib
import io
import json
import os
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from reseed.core.atomic import write_text
from reseed.core.errors import ReseedError
from reseed.core.module_finder import is_library

_BY_NAME = {"import_module", "__import__"}
_BY_FILE = {"spec_from_file_location", "SourceFileLoader"}
#: Top-level constants of a module that are read without an import (`reseed.plugins.kinds`).
_CONSTANTS = {"READS", "DRAWS"}


class Import(NamedTuple):
    """One imported name.

    line: in the file.
    base: module; leading dots count from the package of the file; None for a module that is known
        only at run time.
    name: attribute or submodule of `base`, or empty.
    """

    line: int
    base: str | None
    name: str = ""

    def resolve(self, package: str) -> str | None:
        """Full name of what is imported by a file of `package`."""
        if self.base is None:
            return None
        base = resolve_name(self.base, package)
        return f"{base}.{self.name}" if self.name else base


class SourceFacts(NamedTuple):
    """Facts of one source file.

    code: hash of the normalised code.
    documented: that with docstrings, which a program may read: as prompts, for instance.
    imports: in the order of the code.
    functions: names of the top-level functions.
    constants: source of the top-level `_CONSTANTS`.
    """

    code: str
    documented: str
    imports: tuple[Import, ...]
    functions: tuple[str, ...]
    constants: dict[str, str]


class SourceFile(NamedTuple):
    """Content hash of a file, with its times (ns) and size (bytes) before it was read.

    path: absolute, without links.
    code: hash of normalised code, with docstrings in a file of the user, or of the bytes of a file
        that is not Python source.
    """

    path: str
    code: str
    mtime_ns: int
    size: int
    ctime_ns: int
    facts: SourceFacts | None


# --- normalised code -----------------------------------------------------------------------------


def literal_text(node: ast.AST | None) -> str | None:
    """The text of a string literal, else None."""
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, str) else None


def _is_message(node: ast.AST) -> bool:
    """Whether an argument is a text: a literal, an f-string, or an expression that joins one."""
    if isinstance(node, ast.keyword):
        return _is_message(node.value)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod):
        return _is_message(node.left) or _is_message(node.right)
    return isinstance(node, ast.JoinedStr) or literal_text(node) is not None


class _CodeReader:
    """One pass over a syntax tree: its text without what cannot change a number, and its imports.

    The text is that of `ast.dump`, without docstrings and texts of errors.
    """

    def __init__(self) -> None:
        self.imports: list[Import] = []
        self.docstrings: list[str] = []

    def text(self, node: object) -> str:
        """Text of a node, of a list of nodes, or of a constant."""
        if isinstance(node, list):
            return f"[{', '.join(map(self.text, node))}]"
        if not isinstance(node, ast.AST):
            return repr(node)
        kind: Any = type(node)
        if kind in _IMPORTING:
            self.imports += _imports(node)
        fields = []
        for name, default in _optional_fields(kind):
            value = getattr(node, name)
            if (value is None and default is None) or (name == "type_params" and not value):
                continue  # Python before 3.12 has no such field, and keys are the same everywhere
            if name == "body" and kind in _WITH_DOCSTRING and _has_docstring(value):
                self.docstrings.append(value[0].value.value)
                value = value[1:] or ([] if kind is ast.Module else [ast.Pass()])
            elif name == "exc" and isinstance(value, ast.Call):
                fields.append(f"exc={self._error(value)}")
                continue
            fields.append(f"{name}={self.text(value)}")
        return f"{kind.__name__}({', '.join(fields)})"

    def _error(self, call: ast.Call) -> str:
        """The class and the values of an error, not its texts."""
        self.imports += _imports(call)
        values: list[ast.AST | None] = []
        for one in (*call.args, *call.keywords):
            if _is_message(one):
                self.imports += (name for node in ast.walk(one) for name in _imports(node))
                values.append(None)
            else:
                values.append(one)
        if any(values):
            return f"Tuple(elts={self.text([call.func, *values])})"
        return self.text(call.func)


_IMPORTING = (ast.Import, ast.ImportFrom, ast.Call)
_WITH_DOCSTRING = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@cache
def _optional_fields(kind: Any) -> tuple[tuple[str, object], ...]:
    """Fields of a kind of node, with None as the default of those that `ast.dump` omits if None."""
    return tuple((name, getattr(kind, name, ...)) for name in kind._fields)


def _has_docstring(body: list[ast.stmt]) -> bool:
    first = body[0] if body else None
    return isinstance(first, ast.Expr) and literal_text(first.value) is not None


def parse_source(path: Path, content: bytes | None = None) -> ast.Module:
    """Syntax tree of a file, or of bytes of it. Raises ReseedError with path, line and error."""
    try:
        data = path.read_bytes() if content is None else content
        # Line ends are read as Python reads them.
        return ast.parse(io.TextIOWrapper(io.BytesIO(data), encoding="utf-8").read())
    except FileNotFoundError:
        raise ReseedError(f"{path}: there is no such file.") from None
    except SyntaxError as error:
        raise ReseedError(f"{path}: line {error.lineno}: {error.msg}. Correct the file.") from None
    except UnicodeDecodeError as error:
        raise ReseedError(f"{path}: not UTF-8 text ({error}). Save it as UTF-8.") from None


def find_facts(path: Path, content: bytes) -> SourceFacts:
    """Parse the bytes of a source file. `path` is for messages only."""
    tree = parse_source(path, content)
    reader = _CodeReader()
    text = reader.text(tree)
    code, documented = (
        hashlib.sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()
        for parts in ([text], [text, *reader.docstrings])
    )
    functions = tuple(node.name for node in tree.body if isinstance(node, ast.FunctionDef))
    constants = {}
    for node in tree.body:
        name = getattr(node.targets[0], "id", "") if isinstance(node, ast.Assign) else ""
        if name in _CONSTANTS:
            constants[name] = ast.unparse(node.value)  # type: ignore[attr-defined]
    return SourceFacts(code, documented, tuple(reader.imports), functions, constants)


# --- imports -------------------------------------------------------------------------------------


def resolve_name(name: str, package: str) -> str:
    """A module's full name; leading dots count from the package that names it."""
    level = len(name) - len(name.lstrip("."))
    if not level:
        return name
    parents = package.split(".")[: len(package.split(".")) - level + 1]
    return ".".join(part for part in (*parents, name[level:]) if part)


def _called_name(node: ast.Call) -> str:
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _named(call: ast.Call) -> str | None:
    """The module that a call imports by name; None for a computed name or package."""
    given = dict(zip(("name", "package"), call.args, strict=False))
    given |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    name, anchor = literal_text(given.get("name")), given.get("package")
    if isinstance(anchor, ast.Name) and anchor.id in {"__package__", "__name__"}:
        return name
    around = literal_text(anchor)
    if name is None or (name.startswith(".") and around is None):
        return None
    return resolve_name(name, around or "")


def _runs_file(call: ast.Call) -> bool:
    """Whether a call runs the code of a file. A method named `exec` does not count."""
    if isinstance(call.func, ast.Name) and call.func.id == "exec":
        return not call.args or literal_text(call.args[0]) is None
    return _called_name(call) in _BY_FILE


def _imports(node: ast.AST) -> Iterator[Import]:
    """What a node imports. A name that may be a module or an attribute is yielded as both."""
    if isinstance(node, ast.Import):
        yield from (Import(node.lineno, alias.name) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = "." * node.level + (node.module or "")
        yield Import(node.lineno, base)
        yield from (Import(node.lineno, base, alias.name) for alias in node.names)
    elif isinstance(node, ast.Call):
        if _called_name(node) in _BY_NAME and (node.args or node.keywords):
            yield Import(node.lineno, _named(node))
        elif _runs_file(node):
            yield Import(node.lineno, None)


# --- memory --------------------------------------------------------------------------------------


class SourceMemory:
    """Facts of source files by the hash of their bytes, in this process and in a file.

    The file has a checksum. One that is damaged, or of another version, counts as empty. Processes
    that write it at the same time replace each other's file; every entry of each is right.
    """

    def __init__(self) -> None:
        self._facts: dict[str, SourceFacts] = {}
        self._used: dict[str, str] = {}

    def facts(self, path: Path, content: bytes) -> SourceFacts:
        """Facts of a file with these bytes. Raises ReseedError for code that cannot be parsed."""
        name = hashlib.sha256(content).hexdigest()
        if name not in self._facts:
            self._facts[name] = find_facts(path, content)
        self._used[name] = str(path.resolve())
        return self._facts[name]

    def load(self, file: Path) -> None:
        """Add the facts in a file."""
        self._facts |= {name: facts for name, (_, facts) in _read_memory(file).items()}

    def save(self, file: Path) -> None:
        """Add the facts that this process used to a file, in place of facts of older versions."""
        saved = _read_memory(file)
        if self._used.keys() <= saved.keys():
            return
        paths = set(self._used.values())
        kept = {name: entry for name, entry in saved.items() if entry[0] not in paths}
        used = {name: (path, self._facts[name]) for name, path in self._used.items()}
        body = json.dumps(kept | used, sort_keys=True, separators=(",", ":"))
        with contextlib.suppress(OSError):  # the next start parses the files again
            write_text(file, f"{_seal(body)}\n{body}")


def find_false_facts(file: Path) -> Iterator[Path]:
    """Source files whose remembered facts are not those of their bytes, by parsing them again."""
    for name, (path, facts) in _read_memory(file).items():
        with contextlib.suppress(OSError):
            content = Path(path).read_bytes()
            if hashlib.sha256(content).hexdigest() == name and find_facts(Path(path), content) != (
                facts
            ):
                yield Path(path)


def _read_memory(file: Path) -> dict[str, tuple[str, SourceFacts]]:
    """Path and facts by the hash of the bytes; empty for a file that cannot be used."""
    try:
        seal, _, body = file.read_text(encoding="utf-8").partition("\n")
        if seal != _seal(body):
            return {}
        return {name: (path, _from_json(facts)) for name, (path, facts) in json.loads(body).items()}
    except (OSError, ValueError, TypeError):
        return {}


def _from_json(values: list[Any]) -> SourceFacts:
    code, documented, imports, functions, constants = values
    imported = tuple(Import(*one) for one in imports)
    return SourceFacts(code, documented, imported, tuple(functions), constants)


#: Hash of all that decides facts besides a file's bytes: this module, read when it is imported, and
#: the interpreter.
_VERSION = hashlib.sha256(Path(__file__).read_bytes() + sys.version.encode()).hexdigest()


def _seal(body: str) -> str:
    """Checksum of a memory's entries and version."""
    return hashlib.sha256(f"{_VERSION}\n{body}".encode()).hexdigest()


#: The memory of this process.
MEMORY = SourceMemory()


def read_now(path: Path) -> SourceFile:
    """A file as it is now, parsed again: nothing that is remembered counts."""
    return _read(path, find_facts)


@cache
def read_source(path: Path) -> SourceFile:
    """A file as this process first read it. All keys and stamps of a run use the same reading.

    Raises ReseedError for a file that does not exist or cannot be parsed.
    """
    return _read(path, MEMORY.facts)


def _read(path: Path, facts_of: Callable[[Path, bytes], SourceFacts]) -> SourceFile:
    try:
        status = os.stat(path)  # first: a later edit then differs from it
        content = path.read_bytes()
    except FileNotFoundError:
        raise ReseedError(f"{path}: there is no such file.") from None
    facts = facts_of(path, content) if path.suffix == ".py" else None
    if facts is None:
        code = hashlib.sha256(content).hexdigest()
    else:
        code = facts.code if is_library(path.resolve()) else facts.documented
    times = status.st_mtime_ns, status.st_size, status.st_ctime_ns
    return SourceFile(str(path.resolve()), code, *times, facts)
