"""razzsim runs."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

# SELECT r.*, not names: a file of an older schema is listed as it is, without the columns it has not got.
_SQL = """
SELECT r.*, (SELECT coalesce(sum(n_hands), 0)::BIGINT FROM chunks c WHERE c.run_id = r.run_id) AS hands,
       (SELECT count(DISTINCT structure) FROM line_ups l WHERE l.run_id = r.run_id) AS structures,
       s.structure, s.entrant, s.bb100
FROM runs r
LEFT JOIN (FROM standings QUALIFY row_number() OVER (PARTITION BY run_id ORDER BY structure, rank, entrant) = 1) s
USING (run_id)
ORDER BY created_at, run_id
"""
_TOLD = (
    *("run_id", "name", "shard", "n_shards", "label", "status", "schedule", "hands"),
    *("structure", "entrant", "bb100", "created_at"),
)
_COLUMNS = ("file", "run", "name", "label", "status", "schedule", "hands", "first", "BB/100", "created")


def runs(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to look, folders in it too.")] = Path("runs"),
    json: Annotated[bool, typer.Option("--json", help="As one JSON document.")] = False,
) -> None:
    """List every run under a folder, one line each, with its first-ranked entrant. Nothing is changed.

    Example: razzsim runs runs --json
    """
    from razzsim.cli.log import note
    from razzsim.cli.output import as_json, print_table
    from razzsim.store import StoreError
    from razzsim.store.several import results_under

    if not folder.is_dir():
        raise typer.BadParameter(f"{folder} is no folder", param_hint="DIR")
    rows: list[dict[str, Any]] = []
    for path in results_under(folder):
        try:
            rows += _runs_of(path)
        except StoreError as error:
            note(str(error))
    if json:
        sys.stdout.write(as_json({"folder": str(folder), "runs": rows}) + "\n")
    elif rows:
        print_table(_COLUMNS, [_line(row) for row in rows], [name in {"hands", "BB/100"} for name in _COLUMNS])
    else:
        note(f"{folder}: no runs")


def _runs_of(path: Path) -> list[dict[str, Any]]:
    from razzsim.store import Reader

    with Reader(path, migrates=False) as reader:
        rows = reader.query(_SQL).to_pylist()
        shared = {"file": str(path), "being_written": reader.is_snapshot}
        return [{**shared, **{name: row.get(name) for name in _TOLD}, "structures": row["structures"]} for row in rows]


def _line(row: dict[str, Any]) -> list[str]:
    from razzsim.report.words import state_of

    leader = row["entrant"] or ""
    if row["structures"] > 1 and leader:
        leader += f" ({row['structure']}, 1 of {row['structures']} structures)"
    return [
        row["file"],
        row["run_id"],
        f"{row['name']} ({row['shard']} of {row['n_shards']})" if row["shard"] else row["name"],
        row["label"] or "",
        state_of(row["status"], being_written=row["being_written"]),
        row["schedule"],
        f"{row['hands']:,}",
        leader,
        "" if row["bb100"] is None else f"{row['bb100']:+.2f}",
        "" if row["created_at"] is None else f"{row['created_at']:%Y-%m-%d %H:%M}",
    ]
