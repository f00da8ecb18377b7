"""Every stored table and column, defined once: type, unit, meaning. DDL and Arrow schemas are made from it.

Also the layout of a chunk's sums, the one int64 array that a worker sends back.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:  # only the process that writes needs Arrow
    import pyarrow as pa

SCHEMA_VERSION = 1
"""Changes when the stored shape changes."""


@dataclass(frozen=True)
class Column:
    """One column: its SQL type and what it says, unit first where it has one."""

    name: str
    type: str
    meaning: str
    is_key: bool = False


@dataclass(frozen=True)
class TableOf:
    """One table of a result file."""

    name: str
    meaning: str
    columns: tuple[Column, ...]

    @property
    def key(self) -> tuple[str, ...]:
        """Names of the key columns."""
        return tuple(column.name for column in self.columns if column.is_key)


_RUN = Column("run_id", "VARCHAR", "first 12 hex digits of the fingerprint", is_key=True)
_LINE_UP = Column("line_up", "INTEGER", "number of the line-up in the plan", is_key=True)
_FIRST = Column("first_group", "BIGINT", "first deal of the chunk", is_key=True)
_BATCH = Column("batch", "BIGINT", "first_group / batch_groups: the unit of the sums", is_key=True)
_N_GROUPS = Column("n_groups", "BIGINT", "deal groups added up here")

TABLES = (
    TableOf(
        "runs",
        "one row a run: what was asked, by whom it was played, how it ended",
        (
            _RUN,
            Column("name", "VARCHAR", "name of the experiment"),
            Column("config", "VARCHAR", "the YAML text"),
            Column("plan", "VARCHAR", "the resolved plan as JSON: all that is needed to go on or play a hand again"),
            Column("fingerprint", "VARCHAR", "sha256 of what decides the numbers"),
            Column("engine_version", "INTEGER", "version of the rules engine"),
            Column("schema_version", "INTEGER", "version of this file's shape"),
            Column("razzsim_version", "VARCHAR", "version of the package that wrote it"),
            Column("seed", "BIGINT", "seed of all cards, seatings and dice"),
            Column("game", "VARCHAR", "razz or deuce_to_seven_razz"),
            Column("rules", "VARCHAR", "the rules' parameters as JSON"),
            Column("schedule", "VARCHAR", "heads_up, round_robin or table"),
            Column("seats", "INTEGER", "seats of a table"),
            Column("small_bet_chips", "BIGINT", "chips; NULL when structures differ (see line_ups)"),
            Column("big_bet_chips", "BIGINT", "chips; NULL when structures differ (see line_ups)"),
            Column("deals", "BIGINT", "deals per line-up that were asked for"),
            Column("batch_groups", "BIGINT", "deal groups a batch of the sums"),
            Column("status", "VARCHAR", "running, complete, stopped or failed"),
            Column("stop_reason", "VARCHAR", "why it is not running any more"),
            Column("host", "VARCHAR", "machine of the driver"),
            Column("versions", "VARCHAR", "of Python and the packages that decide or carry the numbers, as JSON"),
            Column("attempt", "INTEGER", "1 for run, one more for every resume"),
            Column("cpu_s", "DOUBLE", "seconds of CPU in the workers"),
            Column("wall_s", "DOUBLE", "seconds from start to end, all attempts"),
            Column("created_at", "TIMESTAMP", "UTC"),
        ),
    ),
    TableOf(
        "entrants",
        "one row an entrant: a strategy with parameters, and the text it was made from",
        (
            _RUN,
            Column("entrant", "INTEGER", "number of the entrant in the plan", is_key=True),
            Column("name", "VARCHAR", "its name"),
            Column("kind", "VARCHAR", "compiled"),
            Column("source", "VARCHAR", "the strategy's text"),
            Column("source_sha256", "VARCHAR", "sha256 of the text"),
            Column("params", "VARCHAR", "parameters as JSON"),
        ),
    ),
    TableOf(
        "line_ups",
        "one row a line-up: which entrants share a table under which limits",
        (
            _RUN,
            _LINE_UP,
            Column("structure", "VARCHAR", "name of the limits"),
            Column("entrants", "INTEGER[]", "entrant of every copy"),
            Column("rotations", "INTEGER", "seatings a deal is played in: hands of a group"),
            Column("small_bet_chips", "BIGINT", "chips"),
            Column("big_bet_chips", "BIGINT", "chips"),
            Column("deals_done", "BIGINT", "deals 0 .. deals_done - 1 are committed without a gap"),
            Column("status", "VARCHAR", "open, complete or stopped"),
        ),
    ),
    TableOf(
        "chunks",
        "one row a committed chunk; its sums entered with it, once",
        (
            _RUN,
            _LINE_UP,
            _FIRST,
            _N_GROUPS,
            Column("n_hands", "BIGINT", "hands played"),
            Column("n_decisions", "BIGINT", "decisions asked of strategies"),
            Column("chunk_s", "DOUBLE", "seconds the worker took"),
            Column("cpu_s", "DOUBLE", "seconds of CPU the worker took"),
            Column("worker", "VARCHAR", "host and process that played it"),
            Column("attempt", "INTEGER", "which try of the chunk this was, 1 the first"),
            Column("committed_at", "TIMESTAMP", "UTC"),
        ),
    ),
    TableOf(
        "failures",
        "one row a failed try of a chunk, or an entrant's decisions that were folded for it",
        (
            _RUN,
            _LINE_UP,
            _FIRST,
            Column("run_attempt", "INTEGER", "attempt of the run it happened in", is_key=True),
            Column("attempt", "INTEGER", "which try of the chunk in it", is_key=True),
            Column("outcome", "VARCHAR", "error, timeout, worker_lost, quarantined or folded", is_key=True),
            Column("entrant", "INTEGER", "entrant at fault, -1 if none", is_key=True),
            Column("deal", "BIGINT", "deal it happened on, NULL if unknown"),
            Column("rotation", "INTEGER", "rotation of the deal"),
            Column("seat", "INTEGER", "seat that had to act"),
            Column("n", "BIGINT", "how many decisions"),
            Column("message", "VARCHAR", "what was said"),
            Column("view", "VARCHAR", "what the entrant saw, as JSON"),
        ),
    ),
    TableOf(
        "group_sums",
        "exact sums over deal groups, one row a batch and entrant; x is the entrant's chips won in a group",
        (
            _RUN,
            _LINE_UP,
            _BATCH,
            Column("entrant", "INTEGER", "number of the entrant", is_key=True),
            _N_GROUPS,
            Column("n_hands", "BIGINT", "entrant-hands: hands times copies"),
            Column("n_nonzero", "BIGINT", "groups with x other than 0"),
            Column("net_chips", "HUGEINT", "chips; sum of x"),
            Column("net_sq", "HUGEINT", "chips squared; sum of x * x"),
        ),
    ),
    TableOf(
        "group_cross",
        "exact sums of products over deal groups, one row a batch and pair of entrants",
        (
            _RUN,
            _LINE_UP,
            _BATCH,
            Column("entrant_a", "INTEGER", "the smaller number", is_key=True),
            Column("entrant_b", "INTEGER", "the larger number", is_key=True),
            Column("net_net", "HUGEINT", "chips squared; sum of x_a * x_b"),
        ),
    ),
)


def table_of(name: str) -> TableOf:
    """The table of that name."""
    return next(table for table in TABLES if table.name == name)


def ddl() -> list[str]:
    """Statements that create all tables, with their comments."""
    statements = []
    for table in TABLES:
        columns = ", ".join(f"{c.name} {c.type}{' NOT NULL' if c.is_key else ''}" for c in table.columns)
        statements.append(f"CREATE TABLE {table.name} ({columns}, PRIMARY KEY ({', '.join(table.key)}))")
        statements.append(f"COMMENT ON TABLE {table.name} IS {_quoted(table.meaning)}")
        statements += [f"COMMENT ON COLUMN {table.name}.{c.name} IS {_quoted(c.meaning)}" for c in table.columns]
    return statements


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def arrow_rows(name: str, rows: list[dict[str, Any]]) -> "pa.Table":
    """Rows of a table in Arrow; missing values are NULL, and an unknown column is an error."""
    import pyarrow as pa

    columns = table_of(name).columns
    names = {column.name for column in columns}
    assert all(set(row) <= names for row in rows), f"unknown column of {name}"
    types = {
        "VARCHAR": pa.string(),
        "INTEGER": pa.int32(),
        "BIGINT": pa.int64(),
        "HUGEINT": pa.decimal128(38, 0),
        "DOUBLE": pa.float64(),
        "TIMESTAMP": pa.timestamp("us"),
        "INTEGER[]": pa.list_(pa.int32()),
    }
    schema = pa.schema([(column.name, types[column.type]) for column in columns])
    return pa.Table.from_pylist(rows, schema=schema)


SUMS_HEADER = ("line_up", "first_group", "n_groups", "n_places", "n_hands", "n_decisions", "chunk_ns", "cpu_ns")
SUMS_ENTRANT = ("n_hands", "n_nonzero", "net_chips", "net_sq_high", "net_sq_low", "n_faults")
SUMS_PAIR = ("net_net_high", "net_net_low")
WORD_BITS = 62
"""A square is high * 2^62 + low."""

Int64s = npt.NDArray[np.int64]


def pack_sums(header: dict[str, int], entrants: Int64s, pairs: Int64s) -> Int64s:
    """A chunk's sums as one array: the header, a row of SUMS_ENTRANT a place, a row of SUMS_PAIR a pair a < b."""
    head = np.array([header[name] for name in SUMS_HEADER], np.int64)
    return np.concatenate([head, entrants.ravel(), pairs.ravel()])


def unpack_sums(array: Int64s) -> tuple[dict[str, int], Int64s, Int64s]:
    """What `pack_sums` was given."""
    n_head, n_row = len(SUMS_HEADER), len(SUMS_ENTRANT)
    header = dict(zip(SUMS_HEADER, array[:n_head].tolist(), strict=True))
    places = header["n_places"]
    entrants = array[n_head : n_head + places * n_row].reshape(places, n_row)
    return header, entrants, array[n_head + places * n_row :].reshape(-1, len(SUMS_PAIR))


def joined(high: int, low: int) -> int:
    """The number of two words of base 2^62."""
    return (int(high) << WORD_BITS) + int(low)
