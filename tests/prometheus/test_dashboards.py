"""The committed dashboards are what their generator makes, and whole. No Prometheus is needed to see it."""

import runpy
from pathlib import Path

import pytest
import yaml

from tests.prometheus.panels import FILES, loaded, panels
from tests.prometheus.servers import DASHBOARDS, ROOT

SOURCE = {"type": "prometheus", "uid": "${datasource}"}


@pytest.mark.filterwarnings("ignore:Prefer using dashboardv2")  # which Grafana before version 12 cannot read
def test_the_committed_dashboards_are_the_generated_ones() -> None:
    made = runpy.run_path(str(DASHBOARDS / "generate.py"))["dashboards"]()
    assert {file.name: file.read_text() for file in FILES} == made


def test_dashboards_have_uids_variables_and_our_datasource() -> None:
    dashboards = loaded()
    assert dashboards.keys() == {"razzsim-throughput", "razzsim-experiment", "razzsim-workers"}
    for uid, dashboard in dashboards.items():
        variables = {variable["name"]: variable for variable in dashboard["templating"]["list"]}
        assert variables.keys() - {"match", "target"} == {"datasource", "run"}
        assert ("match" in variables) == (uid == "razzsim-experiment")
        assert {v["type"] for name, v in variables.items() if name in {"run", "match"}} == {"query"}
        assert all(v["datasource"] == SOURCE for v in variables.values() if v["type"] == "query")


@pytest.mark.parametrize("uid", loaded())
def test_panels_are_whole(uid: str) -> None:
    dashboard = loaded()[uid]
    ids, places = [], set()
    for panel, queries in panels(dashboard):
        assert panel["title"] and panel["description"].endswith((".", "?"))
        assert panel["fieldConfig"]["defaults"]["unit"]
        assert panel["datasource"] == SOURCE and all(target["datasource"] == SOURCE for target in panel["targets"])
        assert queries and all(legend and "$" not in expression for legend, expression in queries)
        ids.append(panel["id"])
        grid = panel["gridPos"]
        cells = {
            (x, y) for x in range(grid["x"], grid["x"] + grid["w"]) for y in range(grid["y"], grid["y"] + grid["h"])
        }
        assert not cells & places and grid["x"] + grid["w"] <= 24
        places |= cells
    assert len(set(ids)) == len(ids)


def test_rates_are_over_what_grafana_scrapes() -> None:
    for dashboard in loaded().values():
        for panel in dashboard["panels"]:
            for target in panel["targets"]:
                ranges = target["expr"].count("[")
                variables = target["expr"].count("[$__rate_interval]") + target["expr"].count("[$__range]")
                assert ranges == variables, target["expr"]


def test_what_is_scraped_and_provisioned_is_there() -> None:
    """Names that files of different programs must agree on."""
    (provider,) = yaml.safe_load((DASHBOARDS / "grafana/provisioning/dashboards/razzsim.yaml").read_text())["providers"]
    assert f"dashboards/grafana:{provider['options']['path']}" in (ROOT / "docs" / "dashboards.md").read_text()
    monitor = yaml.safe_load((DASHBOARDS / "podmonitor.yaml").read_text())
    job = yaml.safe_load((ROOT / "configs/cluster/rayjob.yaml").read_text())["spec"]
    (head,) = job["rayClusterSpec"]["headGroupSpec"]["template"]["spec"]["containers"]
    ports = {port["name"]: port["containerPort"] for port in head["ports"]}
    (endpoint,) = monitor["spec"]["podMetricsEndpoints"]
    assert f"--metrics-port {ports[endpoint['port']]} --metrics-address 0.0.0.0" in job["entrypoint"]
    config = yaml.safe_load((DASHBOARDS / "prometheus.yml").read_text())
    assert all((DASHBOARDS / Path(file)).exists() for file in config["rule_files"])
