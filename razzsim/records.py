"""Every stored table and column, defined once: type, unit, meaning.

DDL, Arrow schemas, comments and docs/schema.md are made from it by `schema`.
"""

from dataclasses import dataclass

SCHEMA_VERSION = 3
"""Changes when the stored shape changes; store/migrations then gets a file of that number."""


@dataclass(frozen=True)
class Column:
    """One column: its SQL type and what it says, unit first where it has one."""

    name: str
    type: str
    meaning: str
    is_key: bool = False


@dataclass(frozen=True)
class TableOf:
    """One table: of the result file, or of rows in Parquet parts beside it."""

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
_ENTRANT = Column("entrant", "INTEGER", "number of the entrant", is_key=True)
_N_GROUPS = Column("n_groups", "BIGINT", "deal groups added up here")
_N_GROUPS_COVERED = Column("n_groups", "BIGINT", "deals it covers, of each line-up in it")

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
            Column("record", "VARCHAR", "recording level and sample, as JSON"),
            Column("label", "VARCHAR", "a short name that somebody gave the run"),
            Column("note", "VARCHAR", "what somebody wrote about the run"),
            Column("shard", "INTEGER", "which part of the plan is played here, from 1; NULL: all of it"),
            Column("n_shards", "INTEGER", "into how many parts the plan is cut; NULL: all of it is played here"),
        ),
    ),
    TableOf(
        "entrants",
        "one row an entrant: a strategy with parameters, and the text it was made from",
        (
            _RUN,
            Column("entrant", "INTEGER", "number of the entrant in the plan", is_key=True),
            Column("name", "VARCHAR", "its name"),
            Column("kind", "VARCHAR", "compiled (Python) or chart (YAML)"),
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
            Column("digest", "BIGINT", "64 bits of BLAKE2b of all that came back but the times; NULL before version 3"),
        ),
    ),
    TableOf(
        "workers",
        "one row a worker: what it ran on, for the chunks it played",
        (
            _RUN,
            Column("worker", "VARCHAR", "host and process, as in chunks", is_key=True),
            Column("host", "VARCHAR", "its machine"),
            Column("cpu", "VARCHAR", "model of the processor"),
            Column("python", "VARCHAR", "version of Python"),
            Column("numba", "VARCHAR", "version of Numba, which compiled what it played with"),
            Column("numpy", "VARCHAR", "version of NumPy"),
            Column("razzsim", "VARCHAR", "version of razzsim"),
            Column("first_seen", "TIMESTAMP", "UTC; when the first of its chunks was committed"),
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
    TableOf(
        "behaviour",
        "exact counters of what was done, one row an entrant, seat and street; hands of an entrant: one a copy",
        (
            _RUN,
            _LINE_UP,
            _ENTRANT,
            Column("seat", "INTEGER", "seat at the table", is_key=True),
            Column("street", "INTEGER", "3 to 7", is_key=True),
            Column("n_seen", "BIGINT", "hands in which the entrant had not folded when this street was dealt"),
            Column("n_fold", "BIGINT", "decisions to fold"),
            Column("n_check", "BIGINT", "decisions to check"),
            Column("n_call", "BIGINT", "decisions to call or to post the bring-in"),
            Column("n_raise", "BIGINT", "decisions to bet, complete or raise"),
            Column("n_bring_in", "BIGINT", "of n_call, those that posted the bring-in"),
            Column("n_bet", "BIGINT", "of n_raise, those that were the street's first full bet: bets and completions"),
            Column("n_showdown", "BIGINT", "of n_seen, hands in which the entrant's cards were compared"),
            Column("n_won", "BIGINT", "of n_seen, hands in which the entrant won a pot or a part of one"),
            Column("n_showdown_won", "BIGINT", "of n_showdown, the same"),
            Column("net_chips", "BIGINT", "chips won or lost in the hands of n_seen"),
        ),
    ),
    TableOf(
        "positions",
        "exact counters by place clockwise from the seat that owed the bring-in, one row an entrant and position",
        (
            _RUN,
            _LINE_UP,
            _ENTRANT,
            Column("position", "INTEGER", "0 = owed the bring-in, 1 = next; -1 = nobody owed it", is_key=True),
            Column("n_hands", "BIGINT", "hands dealt there"),
            Column("n_played", "BIGINT", "of them, those not folded on third street"),
            Column("net_chips", "BIGINT", "chips"),
            Column("n_steal_chances", "BIGINT", "first decisions with nothing but the bring-in before, nobody in"),
            Column("n_steals", "BIGINT", "of them, completed"),
            Column("n_steals_won", "BIGINT", "of n_steals, won before fourth street was dealt"),
            Column("n_steals_faced", "BIGINT", "decisions against such a completion with nobody else in"),
            Column("n_steals_defended", "BIGINT", "of them, not folded"),
        ),
    ),
    TableOf(
        "start_hands",
        "exact counters by the first three cards, one row an entrant and class; added up over the line-ups",
        (
            _RUN,
            Column("structure", "VARCHAR", "name of the limits", is_key=True),
            _ENTRANT,
            Column(
                "class",
                "INTEGER",
                "rank of the door card * 91 + number of the two downcards' ranks; rank 0 = ace .. 12 = king; number of "
                "ranks a <= b: b * (b + 1) / 2 + a",
                is_key=True,
            ),
            Column("n", "BIGINT", "hands dealt"),
            Column("n_played", "BIGINT", "of them, those not folded on third street"),
            Column("net_chips", "BIGINT", "chips"),
        ),
    ),
    TableOf(
        "top_pots",
        "the biggest pots: the 20 first of each line-up by chips, then deal, then rotation",
        (
            _RUN,
            _LINE_UP,
            Column("deal", "BIGINT", "number of the deal", is_key=True),
            Column("rotation", "INTEGER", "rotation of the deal", is_key=True),
            Column("pot_chips", "BIGINT", "chips in all pots, uncalled bets returned, rake included"),
        ),
    ),
    TableOf(
        "parts",
        "one row a Parquet file of rows beside the database; rows of other files do not count",
        (
            _RUN,
            Column("level", "VARCHAR", "groups, hands or actions", is_key=True),
            Column("path", "VARCHAR", "absolute path of the file", is_key=True),
            Column("line_up", "INTEGER", "number of the line-up; NULL when the file holds several"),
            Column("first_group", "BIGINT", "first deal it covers"),
            _N_GROUPS_COVERED,
            Column("sample", "DOUBLE", "share of the deals that is recorded in it"),
            Column("origin", "VARCHAR", "run: written as the run was played; materialize: by playing its deals again"),
            Column("n_rows", "BIGINT", "rows"),
            Column("n_bytes", "BIGINT", "bytes of the file"),
        ),
    ),
)

_DEAL = Column("deal", "BIGINT", "number of the deal", is_key=True)
_ROTATION = Column("rotation", "UTINYINT", "rotation of the deal", is_key=True)
_PART_RUN = Column("run_id", "VARCHAR", "first 12 hex digits of the run's fingerprint", is_key=True)
N_SEATS = 8
_SEATS = range(N_SEATS)

ROW_TABLES = (
    TableOf(
        "groups",
        "one row a deal group and entrant, where the recording level is groups or above",
        (
            _PART_RUN,
            _LINE_UP,
            _DEAL,
            Column("entrant", "INTEGER", "number of the entrant", is_key=True),
            Column("net_chips", "INTEGER", "chips won or lost over all rotations and copies"),
        ),
    ),
    TableOf(
        "hands",
        "one row a hand, where the recording level is hands or above; absent seats: 0, cards none",
        (
            _PART_RUN,
            _LINE_UP,
            _DEAL,
            _ROTATION,
            Column("street", "UTINYINT", "last street that was dealt, 3 to 7"),
            Column("bring_in_seat", "TINYINT", "seat that owed the bring-in, -1 = nobody"),
            Column("showdown_mask", "UTINYINT", "seats whose cards were compared, bit 0 = seat 0"),
            Column("winner_mask", "UTINYINT", "seats that won a pot or a part of one"),
            Column("copies", "UINTEGER", "who sat where: copy of the line-up in seat s = copies >> 4 * s & 15"),
            Column("pot_chips", "INTEGER", "chips in all pots, uncalled bets returned, rake included"),
            Column("rake_chips", "INTEGER", "chips"),
            *(
                Column(f"put_{seat}", "INTEGER", f"chips that seat {seat} put in and did not get back")
                for seat in _SEATS
            ),
            *(Column(f"net_{seat}", "INTEGER", f"chips that seat {seat} won or lost") for seat in _SEATS),
            *(
                Column(f"cards_{seat}", "UBIGINT", f"cards of seat {seat}: 6 bits each, first dealt lowest; 63 = none")
                for seat in _SEATS
            ),
        ),
    ),
    TableOf(
        "actions",
        "one row a decision with what all could see, where the recording level is actions",
        (
            _PART_RUN,
            _LINE_UP,
            _DEAL,
            _ROTATION,
            Column("n", "USMALLINT", "number of the decision in the hand, from 0", is_key=True),
            Column("street", "UTINYINT", "3 to 7"),
            Column("seat", "UTINYINT", "seat that acted"),
            Column("entrant", "INTEGER", "number of the entrant in it"),
            Column("action", "UTINYINT", "0 fold, 1 check, call or bring-in, 2 bet, complete or raise"),
            Column("amount_chips", "INTEGER", "chips it put in"),
            Column("to_chips", "INTEGER", "chips of the seat in this street after it"),
            Column("pot_chips", "INTEGER", "chips in the pot before it"),
            Column("n_bets", "UINTEGER", "full bets of the street before it"),
            Column("live_mask", "UTINYINT", "seats that had not folded, bit 0 = seat 0"),
        ),
    ),
)
"""Rows of single deals, hands and decisions. They lie in Parquet parts beside the database, never in it."""

LEVELS = ("sums", *(table.name for table in ROW_TABLES))
"""Recording levels; each records what those before it do, and more."""


def table_of(name: str) -> TableOf:
    """The table of that name."""
    return next(table for table in (*TABLES, *ROW_TABLES) if table.name == name)
