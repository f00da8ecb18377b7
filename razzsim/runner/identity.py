"""Whether a stored run is the one that is meant, and whether it can be played by this engine; if not, what differs."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from razzsim.engine import ENGINE_VERSION
from razzsim.plan import Plan, PlannedEntrant
from razzsim.plan.plan import default_batch_groups
from razzsim.runner.rows import rows_of
from razzsim.store import StoreError

if TYPE_CHECKING:
    from razzsim.store import Reader

_MEANT = ("seed", "game", "schedule", "batch_groups")
"""Columns of `runs` that the plan repeats and that decide the numbers."""


def stored_plan(reader: "Reader", row: dict[str, Any], then: str) -> Plan:
    """The plan of a stored run; row: of `runs`, then: what its reader is to know or do when it is refused.

    Raises StoreError, naming what differs, when this engine would play it otherwise, or when it is not the plan that
    the run was begun with.
    """
    if row["engine_version"] != ENGINE_VERSION:
        raise StoreError(
            f"{reader.path}: was played by engine version {row['engine_version']}, this is {ENGINE_VERSION}: {then}"
        )
    plan = Plan.from_json(row["plan"])
    if plan.fingerprint != row["fingerprint"]:
        what = ", ".join(_changed(plan, reader, row)) or "fingerprint"
        raise StoreError(f"{reader.path}: its plan is not the one it was begun with; what differs: {what}: {then}")
    return plan


def _changed(plan: Plan, reader: "Reader", row: dict[str, Any]) -> Iterator[str]:
    """What the plan says otherwise than the tables beside it."""
    ours, entrants, _ = rows_of(plan)
    for name in _MEANT:
        if ours[name] != row[name]:
            yield f"{name} {row[name]} then, {ours[name]} now"
    if json.loads(ours["rules"]) != json.loads(row["rules"]):
        yield "rules"
    sql = "FROM entrants WHERE run_id = $run_id ORDER BY entrant"
    theirs = reader.query(sql, {"run_id": row["run_id"]}).to_pylist()
    if len(theirs) != len(entrants):
        yield f"{len(theirs)} entrants then, {len(entrants)} now"
    for then, now in zip(theirs, entrants, strict=False):
        if then["source_sha256"] != now["source_sha256"]:
            hashes = f"sha256 {then['source_sha256'][:12]} then, {now['source_sha256'][:12]} now"
            yield f"strategy of entrant {then['name']} ({hashes})"
        elif (then["name"], json.loads(then["params"])) != (now["name"], json.loads(now["params"])):
            yield f"entrant {then['name']}"


def differences(ours: Plan, theirs: Plan, row: dict[str, Any]) -> Iterator[str]:
    """What decides the numbers and is not the same; row: theirs, of `runs`."""
    if row["engine_version"] != ENGINE_VERSION:
        yield f"engine version {row['engine_version']} there, {ENGINE_VERSION} here"
    if ours.deals != theirs.deals:
        yield "deals"
    facts, others = ours.facts, theirs.facts
    yield from (name for name in facts if name != "entrants" and facts[name] != others[name])
    there = {entrant.name: entrant for entrant in theirs.entrants}
    for entrant in ours.entrants:
        other = there.pop(entrant.name, None)
        if other != entrant:
            yield f"entrant {entrant.name}{_what_of(entrant, other) if other else ''}"
    yield from (f"entrant {name}" for name in there)


def _what_of(ours: PlannedEntrant, theirs: PlannedEntrant) -> str:
    if ours.source != theirs.source:
        return f" (its strategy: sha256 {theirs.source.sha256[:12]} there, {ours.source.sha256[:12]} here)"
    return " (its params)" if ours.params != theirs.params else " (its count)"


def is_extension(ours: Plan, theirs: Plan, row: dict[str, Any]) -> bool:
    """Whether ours has more deals than theirs, row: of `runs`, and nothing else is different.

    A default of batch_groups follows from the deals: a run keeps the one it was begun with.
    """
    alike = replace(ours, batch_groups=theirs.batch_groups).fingerprint == row["fingerprint"]
    same_batches = ours.batch_groups == theirs.batch_groups or (_is_default(ours) and _is_default(theirs))
    return alike and same_batches and ours.deals > theirs.deals


def _is_default(plan: Plan) -> bool:
    rotations = max(line_up.rotations for line_up in plan.line_ups)
    seats = max(limits["seats"] for limits in plan.structures.values())
    return plan.batch_groups == default_batch_groups(seats, rotations, plan.deals)
