"""What a report tells, read from a result file in one go."""

import json
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from razzsim.plan import Plan
from razzsim.records import SCHEMA_VERSION
from razzsim.report.words import Row
from razzsim.store import HeldError, Reader

_QUESTIONS = {
    "entrants": "FROM entrants WHERE run_id = $run_id ORDER BY entrant",
    "standings": "FROM standings WHERE run_id = $run_id ORDER BY structure, rank, entrant",
    "head_to_head": "FROM head_to_head WHERE run_id = $run_id ORDER BY structure, entrant, rival",
    "convergence": "FROM convergence WHERE run_id = $run_id ORDER BY structure, entrant, deals",
    "by_street": "FROM by_street WHERE run_id = $run_id ORDER BY structure, entrant, street",
    "by_position": "FROM by_position WHERE run_id = $run_id ORDER BY structure, entrant, position",
    "steals": "FROM steals WHERE run_id = $run_id ORDER BY structure, entrant",
    "bring_ins": "FROM bring_ins WHERE run_id = $run_id ORDER BY structure, entrant",
    "by_start_hand": "FROM by_start_hand WHERE run_id = $run_id ORDER BY structure, entrant, class",
    "biggest_pots": "FROM biggest_pots WHERE run_id = $run_id AND rank <= $n_pots ORDER BY structure, rank",
    "cost": "FROM cost WHERE run_id = $run_id",
    "failures": """
        WITH f AS (FROM failures WHERE run_id = $run_id)
        SELECT outcome, any_value(e.name) AS name, count(*) AS times, sum(n)::BIGINT AS n,
               first({'line_up': line_up, 'first_group': first_group, 'message': message}
                     ORDER BY run_attempt, line_up, first_group, attempt) AS example
        FROM f LEFT JOIN entrants e USING (run_id, entrant)
        GROUP BY outcome, f.entrant ORDER BY min((run_attempt, line_up, first_group, attempt)), outcome, f.entrant
    """,
    "played": """
        SELECT (SELECT coalesce(sum(n_hands), 0)::BIGINT FROM chunks WHERE run_id = $run_id) AS hands,
               (SELECT coalesce(max(first_group + n_groups), 0)::BIGINT FROM chunks WHERE run_id = $run_id) AS deals,
               (SELECT count(*) FROM behaviour WHERE run_id = $run_id) AS counters,
               (SELECT count(*) FROM line_ups WHERE run_id = $run_id AND status = 'stopped') AS stopped,
               (SELECT count(*) FROM runs) AS runs
    """,
}
N_POTS = 10


@dataclass(frozen=True)
class Facts:
    """A run and what its views say of it."""

    file: str
    """Its name as it was given."""
    being_written: bool
    run: Row
    plan: Plan
    rows: Mapping[str, Sequence[Row]]

    @classmethod
    def read(cls, path: Path, run_id: str | None = None) -> "Facts":
        """Read them. Raises the kinds of StoreError."""
        with Reader(path) as reader:
            run = reader.run_row(run_id)
            if run["schema_version"] < SCHEMA_VERSION:  # its snapshot has not got all views
                raise HeldError(f"{reader.held} of an older razzsim: wait until it has ended")
            rows = {}
            for name, sql in _QUESTIONS.items():
                params: dict[str, Any] = {"run_id": run["run_id"]}
                if "$n_pots" in sql:
                    params["n_pots"] = N_POTS
                rows[name] = reader.query(sql, params).to_pylist()
            return cls(str(path), reader.is_snapshot, run, Plan.from_json(run["plan"]), rows)

    @cached_property
    def _by_structure(self) -> Mapping[tuple[str, str], list[Row]]:
        found: dict[tuple[str, str], list[Row]] = {}
        for view, rows in self.rows.items():
            for row in rows:
                found.setdefault((view, row.get("structure", "")), []).append(row)
        return found

    def of(self, view: str, structure: str) -> list[Row]:
        """The rows of a view for one structure."""
        return self._by_structure.get((view, structure), [])

    def ranked(self, structure: str) -> list[str]:
        """Names of the entrants, best first; those without a rank, because all they play was stopped, last."""
        names = [row["entrant"] for row in self.of("standings", structure)]
        return names + [entrant["name"] for entrant in self.rows["entrants"] if entrant["name"] not in names]

    @property
    def structures(self) -> list[str]:
        """Names of the limits, in the order of the experiment."""
        return list(self.plan.structures)

    @property
    def played(self) -> Row:
        """hands, deals; counters: rows of behaviour; stopped: line-ups; runs: of the file."""
        return self.rows["played"][0]

    @property
    def has_counters(self) -> bool:
        """Whether behaviour was counted: not in runs of schema version 1."""
        return bool(self.played["counters"])

    @property
    def holds_several(self) -> bool:
        """Whether the file holds other runs too, so that commands must name this one."""
        return bool(self.played["runs"] > 1)

    def line_up(self, number: int) -> str:
        """Who plays in a line-up: `tight ×2, loose`."""
        names = [self.plan.entrants[entrant].name for entrant in self.plan.line_ups[number].entrants]
        counts = Counter(names)
        return ", ".join(name if n == 1 else f"{name} ×{n}" for name, n in counts.items())

    @property
    def versions(self) -> Mapping[str, str]:
        """Of Python and the packages."""
        told: Mapping[str, str] = json.loads(self.run["versions"] or "{}")
        return told

    def command(self, *words: str) -> str:
        """A command about this file, to be pasted: `{}` stands for the file."""
        return shlex.join(["razzsim", *(self.file if word == "{}" else word for word in words)])
