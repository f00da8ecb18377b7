"""The same plan gives the same bits: on any number of workers, with any chunk size, interrupted or not.

And these bits are right: the sums of bulk play equal a recount that plays every hand by itself, with cards, seating
and dice from Philox4x32-10 and SplitMix64 in plain Python (the contract: key = seed, counter = (purpose << 24 | block,
sub, deal, domain)). Authority: law 1 and fault G1 (results must not depend on the number of workers), G5 (nothing
twice).
"""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from razzsim import sums as layout
from razzsim.engine.hand import Hand
from razzsim.engine.rules import rules_record
from razzsim.engine.state import table_record
from razzsim.plan import Chunk, Plan, plan_from_file
from razzsim.runner import session
from razzsim.runner.jobs import Workbench
from razzsim.strategy.loader import compiled, load
from tests.runner.helpers import TABLE, experiment, play, play_interrupted, rows, sums

COUNTED = [{"strategy": "tight", "count": 2}, {"strategy": "loose"}, {"strategy": "random"}, {"strategy": "station"}]
THREE = [{"strategy": "tight"}, {"strategy": "loose"}, {"strategy": "random"}]
SCHEDULES: dict[str, dict[str, Any]] = {
    "table": {"schedule": "table", "table": {**TABLE, "seats": 5}, "entrants": COUNTED},
    "heads_up": {},
    "round_robin": {
        "schedule": "round_robin",
        "table": None,
        "structures": {"antes": TABLE, "none": {**TABLE, "ante": 0, "stacks": 90}},
        "entrants": THREE,
    },
}


MOST_ARE_SLOW = ["table", *(pytest.param(name, marks=pytest.mark.slow) for name in ("heads_up", "round_robin"))]


def config_of(folder: Path, schedule: str, chunk_groups: int = 16) -> Path:
    name = f"{schedule}-{chunk_groups}"
    return experiment(folder, name, batch_groups=64, chunk_groups=chunk_groups, **SCHEDULES[schedule])


@pytest.mark.parametrize("schedule", MOST_ARE_SLOW)
def test_workers_and_chunk_sizes_change_no_bit(schedule: str, tmp_path: Path, ray_address: str) -> None:
    config = config_of(tmp_path, schedule)
    expected = sums(play(config, "local.duckdb").path)
    assert all(expected)
    run = play(config, "workers.duckdb", local=False, workers=2, address=ray_address)
    assert (run.status, sums(run.path)) == ("complete", expected)
    for chunk_groups in (1, 64):
        run = play(config_of(tmp_path, schedule, chunk_groups), f"chunks-{chunk_groups}.duckdb")
        assert rows(run.path, "SELECT max(n_groups) FROM chunks") == [(chunk_groups,)]
        assert sums(run.path) == expected


@pytest.mark.parametrize("schedule", MOST_ARE_SLOW)
def test_an_interruption_changes_no_bit(schedule: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    keys = {**SCHEDULES[schedule], "deals": 15_000, "batch_groups": 4096}  # 30 chunks, of which a few are played first
    expected = sums(play(experiment(tmp_path, "whole", **keys), "whole.duckdb").path)
    stopped = play_interrupted(experiment(tmp_path, "x", chunk_groups=512, **keys), "stopped.duckdb", after_hands=1)
    assert (stopped.status, stopped.stop_reason) == ("stopped", "interrupted")
    committed = rows(stopped.path, "SELECT line_up, first_group, committed_at FROM chunks")
    options = session.Options(local=True)
    if schedule == "round_robin":
        options = session.Options(address=request.getfixturevalue("ray_address"), workers=2)
    resumed = session.resume(stopped.path, options)
    assert (resumed.status, resumed.row["attempt"], sums(resumed.path)) == ("complete", 2, expected)
    assert set(committed) < set(rows(stopped.path, "SELECT line_up, first_group, committed_at FROM chunks"))


def test_a_strategy_against_itself_is_exactly_even(tmp_path: Path) -> None:
    twins = [{"strategy": "loose", "name": "a"}, {"strategy": "loose", "name": "b"}]
    run = play(experiment(tmp_path, entrants=twins), "twins.duckdb")
    assert rows(run.path, "SELECT sum(n_nonzero), sum(abs(net_chips)), sum(net_sq), sum(n_groups) FROM group_sums") == [
        (0, 0, 0, 1000)
    ]
    assert rows(run.path, "SELECT sum(abs(net_net)) FROM group_cross") == [(0,)]


# --- the recount: nothing of engine.bulk, engine.streams or runner.jobs ---

LOW32 = (1 << 32) - 1
LOW64 = (1 << 64) - 1
CARDS, SEATING, DICE = 1, 2, 3


def philox(counter: tuple[int, ...], seed: int) -> tuple[int, ...]:
    c0, c1, c2, c3 = counter
    k0, k1 = seed & LOW32, seed >> 32
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = p1 >> 32 ^ c1 ^ k0, p1 & LOW32, p0 >> 32 ^ c3 ^ k1, p0 & LOW32
        k0, k1 = (k0 + 0x9E3779B9) & LOW32, (k1 + 0xBB67AE85) & LOW32
    return c0, c1, c2, c3


def words(seed: int, purpose: int, deal: int) -> Iterator[int]:
    for block in itertools.count():
        yield from philox((purpose << 24 | block, 0, deal & LOW32, deal >> 32), seed)


def shuffled(seed: int, purpose: int, deal: int, items: list[int]) -> list[int]:
    """Fisher-Yates from the front; a word that would bias the draw is skipped (Lemire)."""
    source = words(seed, purpose, deal)
    for i in range(len(items) - 1):
        n = len(items) - i
        product = next(source) * n
        while product & LOW32 < (1 << 32) % n:
            product = next(source) * n
        j = i + (product >> 32)
        items[i], items[j] = items[j], items[i]
    return items


def dice(seed: int, deal: int, seat: int, street: int, decision: int) -> int:
    """SplitMix64 from the deal's first DICE words, at the place of the decision."""
    w0, w1, _, _ = philox((DICE << 24, 0, deal & LOW32, deal >> 32), seed)
    z = ((w0 | w1 << 32) + (1 + (seat << 16 | street << 8 | min(decision, 255))) * 0x9E3779B97F4A7C15) & LOW64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & LOW64
    z = (z ^ z >> 27) * 0x94D049BB133111EB & LOW64
    return z ^ z >> 31


def play_hand(plan: Plan, deal: int, holders: list[int]) -> list[int]:
    """Net chips by seat of one hand; holders: the entrant of every seat."""
    limits = plan.limits_of(plan.line_ups[0])
    table = table_record(limits["ante"], limits["bring_in"], limits["small_bet"], limits["big_bet"], limits["seats"])
    deck = shuffled(plan.seed, CARDS, deal, list(range(52)))
    hand = Hand(rules_record(plan.rules), table, limits["stacks"], deck)
    for seat, entrant in enumerate(holders):
        planned = plan.entrants[entrant]
        for place, name in enumerate(load(planned.source).params):
            hand.me(seat)["params"][place] = planned.params[name]
    while not hand.is_over:
        if hand.street_is_over:
            hand.deal()
            continue
        seat = hand.actor
        assert seat is not None
        me, source = hand.me(seat), plan.entrants[holders[seat]].source
        me["dice"] = dice(plan.seed, deal, seat, int(hand.table["street"]), int(me["decision"]))
        hand.apply(int(compiled(source)(me, hand.table)))
    hand.settle()
    return hand.net


def recount(plan: Plan, deals: range) -> tuple[list[list[int]], list[int]]:
    """By entrant: hands, non-zero groups, net, squares; and the products of pairs."""
    line_up, n = plan.line_ups[0], plan.limits_of(plan.line_ups[0])["seats"]
    totals = [[0, 0, 0, 0] for _ in line_up.places]
    pairs = list(itertools.combinations(line_up.places, 2))
    products = [0] * len(pairs)
    for deal in deals:
        order = list(range(n))
        if plan.schedule == "table":
            order = shuffled(plan.seed, SEATING, deal, order)
        group = dict.fromkeys(line_up.places, 0)
        for rotation in range(n):
            holders = [line_up.entrants[order[(seat + rotation) % n]] for seat in range(n)]
            for entrant, net in zip(holders, play_hand(plan, deal, holders), strict=True):
                group[entrant] += net
                totals[line_up.places.index(entrant)][0] += 1
        for total, x in zip(totals, group.values(), strict=True):
            total[1:] = [total[1] + (x != 0), total[2] + x, total[3] + x * x]
        products = [sum_ + group[a] * group[b] for sum_, (a, b) in zip(products, pairs, strict=True)]
    return totals, products


DEEP, SHORT = "deep", [7, 31, 400, 12, 95, 3, 58, 1000]
RECOUNTS = [(2, DEEP, 60), (2, SHORT, 60), (3, DEEP, 40), (3, SHORT, 40), (6, SHORT, 20), (8, DEEP, 12), (8, SHORT, 12)]


@pytest.mark.parametrize(("seats", "stacks", "deals"), RECOUNTS)
def test_bulk_sums_equal_a_recount_hand_by_hand(seats: int, stacks: Any, deals: int, tmp_path: Path) -> None:
    counts = {2: [1, 1], 3: [2, 1], 6: [2, 2, 1, 1], 8: [3, 2, 2, 1]}[seats]
    names = ["loose", "random", "thief", "station"]
    entrants = [{"strategy": name, "count": count} for name, count in zip(names, counts, strict=False)]
    table = {**TABLE, "seats": seats, "stacks": stacks if stacks == DEEP else stacks[:seats]}
    schedule = "heads_up" if seats == 2 and stacks == DEEP else "table"
    seed = (1 << 62) + 12_345  # both words of the key
    plan = plan_from_file(experiment(tmp_path, seed=seed, table=table, entrants=entrants, schedule=schedule))
    first = (1 << 40) + 7  # both words of the counter
    played = Workbench(plan).play(Chunk(0, first, deals))
    assert played.sums is not None
    header, blocks = layout.header_of(played.sums), layout.unpack(played.sums)
    totals, products = recount(plan, range(first, first + deals))
    assert (header["n_groups"], header["n_hands"]) == (deals, deals * seats)
    assert [[*row[:3], layout.joined(row[3], row[4])] for row in blocks["entrants"].tolist()] == totals
    assert [layout.joined(*row) for row in blocks["pairs"].tolist()] == products
    assert any(total[2] for total in totals)
