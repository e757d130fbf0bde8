"""Set version, date, owner and authors in all files that state them: the step before a tag."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from datetime import date
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: Names of a repository's owner on its host.
_OWNER = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,37}[A-Za-z0-9])?")
_VERSION = re.compile(r"\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?")
#: Files in which the owner stays a placeholder: the history, and what explains this step.
_KEPT = {"CHANGELOG.md", "CONTRIBUTING.md", "Makefile", "docs/tools/make_release.py"}
_IS_TEXT = {".cff", ".md", ".py", ".smk", ".toml", ".yaml", ".yml"}


def set_release(
    root: Path, version: str, owner: str, authors: list[str], day: str
) -> dict[Path, str]:
    """Return the new text of every file that changes.

    Args:
        root: the repository, whose tracked files are read.
        version: such as `1.0.0`.
        owner: of the repository, in its address.
        authors: names, `Given Family`.
        day: of the release, `YYYY-MM-DD`.
    """
    if not _VERSION.fullmatch(version):
        raise SystemExit(f"VERSION is {version!r}: give a version such as 1.0.0.")
    if not _OWNER.fullmatch(owner) or owner == "OWNER":
        raise SystemExit(f"OWNER is {owner!r}: give the name in the repository's address.")
    if not authors or not all(name.strip() for name in authors):
        raise SystemExit("AUTHOR is empty: give the names of the authors.")
    if f"\n## {version}\n" not in (root / "CHANGELOG.md").read_text("utf-8"):
        raise SystemExit(f"CHANGELOG.md has no section `## {version}`: write it first.")
    texts = {path: path.read_text("utf-8") for path in _list_texts(root)}
    new = {path: _set_owner(text, owner) for path, text in texts.items()}
    quoted = [name.replace('"', "'") for name in authors]
    listed = ", ".join(f'{{ name = "{name}" }}' for name in quoted)
    people = "".join(f'  - name: "{name}"\n' for name in quoted)
    dated = f"version: {version}\ndate-released: {day}\n"
    for file, pattern, text in (
        ("pyproject.toml", r'^version = ".*"$', f'version = "{version}"'),
        ("pyproject.toml", r"^authors = .*$", f"authors = [{listed}]"),
        ("scripts/reseed/__init__.py", r'^__version__ = ".*"$', f'__version__ = "{version}"'),
        ("rules/common.smk", r'^VERSION = ".*"$', f'VERSION = "{version}"'),
        ("CITATION.cff", r"^version: .*\n(?:date-released: .*\n)?", dated),
        ("CITATION.cff", r"^authors:\n(?:  .*\n)+", f"authors:\n{people}"),
        ("docs/extending.md", r'tag="v[^"]*"', f'tag="v{version}"'),
        ("docs/cluster.md", r"/reseed:[\d.]+$", f"/reseed:{version}"),
        ("docs/ci.md", r"uses: [\w-]+/reseed@v.*$", f"uses: {owner}/reseed@v{version}"),
        ("docs/ci.md", r"rev: v.*$", f"rev: v{version}"),
        (
            "docs/examples/ci/.github/workflows/gate.yml",
            r"uses: [\w-]+/reseed@v.*$",
            f"uses: {owner}/reseed@v{version}",
        ),
    ):
        path = root / file
        new[path], count = re.subn(
            pattern, lambda _, text=text: text, new[path], flags=re.MULTILINE
        )
        if count != 1:
            raise SystemExit(f"{file}: {pattern!r} is found {count} times, not once.")
    return {path: text for path, text in new.items() if text != texts[path]}


def _set_owner(text: str, owner: str) -> str:
    return re.sub(r"\bOWNER(?=/reseed|\.github\.io)", owner, text)


def _list_texts(root: Path) -> list[Path]:
    listed = subprocess.run(
        ["git", "-C", str(root), "ls-files"], capture_output=True, text=True, check=True
    ).stdout.split("\n")
    return [
        root / name
        for name in listed
        if name not in _KEPT and not name.startswith("tests/") and Path(name).suffix in _IS_TEXT
    ]


def main() -> None:
    """Read the arguments and write the files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--version", required=True)
    parser.add_argument("--owner", required=True)
    parser.add_argument("--author", action="append", required=True, help="repeat it for several")
    parser.add_argument("--date", default=date.today().isoformat())
    arguments = parser.parse_args()
    changed = set_release(
        ROOT, arguments.version, arguments.owner, arguments.author, arguments.date
    )
    for path, text in changed.items():
        path.write_text(text, "utf-8")
        sys.stdout.write(f"{path.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
