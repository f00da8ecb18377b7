"""Writes the Grafana dashboards: python dashboards/generate.py (needs the extra `dev`).

They are committed as JSON, which is what Grafana reads; a test sees that this makes the same ones. Change them here.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grafana_foundation_sdk.builders import bargauge, stat, table, timeseries
from grafana_foundation_sdk.builders.common import ReduceDataOptions, StackingConfig
from grafana_foundation_sdk.builders.dashboard import Dashboard, DatasourceVariable, QueryVariable, TextBoxVariable
from grafana_foundation_sdk.builders.prometheus import Dataquery
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.common import DataSourceRef, StackingMode
from grafana_foundation_sdk.models.dashboard import (
    DashboardCursorSync,
    VariableOption,
    VariableRefresh,
    VariableSort,
)
from grafana_foundation_sdk.models.prometheus import PromQueryFormat

FOLDER = Path(__file__).parent / "grafana"
_SOURCE = DataSourceRef("prometheus", "${datasource}")
_KINDS: dict[str, Any] = {
    "timeseries": timeseries.Panel,
    "stacked": lambda: timeseries.Panel().stacking(StackingConfig().mode(StackingMode.NORMAL)).fill_opacity(40),
    "stat": lambda: stat.Panel().reduce_options(ReduceDataOptions().calcs(["lastNotNull"])),
    "bargauge": lambda: bargauge.Panel().reduce_options(ReduceDataOptions().calcs(["lastNotNull"])),
    "table": table.Panel,
}
_RUN = '{run=~"$run"}'
_MATCHES = 'razzsim_match_half_width_bb100{run=~"$run", match=~"$match"}'
_RATE = "[$__rate_interval]"


@dataclass(frozen=True)
class Panel:
    """One panel: title, what it tells and what to do about it, its unit, and expressions by legend."""

    kind: str
    title: str
    description: str
    unit: str
    queries: dict[str, str]
    """Legend -> expression."""

    def build(self) -> Any:
        """The SDK's builder of it."""
        is_small = self.kind == "stat"
        made = _KINDS[self.kind]().title(self.title).description(self.description).unit(self.unit)
        made = made.datasource(_SOURCE).span(6 if is_small else 12).height(5 if is_small else 8)
        for ref, (legend, expression) in zip("ABCDEF", self.queries.items(), strict=False):
            query = Dataquery().expr(expression).legend_format(legend).ref_id(ref).datasource(_SOURCE)
            if self.kind == "table":
                query = query.instant().format(PromQueryFormat.TABLE)
            elif self.kind == "bargauge":
                query = query.instant()
            made = made.with_target(query)
        return made


THROUGHPUT = [
    Panel(
        "stat",
        "Hands a second",
        "Committed hands a second of all runs shown, over about ten seconds.",
        "suffix: hands/s",
        {"hands/s": f"sum(razzsim_hands_per_second{_RUN})"},
    ),
    Panel(
        "stat",
        "Progress",
        "Deals committed, of those the runs are to have.",
        "percentunit",
        {"done": f"sum(razzsim_deals_done{_RUN}) / sum(razzsim_deals_target{_RUN})"},
    ),
    Panel(
        "stat",
        "Time left",
        "At the pace of the last moments. Too long: add workers, or ask for fewer deals.",
        "s",
        {
            "left": f"sum(razzsim_deals_target{_RUN} - razzsim_deals_done{_RUN})"
            f" / sum(rate(razzsim_groups_total{_RUN}{_RATE}))"
        },
    ),
    Panel(
        "stat",
        "Hands committed",
        "Of the runs shown, earlier attempts included. This is what the result file holds.",
        "short",
        {"hands": f"sum(razzsim_hands_total{_RUN})"},
    ),
    Panel(
        "timeseries",
        "Hands a second by run",
        "A run that falls to half raises RazzsimThroughputHalved: look at its workers.",
        "suffix: hands/s",
        {"{{run}}": f"sum by (run) (rate(razzsim_hands_total{_RUN}{_RATE}))"},
    ),
    Panel(
        "timeseries",
        "Hands a second and worker",
        "The pace of one core. It falls where others want the core, or where one driver cannot feed so many workers.",
        "suffix: hands/s",
        {
            "{{run}}": f"sum by (run) (rate(razzsim_hands_total{_RUN}{_RATE}))"
            ' / sum by (run) (razzsim_workers{run=~"$run", state=~"busy|idle"} > 0)'
        },
    ),
    Panel(
        "timeseries",
        "Decisions a second",
        "Calls of strategies: what hands cost follows them.",
        "suffix: decisions/s",
        {"{{run}}": f"sum by (run) (rate(razzsim_decisions_total{_RUN}{_RATE}))"},
    ),
    Panel(
        "stacked",
        "Chunks by outcome",
        "Everything but committed is told in the table failures of the result.",
        "suffix: chunks/s",
        {"{{outcome}}": f"sum by (outcome) (rate(razzsim_chunks_total{_RUN}{_RATE}))"},
    ),
    Panel(
        "timeseries",
        "Chunks waiting and in flight",
        "Queued ones fall to 0 at the end of a run; in flight are two calls a worker.",
        "short",
        {
            "queued {{run}}": f"sum by (run) (razzsim_queued_chunks{_RUN})",
            "in flight {{run}}": f"sum by (run) (razzsim_in_flight_chunks{_RUN})",
        },
    ),
    Panel(
        "timeseries",
        "Rows written",
        "Parquet files of recorded rows; 0 for runs that keep sums only.",
        "Bps",
        {"{{run}}": f"sum by (run) (rate(razzsim_rows_written_bytes_total{_RUN}{_RATE}))"},
    ),
    Panel(
        "timeseries",
        "Room on the disk of the result",
        "RazzsimDiskAlmostFull looks four hours ahead; a run stops, to be resumed, at 64 MiB.",
        "bytes",
        {"{{run}}": f"min by (run) (razzsim_disk_free_bytes{_RUN})"},
    ),
]

EXPERIMENT = [
    Panel(
        "stat",
        "Matches within the target",
        "So many matches have a half-width of at most the target above. Other ones want more deals.",
        "short",
        {"matches": f"count({_MATCHES} <= $target) or vector(0)"},
    ),
    Panel(
        "stat",
        "Matches",
        "Shown here are 100 of a run at most; SQL has all of them (view head_to_head).",
        "short",
        {"matches": f"count({_MATCHES})"},
    ),
    Panel(
        "stat",
        "Widest half-width",
        "Half of the 95% interval of the least known difference, in big bets per 100 hands.",
        "suffix: BB/100",
        {"widest": f"max({_MATCHES})"},
    ),
    Panel(
        "stat",
        "Deals for the target",
        "Deals of all line-ups until every match is as narrow: intervals shrink with their root. "
        "More than the run is to have: razzsim resume OUT --deals N.",
        "short",
        {
            "deals": f"max by (run) (({_MATCHES} / $target) ^ 2)"
            f" * on (run) group_left sum by (run) (razzsim_deals_done{_RUN})"
        },
    ),
    Panel(
        "timeseries",
        "Half-width of matches, and the target",
        "Half of the 95% interval of the difference on the same deals. Below the target: the match is decided finely "
        "enough.",
        "suffix: BB/100",
        {"{{match}}": _MATCHES, "target": "vector($target)"},
    ),
    Panel(
        "bargauge",
        "Half-width now",
        "The same, at the end of the time shown.",
        "suffix: BB/100",
        {"{{match}}": f"sort_desc({_MATCHES})"},
    ),
    Panel(
        "timeseries",
        "Progress",
        "Deals committed, of those the run is to have.",
        "percentunit",
        {"{{run}}": f"sum by (run) (razzsim_deals_done{_RUN}) / sum by (run) (razzsim_deals_target{_RUN})"},
    ),
    Panel(
        "timeseries",
        "Chunks given up or failed",
        "error: a strategy failed, which ends the run or its line-up; quarantined: no worker could play it.",
        "short",
        {"{{outcome}}": 'sum by (outcome) (razzsim_chunks_total{run=~"$run", outcome=~"error|quarantined"})'},
    ),
    Panel(
        "table",
        "What plays",
        "Versions in use. Runs of different engines are not to be compared; resume refuses them.",
        "string",
        {"versions": "razzsim_build_info"},
    ),
]

WORKERS = [
    Panel(
        "stat",
        "Workers",
        "Those that have started, busy or idle.",
        "short",
        {"workers": 'sum(razzsim_workers{run=~"$run", state=~"busy|idle"})'},
    ),
    Panel(
        "stat",
        "Workers lost",
        "In the time shown, each counted once. Their chunks are played again.",
        "short",
        {"lost": f"round(sum(increase(razzsim_worker_deaths_total{_RUN}[$__range])))"},
    ),
    Panel(
        "stat",
        "Since the last commit",
        "Minutes without one, and the run not complete: RazzsimRunStalled.",
        "s",
        {"since": f"max(time() - razzsim_last_commit_timestamp_seconds{_RUN})"},
    ),
    Panel(
        "stat",
        "Compiled for",
        "At the start of a run, by the driver. More than two seconds: its cache was cold (RAZZSIM_CACHE).",
        "s",
        {"compiled": f"max(razzsim_compile_seconds{_RUN})"},
    ),
    Panel(
        "stacked",
        "Workers by state",
        "Starting for minutes: the cluster has no CPU for them. Idle while chunks are queued: chunks are too short.",
        "short",
        {"{{state}}": f"sum by (state) (razzsim_workers{_RUN})"},
    ),
    Panel(
        "timeseries",
        "Workers lost and chunks played again",
        "A few belong to a cluster of spot machines; a steady rate is memory that runs out, or a bad strategy.",
        "suffix: /s",
        {
            "workers lost": f"sum(rate(razzsim_worker_deaths_total{_RUN}{_RATE}))",
            "chunks played again": f"sum(rate(razzsim_retries_total{_RUN}{_RATE}))",
        },
    ),
    Panel(
        "timeseries",
        "Failed tries by outcome",
        "timeout: longer than limits (chunk_s); worker_lost: the process or its node went; error: an exception.",
        "suffix: chunks/s",
        {
            "{{outcome}}": "sum by (outcome) "
            f'(rate(razzsim_chunks_total{{run=~"$run", outcome=~"error|timeout|worker_lost"}}{_RATE}))'
        },
    ),
    Panel(
        "timeseries",
        "Time of a chunk",
        "Half of them, and all but one in twenty, took at most so long. A second is good; more: are CPUs shared?",
        "s",
        {
            f"{share}": f"histogram_quantile({share}, sum by (le) (rate(razzsim_chunk_seconds_bucket{_RUN}{_RATE})))"
            for share in (0.5, 0.95)
        },
    ),
    Panel(
        "timeseries",
        "Time of a commit",
        "Seconds: the disk of the result is slow, or shared with others.",
        "s",
        {
            f"{share}": f"histogram_quantile({share}, sum by (le) (rate(razzsim_commit_seconds_bucket{_RUN}{_RATE})))"
            for share in (0.5, 0.95)
        },
    ),
    Panel(
        "timeseries",
        "CPU of the driver",
        "Near one core it cannot feed more workers: longer chunks (docs/cluster.md).",
        "suffix: cores",
        {
            "{{run}}": f"sum by (run) (rate(process_cpu_seconds_total{_RUN}{_RATE}))",
            "committing, {{run}}": f"sum by (run) (rate(razzsim_commit_seconds_sum{_RUN}{_RATE}))",
        },
    ),
    Panel(
        "timeseries",
        "Memory of the driver",
        "Resident; it does not grow with the number of hands.",
        "bytes",
        {"{{run}}": f"sum by (run) (process_resident_memory_bytes{_RUN})"},
    ),
]


def _labels(name: str, label: str, query: str) -> QueryVariable:
    variable = QueryVariable(name).label(label).datasource(_SOURCE).query({"query": query, "refId": name})
    variable = variable.multi(True).include_all(True).all_value(".*").sort(VariableSort.ALPHABETICAL_ASC)
    variable = variable.current(VariableOption(selected=True, text=["All"], value=["$__all"]))
    return variable.refresh(VariableRefresh.ON_TIME_RANGE_CHANGED)


def _dashboard(uid: str, title: str, description: str, panels: Iterable[Panel], *, has_matches: bool = False) -> Any:
    made = Dashboard(f"razzsim: {title}").uid(f"razzsim-{uid}").description(description).tags(["razzsim"])
    made = made.time("now-1h", "now").refresh("10s").timezone("browser").tooltip(DashboardCursorSync.CROSSHAIR)
    made = made.with_variable(DatasourceVariable("datasource").label("Data source").type("prometheus"))
    made = made.with_variable(_labels("run", "Run", "label_values(razzsim_deals_target, run)"))
    if has_matches:
        matches = 'label_values(razzsim_match_half_width_bb100{run=~"$run"}, match)'
        made = made.with_variable(_labels("match", "Match", matches))
        target = TextBoxVariable("target").label("Target half-width, BB/100").default_value("0.5")
        made = made.with_variable(target.current(VariableOption(selected=True, text="0.5", value="0.5")))
    for number, panel in enumerate(panels, 1):
        made = made.with_panel(panel.build().id(number))
    return made.build()


def dashboards() -> dict[str, str]:
    """File name -> JSON."""
    made = {
        "throughput": _dashboard("throughput", "throughput", "How fast all runs are, and until when.", THROUGHPUT),
        "experiment": _dashboard(
            "experiment", "experiment", "How well matches are known.", EXPERIMENT, has_matches=True
        ),
        "workers": _dashboard("workers", "worker health", "Workers, what they lose, and the driver.", WORKERS),
    }
    return {
        f"{name}.json": JSONEncoder(sort_keys=True, indent=2).encode(dashboard) + "\n"
        for name, dashboard in made.items()
    }


if __name__ == "__main__":
    for name, text in dashboards().items():
        (FOLDER / name).write_text(text)
