"""Hashes of code follow its meaning; keys hold what decides numbers and nothing else."""

import pytest
from reseed.errors import ReseedError
from reseed.keys import (
    _files,
    _imported,
    _read,
    code_files,
    code_hash,
    digest,
    named_code,
    trial_key,
)

RECIPE = {"factory": "a:b", "stack": {"cpu": 1, "gpu": 1}, "hyperparameters": {"ignored": 1}}
FACTS = {
    "code": "c",
    "recipe": RECIPE,
    "hyperparameters": {"depth": 3},
    "data": "d",
    "rows": "r",
    "weights": None,
    "seeds": {"init": 0, "order": 0, "dropout": 0, "augment": 0},
}


@pytest.fixture
def project(tmp_path):
    def write(**files):
        for name, text in files.items():
            path = tmp_path / f"{name}.py"
            path.parent.mkdir(exist_ok=True, parents=True)
            path.write_text(text)
        for cached in (_read, _imported, _files, code_files, code_hash):
            cached.cache_clear()
        return tmp_path

    return write


def hashed(folder, entry="mine", **options):
    return code_hash(entry, project=folder, **options)


@pytest.mark.parametrize(
    "same",
    [
        "def f(x):\n    return x + 1  # a comment\n",
        'def f(x):\n    """A docstring."""\n    return x + 1\n',
        "def f(x):\n\n    return (x + 1)\n",
    ],
)
def test_what_cannot_change_a_number_is_left_out(project, same):
    first = hashed(project(mine="def f(x):\n    return x + 1\n"))
    assert hashed(project(mine=same)) == first
    assert hashed(project(mine="def f(x):\n    return x + 2\n")) != first


def test_texts_of_errors_are_left_out_and_their_kinds_are_not(project):
    text = "def f():\n    raise ValueError('one')\n"
    first = hashed(project(mine=text))
    assert hashed(project(mine=text.replace("one", "another"))) == first
    assert hashed(project(mine=text.replace("ValueError", "TypeError"))) != first


@pytest.mark.parametrize(
    ("entry", "files"),
    [
        ("mine", {"mine": "import other", "other": "X = 1"}),
        ("mine", {"mine": "from other import X", "other": "X = 1"}),
        ("mine", {"mine": "def f():\n    import other\n", "other": "X = 1"}),
        ("mine", {"mine": "__import__('other')", "other": "X = 1"}),
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


def test_pythonpath_is_followed(project, tmp_path_factory, monkeypatch):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    monkeypatch.setenv("PYTHONPATH", str(elsewhere))
    (elsewhere / "other.py").write_text("X = 1")
    folder = project(mine="import other")
    first = hashed(folder)
    (elsewhere / "other.py").write_text("X = 2")
    assert hashed(project()) != first


def test_an_installed_package_counts_by_its_version_and_files(project):
    assert hashed(project(), "sklearn.dummy") != hashed(project(), "sklearn.svm")
    assert len(code_files("sklearn.dummy", project())) <= 2


def test_what_cannot_be_followed_is_refused_unless_it_is_named(project):
    folder = project(mine="import importlib\nimportlib.import_module('a' + 'b')\n")
    with pytest.raises(ReseedError, match=r"line 2.*code:"):
        hashed(folder)
    assert hashed(folder, strict=False)
    (folder / "table.txt").write_text("one")
    first = named_code(["table.txt"], folder)
    (folder / "table.txt").write_text("two")
    assert named_code(["table.txt"], folder) != first


def test_a_mistake_in_a_file_is_told_with_its_line(project):
    with pytest.raises(ReseedError, match=r"mine.py: line 1"):
        hashed(project(mine="def f(:\n"))
    with pytest.raises(ReseedError, match="'nowhere' is not found"):
        hashed(project(), "nowhere")


def test_everything_in_a_key_changes_it_and_the_given_hyperparameters_of_the_recipe_do_not():
    first = trial_key(**FACTS)
    changes = {
        "code": "x",
        "recipe": RECIPE | {"stack": {"cpu": 8, "gpu": 1}},
        "hyperparameters": {"depth": 4},
        "data": "x",
        "rows": "x",
        "weights": "x",
        "seeds": FACTS["seeds"] | {"dropout": 1},
    }
    keys = {trial_key(**FACTS | {name: value}) for name, value in changes.items()}
    assert len(keys | {first}) == len(changes) + 1
    same = RECIPE | {"hyperparameters": {"ignored": 2}}
    assert trial_key(**FACTS | {"recipe": same}) == first


def test_a_digest_depends_on_values_not_on_the_order_of_names():
    assert digest({"a": 1, "b": [2, "é"]}) == digest({"b": [2, "é"], "a": 1})
    assert digest(1) != digest("1")
