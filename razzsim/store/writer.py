"""The one writer of a result file. A chunk's sums enter with its row or not at all, and only once."""

import heapq
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import duckdb

from razzsim import sums
from razzsim.records import SCHEMA_VERSION, table_of
from razzsim.schema import arrow_rows
from razzsim.store import database, journal
from razzsim.store.committed import CommittedChunk, Unpacked, block_rows, chunk_rows, counted, is_counter, summed
from razzsim.store.errors import DiskError, StoreError
from razzsim.store.matches import half_widths
from razzsim.store.merging import Sources
from razzsim.store.part import Part
from razzsim.store.part_folder import part_folder
from razzsim.store.parts import Parts, bring, refuse_foreign
from razzsim.store.space import check_space
from razzsim.store.spans import Spans
from razzsim.store.transactions import insert, now, transaction, writing
from razzsim.store.worker import Worker


class Writer:
    """Writes one run into one file and holds its lock until closed."""

    def __init__(
        self, path: Path, connection: database.Connection, run_id: str, parts: str | Path | None = None
    ) -> None:
        """parts: the folder of its rows, if that is not the one beside it."""
        self.path, self.run_id = path, run_id
        self._connection = connection
        self._parts = Parts(part_folder(parts or database.parts_folder(path)), connection, run_id)
        row = connection.execute("SELECT batch_groups, attempt FROM runs WHERE run_id = ?", [run_id]).fetchone()
        assert row is not None
        self._batch_groups: int = row[0]
        self._run_attempt: int = row[1]
        self._places = {
            line_up: sorted(set(entrants))
            for line_up, entrants in self._rows("SELECT line_up, entrants FROM line_ups WHERE run_id = ?")
        }
        self._pots: dict[int, list[int]] = defaultdict(list)
        """By line-up: its biggest pots so far, as a heap."""
        for line_up, pot_chips in self._rows("SELECT line_up, pot_chips FROM top_pots WHERE run_id = ?"):
            self._may_be_top(line_up, pot_chips)
        self._workers: set[Worker] = set()
        self._read_chunks()

    @classmethod
    def create(
        cls,
        path: Path,
        run: dict[str, Any],
        entrants: list[dict[str, Any]],
        line_ups: list[dict[str, Any]],
        parts: str | Path | None = None,
    ) -> Self:
        """Make the file, or use an empty one, and enter the run. Raises StoreError kinds."""
        if path.name.endswith(database.SNAPSHOT):
            raise StoreError(f"{path}: is not allowed: *{database.SNAPSHOT} is the name of running experiments' copies")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DiskError(f"{path.parent}: cannot be made: {(error.strerror or str(error)).lower()}") from None
        refuse_foreign(parts or database.parts_folder(path))
        check_space(path)
        was_there, is_ours = path.exists(), False
        connection = database.connect(path, read_only=False)
        try:
            if not database.is_empty(connection):
                raise StoreError(f"{path}: exists already")
            is_ours = not was_there
            with transaction(path, connection):
                database.create_schema(connection)
                for name, rows in (("runs", [run]), ("entrants", entrants), ("line_ups", line_ups)):
                    insert(connection, name, rows)
            return cls(path, connection, run["run_id"], parts)
        except BaseException:
            connection.close()
            if is_ours:  # what could not be begun would be in the way
                database.remove(path)
            raise

    @classmethod
    def open(cls, path: Path, run_id: str, parts: str | Path | None = None) -> Self:
        """Open an existing result to go on with it."""
        connection = database.connect(path, read_only=False)
        try:
            assert database.schema_version(connection, path) == SCHEMA_VERSION, "a reader has brought it to today's"
            writer = cls(path, connection, run_id, parts)
            with writing(path):
                writer._parts.come_along()
            return writer
        except BaseException:
            connection.close()
            raise

    def _read_chunks(self) -> None:
        self._spans: dict[int, Spans] = defaultdict(Spans)
        for line_up, first, n in self._rows("SELECT line_up, first_group, n_groups FROM chunks WHERE run_id = ?"):
            self._spans[line_up].add(first, first + n)

    def gaps(self, line_up: int, deals: int) -> list[tuple[int, int]]:
        """Which of the first deals of a line-up are not committed, as rising intervals (first, end)."""
        return self._spans[line_up].gaps(0, deals)

    def commit(self, chunks: Sequence[CommittedChunk]) -> list[CommittedChunk]:
        """Commit chunks in one transaction; returns those that were new.

        Raises DiskError when it cannot be written.
        """
        if not (new := self._new_of(chunks)):
            return []
        with transaction(self.path, self._connection):
            self._insert_chunks(new)
            self._insert_workers(new)
            self._add_sums(new)
            for table in ("behaviour", "positions", "start_hands"):
                self._add_counters(table, new)
            self._insert_top_pots(new)
            self._insert_folded(new)
            self._parts.insert(part for told in new for part in told.chunk.parts)
            for told in new:
                self._spans[told.line_up].add(told.first, told.end)
            self._store_prefixes({told.line_up for told in new})
        journal.tell_commit(self.run_id, [told.header for told in new])
        return [told.chunk for told in new]

    def check_space(self) -> None:
        """Raise LowSpaceError when the disk has no room for more."""
        check_space(self.path)

    def _new_of(self, chunks: Iterable[CommittedChunk]) -> list[Unpacked]:
        """Those of which no deal is committed, nor in one before them."""
        new = []
        here: dict[int, Spans] = defaultdict(Spans)
        for told in map(Unpacked.of, chunks):
            spans = (self._spans[told.line_up], here[told.line_up])
            if not any(span.holds_any(told.first, told.end) for span in spans):
                here[told.line_up].add(told.first, told.end)
                new.append(told)
        return new

    def _insert_chunks(self, chunks: Sequence[Unpacked]) -> None:
        own = {"run_id": self.run_id, "committed_at": now()}
        insert(self._connection, "chunks", [{**row, **own} for row in chunk_rows(chunks)])

    def _insert_workers(self, chunks: Iterable[Unpacked]) -> None:
        own = {"run_id": self.run_id, "first_seen": now()}
        found = {told.chunk.facts for told in chunks if told.chunk.facts} - self._workers
        insert(self._connection, "workers", [{**vars(worker), **own} for worker in found], "ON CONFLICT DO NOTHING")
        self._workers |= found

    def _add_sums(self, chunks: Iterable[Unpacked]) -> None:
        for table, rows in summed(chunks, self._places, self._batch_groups).items():
            values = [column.name for column in table_of(table).columns if not column.is_key]
            added = ", ".join(f"{name} = {table}.{name} + excluded.{name}" for name in values)
            made = [{"run_id": self.run_id, **row} for row in rows]
            insert(self._connection, table, made, f"ON CONFLICT DO UPDATE SET {added}")

    def _add_counters(self, table: str, chunks: Sequence[Unpacked]) -> None:
        """Add the chunks' rows of a block to the table of that name."""
        new = counted(table, chunks, self._places)
        names = [name for name in new.column_names if is_counter(name)]
        keys = [name for name in new.column_names if name not in names]
        where, source = ", ".join(keys), "new"
        if table == "start_hands":
            where = where.replace("line_up", "structure")
            source = "new JOIN (FROM line_ups WHERE run_id = $run_id) USING (line_up)"
        added = ", ".join(f"sum({name}) AS {name}" for name in names)
        sql = f"SELECT $run_id AS run_id, {where}, {added} FROM {source} GROUP BY ALL"
        update = ", ".join(f"{name} = {table}.{name} + excluded.{name}" for name in names)
        sql = f"INSERT INTO {table} BY NAME {sql} ON CONFLICT DO UPDATE SET {update}"
        self._connection.execute(sql, {"run_id": self.run_id})

    def _insert_top_pots(self, chunks: Sequence[Unpacked]) -> None:
        tops = [(told.line_up, self._tops_of(told)) for told in chunks]
        new = block_rows("top_pots", tops, self._places)  # noqa: F841 - DuckDB reads it by name
        sql = "INSERT INTO top_pots BY NAME SELECT $run_id AS run_id, * FROM new"
        self._connection.execute(sql, {"run_id": self.run_id})

    def _tops_of(self, told: Unpacked) -> sums.Int64s:
        rows, pots = told.blocks["top_pots"], self._pots[told.line_up]
        if len(pots) == sums.N_TOP_POTS:  # in a long run hardly a chunk has one
            rows = rows[rows[:, -1] >= pots[0]]
        return rows[[self._may_be_top(told.line_up, pot_chips) for pot_chips in rows[:, -1].tolist()]]

    def _may_be_top(self, line_up: int, pot_chips: int) -> bool:
        """Whether a pot may be among the first of its line-up, after those that were told before it."""
        pots = self._pots[line_up]
        if len(pots) == sums.N_TOP_POTS and pot_chips < pots[0]:
            return False
        (heapq.heappush if len(pots) < sums.N_TOP_POTS else heapq.heappushpop)(pots, pot_chips)
        return True

    def _insert_folded(self, chunks: Iterable[Unpacked]) -> None:
        folded = {"outcome": "folded", "message": "decisions that failed or were not legal were played as folds"}
        column = sums.BLOCKS["entrants"].index("n_faults")
        self._insert_failures(
            {
                "line_up": told.line_up,
                "first_group": told.first,
                "attempt": told.chunk.attempt,
                "entrant": place,
                "n": n_faults,
                **folded,
            }
            for told in chunks
            for place, n_faults in zip(
                self._places[told.line_up], told.blocks["entrants"][:, column].tolist(), strict=True
            )
            if n_faults
        )

    def parts(self, **columns: Any) -> list[Part]:
        """Committed parts of this run, in the order of what they hold; columns: only those with these values."""
        return self._parts.listed(**columns)

    def make_parts_own(self) -> None:
        """Have all files of rows in this result's own folder. Raises StoreError when one is missing."""
        with writing(self.path):
            self._parts.make_own()

    def sweep_parts(self) -> None:
        """Remove files of rows that were never committed."""
        with writing(self.path):
            self._parts.sweep()

    def replace_parts(self, old: Iterable[str], new: Iterable[Part]) -> None:
        """Let rows be found in other files, in one step; old: paths that do not count any more."""
        with transaction(self.path, self._connection):
            self._parts.remove(old)
            self._parts.insert(new)

    def add_failure(self, line_up: int, first_group: int, attempt: int, **columns: Any) -> bool:
        """Note a failed try of a chunk (columns of `failures`); False when it was noted before."""
        key = {"line_up": line_up, "first_group": first_group, "attempt": attempt}
        with writing(self.path):
            return self._insert_failures([{"entrant": -1, "n": 1, **key, **columns}]) > 0

    def _insert_failures(self, failures: Iterable[dict[str, Any]]) -> int:
        """How many of them were not noted before."""
        own = {"run_id": self.run_id, "run_attempt": self._run_attempt}
        if not (rows := [{**own, **failure} for failure in failures]):
            return 0
        new = arrow_rows("failures", rows)  # noqa: F841 - DuckDB reads it by name
        noted = self._connection.execute("INSERT INTO failures SELECT * FROM new ON CONFLICT DO NOTHING RETURNING *")
        names, values = [column for column, *_ in noted.description or ()], noted.fetchall()
        for row in values:
            journal.tell_failure(dict(zip(names, row, strict=True)))
        return len(values)

    def take_over(self, paths: Sequence[Path]) -> None:
        """Add what other files of this run hold, rows in Parquet files too, in one step.

        Raises StoreError when they overlap or a file of rows is missing, HeldError when one is being written.
        """
        with writing(self.path):
            sources = Sources(self._connection, self.run_id, paths)
            sources.refuse_overlaps()
            parts = list(bring(sources.parts(), database.parts_folder(self.path)))
            with transaction(self.path, self._connection):
                sources.add_rows()
                self._parts.insert(parts)
                self._read_chunks()
                self._store_prefixes(self._places)
                for line_up in sources.stopped_line_ups():
                    self.stop_line_up(line_up)
            sources.detach()

    def stop_line_up(self, line_up: int) -> None:
        """Note that a failing strategy stopped it."""
        self._update("line_ups SET status = 'stopped' WHERE run_id = $run_id AND line_up = $line_up", line_up=line_up)

    def begin_attempt(self, host: str, deals: int, plan: str) -> None:
        """Note that another process goes on with this run, maybe with more deals; plan: as JSON."""
        with transaction(self.path, self._connection):
            self._update(
                """runs SET status = 'running', stop_reason = NULL, attempt = attempt + 1, host = $host,
                       deals = $deals, plan = $plan
                   WHERE run_id = $run_id""",
                host=host,
                deals=deals,
                plan=plan,
            )
            open_again = "status = 'open' WHERE run_id = $run_id AND status = 'complete' AND deals_done < $deals"
            self._update(f"line_ups SET {open_again}", deals=deals)
        self._run_attempt += 1

    def set_label(self, label: str, note: str | None) -> None:
        """Name the run; an empty text takes label or note away, no note leaves it as it is."""
        sql = "runs SET label = nullif($label, ''), note = nullif(coalesce($note, note), '') WHERE run_id = $run_id"
        self._update(sql, label=label, note=note)

    def finish(self, status: str, reason: str, wall_s: float) -> None:
        """Note how this attempt ended; wall_s is added to the attempts before."""
        self._keep_top_pots()
        self.show_parts()
        self._update(
            """runs SET status = $status, stop_reason = $reason, wall_s = wall_s + $wall_s,
                   cpu_s = (SELECT coalesce(sum(c.cpu_s ORDER BY line_up, first_group), 0)
                            FROM chunks c WHERE c.run_id = $run_id)
               WHERE run_id = $run_id""",
            status=status,
            reason=reason,
            wall_s=wall_s,
        )

    def _update(self, sql: str, **params: Any) -> None:
        with writing(self.path):
            self._connection.execute(f"UPDATE {sql}", {"run_id": self.run_id, **params})

    def _keep_top_pots(self) -> None:
        with writing(self.path):
            self._connection.execute(
                f"""DELETE FROM top_pots WHERE run_id = ? AND (line_up, deal, rotation) NOT IN (
                        SELECT (line_up, deal, rotation) FROM top_pots WHERE run_id = ?
                        QUALIFY row_number() OVER (PARTITION BY line_up ORDER BY pot_chips DESC, deal, rotation)
                                <= {sums.N_TOP_POTS})""",
                [self.run_id, self.run_id],
            )

    def show_parts(self) -> None:
        """Let the file's own views show the committed rows, for whoever opens it without razzsim."""
        with writing(self.path):
            database.set_row_views(self._connection, database.part_paths(self._connection))

    def snapshot(self) -> None:
        """Replace the copy that others read while this run writes. Raises LowSpaceError when there is no room."""
        check_space(self.path)
        self.show_parts()
        with writing(self.path):
            database.write_snapshot(self._connection, self.path)

    def totals(self) -> dict[str, int]:
        """Committed chunks, groups, hands and decisions of this run; rows and bytes of its Parquet files."""
        counts = "SELECT count(*), sum(n_groups), sum(n_hands), sum(n_decisions) FROM chunks WHERE run_id = ?"
        sizes = "SELECT sum(n_rows), sum(n_bytes) FROM parts WHERE run_id = ? AND origin = 'run'"
        found = (*self._rows(counts)[0], *self._rows(sizes)[0])
        names = ("chunks", "groups", "hands", "decisions", "rows", "bytes")
        return dict(zip(names, (int(x or 0) for x in found), strict=True))

    def half_widths(self) -> list[tuple[str, float]]:
        """Of every two entrants that met: "a vs b", and half of the 95% interval of their difference in BB/100.

        None when the database cannot say: a figure for onlookers is not worth a run.
        """
        with suppress(duckdb.Error):
            return half_widths(self._connection, self.run_id)
        return []

    def count_stopped(self) -> int:
        """How many line-ups a failing strategy stopped."""
        return len(self._rows("SELECT line_up FROM line_ups WHERE run_id = ? AND status = 'stopped'"))

    def failure_counts(self) -> dict[str, int]:
        """Failed tries of chunks of this run by outcome."""
        sql = "SELECT outcome, count(*) FROM failures WHERE run_id = ? AND outcome <> 'folded' GROUP BY outcome"
        return dict(self._rows(sql))

    def close(self) -> None:
        """Give up the file and its lock; the snapshot goes."""
        self._connection.close()
        database.remove_snapshot(self.path)

    def _rows(self, sql: str) -> list[Any]:
        return self._connection.execute(sql, [self.run_id]).fetchall()

    def _store_prefixes(self, line_ups: Iterable[int]) -> None:
        # All in one statement: one for each line-up takes 2 ms, four fifths of a run of 60 entrants.
        grown = sorted(line_ups)
        self._update(
            """line_ups SET deals_done = done.deals, status = CASE WHEN done.deals >= (
                   SELECT deals FROM runs WHERE run_id = $run_id) THEN 'complete' ELSE status END
               FROM (SELECT unnest($line_ups) AS line_up, unnest($deals) AS deals) AS done
               WHERE run_id = $run_id AND line_ups.line_up = done.line_up""",
            line_ups=grown,
            deals=[self._spans[line_up].prefix for line_up in grown],
        )
