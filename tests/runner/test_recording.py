"""Rows of deal groups, hands and decisions: what is recorded is what was played, however it was played.

Authority: law 6 (any stored hand can be played again), law 1 (chunks, workers and interruptions change nothing). The
rows come from the bulk kernel; they are held against hands played one by one through `engine.hand.Hand`.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from razzsim.engine.cards import NO_CARD
from razzsim.plan import Chunk, ConfigError, Plan, plan_from_file
from razzsim.runner.executor import ExecutorError, Job, Outcome, Played, Task
from razzsim.runner.forecast import forecast
from razzsim.runner.hands import stored_hand
from razzsim.runner.jobs import Workbench
from razzsim.runner.recorder import Recorder
from razzsim.runner.replay import StoredRun, materialize, played_again
from razzsim.runner.session import Options, Watch
from razzsim.store import Reader, StoreError
from tests.runner.helpers import TABLE, experiment, failing, play, rows

SHORT = [7, 31, 400, 12, 95, 3, 58, 1000]
COUNTED = [{"strategy": "tight", "count": 2}, {"strategy": "loose"}, {"strategy": "random"}, {"strategy": "station"}]
EIGHT = [{"strategy": "station", "count": 5}, {"strategy": "random", "count": 3}]
TABLES: dict[str, dict[str, Any]] = {
    "five seats, short stacks": {
        "schedule": "table",
        "table": {**TABLE, "seats": 5, "stacks": SHORT[:5]},
        "entrants": COUNTED,
        "rules": {"preset": "wsop", "rake": {"take": 1, "per": 20, "cap": 3, "from_street": 4}},
        "deals": 40,
    },
    "eight seats, the deck runs out": {
        "schedule": "table",
        "table": {**TABLE, "seats": 8, "stacks": 2000},
        "entrants": EIGHT,
        "deals": 20,
    },
    "two line-ups of three seats": {
        "schedule": "table",
        "table": None,
        "structures": {"deep": {**TABLE, "seats": 3}, "short": {**TABLE, "seats": 3, "stacks": [40, 25, 300]}},
        "entrants": [{"strategy": "thief", "count": 2}, {"strategy": "random"}],
        "deals": 40,
    },
    "heads-up, deuce to seven": {"game": "deuce_to_seven_razz", "deals": 60},
}


def played_by_itself(
    plan: Plan, line_up: int, deal: int, rotation: int
) -> tuple[dict[str, Any], list[tuple[int, ...]]]:
    """The hand's row, and a row a decision, of a hand played step by step."""
    stored = stored_hand(plan, line_up, deal, rotation)
    hand, decisions, n = stored.hand, [], plan.limits_of(plan.line_ups[line_up])["seats"]
    while not hand.is_over:
        if hand.street_is_over:
            hand.deal()
            continue
        seat, table = hand.actor, hand.table
        assert seat is not None
        before = [int(table[name]) for name in ("street", "pot_chips", "n_bets", "live_mask")]
        put = int(table["hand_chips"][seat])
        action = stored.decide(hand)
        hand.apply(action)
        amount = int(table["hand_chips"][seat]) - put
        street, pot, n_bets, live = before
        decisions.append((line_up, deal, rotation, len(decisions), street, seat, action, amount, pot, n_bets, live))
    hand.settle()
    row: dict[str, Any] = {
        "line_up": line_up,
        "deal": deal,
        "rotation": rotation,
        "street": int(hand.table["street"]),
        "bring_in_seat": int(hand.table["bring_in_seat"]),
        "showdown_mask": sum(1 << seat for seat in hand.show_order),
        "winner_mask": sum({1 << seat for pot in hand.pots for seat in pot.winners}),
        "pot_chips": sum(pot.chips + pot.rake_chips for pot in hand.pots),
        "rake_chips": sum(pot.rake_chips for pot in hand.pots),
    }
    for seat in range(8):
        cards = [int(card) for card in hand.me(seat)["cards"][:7]] if seat < n else [NO_CARD] * 7
        row[f"put_{seat}"] = int(hand.table["hand_chips"][seat]) if seat < n else 0
        row[f"net_{seat}"] = hand.net[seat] if seat < n else 0
        row[f"cards_{seat}"] = sum(min(card, 63) << 6 * k for k, card in enumerate(cards))
    return row, decisions


@pytest.mark.parametrize("name", TABLES)
def test_rows_are_the_hands_played_one_by_one(name: str, tmp_path: Path) -> None:
    run = play(experiment(tmp_path, record="actions", chunk_groups=8, **TABLES[name]), "x.duckdb")
    plan = StoredRun.read(run.path).plan
    with Reader(run.path) as reader:
        hands = reader.query("SELECT * FROM hands ORDER BY line_up, deal, rotation").to_pylist()
        columns = "line_up, deal, rotation, n, street, seat, action, amount_chips, pot_chips, n_bets, live_mask"
        actions = reader.query(f"SELECT {columns} FROM actions ORDER BY line_up, deal, rotation, n").to_pylist()
        entrants = reader.query("SELECT entrant FROM actions ORDER BY line_up, deal, rotation, n").to_pylist()
    expected_hands, expected_actions, acting = [], [], []
    for line_up in plan.line_ups:
        for deal in range(plan.deals):
            for rotation in range(line_up.rotations):
                row, decisions = played_by_itself(plan, line_up.number, deal, rotation)
                expected_hands.append(row)
                expected_actions += decisions
                copies = hands[len(expected_hands) - 1]["copies"]
                acting += [line_up.entrants[copies >> 4 * decision[5] & 15] for decision in decisions]
    assert [{key: hand[key] for key in expected_hands[0]} for hand in hands] == expected_hands
    assert [tuple(action.values()) for action in actions] == expected_actions
    assert [row["entrant"] for row in entrants] == acting


def test_groups_are_the_hands_of_a_deal_added_up_and_the_sums_are_the_groups(tmp_path: Path) -> None:
    run = play(experiment(tmp_path, record="hands", **TABLES["five seats, short stacks"]), "x.duckdb")
    seats = " UNION ALL ".join(
        f"SELECT deal, copies >> {4 * s} & 15 AS copy, net_{s} AS net FROM hands" for s in range(5)
    )
    by_hand = f"""SELECT deal, list_extract(entrants, copy::INT + 1) AS entrant, sum(net) AS net FROM ({seats})
                  CROSS JOIN line_ups GROUP BY ALL"""
    assert rows(run.path, f"SELECT deal, entrant, net_chips FROM groups EXCEPT ({by_hand})") == []
    assert rows(run.path, "SELECT count(*) FROM groups") == [(40 * 4,)]
    added = "SELECT entrant, sum(net_chips), sum(net_chips::HUGEINT ** 2)::HUGEINT FROM groups GROUP BY ALL ORDER BY 1"
    assert rows(run.path, added) == rows(
        run.path, "SELECT entrant, sum(net_chips), sum(net_sq) FROM group_sums GROUP BY ALL ORDER BY 1"
    )


@pytest.mark.parametrize("then", ["raise ValueError(table.street)", "return 7"])
def test_a_failing_strategy_is_folded_again_or_named(then: str, tmp_path: Path) -> None:
    entrants = [{"strategy": "station"}, failing(tmp_path, "me.cards[0] < 26", then)]
    run = play(experiment(tmp_path, record="hands", on_error="fold", entrants=entrants, deals=20), "x.duckdb")
    plan = StoredRun.read(run.path).plan
    with Reader(run.path) as reader:
        hands = reader.query("SELECT * FROM hands ORDER BY deal, rotation").to_pylist()
    for hand in hands:
        row, _ = played_by_itself(plan, 0, hand["deal"], hand["rotation"])
        assert {key: hand[key] for key in row} == row
    strict = replace(plan, on_error="stop_run")
    words = "raised ValueError: " if "raise" in then else "returned 7, which is not legal here"
    said = []
    for hand in hands:
        try:
            played_by_itself(strict, 0, hand["deal"], hand["rotation"])
        except StoreError as error:
            said.append(str(error))
            place = f"strategy failing, deal {hand['deal']}, rotation {hand['rotation']}, seat "
            assert said[-1].startswith(place) and words in said[-1]
    assert 10 < len(said) < 40


def test_a_pilot_without_an_answer_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("razzsim.runner.forecast._LEAST_S", 0)
    loop = "k = 0\n        while table.street != 0:\n            k += me.seat + 1\n        return k"
    entrants = [{"strategy": "station"}, failing(tmp_path, "table.street == 3", loop)]
    plan = plan_from_file(experiment(tmp_path, entrants=entrants, limits={"chunk_s": 0.3}))
    with pytest.raises(ConfigError, match=r"does not answer in the pilot, deals 0 to 0: not done after 0.3 s"):
        forecast(plan)


class LosesTheInnocent:
    """Loses a job twenty times without blame, or blames it each time."""

    n_workers = n_slots = 1

    def __init__(self, blamed: bool) -> None:
        self.job, self.n, self._blamed = Job(()), 0, blamed

    def submit(self, job: Job) -> None:
        self.job, self.n = job, self.n + 1

    def completed(self, timeout_s: float) -> list[Outcome]:
        if self.n <= 20:
            return [Outcome(self.job, lost="worker_lost", message="lost", blamed=self._blamed)]
        return [Outcome(self.job, [Played(self.job.chunks[0], None)])]

    def close(self) -> None: ...


def test_only_blamed_losses_are_tries() -> None:
    chunk = Chunk(0, 0, 1)
    assert [played.chunk for played in played_again(LosesTheInnocent(False), iter([chunk]), 3)] == [chunk]
    executor = LosesTheInnocent(True)
    with pytest.raises(ExecutorError, match="worker_lost: lost"):
        list(played_again(executor, iter([chunk]), 3))
    assert executor.n == 3


def test_what_cannot_be_materialized_is_said(tmp_path: Path) -> None:
    run = play(experiment(tmp_path, record="groups", deals=20), "x.duckdb")
    stored = StoredRun.read(run.path)
    given: dict[str, Any] = {"line_ups": [0], "options": Options(local=True), "watch": Watch()}
    assert materialize(stored, "groups", deals=(0, 20), **given) == 0
    with pytest.raises(StoreError, match="none of these deals was played"):
        materialize(replace(stored, played={}), "hands", deals=(0, 20), **given)
    (file,) = (tmp_path / "x.parts").iterdir()
    file.unlink()
    with pytest.raises(StoreError, match=f"{file}: rows of groups were recorded in it, and it is missing"):
        materialize(stored, "groups", deals=(0, 20), **given)
    small = replace(stored, plan=replace(stored.plan, chunk_groups=4))
    assert [piece.n_groups for piece in small.pieces([0], 0, 18)] == [4, 4, 4, 4, 2]
    stored.check_deal(0, 19)
    with pytest.raises(StoreError, match="deal 20 of line-up 0 was not played"):
        stored.check_deal(0, 20)


@pytest.mark.parametrize("after", ["take", "finish"])
def test_a_full_disk_leaves_nothing_and_keeps_its_cause(
    after: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow.parquet as pq

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    plan = plan_from_file(experiment(tmp_path, record="hands", deals=20))
    method = getattr(Recorder, after)
    monkeypatch.setattr(pq.ParquetWriter, "close", full)
    monkeypatch.setattr(Recorder, after, lambda self, given: (method(self, given), full()))
    with pytest.raises(OSError, match="No space left"):
        Workbench(plan, Task("hands", folder=str(tmp_path / "parts"))).play(Chunk(0, 0, 10))
    assert list((tmp_path / "parts").iterdir()) == []


RAISER = '''"""Raises whenever it may."""
from razzsim.strategy import CALL, RAISE, strategy

@strategy()
def raiser(me, table, p):
    return RAISE if me.legal_mask & 4 else CALL
'''


def uncapped(folder: Path, name: str, stacks: int, **keys: Any) -> Path:
    """Two that always raise, heads-up without a cap."""
    (folder / "raiser.py").write_text(RAISER)
    entrants = [{"strategy": "raiser.py", "name": which} for which in ("one", "two")]
    table = {**TABLE, "stacks": stacks}
    return experiment(folder, name, record="actions", rules="wsop", table=table, entrants=entrants, **keys)


def test_bets_without_a_cap_are_counted_as_they_were_made(tmp_path: Path) -> None:
    run = play(uncapped(tmp_path, "x", 40_000, deals=3), "x.duckdb")
    recount = """SELECT n_bets, count(*) FILTER (action = 2) OVER street AS bets, max(n_bets) OVER () AS most
                 FROM actions WINDOW street AS (PARTITION BY deal, rotation, street ORDER BY n ROWS UNBOUNDED PRECEDING
                                   EXCLUDE CURRENT ROW)"""
    counts = "count(*), count(*) FILTER (n_bets = bets), any_value(most)"
    ((n, n_same, most),) = rows(run.path, f"SELECT {counts} FROM ({recount})")
    assert (n, most > 1900) == (n_same, True)
    assert n == rows(run.path, "SELECT sum(n_decisions) FROM chunks")[0][0]
    told = rows(run.path, "SELECT entrant, sum(n_raise), sum(n_bet) FROM behaviour GROUP BY 1 ORDER BY 1")
    counted = "sum((action = 2)::INT), sum((action = 2 AND n_bets = 0)::INT)"
    assert rows(run.path, f"SELECT entrant, {counted} FROM actions GROUP BY 1 ORDER BY 1") == told
    words = rows(run.path, "SELECT count(*) FROM decisions WHERE action IN ('bet', 'complete')")
    assert words == [(told[0][2] + told[1][2],)]


@pytest.mark.parametrize("chunk_groups", [1, 4])
def test_a_deal_with_too_many_decisions_fails_in_any_chunk(chunk_groups: int, tmp_path: Path) -> None:
    run = play(uncapped(tmp_path, "x", 900_000, deals=4, batch_groups=4, chunk_groups=chunk_groups), "x.duckdb")
    assert run.status == "failed"
    assert "deal 0, rotation 1" in run.stop_reason
    assert run.stop_reason.endswith("one deal has more decisions than can be recorded (65,536)")
