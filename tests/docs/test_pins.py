"""One set of versions: the lock, the conda environments and pyproject agree."""

import re
import tomllib
from itertools import chain
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

REPOSITORY = Path(__file__).parents[2]
ENVIRONMENTS = sorted((REPOSITORY / "envs").glob("*.yaml"))
# Names that differ between the conda channel and the package index.
NAMES = {
    "pytorch": "torch",
    "pytorch-gpu": "torch",
    "matplotlib-base": "matplotlib",
    "xgboost": "xgboost-cpu",
}


def lock(*more: str) -> dict[str, str]:
    """Return the locked version of each package; `more` are further lock files."""
    names = ("requirements.txt", "requirements-torch.txt", *more)
    text = "".join((REPOSITORY / name).read_text() for name in names)
    return dict(re.findall(r"^([\w.-]+)==([\w.]+)", text, re.MULTILINE))


def entries(path: Path) -> list[tuple[str, str, str, str]]:
    """Return name, operator, version and build of each dependency."""
    pattern = r"([\w-]+)(=|>=)([\w.]+)(?:=(.+))?"
    listed = yaml.safe_load(path.read_text())["dependencies"]
    matches = [(entry, re.fullmatch(pattern, entry)) for entry in listed]
    assert all(match for _, match in matches), [entry for entry, match in matches if not match]
    return [match.groups() for _, match in matches]


@pytest.mark.parametrize("path", ENVIRONMENTS, ids=lambda path: path.stem)
def test_conda_environments_pin_the_locked_versions(path):
    pins = lock()
    for name, operator, version, _ in entries(path):
        assert operator == "=", f"{path.name}: {name} is not pinned"
        if name != "python":
            assert version == pins[NAMES.get(name, name)], f"{path.name}: {name}"


@pytest.mark.parametrize("path", ENVIRONMENTS, ids=lambda path: path.stem)
def test_one_channel_and_one_python(path):
    assert yaml.safe_load(path.read_text())["channels"] == ["conda-forge", "nodefaults"]
    assert entries(path)[0][:3] == ("python", "=", "3.11")


@pytest.mark.parametrize("name", ["training", "verification"])
def test_gpu_environment_differs_only_in_pytorch(name):
    """No build of `pytorch-gpu` is named after the CPU."""
    cpu, gpu = (
        {(name, version, build) for name, _, version, build in entries(REPOSITORY / "envs" / file)}
        for file in (f"{name}.yaml", f"{name}-gpu.yaml")
    )
    (before,), (after,) = cpu - gpu, gpu - cpu
    assert before[0] == "pytorch"
    assert before[2] == "cpu*"
    assert after[:2] == ("pytorch-gpu", before[1])
    assert not after[2]


def test_lock_has_hashes_for_every_package():
    text = (REPOSITORY / "requirements.txt").read_text()
    packages = re.split(r"\n(?=[\w.-]+==)", text.strip())
    assert len(packages) > 50
    assert all("--hash=sha256:" in package for package in packages)


def test_tools_of_the_site_install_beside_the_lock():
    pins, text = lock(), (REPOSITORY / "requirements-docs.txt").read_text()
    tools = re.findall(r"^([\w.-]+)==([\w.]+)", text, re.MULTILINE)
    assert {"sphinx", "sphinx-gallery", "myst-parser"} <= {name for name, _ in tools}
    for name, version in tools:
        assert pins.get(name, version) == version, name


def test_requirements_agree_with_the_lock():
    pins = lock()
    requested = (REPOSITORY / "envs" / "requirements.in").read_text()
    for name, version in re.findall(r"^([\w.-]+)==([\w.]+)", requested, re.MULTILINE):
        assert pins[name] == version, name


def test_pyproject_allows_the_locked_versions():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    assert SpecifierSet(project["requires-python"]).contains("3.11")
    pins = lock("requirements-dev.txt")  # tests install the optional readers
    extras = project["optional-dependencies"].values()
    requirements = [Requirement(text) for text in chain(project["dependencies"], *extras)]
    for requirement in requirements:
        version = pins[NAMES.get(requirement.name, requirement.name)]
        assert requirement.specifier.contains(version), f"{requirement}: the lock has {version}"
