"""Sphinx's configuration for the book; pages.py writes its sources and runs it."""

from docutils import nodes
from latex2mathml.converter import convert

project = author = "Torch by Hand"
copyright = "the authors of Torch by Hand, under the MIT licence"
extensions = ["myst_nb", "sphinx_design"]
nb_execution_mode = "off"  # lessons.py has run them
nb_merge_streams = True
nb_code_prompt_show, nb_code_prompt_hide = "Show the tests", "Hide the tests"  # nothing else is folded up
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors, myst_heading_slug_func = 4, "docs.lessons.anchor"
toc_object_entries = False
python_display_short_literal_types = True

html_title = "Torch by Hand"
html_theme = "pydata_sphinx_theme"
html_static_path, html_css_files, html_favicon = ["static"], ["book.css"], "static/icon.svg"
html_sidebars = {"milestones": []}  # which has no pages below it
html_show_sourcelink = html_copy_source = False
html_context = {"default_mode": "auto"}
html_theme_options = {
    "header_links_before_dropdown": 6,
    "navbar_persistent": ["search-button-field"],
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_math_renderer = "mathml"


def setup(app) -> None:
    """Let browsers set formulas, from MathML: no script, no font, nothing from a network."""

    def visit(display):
        def write(writer, node: nodes.math | nodes.math_block) -> None:
            writer.body.append(convert(node.astext(), display=display))
            raise nodes.SkipNode

        return write, None

    app.add_html_math_renderer("mathml", visit("inline"), visit("block"))
