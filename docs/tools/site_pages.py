"""Parts of the documentation site: links to files of the repository, and the command line."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from weakref import WeakSet

from matplotlib.figure import Figure
from sphinx_gallery.scrapers import figure_rst

#: Files outside docs/ that are pages of the site.
_PAGES = {
    "config/README.md": "reference/configuration.md",
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
}
#: Folder of executed examples → folder of their pages.
EXAMPLES = {"tutorials": "generated/tutorials", "gallery/examples": "generated/gallery"}
_LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s#]*)(#[^)\s]*)?\)")
#: Figures that are saved; the last value of a script stays when a later block has none.
_SAVED: WeakSet[Figure] = WeakSet()
_SUBCOMMANDS = re.compile(r"\{([a-z,_-]+)\}")


def register(app: Any, docs: Path) -> None:
    """Connect the events of the site's build."""
    app.connect("builder-inited", lambda _: write_command_line(docs / "generated"))
    app.connect("source-read", lambda _, name, source: _translate_page(docs, name, source))
    app.connect("include-read", lambda _, path, name, source: _translate(docs, path, name, source))
    # Before Napoleon, which has the priority 500.
    app.connect("autodoc-process-docstring", list_attributes, priority=400)


def github_slug(heading: str) -> str:
    """The anchor of a heading as GitHub creates it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _translate_page(docs: Path, name: str, source: list[str]) -> None:
    path = docs / f"{name}.md"
    if path.is_file():
        source[0] = translate_links(source[0], path.parent, docs / Path(name).parent, docs)


def _translate(docs: Path, path: Path, name: str, source: list[str]) -> None:
    """Translate the links of a file that page `name` includes."""
    folder = (docs / path).resolve().parent
    source[0] = translate_links(source[0], folder, docs / Path(name).parent, docs)


def translate_links(text: str, folder: Path, page_folder: Path, docs: Path) -> str:
    """Direct the links of a Markdown text from `folder` to pages of the site.

    Links to files that are no pages (code, folders) become plain text: the site has no copy.
    """

    def translate(match: re.Match[str]) -> str:
        label, target, anchor = match.group(1), match.group(2), match.group(3) or ""
        if not target or "://" in target or target.startswith("mailto:"):
            return match.group(0)
        path = Path(os.path.normpath(folder / target))
        relative = os.path.relpath(path, docs.parent)
        page = _find_page(path, relative, docs)
        if page is not None:
            return f"[{label}]({os.path.relpath(page, page_folder)}{anchor})"
        return f"{label} (`{relative}`)" if relative not in label else label

    parts = re.split(r"(^```.*?^```)", text, flags=re.DOTALL | re.MULTILINE)
    return "".join(part if part.startswith("```") else _LINK.sub(translate, part) for part in parts)


def _find_page(path: Path, relative: str, docs: Path) -> Path | None:
    """The page that shows a file or folder; None if the site has none."""
    if relative in _PAGES:
        return docs / _PAGES[relative]
    for source, generated in EXAMPLES.items():
        if path == docs / source:
            return docs / generated / "index.rst"
        if path.parent == docs / source and path.suffix == ".py":
            return docs / generated / f"{path.stem}.rst"
    if path.is_dir():
        path = next((p for p in (path / "index.md", path / "README.md") if p.is_file()), path)
    is_page = path.suffix == ".md" and path.is_relative_to(docs) and path.is_file()
    return path if is_page and "examples" not in path.parts else None


def save_figure(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Save the figure that the last line of a block returns: a scraper of Sphinx-Gallery."""
    figure = block_vars["example_globals"].get("___")
    if not isinstance(figure, Figure) or figure in _SAVED:
        return ""
    _SAVED.add(figure)
    path = next(block_vars["image_path_iterator"])
    figure.savefig(path, dpi=120, bbox_inches="tight")
    return figure_rst([path], gallery_conf["src_dir"])


def list_attributes(
    app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]
) -> None:
    """Mark the fields that the docstring of a dataclass explains, for Napoleon."""
    fields = getattr(value, "__dataclass_fields__", {}) if what == "class" else {}
    for start, line in enumerate(lines):
        names = line.partition(":")[0].split(", ")
        if ":" in line and all(one in fields for one in names):
            end = next((i for i in range(start, len(lines)) if not lines[i]), len(lines))
            lines[start:end] = ["Attributes:", *(f"    {text}" for text in lines[start:end]), ""]
            return


def write_command_line(folder: Path) -> None:
    """Write the help of `reseed` and of each of its commands as a page."""
    overview = _read_help([])
    found = _SUBCOMMANDS.search(overview)
    commands = found.group(1).split(",") if found else []
    parts = ["# Command line", "The output of `--help`.", f"```text\n{overview}```"]
    for command in commands:
        parts.append(f"## reseed {command}\n\n```text\n{_read_help([command])}```")
    folder.mkdir(parents=True, exist_ok=True)
    page, text = folder / "command-line.md", "\n\n".join(parts) + "\n"
    if not page.is_file() or page.read_text("utf-8") != text:
        page.write_text(text, "utf-8")


def _read_help(command: list[str]) -> str:
    return subprocess.run(
        [sys.executable, "-m", "reseed", *command, "--help"],
        env={**os.environ, "COLUMNS": "88", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
