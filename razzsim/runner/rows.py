"""The rows that describe a plan in its result file, before anything is played."""

import json
import platform
import socket
from datetime import UTC, datetime
from importlib import metadata
from typing import Any

from razzsim.engine import ENGINE_VERSION
from razzsim.plan import Plan
from razzsim.records import SCHEMA_VERSION


def rows_of(plan: Plan, label: str | None = None) -> tuple[dict[str, Any], list[dict[str, Any]], list[dict[str, Any]]]:
    """The rows that describe a plan: run, entrants, line-ups."""
    limits = list(plan.structures.values())
    bets = {name: {table[name] for table in limits} for name in ("small_bet", "big_bet")}
    run_row = {
        "run_id": plan.run_id,
        "name": plan.name,
        "config": plan.config,
        "plan": plan.to_json(),
        "fingerprint": plan.fingerprint,
        "engine_version": ENGINE_VERSION,
        "schema_version": SCHEMA_VERSION,
        "razzsim_version": metadata.version("razzsim"),
        "seed": plan.seed,
        "game": plan.game,
        "rules": json.dumps(dict(plan.rules)),
        "schedule": plan.schedule,
        "seats": limits[0]["seats"],
        "small_bet_chips": bets["small_bet"].pop() if len(bets["small_bet"]) == 1 else None,
        "big_bet_chips": bets["big_bet"].pop() if len(bets["big_bet"]) == 1 else None,
        "deals": plan.deals,
        "batch_groups": plan.batch_groups,
        "status": "running",
        "host": socket.gethostname(),
        "versions": json.dumps(versions()),
        "attempt": 1,
        "cpu_s": 0.0,
        "wall_s": 0.0,
        "created_at": datetime.now(UTC).replace(tzinfo=None),
        "record": json.dumps(dict(plan.record)),
        "shard": plan.shard.number if plan.shard else None,
        "n_shards": plan.shard.of if plan.shard else None,
        "label": label or None,
    }
    entrants = [
        {
            "run_id": plan.run_id,
            "entrant": number,
            "name": entrant.name,
            "kind": entrant.kind,
            "source": entrant.source.text,
            "source_sha256": entrant.source.sha256,
            "params": json.dumps(dict(entrant.params)),
        }
        for number, entrant in enumerate(plan.entrants)
    ]
    line_ups = [
        {
            "run_id": plan.run_id,
            "line_up": line_up.number,
            "structure": line_up.structure,
            "entrants": list(line_up.entrants),
            "rotations": line_up.rotations,
            "small_bet_chips": plan.limits_of(line_up)["small_bet"],
            "big_bet_chips": plan.limits_of(line_up)["big_bet"],
            "deals_done": 0,
            "status": "open",
        }
        for line_up in plan.line_ups
    ]
    return run_row, entrants, line_ups


def versions() -> dict[str, str]:
    """Of Python and the packages that decide or carry the numbers."""
    packages = {name: metadata.version(name) for name in ("razzsim", "ray", "duckdb", "numba", "numpy", "pyarrow")}
    return {**packages, "python": platform.python_version(), "engine": str(ENGINE_VERSION)}
