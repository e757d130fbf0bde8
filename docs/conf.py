"""Sphinx configuration of the documentation site; `make docs` builds it into build/site."""

from __future__ import annotations

import os
import sys
from pathlib import Path

DOCS = Path(__file__).parent
sys.path[:0] = [str(DOCS.parent / "scripts"), str(DOCS / "tools")]
# The examples run in this process; their shell commands inherit the library's path.
os.environ["PYTHONPATH"] = str(DOCS.parent / "scripts")
os.environ.setdefault("MPLBACKEND", "agg")

import reseed  # noqa: E402
import site_pages  # noqa: E402

project = "Reseed"
author = "The Reseed authors"
copyright = author
version = release = reseed.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = [
    "examples", "findings", "tools", "tutorials/GALLERY_HEADER.rst",
    "gallery/examples/GALLERY_HEADER.rst", "**/*.py",
]  # fmt: skip
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}

# --- text -------------------------------------------------------------------------------------

myst_enable_extensions = ["colon_fence", "deflist"]
# The anchors that the pages already link to: those of GitHub.
myst_heading_anchors = 4
myst_heading_slug_func = "site_pages.github_slug"
# Prompts of shell blocks are not part of the command.
copybutton_prompt_text = "$ "
# Some blocks show output or several languages.
suppress_warnings = ["misc.highlighting_failure"]

# --- docstrings -------------------------------------------------------------------------------

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
maximum_signature_line_length = 80
napoleon_numpy_docstring = False
add_module_names = False
# Docstrings mark code by single backticks.
default_role = "code"

# --- examples, executed when the site is built ------------------------------------------------

sphinx_gallery_conf = {
    "examples_dirs": list(site_pages.EXAMPLES),
    "gallery_dirs": list(site_pages.EXAMPLES.values()),
    "filename_pattern": r"\.py$",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "write_computation_times": False,
    "min_reported_time": 1e9,
    "show_signature": False,
    "capture_repr": ("_repr_html_", "__repr__"),
    "ignore_repr_types": r"matplotlib\.figure\.Figure",
    "image_scrapers": ("site_pages.save_figure",),
    "abort_on_example_error": True,
    "remove_config_comments": True,
}

# --- page -------------------------------------------------------------------------------------

html_theme = "pydata_sphinx_theme"
html_title = f"Reseed {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "Reseed"},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button-field"],
    "header_links_before_dropdown": 7,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "default",
    "pygments_dark_style": "monokai",
}
# No server of fonts or scripts: the site works from a folder.
html_js_files: list[str] = []


def setup(app: object) -> None:
    """Register the generated pages and the translation of links."""
    site_pages.register(app, DOCS)
