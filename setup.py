"""What the wheel has beyond the package: a description with full links, and reference evidence."""

import re
import shutil
import tomllib
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

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


class BuildWithEvidence(build_py):
    """Builds the package, with what the reference results say about each study's statements."""

    def run(self) -> None:
        """Copy `results/reference/STUDY/evidence.json` below the package, too."""
        super().run()
        for path in ROOT.glob("results/reference/*/evidence.json"):
            copy = Path(self.build_lib, "reseed", path.relative_to(ROOT))
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)


project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
setup(
    long_description=make_links_absolute(
        (ROOT / "README.md").read_text("utf-8"), project["urls"]["Source"], project["version"]
    ),
    long_description_content_type="text/markdown",
    cmdclass={"build_py": BuildWithEvidence},
)
