"""Remembered facts of source files: always those of a fresh parse."""

import ast
import hashlib
import json
import os
import sys
from pathlib import Path

import pytest
from hashed_projects import forget, hashed
from reseed.core import source_facts
from reseed.core.module_finder import SCRIPTS
from reseed.core.source_facts import SourceMemory, find_facts, find_false_facts
from reseed.core.source_guard import SourceGuard, stamp_sources

TEXT = 'from . import other\nREADS = "curves"\n\ndef f(x):\n    """One."""\n    return x\n'


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(TEXT)
    return path


@pytest.fixture
def saved(source, tmp_path):
    file = tmp_path / "plan" / "sources.json"
    remember(source, file)
    return file


def remember(source, file):
    memory = SourceMemory()
    memory.load(file)
    memory.facts(source, source.read_bytes())
    memory.save(file)
    return memory


@pytest.fixture
def parsed(monkeypatch):
    """Paths that are parsed."""
    paths = []

    def find(path, content):
        paths.append(path)
        return find_facts(path, content)

    monkeypatch.setattr(source_facts, "find_facts", find)
    return paths


def test_remembered_facts_equal_parsed_facts_for_all_modules(tmp_path):
    file, paths = tmp_path / "sources.json", sorted(SCRIPTS.rglob("*.py"))[::20]
    first, second = SourceMemory(), SourceMemory()
    parsed = [first.facts(path, path.read_bytes()) for path in paths]
    first.save(file)
    second.load(file)
    assert list(second._facts)
    assert second._facts.keys() == first._facts.keys()
    assert [second.facts(path, path.read_bytes()) for path in paths] == parsed


def test_remembered_file_is_not_parsed_again(source, saved, parsed):
    remember(source, saved)
    assert parsed == []


def test_edit_of_equal_size_and_time_is_parsed(source, saved, parsed):
    status = source.stat()
    source.write_text(TEXT.replace("return x", "return 2"))
    os.utime(source, ns=(status.st_atime_ns, status.st_mtime_ns))
    memory = remember(source, saved)
    assert parsed == [source]
    assert memory.facts(source, source.read_bytes()) == find_facts(source, source.read_bytes())


def test_facts_of_older_versions_of_a_file_are_dropped(source, saved):
    source.write_text("x = 1\n")
    remember(source, saved)
    assert len(json.loads(saved.read_text().partition("\n")[2])) == 1


@pytest.mark.parametrize("damage", ["", "x", '{"a": 1}', "seal\n[]"])
def test_damaged_memory_counts_as_empty_and_is_written_again(source, saved, parsed, damage):
    good = saved.read_text()
    saved.write_text(damage)
    remember(source, saved)
    assert parsed == [source]
    assert saved.read_text() == good


def test_changed_hash_without_its_checksum_is_ignored(source, saved, parsed):
    code = find_facts(source, source.read_bytes()).code
    saved.write_text(saved.read_text().replace(code, "0" * 64))
    remember(source, saved)
    assert source in parsed


def test_memory_of_another_version_is_ignored(source, saved, parsed, monkeypatch):
    monkeypatch.setattr(source_facts, "_VERSION", "another interpreter or another module")
    remember(source, saved)
    assert parsed == [source]


class ReferenceNormalizer(ast.NodeTransformer):
    """What a hash of code leaves out, by the tools of the standard library."""

    def without_docstring(self, node):
        self.generic_visit(node)
        if node.body and ast.get_docstring(ast.Module(node.body, []), clean=False) is not None:
            node.body = node.body[1:] or ([] if isinstance(node, ast.Module) else [ast.Pass()])
        return node

    visit_Module = visit_ClassDef = visit_FunctionDef = visit_AsyncFunctionDef = without_docstring

    def visit_Raise(self, node):
        if isinstance(node.exc, ast.Call):
            given = (*node.exc.args, *node.exc.keywords)
            values = [None if source_facts._is_message(one) else one for one in given]
            node.exc = ast.Tuple([node.exc.func, *values]) if any(values) else node.exc.func
        return node


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="ast.dump omits empty lists")
def test_code_is_the_tree_without_docstrings_and_error_texts():
    paths = [*SCRIPTS.rglob("*.py"), *Path(json.__file__).parent.parent.glob("*.py")]
    assert len(paths) > 500
    for path in paths[::15]:
        content = path.read_bytes()
        tree = source_facts.parse_source(path, content)
        dumped = ast.dump(ReferenceNormalizer().visit(tree)).replace(", type_params=[]", "")
        assert find_facts(path, content).code == hashlib.sha256(dumped.encode()).hexdigest(), path


def test_code_is_the_same_for_the_trees_of_later_pythons(monkeypatch):
    source = b"def f(x):\n    return x\n\n\nclass A:\n    pass\n"
    source_facts._optional_fields.cache_clear()
    before = find_facts(Path("mine.py"), source).code
    for kind in (ast.FunctionDef, ast.ClassDef):
        fields = [name for name in kind._fields if name != "type_params"]
        monkeypatch.setattr(kind, "_fields", (*fields, "type_params"))
        monkeypatch.setattr(kind, "type_params", [], raising=False)
    source_facts._optional_fields.cache_clear()
    assert find_facts(Path("mine.py"), source).code == before
    source_facts._optional_fields.cache_clear()


@pytest.mark.parametrize("text", ["f'{__import__(\"a\")}'", "__import__('a')", "x=__import__('a')"])
def test_imports_in_errors_are_found(text):
    facts = find_facts(Path("mine.py"), f"def f():\n    raise ValueError({text})\n".encode())
    assert [one.base for one in facts.imports] == ["a"]


def test_false_facts_with_a_valid_checksum_are_found(source, saved):
    assert list(find_false_facts(saved)) == []
    code = find_facts(source, source.read_bytes()).code
    body = saved.read_text().partition("\n")[2].replace(code, "0" * 64)
    saved.write_text(f"{source_facts._seal(body)}\n{body}")
    assert list(find_false_facts(saved)) == [source]


def test_memory_that_cannot_be_written_is_no_error(source, tmp_path):
    (tmp_path / "plan").write_text("a file")
    memory = SourceMemory()
    memory.facts(source, source.read_bytes())
    memory.save(tmp_path / "plan" / "sources.json")
    assert (tmp_path / "plan").read_text() == "a file"


def test_key_and_stamp_come_from_one_reading(project):
    folder = project(mine="x = 1\n")
    forget()
    stamp_sources.cache_clear()
    key = hashed(folder)
    (folder / "mine.py").write_text("x = 3\n")
    stamps = stamp_sources(("mine",), (), folder)
    with pytest.raises(Exception, match="was edited"):
        SourceGuard(stamps).refuse_edits()
    forget()
    assert hashed(folder) != key
