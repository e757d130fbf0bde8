"""The package's description: README.md with links that work where the repository is not there."""

import re
import tomllib
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).parent
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!\w+:)([^)\s]+)\)")


def make_links_absolute(text: str, repository: str, version: str) -> str:
    """Direct relative links of Markdown to the files of a tag; images to their bytes."""

    def replace(match: re.Match[str]) -> str:
        image, label, target = match.groups()
        file = f"README.md{target}" if target.startswith("#") else target
        return f"{image}[{label}]({repository}/{'raw' if image else 'blob'}/v{version}/{file})"

    # Code blocks have no links.
    parts = re.split(r"(^```.*?^```)", text, flags=re.DOTALL | re.MULTILINE)
    return "".join(part if part.startswith("```") else _LINK.sub(replace, part) for part in parts)


project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
setup(
    long_description=make_links_absolute(
        (ROOT / "README.md").read_text("utf-8"), project["urls"]["Source"], project["version"]
    ),
    long_description_content_type="text/markdown",
)
