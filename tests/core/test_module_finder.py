"""Imports of user code: installed packages, editable installs, compiled modules, archives."""

import importlib
import py_compile
import shutil
import sys
import zipfile
from importlib.machinery import EXTENSION_SUFFIXES

import pytest
from hashed_projects import forget, hashed
from reseed.core.code_hash import code_files, digest, imported_packages, named_code, refuse_unbound
from reseed.core.distributions import read_package_versions
from reseed.core.errors import ReseedError
from reseed.core.source_guard import stamp_sources


@pytest.fixture
def site(tmp_path_factory, monkeypatch):
    """Return a folder of installed packages, and a function that installs one."""
    folder = tmp_path_factory.mktemp("lib") / "site-packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)

    def install(name, version, text, **more):
        for path, content in {f"{name}.py": text, **more}.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(content)
        info = folder / f"{name}_dist-{version}.dist-info"
        for old in folder.glob("*.dist-info"):
            shutil.rmtree(old)
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}-dist\nVersion: {version}"
        )
        sha = digest(text)
        (info / "RECORD").write_text(
            f"{name}.py,sha256={sha},1\n../../bin/{name},sha256={version},1\n{info.name}/RECORD,,\n"
        )
        forget()

    return folder, install


def test_imported_packages_are_read_with_version_and_files(project, site):
    _, install = site
    install("solver", "1.0", "X = 1")
    folder = project(mine="import helper", helper="def f():\n    import solver.core as s\n")
    assert imported_packages(("mine", "reseed.training.run"), (), folder) == ("solver",)
    first, key = read_package_versions(["solver", "absent"]), hashed(folder)
    assert list(first) == ["solver-dist"]
    assert first["solver-dist"].startswith("1.0 ")
    install("solver", "1.1", "X = 1")
    same_files = read_package_versions(["solver"])["solver-dist"]
    assert same_files == first["solver-dist"].replace("1.0", "1.1")
    install("solver", "1.1", "X = 2")
    assert read_package_versions(["solver"])["solver-dist"] != same_files
    assert hashed(folder) == key  # the environment record has the version


def test_packages_of_installed_factories_are_read(project, site):
    _, install = site
    install("solver", "1.0", "import numpy\nimportlib.import_module(x + y)\n")
    folder = project(mine="exec(open('run.py').read())", run="import scipy.stats")
    assert imported_packages(("solver",), (), folder) == ("numpy",)
    assert imported_packages(("mine",), ("run.py",), folder) == ("scipy",)


def test_installed_module_without_distribution_is_followed(project, site):
    folder, _ = site
    (folder / "loose.py").write_text("import tight")
    (folder / "tight.py").write_text("X = 1")
    first = hashed(project(mine="import loose"))
    (folder / "tight.py").write_text("X = 2")
    forget()
    assert hashed(project()) != first


def test_editable_install_by_path_is_followed(project, tmp_path_factory, monkeypatch):
    source = tmp_path_factory.mktemp("checkout")
    (source / "solver").mkdir()
    (source / "solver" / "__init__.py").write_text("from solver.core import X")
    (source / "solver" / "core.py").write_text("X = 1")
    monkeypatch.setattr(sys, "path", [*sys.path, str(source)])
    folder = project(mine="from solver import X")
    first = hashed(folder)
    assert {"solver", "solver.core"} <= code_files("mine", folder).keys()
    (source / "solver" / "core.py").write_text("X = 2")
    assert hashed(project()) != first
    assert code_files("solver.core", folder)["solver.core"] == source / "solver" / "core.py"


def test_editable_install_by_redirection_is_followed(project, tmp_path_factory, monkeypatch):
    source = tmp_path_factory.mktemp("checkout")
    (source / "lib").mkdir()
    (source / "lib" / "__init__.py").write_text("")
    (source / "lib" / "core.py").write_text("X = 1")

    class Redirection:  # as setuptools installs one for `package_dir={"solver": "lib"}`
        @classmethod
        def find_spec(cls, name, path=None, target=None):
            if name == "solver":
                return importlib.util.spec_from_file_location(name, source / "lib/__init__.py")
            return None

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Redirection])
    folder = project(mine="import solver.core")
    first = hashed(folder)
    assert code_files("mine", folder)["solver.core"] == source / "lib" / "core.py"
    (source / "lib" / "core.py").write_text("X = 2")
    assert hashed(project()) != first


@pytest.mark.parametrize("suffix", [EXTENSION_SUFFIXES[0], ".pyc"])
def test_compiled_module_is_hashed_by_content(project, tmp_path, suffix):
    folder = project(mine="import fast")
    sources = [tmp_path / "one.txt", tmp_path / "two.txt"]
    keys = []
    for number, source in enumerate(sources):
        source.write_text(f"X = {number}")
        py_compile.compile(str(source), cfile=str(tmp_path / f"fast{suffix}"), doraise=True)
        keys.append(hashed(project()))
        assert code_files("mine", folder)["fast"].name == f"fast{suffix}"
        refuse_unbound("fast:anything", folder)
    assert keys[0] != keys[1]
    assert str(tmp_path / f"fast{suffix}") in stamp_sources(("mine",), (), folder)


def test_module_in_an_archive_is_refused(project, tmp_path, monkeypatch):
    archive = tmp_path / "modules.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("packed.py", "X = 1")
    monkeypatch.setenv("PYTHONPATH", str(archive))
    folder = project(mine="import packed")
    with pytest.raises(ReseedError, match=r"mine\.py: import packed uses .*modules\.zip.*code:"):
        hashed(folder)
    assert hashed(folder, strict=False)
    assert named_code(["modules.zip"], folder)
    with pytest.raises(ReseedError, match=r"'packed': .*Unpack"):
        hashed(folder, "packed")


def test_missing_import_is_not_refused(project):
    assert hashed(project(mine="try:\n    import cupy\nexcept ImportError:\n    cupy = None\n"))
