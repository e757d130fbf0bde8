"""The step before a release, and the release itself, to a package index on this machine."""

import os
import re
import runpy
import shutil
import socket
import subprocess
import sys
import tarfile
import time
import urllib.request
from pathlib import Path

import make_release
import pytest
import setuptools
import yaml

ROOT = Path(__file__).parents[2]
VERSION = "0.4.0"
STEP = ["--version", VERSION, "--owner", "my-group", "--author", "Ada Lovelace"]


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the tracked files, as a repository."""
    folder = tmp_path_factory.mktemp("release") / "reseed"
    files = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    for name in filter(None, files):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).exists():
            shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)
    run = {"cwd": folder, "check": True, "capture_output": True}
    subprocess.run(["git", "init", "-q"], **run)
    subprocess.run(["git", "add", "-A"], **run)
    return folder


@pytest.fixture(scope="module")
def released(copy):
    """The copy after the documented step."""
    script = copy / "docs" / "tools" / "make_release.py"
    subprocess.run([sys.executable, script, *STEP], check=True, capture_output=True)
    return copy


def test_step_fills_owner_authors_and_dates(released):
    left = subprocess.run(
        ["git", "grep", "-lE", "github.com/OWNER|OWNER.github.io|The Reseed authors", "--",
         ":!tests", ":!CHANGELOG.md", ":!Makefile", ":!docs/tools", ":!LICENSE", ":!docs/conf.py"],
        cwd=released, capture_output=True, text=True,
    ).stdout  # fmt: skip
    assert left == ""
    citation = yaml.safe_load((released / "CITATION.cff").read_text("utf-8"))
    assert citation["authors"] == [{"name": "Ada Lovelace"}]
    assert citation["repository-code"] == "https://github.com/my-group/reseed"
    required = {"cff-version", "message", "title", "version", "date-released", "license", "url"}
    assert required <= set(citation)


def test_step_may_be_repeated(released):
    new = make_release.set_release(
        released, VERSION, "other", ["Ada Lovelace", "Charles Babbage"], "2027-01-02"
    )
    names = {path.name for path in new}
    assert {"pyproject.toml", "CITATION.cff"} <= names
    citation = next(text for path, text in new.items() if path.name == "CITATION.cff")
    assert citation.count("date-released") == 1
    assert yaml.safe_load(citation)["authors"][1]["name"] == "Charles Babbage"


@pytest.mark.parametrize(
    ("version", "owner", "words"),
    [
        ("1", "x", "VERSION"), (VERSION, "OWNER", "OWNER is"), (VERSION, "a/b", "OWNER is"),
        ("77.0.0", "x", "no section `## 77.0.0`"),
    ],
)  # fmt: skip
def test_step_refuses_what_it_cannot_set(copy, version, owner, words):
    with pytest.raises(SystemExit, match=words):
        make_release.set_release(copy, version, owner, ["A"], "2027-01-02")


def test_checks_of_the_workflow_pass_after_the_step_only(released):
    workflow = yaml.safe_load((released / ".github/workflows/release.yml").read_text("utf-8"))
    [check] = [one for one in workflow["jobs"]["test"]["steps"] if "tag is" in one.get("name", "")]

    def passes(folder, tag):
        run = subprocess.run(
            ["bash", "-e", "-c", check["run"]], cwd=folder, capture_output=True,
            env={**os.environ, "GITHUB_REF_NAME": tag},
        )  # fmt: skip
        return run.returncode == 0

    assert passes(released, f"v{VERSION}")
    assert not passes(released, "v9.9.9")
    assert not passes(ROOT, f"v{VERSION}")


def test_description_has_no_relative_links(released, monkeypatch):
    given = {}
    monkeypatch.setattr(setuptools, "setup", lambda **options: given.update(options))
    runpy.run_path(str(released / "setup.py"))
    text = re.sub(r"^```.*?^```", "", given["long_description"], flags=re.DOTALL | re.MULTILINE)
    targets = re.findall(r"\]\(([^)]+)\)", text)
    assert len(targets) > 20
    base = "https://github.com/my-group/reseed/"
    for target in targets:
        assert target.startswith(("https://img.shields.io/", base)), target
        if target.startswith(base):
            file = re.sub(rf"^(blob|raw)/v{VERSION}/|#.*$", "", target.removeprefix(base))
            assert (released / file).exists(), target


def test_nothing_installs_the_name_from_the_index():
    """Before publication it is not this project's."""
    listed = subprocess.run(
        ["git", "grep", "-nE", r"pip install ['\"]?reseed\b", "--", ":!tests", ":!CHANGELOG.md"],
        cwd=ROOT, capture_output=True, text=True,
    ).stdout  # fmt: skip
    assert listed == ""


@pytest.mark.skipif(
    not os.environ.get("RESEED_RELEASE_TESTS"), reason="set RESEED_RELEASE_TESTS=1: installs tools"
)
def test_release_reaches_a_local_index(released, tmp_path):
    """`make release`, the upload, and an installation of what was uploaded."""
    tools = tmp_path / "tools"
    subprocess.run([sys.executable, "-m", "venv", tools], check=True)
    python = tools / "bin" / "python"
    pip = [python, "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, "pypiserver", "twine"], check=True)
    make = ["make", "release", f"VERSION={VERSION}", "OWNER=my-group", "AUTHOR=Ada Lovelace"]
    subprocess.run([*make, f"PYTHON={sys.executable}"], cwd=released, check=True)
    assert (released / "build" / "site" / "index.html").is_file()
    [archive] = (released / "build" / "zenodo").iterdir()
    with tarfile.open(archive) as opened:
        assert {"CITATION.cff", "LICENSE"} < set(opened.getnames())
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (tmp_path / "packages").mkdir()
    address = f"http://127.0.0.1:{port}"
    server = subprocess.Popen(
        [python, "-m", "pypiserver", "run", "-i", "127.0.0.1", "-p", str(port), "-P", ".", "-a",
         ".", "--disable-fallback", tmp_path / "packages"],
    )  # fmt: skip
    try:
        for _ in range(100):
            try:
                urllib.request.urlopen(address).close()
                break
            except OSError:
                time.sleep(0.1)
        files = sorted((released / "dist").iterdir())
        assert [file.suffix for file in files] == [".whl", ".gz"]
        subprocess.run(
            [python, "-m", "twine", "upload", "--repository-url", address, "-u", "x", "-p", "x",
             "--non-interactive", *files],
            check=True,
        )  # fmt: skip
        subprocess.run(
            [*pip, "--index-url", f"{address}/simple", "--no-deps", f"reseed=={VERSION}"],
            check=True,
        )
    finally:
        server.terminate()
        server.wait()
    shown = subprocess.run(
        [tools / "bin" / "reseed", "--version"], capture_output=True, text=True, check=True
    )
    assert shown.stdout.strip() == f"reseed {VERSION}"
    metadata = subprocess.run(
        [python, "-m", "pip", "show", "--verbose", "reseed"], capture_output=True, text=True
    ).stdout
    assert "https://github.com/my-group/reseed" in metadata
