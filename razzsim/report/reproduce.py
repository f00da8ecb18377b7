"""What a run took, and all that is needed to have its numbers again."""

import json
from collections.abc import Iterator

import yaml

from razzsim.report.facts import Facts
from razzsim.report.model import Block, Code, Details, Table, Text
from razzsim.report.words import listed


def blocks(facts: Facts) -> Iterator[Block]:
    """Cost, versions, commands, and the texts in full."""
    yield Table("Cost", ("what", "amount"), list(_cost(facts)))
    yield Table("What decides the numbers", ("what", "value"), list(_identity(facts)), words=(0, 1))
    name = facts.run["name"]
    yield Text(
        f"Put the experiment below into {name}.yaml and the strategies' texts where it says, and play it again; the "
        "numbers are the same with any number of workers:"
    )
    if (asked := yaml.safe_load(facts.plan.config)["deals"]) != facts.plan.deals:
        yield Text(
            f"The run was begun with {asked:,} deals and extended: write deals: {facts.plan.deals} and batch_groups: "
            f"{facts.plan.batch_groups} into it first."
        )
    yield Code(f"razzsim run {name}.yaml --out again.duckdb")
    yield Details("The experiment (YAML)", [Code(facts.plan.config)])
    for names, source in _sources(facts):
        yield Details(
            f"Strategy of {listed(names) if len(names) <= 6 else f'{names[0]} and {len(names) - 1} more'}",
            [Code(source)],
        )
    if any(json.loads(entrant["params"] or "{}") for entrant in facts.rows["entrants"]):
        yield Details("Parameters", [_params(facts)])
    yield Details("Rules", [_rules(facts)])


def _cost(facts: Facts) -> Iterator[tuple[str, str]]:
    cost = facts.rows["cost"][0]
    yield "hands", f"{cost['hands']:,}"
    yield "decisions", f"{cost['decisions']:,}"
    yield "CPU of the workers", f"{cost['cpu_s']:,.1f} s"
    yield "from start to end", f"{cost['wall_s'] or 0:,.1f} s"
    if cost["hands_per_cpu_s"]:
        yield "hands a second of CPU", f"{cost['hands_per_cpu_s']:,.0f}"
    yield "chunks played again", f"{cost['n_retries']:,}"


def _identity(facts: Facts) -> Iterator[tuple[str, str]]:
    run = facts.run
    yield "run", run["run_id"]
    yield "fingerprint", run["fingerprint"]
    yield "seed", str(run["seed"])
    yield "engine version", str(run["engine_version"])
    yield "attempts", str(run["attempt"])
    yield "begun", "" if run["created_at"] is None else f"{run['created_at']:%Y-%m-%d %H:%M} UTC"
    yield "versions", ", ".join(f"{name} {version}" for name, version in facts.versions.items())


def _sources(facts: Facts) -> Iterator[tuple[list[str], str]]:
    """Every text once, with the entrants that are made from it."""
    names: dict[str, list[str]] = {}
    for entrant in facts.rows["entrants"]:
        names.setdefault(entrant["source"], []).append(entrant["name"])
    for source, its_names in names.items():
        yield its_names, source


def _params(facts: Facts) -> Table:
    rows = [
        (entrant["name"], ", ".join(f"{key} = {value}" for key, value in json.loads(entrant["params"] or "{}").items()))
        for entrant in facts.rows["entrants"]
    ]
    return Table("Parameters of the entrants", ("entrant", "parameters"), rows, words=(0, 1))


def _rules(facts: Facts) -> Table:
    rows = [(key, value if isinstance(value, str) else json.dumps(value)) for key, value in facts.plan.rules.items()]
    return Table("Parameters of the rules", ("parameter", "value"), rows, words=(0, 1))
