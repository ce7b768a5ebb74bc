"""Pages for an instructor, made of the templates beside this: each is one file without scripts, in which all values are escaped."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined


def render(template: str, **values: object) -> str:
    """The page that a template makes of values."""
    pages = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pages.globals |= {"percent": _percent, "count": _count, "zip": zip}
    return pages.get_template(template).render(values)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"
