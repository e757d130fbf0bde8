"""Versions of installed packages, with a hash of their files."""

import hashlib
import re
from collections.abc import Iterable
from functools import cache
from importlib import metadata


def read_package_versions(packages: Iterable[str]) -> dict[str, str]:
    """Version and hash of the files of each distribution that holds these packages, by its name.

    packages: top-level names of modules. A package that is not installed is left out.
    """
    versions = {}
    for package in packages:
        for name in find_distributions(package):
            versions[name] = _describe(name)
    return dict(sorted(versions.items()))


@cache
def find_distributions(package: str) -> tuple[str, ...]:
    """Names of the distributions that hold a top-level package."""
    line = re.compile(rf"^{re.escape(package)}(/|\.py,|\.pyc,|\.[^/,]*(so|pyd),|$)", re.MULTILINE)
    return tuple(name for name, files in _lists_of_files().items() if line.search(files))


@cache
def _lists_of_files() -> dict[str, str]:
    """List of files of each installed distribution, by its name; the first one found counts.

    `metadata.packages_distributions` needs 0.4 s to parse the lists.
    """
    lists: dict[str, str] = {}
    for one in metadata.distributions():
        files = one.read_text("RECORD") or one.read_text("top_level.txt")
        if files and one.name not in lists:
            lists[one.name] = files
    return lists


@cache
def _describe(name: str) -> str:
    """Version and hash of the files. The installer's own files and scripts do not count."""
    hashes = [
        line
        for line in _lists_of_files()[name].splitlines()
        if ",sha256=" in line and ".dist-info/" not in line and not line.startswith("..")
    ]
    hashed = hashlib.sha256("\n".join(sorted(hashes)).encode()).hexdigest()
    return f"{metadata.version(name)} {hashed[:12]}"
