"""A report as HTML or Markdown text, and its plots as files."""

import re
from collections.abc import Mapping

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from razzsim.report.model import Plot, Report

_MARKS = re.compile(r"([\\`*_{}\[\]<>#|~&])")


def html(report: Report) -> str:
    """The page, with everything in it."""
    return _environment(escapes=True).get_template("page.html.j2").render(report=report)


def markdown(report: Report, links: Mapping[str, str]) -> str:
    """The same as Markdown; links: from the name of a plot to its file. Plots without one are left out."""
    text = _environment(escapes=False).get_template("page.md.j2").render(report=report, links=links)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def plot_file(plot: Plot) -> str:
    """A plot as the text of an SVG file."""
    from razzsim.report.drawing import alone

    return alone(plot.svg, plot.alt)


def _environment(*, escapes: bool) -> Environment:
    """escapes: for HTML. Markdown has other marks, which its template escapes."""
    loader = PackageLoader("razzsim.report")
    environment = Environment(loader=loader, autoescape=escapes, trim_blocks=True, lstrip_blocks=True)  # noqa: S701
    environment.filters.update(drawing=_drawing, plain=_plain, fence=_fence)
    return environment


def _drawing(plot: Plot) -> Markup:
    from razzsim.report.drawing import inline

    return Markup(inline(plot.svg, plot.name, plot.alt))  # noqa: S704 - ours, and its texts are escaped


def _plain(text: str) -> str:
    """Text that Markdown takes as it is, on one line."""
    return _MARKS.sub(r"\\\1", " ".join(text.split()))


def _fence(text: str) -> str:
    """More backticks in a row than the text has."""
    return "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
