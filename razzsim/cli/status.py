"""razzsim status."""

import shlex
import sys
from typing import Annotated

import typer

_SQL = """
SELECT r.run_id, r.name, r.status, r.stop_reason, r.attempt, r.host,
       coalesce(sum(c.n_hands), 0)::BIGINT AS hands,
       r.plan AS hands_total,
       coalesce(sum(c.n_groups), 0)::BIGINT AS groups, count(c.first_group) AS chunks,
       (SELECT count(*) FROM failures f WHERE f.run_id = r.run_id) AS failures,
       max(c.committed_at) AS last_commit
FROM runs r LEFT JOIN chunks c USING (run_id)
GROUP BY ALL
"""


def status(
    out: Annotated[str, typer.Argument(help="A result, finished or being written: a file, or s3://BUCKET/KEY.duckdb.")],
    json: Annotated[bool, typer.Option("--json", help="As one JSON document.")] = False,
) -> None:
    """Say how far a run is; while it is being written, as of its last snapshot.

    Example: razzsim status runs/quickstart.duckdb
    """
    from razzsim.cli.output import as_json
    from razzsim.plan import Plan
    from razzsim.report.words import state_of
    from razzsim.store import Reader
    from razzsim.store.fetch import local_copy

    with local_copy(out) as path, Reader(path) as reader:
        rows = reader.query(_SQL).to_pylist()
        being_written = reader.is_snapshot
    for row in rows:
        plan = Plan.from_json(row["hands_total"])
        row |= {"hands_total": plan.hands, "shard": str(plan.shard) if plan.shard else None}
    if json:
        sys.stdout.write(as_json({"out": str(out), "being_written": being_written, "runs": rows}) + "\n")
        return
    for row in rows:
        share = row["hands"] / row["hands_total"] if row["hands_total"] else 0
        state = state_of(row["status"], being_written=being_written)
        at = row["last_commit"]
        last = f"last commit {at:%Y-%m-%d %H:%M:%S} UTC" if at else "nothing committed yet"
        which = f", {row['shard']}" if row["shard"] else ""
        reason = f" ({row['stop_reason']})" if row["stop_reason"] else ""
        hands = f"{row['hands']:,} of {row['hands_total']:,} hands ({share:.0%})"
        sys.stdout.write(
            f"run {row['run_id']} {row['name']}{which}: {state}{reason}, {hands}, "
            f"{row['chunks']} chunks, {row['failures']} failures, {last}\n"
        )
        if row["status"] != "complete" and not being_written:
            sys.stdout.write(f"go on with: razzsim resume {shlex.quote(str(out))}\n")
