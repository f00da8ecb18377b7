"""Draws the dashboards for docs/dashboards.md: python -m tests.prometheus.draw

Grafana would show the same figures: a real Prometheus answers the committed expressions, after the run of the tests.
"""

import math
import tempfile
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import EngFormatter, FuncFormatter, PercentFormatter

from tests.prometheus.drill import Drill
from tests.prometheus.panels import loaded, panels
from tests.prometheus.servers import ROOT, Prometheus, Series, prometheus

_WIDTH, _HEIGHT = 0.5, 0.31
"""Of a cell of Grafana's grid, in inches."""
_FORMATS = {
    "percentunit": PercentFormatter(1, decimals=0),
    "s": FuncFormatter(lambda value, _: f"{value:.3g} s" if value < 100 else f"{value / 60:.1f} min"),
    "bytes": EngFormatter("B", places=1),
    "Bps": EngFormatter("B/s", places=1),
}


def main() -> None:
    """Play the drill and write docs/images/*.png."""
    with tempfile.TemporaryDirectory(prefix="rz-") as name, prometheus(Path(name)) as server:
        drill = Drill(server)
        drill.play(Path(name))
        start, server.at = drill.times["begun"], drill.times["ended"]
        for uid, dashboard in loaded().items():
            _draw(dashboard, server, start).savefig(ROOT / "docs" / "images" / f"{uid}.png", dpi=70)


def _draw(dashboard: dict[str, Any], server: Prometheus, start: float) -> Any:
    height = max(panel["gridPos"]["y"] + panel["gridPos"]["h"] for panel in dashboard["panels"])
    figure = plt.figure(figsize=(24 * _WIDTH, (height + 2) * _HEIGHT), layout="none")
    figure.suptitle(dashboard["title"], x=0.01, y=1 - 0.3 / (height + 2), ha="left", fontsize=13)
    assert server.at is not None
    for panel, queries in panels(dashboard):
        grid = panel["gridPos"]
        left, bottom = (grid["x"] + 1.4) / 24, 1 - (grid["y"] + grid["h"] + 0.7) / (height + 2)
        axes = figure.add_axes((left, bottom, (grid["w"] - 2) / 24, (grid["h"] - 2.3) / (height + 2)))
        axes.set_title(panel["title"], fontsize=9, loc="left")
        found = [(q, series) for q, e in queries for series in server.history(e, start, server.at)]
        _PAINTERS.get(panel["type"], _lines)(axes, panel, found, start)
    return figure


Found = list[tuple[str, Series]]


def _lines(axes: Axes, panel: dict[str, Any], found: Found, start: float) -> None:
    is_stacked = panel["fieldConfig"]["defaults"]["custom"].get("stacking", {}).get("mode") == "normal"
    lines = [(_legend(legend, series), series["points"]) for legend, series in found]
    if is_stacked:
        times = sorted({t for _, points in lines for t, _ in points})
        heights = [[dict(points).get(t, 0) for t in times] for _, points in lines]
        axes.stackplot([t - start for t in times], heights, labels=[name for name, _ in lines], alpha=0.6)
    else:
        for name, points in lines:
            axes.plot([t - start for t, _ in points], [value for _, value in points], label=name, linewidth=1.2)
        values = [value for _, points in lines for _, value in points if math.isfinite(value)]
        axes.set_ylim(0, 1.1 * max(values) or 1)
    axes.yaxis.set_major_formatter(_format(panel))
    axes.tick_params(labelsize=7)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=6, ncols=2, loc="lower right")


def _number(axes: Axes, panel: dict[str, Any], found: Found, start: float) -> None:
    axes.set_axis_off()
    last = [value for _, series in found for _, value in series["points"] if math.isfinite(value)][-1]
    unit = panel["fieldConfig"]["defaults"]["unit"].partition("suffix:")[2]
    axes.text(0.5, 0.5, f"{_format(panel)(last)}{unit}", ha="center", va="center", fontsize=17, color="#1f60c4")


def _bars(axes: Axes, panel: dict[str, Any], found: Found, start: float) -> None:
    bars = [(_legend(legend, series), series["points"][-1][1]) for legend, series in found]
    drawn = axes.barh([name for name, _ in bars], [value for _, value in bars])
    axes.bar_label(drawn, fmt="%.2f", fontsize=7)
    axes.tick_params(labelsize=7, labelleft=False)
    for name, _ in bars:
        axes.text(0, name, f" {name}", va="center", fontsize=7)


def _table(axes: Axes, panel: dict[str, Any], found: Found, start: float) -> None:
    axes.set_axis_off()
    labels = {name: value for name, value in found[0][1]["labels"].items() if not name.startswith("__")}
    shown = axes.table([list(labels.values())], colLabels=list(labels), loc="upper center")
    shown.auto_set_font_size(False)
    shown.set_fontsize(6)


_PAINTERS = {"stat": _number, "bargauge": _bars, "table": _table}


def _short(value: float) -> str:
    power = max((p for p in (1, 1e3, 1e6, 1e9) if abs(value) >= p), default=1)
    return f"{value / power:.3g}{ {1: '', 1e3: ' k', 1e6: ' M', 1e9: ' G'}[power] }"


def _legend(legend: str, series: Series) -> str:
    for name, value in series["labels"].items():
        legend = legend.replace("{{" + name + "}}", value)
    return legend


def _format(panel: dict[str, Any]) -> Any:
    return _FORMATS.get(panel["fieldConfig"]["defaults"]["unit"], FuncFormatter(lambda value, _: _short(value)))


if __name__ == "__main__":
    main()
