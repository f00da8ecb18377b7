"""The plots of a report: win rates with their intervals, and how they came about."""

import math
import re
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from razzsim.report.facts import Facts
from razzsim.report.model import Plot
from razzsim.report.words import Row, signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

N_INTERVALS = 40
_N_PANELS, _ALL_PANELS = 6, 36
"""Convergence panels of a structure and of a report: each takes a twentieth of a second."""
_ZOOM = 5
"""Half the height of a convergence panel, in last intervals: the first ones would leave nothing to see."""


def intervals(facts: Facts, structure: str) -> Plot | None:
    """Every entrant's win rate as a dot on its interval, best on top."""
    from razzsim.report import drawing

    rows = facts.of("standings", structure)[:N_INTERVALS]
    if not rows:
        return None
    names = [_short(row["entrant"]) for row in rows]

    def draw(axes: "Axes") -> None:
        places = [-k for k in range(len(rows))]
        axes.axvline(0, color=drawing.MUTED, linewidth=0.8)
        known = [(place, row) for place, row in zip(places, rows, strict=True) if row["se_bb100"] is not None]
        low, high = [row["lo_bb100"] for _, row in known], [row["hi_bb100"] for _, row in known]
        axes.hlines([place for place, _ in known], low, high, color=drawing.ACCENT, linewidth=2.5)
        axes.plot([row["bb100"] for row in rows], places, "o", color=drawing.ACCENT, markersize=5)
        axes.set_yticks(places, names)
        axes.set_ylim(-len(rows) + 0.4, 0.6)
        axes.tick_params(length=0)
        axes.set_xlabel("BB/100")

    left = 0.25 + 0.075 * max(map(len, names))
    picture = drawing.svg(4.2, 0.65 + 0.25 * len(rows), (left, 0.2, 0.5, 0.1), draw)
    told = "; ".join(f"{row['entrant']} {_interval(row)}" for row in rows)
    caption = "Win rate (dot) and its 95% interval (bar); a bar narrower than the dot hides behind it."
    return Plot(
        f"standings-{_number(facts, structure)}{_file(structure)}", caption, f"Win rates in BB/100: {told}", picture
    )


def convergence(facts: Facts, structure: str) -> list[Plot]:
    """A panel for each of the first entrants: the win rate and its interval after every batch."""
    from razzsim.report import drawing

    ranked = facts.ranked(structure)
    most = max(1, min(_N_PANELS, _ALL_PANELS // len(facts.structures)))
    found = []
    for rank, entrant in enumerate(ranked[:most], 1):
        rows = [row for row in facts.of("convergence", structure) if row["entrant"] == entrant]
        if len(rows) < 2:
            continue
        picture = drawing.svg(3.6, 2.1, (0.62, 0.2, 0.5, 0.12), partial(_panel, rows=rows))
        name = f"convergence-{_number(facts, structure)}{_file(structure)}-{rank}-{_file(entrant)}"
        last = rows[-1]
        alt = (
            f"{entrant}: {_interval(rows[0])} BB/100 after {rows[0]['deals']:,} deals, "
            f"{_interval(last)} after {last['deals']:,}"
        )
        found.append(Plot(name, f"{entrant}: {_interval(last)}", alt, picture))
    return found


def _panel(axes: "Axes", rows: Sequence[Row]) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    from razzsim.report import drawing

    deals, rates = [row["deals"] for row in rows], [row["bb100"] for row in rows]
    low, high = ([_or_nan(row[end]) for row in rows] for end in ("lo_bb100", "hi_bb100"))
    axes.fill_between(deals, low, high, color=drawing.BAND, linewidth=0)
    axes.axhline(rates[-1], color=drawing.MUTED, linewidth=0.7, dashes=(4, 3))
    axes.plot(deals, rates, color=drawing.ACCENT, linewidth=1.4)
    half = high[-1] - rates[-1]
    if half > 0:
        axes.set_ylim(rates[-1] - _ZOOM * half, rates[-1] + _ZOOM * half)
    axes.set_xlim(0, deals[-1])
    axes.xaxis.set_major_locator(MaxNLocator(3, integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(5))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:+.4g}" if value else "0"))
    axes.tick_params(length=0)
    axes.set_xlabel("deals")
    axes.set_ylabel("BB/100")


def _interval(row: Row) -> str:
    if row["lo_bb100"] is None:
        return f"{signed(row['bb100'])} (interval unknown)"
    return f"{signed(row['bb100'])} ({signed(row['lo_bb100'])} to {signed(row['hi_bb100'])})"


def _number(facts: Facts, structure: str) -> str:
    """Names of several structures may be alike once they are names of files."""
    return f"{facts.structures.index(structure) + 1}-" if len(facts.structures) > 1 else ""


def _file(name: str) -> str:
    """A name as a part of a file's name, and of an id."""
    return re.sub(r"[^A-Za-z0-9_-]+", "_", name)


def _short(name: str) -> str:
    return name if len(name) <= 24 else f"{name[:23]}…"


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value
