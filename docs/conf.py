"""The documentation: Sphinx with the theme Furo; pages are Markdown, the lessons notebooks (MyST-NB). What the cells
show is stored in them, by ``python docs/lessons.py``, and the tests hold it against what they show now."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from sphinx.application import Sphinx

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from cpsat_tour import __version__  # noqa: E402

project = "cpsat-tour"
copyright = "the authors of cpsat-tour"  # noqa: A001
release = version = __version__

extensions = ["myst_nb", "formulas"]
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
suppress_warnings = ["config.cache"]

nb_execution_mode = "off"
nb_render_markdown_format = "gfm"

linkcheck_timeout = 10
linkcheck_ignore = [r"http://(localhost|127\.0\.0\.1).*"]

html_math_renderer = "mathml"
html_theme = "furo"
html_title = "cpsat-tour"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#12368a", "color-brand-content": "#12368a"},
    "dark_css_variables": {"color-brand-primary": "#8fb4ff", "color-brand-content": "#8fb4ff"},
}
html_static_path = ["static"]
html_css_files = ["pages.css"]


def lead_to_files(_: Sphinx, __: str, source: list[str]) -> None:
    """Have links into ``lab/`` lead to its files, which are handed out as they are: they are no pages of this site."""
    source[0] = re.sub(r"\]\(((?:\.\./)+lab/[^)#]+)[^)]*\)", r"](<path:\1>)", source[0])


def setup(app: Sphinx) -> None:
    """Register what is done with the text of pages: Sphinx calls this."""
    app.connect("source-read", lead_to_files)
