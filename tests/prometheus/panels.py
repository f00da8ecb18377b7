"""What the committed dashboards show, and what they ask a Prometheus."""

import json
from collections.abc import Iterator
from typing import Any

from tests.prometheus.servers import DASHBOARDS

FILES = sorted((DASHBOARDS / "grafana").glob("*.json"))
_VARIABLES = {"$__rate_interval": "10s", "$__range": "10m", "$run": ".*", "$match": ".*", "$target": "0.5"}


def panels(dashboard: dict[str, Any]) -> Iterator[tuple[dict[str, Any], list[tuple[str, str]]]]:
    """Panels with their (legend, expression) pairs; variables stand for everything."""
    for panel in dashboard["panels"]:
        yield panel, [(target["legendFormat"], filled(target["expr"])) for target in panel["targets"]]


def filled(expression: str) -> str:
    """The expression as Grafana sends it."""
    for variable, value in _VARIABLES.items():
        expression = expression.replace(variable, value)
    return expression


def loaded() -> dict[str, dict[str, Any]]:
    """Dashboards by uid."""
    return {(found := json.loads(file.read_text()))["uid"]: found for file in FILES}
