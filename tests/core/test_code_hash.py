"""Code hashes depend on meaning only; trial keys cover exactly what affects results."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hashed_projects import forget, hashed
from reseed.core.code_hash import (
    code_files,
    code_hash,
    digest,
    named_code,
    reach_code,
    refuse_unbound,
)
from reseed.core.errors import ReseedError
from reseed.core.module_finder import SCRIPTS
from reseed.core.source_facts import find_facts
from reseed.trials.trial_cache import trial_key

JOBS = SCRIPTS / "reseed" / "jobs"
MODEL = {"factory": "a:b", "stack": {"cpu": 1, "gpu": 1}, "hyperparameters": {"ignored": 1}}
FACTS = {
    "code": "c",
    "model": MODEL,
    "hyperparameters": {"depth": 3},
    "data": "d",
    "rows": "r",
    "weights": None,
    "seeds": {"init": 0, "order": 0, "dropout": 0, "augment": 0},
}


@pytest.mark.parametrize(
    "same", ["def f(x):\n    return x + 1  # a comment\n", "def f(x):\n\n    return (x + 1)\n"]
)
def test_comments_and_layout_are_ignored(project, same):
    first = hashed(project(mine="def f(x):\n    return x + 1\n"))
    assert hashed(project(mine=same)) == first
    assert hashed(project(mine="def f(x):\n    return x + 2\n")) != first


def test_docstrings_of_users_count_as_prompts_are_there(project):
    """Those of the library do not: no code of it reads one."""
    code = 'class Answer:\n    """Answer in one word."""\n    field = 1\n'
    first = hashed(project(mine=code))
    assert hashed(project(mine=code.replace("one word", "two words"))) != first
    edited = find_facts(Path("a.py"), code.replace("one", "two").encode())
    assert edited.code == find_facts(Path("a.py"), code.encode()).code


@pytest.mark.parametrize("entry", ["reseed.training.run", "reseed.data.inputs"])
def test_what_no_number_depends_on_is_in_no_key(entry):
    """A new public name, version or error text of the library trains nothing again."""
    files = code_files(entry)
    assert not files.keys() & {"reseed", "reseed.core.errors", "reseed.plugins.loading"}
    assert {entry, "reseed.data.features"} <= files.keys()


def test_docstring_of_an_empty_module_is_ignored():
    empty, documented = (find_facts(Path("a.py"), text) for text in (b"", b'"""Text."""\n'))
    assert empty.code == documented.code


def test_error_texts_are_ignored_but_not_error_classes(project):
    text = "def f():\n    raise ValueError('one')\n"
    first = hashed(project(mine=text))
    assert hashed(project(mine=text.replace("one", "another"))) == first
    assert hashed(project(mine=text.replace("ValueError", "TypeError"))) != first


@pytest.mark.parametrize("text", ["'one'", "f'one {x}'", "'one' + str(x)", "'one %d' % x"])
def test_error_values_count_but_not_error_texts(project, text):
    code = f"def f(x):\n    raise Stop({text}, x * 0.5, best=x, text={text})\n"
    first = hashed(project(mine=code))
    assert hashed(project(mine=code.replace("one", "another"))) == first
    assert hashed(project(mine=code.replace("0.5", "0.7"))) != first
    assert hashed(project(mine=code.replace("best=x", "best=-x"))) != first


@pytest.mark.parametrize(
    ("entry", "files"),
    [
        ("mine", {"mine": "import other", "other": "X = 1"}),
        ("mine", {"mine": "from other import X", "other": "X = 1"}),
        ("mine", {"mine": "def f():\n    import other\n", "other": "X = 1"}),
        ("mine", {"mine": "__import__('other')", "other": "X = 1"}),
        ("mine", {"mine": "import_module(name='other')", "other": "X = 1"}),
        ("mine", {"mine": "import_module('.other', 'pack')", "pack/other": "X = 1"}),
        ("pack.mine", {"pack/mine": "import_module('.other', __package__)", "pack/other": "X = 1"}),
        ("pack", {"pack/__init__": "import_module('.other', package=__name__)",
                  "pack/other": "X = 1"}),
        ("pack.sub.mine", {"pack/sub/mine": "import_module('..other', __package__)",
                          "pack/other": "X = 1"}),
        ("mine", {"mine": "from pack import *", "pack/__init__": "__all__ = ['other']",
                  "pack/other": "X = 1"}),
        ("mine", {"mine": "from pack import *", "pack/other": "X = 1",
                  "pack/__init__": "__all__ = []\n__all__ += ['other']"}),
        ("pack.mine", {"pack/__init__": "__all__: list[str] = ['other']",
                       "pack/mine": "from . import *", "pack/other": "X = 1"}),
        ("pack.mine", {"pack/__init__": "", "pack/mine": "from . import other",
                       "pack/other": "X = 1"}),
        ("pack.mine", {"pack/__init__": "", "pack/mine": "from .other import X",
                       "pack/other": "X = 1"}),
        ("pack.mine", {"pack/__init__": "from pack.other import X", "pack/mine": "",
                       "pack/other": "X = 1"}),
    ],
)  # fmt: skip
def test_imports_are_followed(project, entry, files):
    folder = project(**files)
    first = hashed(folder, entry)
    other = next(name for name in files if name.endswith("other"))
    assert hashed(project(**{other: "X = 2"}), entry) != first


def test_package_without_star_hashes_only_imported_names(project):
    folder = project(**{"mine": "import pack", "pack/__init__": "__all__ = ['other']"})
    assert code_files("mine", project(**{"pack/other": "X = 1"})).keys() == {"mine", "pack"}
    assert code_files("mine", folder).keys() == {"mine", "pack"}


def imported(folder, pythonpath) -> str:
    """Return the file of `other` that a job imports, from a script that loads it by name."""
    code = (
        f"import sys; sys.path[0] = {str(SCRIPTS)!r};"
        "from reseed.plugins.loading import load_object;"
        "print(load_object('other:__file__', 'file'))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=os.environ | {"PYTHONPATH": pythonpath},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return run.stdout.strip()


@pytest.mark.parametrize("first", ["{elsewhere}", ":{elsewhere}", "{elsewhere}:", "{folder}", ""])
def test_hashed_file_is_the_file_that_a_job_imports(project, tmp_path_factory, monkeypatch, first):
    folder = project(mine="import other", other="X = 1")
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "other.py").write_text("X = 1")
    pythonpath = first.format(elsewhere=elsewhere, folder=folder)
    monkeypatch.setenv("PYTHONPATH", pythonpath)
    monkeypatch.chdir(folder)
    assert str(code_files("mine", folder)["other"]) == imported(folder, pythonpath)


def test_module_file_precedes_later_package_of_same_name(project, tmp_path_factory, monkeypatch):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "other.py").write_text("X = 1")
    monkeypatch.setenv("PYTHONPATH", str(elsewhere))
    folder = project(**{"mine": "import other", "other/__init__": "X = 1"})
    assert str(code_files("mine", folder)["other"]) == imported(folder, str(elsewhere))


def test_installed_module_precedes_the_project_module(project):
    folder = project(**{"joblib/__init__": "", "joblib/memory": "X = 1"})
    assert folder not in code_files("joblib.memory", folder)["joblib.memory"].parents


def test_pythonpath_is_followed(project, tmp_path_factory, monkeypatch):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    monkeypatch.setenv("PYTHONPATH", str(elsewhere))
    (elsewhere / "other.py").write_text("X = 1")
    folder = project(mine="import other")
    first = hashed(folder)
    (elsewhere / "other.py").write_text("X = 2")
    assert hashed(project()) != first


def test_installed_package_is_hashed_by_version_and_files(project):
    assert hashed(project(), "sklearn.dummy") != hashed(project(), "sklearn.svm")
    assert len(code_files("sklearn.dummy", project())) <= 2


@pytest.mark.parametrize(
    "line",
    [
        "importlib.import_module('a' + 'b')",
        "importlib.import_module(name='a' + 'b')",
        "importlib.import_module(**options)",
        "importlib.import_module('.a', 'b' + 'c')",
        "importlib.util.spec_from_file_location('h', 'h.py')",
        "SourceFileLoader('h', 'h.py').load_module()",
        "import runpy; runpy.run_path('h.py')",
        "from runpy import run_path",
        "exec(open('h.py').read())",
    ],
)
def test_code_that_cannot_be_followed_is_refused(project, line):
    folder = project(mine=f"import importlib.util\n{line}\n")
    with pytest.raises(ReseedError, match=r"line 2.*code:"):
        hashed(folder)
    assert hashed(folder, strict=False)


@pytest.mark.parametrize(
    "line", ["network.eval()", "frame.eval('a + b')", "database.exec(query)", "exec('x = 1')",
             "eval(text)", "run_path('a')", "self.run_path()"],
)  # fmt: skip
def test_methods_named_like_exec_are_not_refused(project, line):
    assert hashed(project(mine=line))


@pytest.mark.parametrize(
    "entry", ["reseed.plugins.loading", "reseed.pipeline.fork_server", "reseed.data.registry"]
)
def test_modules_that_this_library_loads_are_allowed(entry):
    assert code_hash(entry)


def test_named_file_is_user_code_followed_from_its_folder(project):
    folder = project(**{"train": "X = 1", "sub/run": "import helper", "sub/helper": "X = 1"})
    names = ["train.py", "sub/run.py"]
    first = named_code(names, folder)
    assert named_code(names, project(train="X = 2")) != first
    assert named_code(names, project(train="X = 1")) == first
    assert named_code(names, project(**{"sub/helper": "X = 2"})) != first
    with pytest.raises(ReseedError, match=r"report\.py"):  # which `scripts/` has
        named_code(["report.py"], folder)


def test_file_under_code_is_hashed_by_content(project):
    folder = project(mine="exec(open('table.txt').read())")
    assert named_code(["mine.py"], folder)
    (folder / "table.txt").write_text("one")
    first = named_code(["table.txt"], folder)
    (folder / "table.txt").write_text("two")
    forget()
    assert named_code(["table.txt"], folder) != first


def test_syntax_error_is_reported_with_its_line(project):
    with pytest.raises(ReseedError, match=r"mine.py: line 1"):
        hashed(project(mine="def f(:\n"))
    with pytest.raises(ReseedError, match="'nowhere' is not found"):
        hashed(project(), "nowhere")


def test_key_covers_all_inputs_but_fixed_hyperparameters():
    first = trial_key(**FACTS)
    changes = {
        "code": "x",
        "model": MODEL | {"stack": {"cpu": 8, "gpu": 1}},
        "hyperparameters": {"depth": 4},
        "data": "x",
        "rows": "x",
        "weights": "x",
        "seeds": FACTS["seeds"] | {"dropout": 1},
    }
    keys = {trial_key(**FACTS | {name: value}) for name, value in changes.items()}
    assert len(keys | {first}) == len(changes) + 1
    same = MODEL | {"hyperparameters": {"ignored": 2}}
    assert trial_key(**FACTS | {"model": same}) == first


def test_digest_ignores_the_order_of_names():
    assert digest({"a": 1, "b": [2, "é"]}) == digest({"b": [2, "é"], "a": 1})
    assert digest(1) != digest("1")


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("def make(): pass", False),
        ("from other import build as make", False),
        ("if True:\n    make = lambda: None", False),
        ("from other import *", False),
        ("def __getattr__(name): return 1", False),
        ("globals()['make'] = 1", False),
        ("def mak(): pass", True),
        ("print(make)", True),
    ],
)
def test_name_that_a_module_lacks_is_refused(tmp_path, text, refused):
    (tmp_path / "own.py").write_text(text)
    (tmp_path / "other.py").write_text("build = 1")
    if not refused:
        refuse_unbound("own:make", tmp_path)
        return
    with pytest.raises(ReseedError, match=r"'own:make': .*own.py has no make"):
        refuse_unbound("own:make", tmp_path)


@pytest.mark.parametrize("job", sorted(path.stem for path in JOBS.glob("[a-z]*.py")))
def test_a_rule_follows_the_code_of_its_job(job):
    """A key of a rule without the body of its job would leave files of older code."""
    name = f"reseed.jobs.{job}"
    assert {name} < {*reach_code(name).files}
