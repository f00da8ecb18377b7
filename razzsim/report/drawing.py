"""How plots are drawn: Matplotlib's SVG, made small, the same every time, in colours that the page decides."""

import io
import re
from collections.abc import Callable
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

INK, MUTED, RULE, ACCENT, BAND = "#010203", "#010204", "#010205", "#010206", "#010207"
"""Stand for the page's colours, and are used for nothing else."""
_VARIABLES = {INK: "--ink", MUTED: "--muted", RULE: "--rule", ACCENT: "--accent", BAND: "--band"}
_ALONE = """<style>
svg { --ink: #1b1f24; --muted: #57606a; --rule: #d0d7de; --accent: #0b63b5; --band: #b9d6f2; background: #fff }
@media (prefers-color-scheme: dark) { svg {
  --ink: #e6e8eb; --muted: #a3abb4; --rule: #3a424b; --accent: #7ab8f5; --band: #234a70; background: #14171a } }
text { font-family: system-ui, sans-serif }
</style>"""
"""For a file of its own, where there is no page."""
_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "razzsim",  # the same names in every run
    "text.parse_math": False,  # a name may hold $
    "font.size": 9,
    "text.color": INK,
    "axes.labelcolor": MUTED,
    "axes.edgecolor": RULE,
    "xtick.color": RULE,
    "ytick.color": RULE,
    "xtick.labelcolor": MUTED,
    "ytick.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.unicode_minus": False,
    "axes.grid": True,
    "grid.color": RULE,
    "grid.linewidth": 0.5,
    "axes.axisbelow": True,
}


def svg(width: float, height: float, margins: tuple[float, float, float, float], draw: Callable[[Axes], None]) -> str:
    """A drawing of so many inches, inside margins left, right, bottom, top; one <svg>, without ids that clash."""
    with matplotlib.rc_context(_SETTINGS):
        figure = Figure(figsize=(width, height))
        FigureCanvasSVG(figure)
        left, right, bottom, top = margins
        # Fixed margins, not those of a layout engine: they would depend on the fonts of the machine.
        box = (left / width, bottom / height, (width - left - right) / width, (height - bottom - top) / height)
        draw(figure.add_axes(box))
        stream = io.StringIO()
        nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        figure.savefig(stream, format="svg", transparent=True, metadata=nothing)
    return _cleaned(stream.getvalue())


def _cleaned(text: str) -> str:
    text = text[text.index("<svg") :]
    text = re.sub(r"\s*<(metadata|style).*?</\1>", "", text, flags=re.DOTALL)
    text = re.sub(r' (xmlns(:xlink)?|version)="[^"]*"', "", text).replace("xlink:href", "href")
    text = re.sub(r'<svg [^>]*viewBox="([^"]*)"[^>]*>', r'<svg viewBox="\1">', text, count=1)
    text = re.sub(r"font-family: [^;\"]*;? ?", "", text)  # the page's own
    text = re.sub(r' transform="rotate\(-0 [^"]*"', "", text)
    for colour, variable in _VARIABLES.items():
        text = text.replace(colour, f"var({variable})")
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', text))
    text = re.sub(r' id="([^"]*)"', lambda found: found.group(0) if found.group(1) in used else "", text)
    return text.replace("<defs/>", "").strip()


def inline(text: str, name: str, alt: str) -> str:
    """The drawing for a page: its ids under its name, its content told to those who hear the page."""
    for pattern in (' id="', ' href="#', "url(#"):
        text = text.replace(pattern, f"{pattern}{name}-")
    return text.replace("<svg", f'<svg role="img" aria-label="{_escaped(alt)}"', 1)


def alone(text: str, alt: str) -> str:
    """The drawing as a file: with its name space, size and colours."""
    found = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', text)
    assert found
    size = f'width="{found[1]}pt" height="{found[2]}pt"'
    name_space = 'xmlns="http://www.w3.org/2000/svg"'
    head, rest = text.split(">", 1)
    head = head.replace("<svg", f'<svg {name_space} {size} role="img"')
    return f'<?xml version="1.0" encoding="utf-8"?>\n{head}>\n<title>{_escaped(alt)}</title>\n{_ALONE}{rest}\n'


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
